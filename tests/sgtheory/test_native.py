"""Numbers as people write them: every kind gives the problem that the plain lists give."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from sgtheory import Problem, UnusableInput
from sgtheory.reader.native import plain, scalar

HALVES = [[2, 0.5], [0.5, 3]]
PLAIN = {"noise": [[1, 0], [0, 1]], "N": 40, "S": 4}


def _problem(**given: object) -> Problem:
    return Problem.of({"hessian": HALVES, "params": {"eps": "1/10"}, **PLAIN, **given})


class Frame:
    """What pandas and polars have: their numbers by a method."""

    def __init__(self, rows: object) -> None:
        self.rows = rows

    def to_numpy(self) -> object:
        return np.array(self.rows)


class Sparse(Frame):
    def toarray(self) -> object:
        return self.to_numpy()


DTYPES = [np.float16, np.float32, np.float64, np.longdouble, object]


@pytest.mark.parametrize(
    "hessian",
    [
        *(np.array(HALVES).astype(d) for d in DTYPES),
        np.asfortranarray(HALVES),
        sp.Matrix([[2, sp.Rational(1, 2)], [sp.Rational(1, 2), 3]]),
        sp.ImmutableMatrix([[2, 0.5], [0.5, 3]]),
        Frame(HALVES),
        Sparse(HALVES),
        ((2, Fraction(1, 2)), (Decimal("0.5"), 3)),
        [np.array([2, 0.5]), (sp.Rational(1, 2), np.int8(3))],
        [["2", "1/2"], [np.float32(0.5), np.array(3)]],
    ],
)
def test_matrices_of_every_kind(hessian: object) -> None:
    assert _problem(hessian=hessian).matrices == _problem().matrices


@pytest.mark.parametrize(
    "kind", [np.int8, np.int16, np.uint8, np.int64, np.uint64, sp.Integer, Decimal, float]
)
def test_whole_numbers_of_every_kind(kind: type) -> None:
    assert _problem(N=kind(40), S=kind(4)).sizes == _problem().sizes


TENTH = [
    0.1, "0.1", "1/10", Decimal("0.1"), Fraction(1, 10), np.float16(0.1), np.float32(0.1),
    np.float64(0.1),
    np.array(0.1), np.array(0.1, np.float32), sp.Rational(1, 10), sp.Float(0.1), sp.Float("0.1", 40),
]  # fmt: skip


@pytest.mark.parametrize("tenth", TENTH, ids=lambda x: f"{type(x).__name__}-{x!r}")
def test_a_float_means_the_decimal_that_names_it(tenth: object) -> None:
    found = _problem(params={"eps": tenth})
    assert found.params["eps"] == Fraction(1, 10)
    assert found == _problem().with_params(eps=tenth)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numpy_floats_are_read_as_pythons_are(x: float) -> None:
    assert scalar(np.float64(x)) == x
    assert plain(np.array([x])) == [x]


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float32_is_the_number_that_rounds_to_it(x: float) -> None:
    narrow = np.float32(x)
    assert np.float32(float(scalar(narrow))) == narrow
    assert plain(np.array([narrow])) == [scalar(narrow)]
    assert len(str(scalar(narrow).numerator)) <= 60


@pytest.mark.parametrize(
    "start", [[1, 2], (1, 2), np.array([1, 2]), np.array([[1.0], [2.0]]), sp.Matrix([1, 2]), range(1, 3)]
)
def test_a_column_is_a_vector(start: object) -> None:
    assert dict(_problem(start={"theta": start}).start) == {"theta": (1, 2)}


def test_letters_of_sympy_name_parameters_and_potentials() -> None:
    x, eps = sp.symbols("x eps")
    made = {"model": "potential", "U": x**4 / 4, "noise": 1, "params": {eps: sp.Rational(1, 10)}}
    assert Problem.of(made).to_json() == {
        "model": "potential", "U": "x**4/4", "noise": [[1]], "params": {"eps": "1/10"}
    }  # fmt: skip


def test_data_in_frames() -> None:
    X, y = [[1.0, 1], [2, 0], [4, 2], [0.1, 1]], [1, 0, 2, 1]
    made = {"model": "linear_regression", "S": 2, "params": {"eps": 0.1}}
    plainly = Problem.of({**made, "X": X, "y": y})
    for given_x, given_y in (
        (Frame(X), Frame(y)),
        (np.array(X), np.array(y)[:, None]),
        (sp.Matrix(X), y),
    ):
        found = Problem.of({**made, "X": given_x, "y": given_y})
        assert found.to_json() == plainly.to_json()
        assert found.examples.A == plainly.examples.A


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2, 4], "b": [1, 0, 2], "y": [1, 2, 1]})
    made = {"model": "linear_regression", "S": 2, "params": {"eps": 0.1}}
    found = Problem.of({**made, "X": frame[["a", "b"]], "y": frame["y"]})
    assert found.to_json()["X"] == [[1, 1], [2, 0], [4, 2]]
    assert found.to_json()["y"] == [1, 2, 1]


def test_long_arrays_stay_arrays_and_mean_the_same() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_001, 2)), rng.normal(size=20_001)
    made = {"model": "linear_regression", "S": 2, "params": {"eps": 0.1}}
    long = Problem.of({**made, "X": X, "y": y[:, None]})
    assert long.data["X"].dtype == float  # no detour over millions of fractions
    assert long.data["y"].shape == (20_001,)
    exactly = Problem.of({**made, "X": X.tolist(), "y": y.tolist()})
    assert long.examples.A == exactly.examples.A
    assert long.examples.mode == exactly.examples.mode


@pytest.mark.parametrize(
    ("eps", "got"),
    [
        (np.nan, "nan"), (np.float32("inf"), "inf"), (Decimal("NaN"), "nan"), (1j, "1j"),
        (np.complex64(1), "1"), (True, "True"), (np.bool_(True), "True"), (sp.sqrt(2), "sqrt(2)"),
        (sp.Symbol("x"), "x"), (sp.I, "I"), (sp.oo, "oo"), (b"1", "b'1'"), (None, "None"), ({}, "{}"),
        (object, "object"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_number_is_refused_in_one_line(eps: object, got: str) -> None:
    with pytest.raises(UnusableInput) as refused:
        _problem(params={"eps": eps})
    assert got in str(refused.value)
    assert "eps" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "value",
    [
        np.array(["a"]),
        np.array([[1, 2, 3], [4, 5, 6]]),
        np.ones((2, 2, 2)),
        sp.Matrix([[sp.Symbol("x")]]),
    ],
)
def test_arrays_of_the_wrong_shape_or_kind(value: object) -> None:
    with pytest.raises(UnusableInput):
        _problem(hessian=value)


def test_lists_that_hold_themselves() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(UnusableInput, match="nested too deeply"):
        _problem(hessian=endless)


def test_an_array_that_cannot_be_read_says_so() -> None:
    class Tensor:
        def __array__(self) -> object:
            raise RuntimeError("call detach() first")

    with pytest.raises(UnusableInput, match="detach"):
        _problem(hessian=Tensor())


def test_exact_arithmetic_imports_no_numpy() -> None:
    import subprocess
    import sys

    asked = "import sys, sgtheory.reader.exact; "
    asked += "print(sorted({'numpy', 'pandas', 'sympy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "[]\n"
