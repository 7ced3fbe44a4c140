"""Rows of large matrices are kept as they were given, and are the exact numbers wherever one looks."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from sgtheory.problem import Problem
from sgtheory.reader import exact, limits, native, syntax
from sgtheory.reader.row import Row

ENTRIES = [0.1, 3, Fraction(1, 3), -0.0, 1e-30, 10**17 + 1]
EXACTLY = tuple(exact.number(x, "x") for x in ENTRIES)


def test_a_row_is_the_tuple_of_its_exact_numbers():
    row = Row(ENTRIES)
    assert isinstance(row, tuple)
    assert [*row] == [*EXACTLY] == [row[k] for k in range(len(row))]
    assert all(type(x) is Fraction for x in (*row, row[0], *row[::2]))
    assert row == EXACTLY
    assert EXACTLY == row  # noqa: SIM300
    assert all(x in row for x in EXACTLY)
    assert Fraction(0.1) not in row
    assert hash(row) == hash(EXACTLY)
    assert repr(row) == repr(EXACTLY)
    assert row + (1,) == (*EXACTLY, 1)  # noqa: RUF005
    assert (1,) + row == (1, *EXACTLY)  # noqa: RUF005
    assert [*zip(*(row, row), strict=True)] == [(x, x) for x in EXACTLY]
    assert row != (*EXACTLY[:-1], Fraction(1))
    assert Row([0.1]) == Row([Fraction(1, 10)]) != Row([Fraction(0.1)])
    again = pickle.loads(pickle.dumps(row))
    assert again == row
    assert again.given == row.given == tuple(ENTRIES)


@pytest.fixture(params=["floats", "fractions as text"])
def content(request):
    """A problem of more rows than are made fractions."""
    D = 201
    A = np.eye(D) * 2 + np.diag(np.full(D - 1, 0.1), 1) + np.diag(np.full(D - 1, 0.1), -1)
    rows = A.tolist()
    if request.param == "fractions as text":
        rows[0][0] = "7/3"
    return {"hessian": rows, "noise": np.eye(D), "N": 40, "S": 4, "params": {"eps": "1/5"}}


def test_a_large_problem_is_the_same_as_one_of_fractions(content, monkeypatch):
    kept = Problem.of(content)
    monkeypatch.setattr(exact, "_MADE", 10**9)
    made = Problem.of(content)
    assert type(kept.matrices["A"][0]) is Row
    assert type(made.matrices["A"][0]) is tuple
    assert kept.matrices == made.matrices
    assert kept == made
    assert (exact.floats(kept.matrices["A"]) == exact.floats(made.matrices["A"])).all()
    assert (
        exact.floats(kept.matrices["A"], np.longdouble)
        == exact.floats(made.matrices["A"], np.longdouble)
    ).all()
    assert kept.to_json() == made.to_json()
    assert kept.matrices["C"] == exact.identity(201)
    for problem in (kept, made):
        values = problem.values("sgd")
        assert (values.arrays["A"] == exact.floats(made.matrices["A"])).all()
        assert values.is_identity("C")


def test_large_matrices_are_checked_as_small_ones_are(content):
    rows = [[*row] for row in content["hessian"]]
    for entry, said in (
        (1e101, r"hessian\[0\]\[3\]"), (True, "a number for hessian"), ("x", "'x'"),
        (float("nan"), "finite"), (0.25, r"symmetric; got entry \[3\]\[0\] = 0 but"),
    ):  # fmt: skip
        rows[0][3] = entry
        with pytest.raises(UnusableInput, match=said):
            Problem.of({**content, "hessian": rows})
    rows[0][3], rows[3][0] = "1/10", 0.1  # which are one number
    assert Problem.of({**content, "hessian": rows}).matrices["A"][0][3] == Fraction(1, 10)
    rows[0][1] = rows[1][0] = 5
    with pytest.raises(UnusableInput, match="definite"):
        Problem.of({**content, "hessian": rows})


def test_long_lists_of_data_are_the_same_as_arrays():
    X = np.round(np.random.default_rng(1).normal(size=(9_000, 3)), 3)
    made = {"model": "linear_regression", "S": 2, "params": {"eps": 0.1}, "y": X[:, 0].tolist()}
    rows = [[*row] for row in X.tolist()]
    rows[5][1] = "1/8"
    X[5, 1] = 0.125
    assert native.is_long(rows)
    as_lists, as_array = (Problem.of({**made, "X": given}) for given in (rows, X))
    assert (as_lists.data["X"] == as_array.data["X"]).all()
    assert as_lists.examples.A == as_array.examples.A
    for entry in ("x", True, None, [1], 10**400, float("inf")):
        rows[7][2] = entry
        with pytest.raises(UnusableInput, match="X"):
            Problem.of({**made, "X": rows})
    rows[7] = [1]
    with pytest.raises(UnusableInput, match=r"X\[7\] as a list of 3 numbers; got length 1"):
        Problem.of({**made, "X": rows})


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.1", 0.1), ("0.30000000000000004", 0.30000000000000004), ("1e-05", 1e-5), ("0.000", 0),
        ("0.1000000000000000055", Fraction("0.1000000000000000055")), ("0e5", 0), ("-0.0", 0),
        ("12345678901234567890", 12345678901234567890),
    ],
)  # fmt: skip
def test_a_number_in_a_document_is_what_is_written(text, number):
    found = syntax.parse(f"[{text}]")[0]
    assert exact.number(found, "x") == exact.number(number, "x") == Fraction(text)


@pytest.mark.parametrize("text", ["1e-999", "1e999", "1e101", "-1e-101", "1" * 102])
def test_a_number_out_of_range_is_none(text):
    with pytest.raises(UnusableInput, match="in range"):
        syntax.parse(f"[{text}]")


def test_what_takes_gigabytes_is_known_by_its_signs(monkeypatch):
    monkeypatch.setattr(limits, "ENTRIES", 100)
    monkeypatch.setattr(limits, "LISTS", 10)
    monkeypatch.setattr(limits, "FRACTIONS", 3)
    monkeypatch.setattr(limits, "TOML", 20)
    assert len(syntax.parse("[" + "1," * 90 + "1]")) == 91
    for text, name in (
        ("[" + "1," * 110 + "1]", "p.json"), ("[" + "[]," * 11 + "1]", "p.json"),
        ("a = [" + "1, " * 110 + "1]", "p.toml"),
    ):  # fmt: skip
        with pytest.raises(UnusableInput, match="at most 100 numbers in at most 10 lists"):
            syntax.parse(text, name)
    with pytest.raises(UnusableInput, match="round them"):
        syntax.parse("[" + ",".join(["0.12345678901234567891"] * 4) + "]")
    with pytest.raises(UnusableInput, match="write it as JSON"):
        syntax.parse("a = 1" + " " * 20, "p.toml")
