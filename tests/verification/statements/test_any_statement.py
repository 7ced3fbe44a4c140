"""Whatever is stated is refused at once, with a remedy, or decided: nothing else comes out."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtheory.errors import DeclarationError, UnusableInput
from verification import notation
from verification.notation import A, C, N, S, Sigma
from verification.statements import (
    Adds,
    All,
    Best,
    Bounded,
    Compare,
    Equal,
    Exists,
    FreeOf,
    Iff,
    Moves,
    Not,
    Order,
    claim,
    exp,
    function,
    growing,
    index,
    letter,
    letters,
    log,
    mean,
    mean_under,
    over,
    partial,
    same,
    sequences,
    size,
    smallest,
    vanishing,
)
from verification.terms.batchwords import Average, BatchAverage, Expectation, columns
from verification.terms.gaussians import Divergence
from verification.terms.term import Applied
from verification.theories.distances import TARGET, W2, law
from verification.theories.invariants import bias, off
from verification.theories.matrices.words import det, rank, tr
from verification.theories.time.words import averaged, expm, integral, lagged, long_run, variable

a, b = letters("a b")
n, T = letters("n T", "count")
x = letter("x", "real")
(u,), (r,) = sequences("u"), sequences("r", "random sequence")
t, (z, w), s = index("t"), columns("z w"), variable("s")
VERDICTS = {"proved", "proved-if", "limit-only", "refuted", "inconclusive"}
TERMS: dict[str, Any] = {
    "number": a / (b + 1),
    "functions": smallest(exp(a), log(b)),
    "sum": over(u[t] ** 2, t, 1, n),
    "entry": size(u[n]),
    "random": mean(r[n] ** 2),
    "matrix": A * C,
    "trace": tr(A * C),
    "determinant": det(A),
    "rank": rank(C),
    "law": tr(A * Sigma),
    "covariance": Sigma,
    "exponential": expm(a * A),
    "lag": tr(lagged(T, 0)),
    "window": tr(averaged(T)),
    "long run": tr(long_run()),
    "integral": integral(exp(-a * s), (s, 0, b)),
    "function": function("f")(x),
    "derivative": partial(function("f")(x), x),
    "mean": mean_under(-(x**2) / 2, x**2, x),
    "data": Average(z * 1),
    "batch": Expectation(BatchAverage(z)),
    "distance": W2(law("lmc"), TARGET),
    "two laws": W2(law("sgld"), law("lmc")),
    "bias": bias("lmc"),
    "off": off("sgld"),
}
RELATIONS: dict[str, Any] = {
    "Equal": Equal,
    "<=": lambda p, q: Compare(p, "<=", q),
    ">": lambda p, q: Compare(p, ">", q),
    "!=": lambda p, q: Compare(p, "!=", q),
    "O": lambda p, q: Order(p, "O", q, growing(n)),
    "~": lambda p, q: Order(p, "~", q, vanishing(a)),
    "Bounded": Bounded,
    "FreeOf": lambda p, q: FreeOf(p, a),
    "Best": lambda p, q: Best(a, p, of=q),
    "Moves": lambda p, q: Moves(p, "shrinks", growing(n)),
    "Adds": lambda p, q: Adds(p, "without end", growing(n)),
    "All": lambda p, q: All(Equal(p, q), Compare(p, "<=", q)),
    "Exists": lambda p, q: Exists(Compare(p, "<", q), a < 1),
    "Iff": lambda p, q: Iff(Equal(p, q), a < b),
    "Not": lambda p, q: Not(Compare(p, "<", q)),
}


def found_of(statement: Any, of: str = "") -> str:
    """Its verdict."""
    return str(claim("k", at="", title="", read=statement, of=of).find().verdict)


@cache
def decided(relation: str, left: str, right: str, of: str) -> str:
    """What comes out."""
    try:
        return found_of(RELATIONS[relation](TERMS[left], TERMS[right]), of)
    except UnusableInput as refused:
        return str(refused)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    *(st.sampled_from(sorted(names)) for names in (RELATIONS, TERMS, TERMS)),
    st.sampled_from(["", "sgd"]),
)
def test_any_relation_between_any_terms_is_refused_or_decided(
    relation: str, left: str, right: str, of: str
) -> None:
    found = decided(relation, left, right, of)
    assert found in VERDICTS or found.startswith("expected ")


@pytest.mark.parametrize("given", [True, 3, "abc", None, a, sp.true, ()])
def test_what_is_no_statement_is_refused_with_a_remedy(given: Any) -> None:
    for joined in (All, Not):
        with pytest.raises(DeclarationError, match=r"expected a statement; got .*; give a relation"):
            joined(given)
    with pytest.raises(DeclarationError, match="expected "):
        claim("k", at="", title="", read=given)


def test_relations_of_sympy_are_statements() -> None:
    p, q = sp.symbols("p q", positive=True)
    found = {op: found_of(op(p**2 + q**2, 2 * p * q)) for op in (sp.Ge, sp.Lt, sp.Eq)}
    assert found == {sp.Ge: "proved", sp.Lt: "refuted", sp.Eq: "refuted"}


def test_words_of_sympy_take_terms() -> None:
    inside = A * averaged(T)
    made = (notation.trace, notation.Diagonal, notation.SmallestEigenvalue, notation.LargestEigenvalue)
    assert [word(inside).head for word in made] == ["tr", "diag", "lambda_min", "lambda_max"]
    best = Best(T, N / S, of=notation.trace(averaged(T)))
    assert found_of(best, "sgd") == "refuted"


def test_algorithms_are_named_and_states_of_one_name_are_one() -> None:
    assert found_of(same("sgd", "sgd")) == "proved"
    assert found_of(same("momentum", "sgd")) == "proved-if"
    with pytest.raises(DeclarationError, match=r"a change of variables; got none; give .v. in states"):
        same("sgd", "momentum")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (Equal(mean(u[t]), 0), "expected a step over which a sum runs; got t"),
        (Equal(Divergence(N, A), 0), "expected what KL takes; got 2 parts"),
        (Equal(Applied("exp", ()), 0), "expected what exp takes; got 0 parts"),
    ],
)
def test_words_of_other_parts_are_refused(wrong: Any, told: str) -> None:
    with pytest.raises(DeclarationError, match=told):
        claim("k", at="", title="", read=wrong)


def test_what_no_theory_takes_says_so() -> None:
    two = claim("k", at="", title="", read=W2(law("sgld"), TARGET) <= W2(law("lmc"), TARGET)).find()
    both = claim("k", at="", title="", read=Equal(bias("lmc"), tr(averaged(T))), of="sgd").find()
    assert two.reason == "No theory takes words of distances."
    assert both.reason.startswith("No theory takes words of invariants, matrices, time with letters")


def test_what_is_left_over_is_a_correction_where_it_says_something():
    """It stands alone beside a zero, and a side that is only written once more is none."""
    n, v = letters("n v")
    r = letter("r", "real")
    found = claim("k", at="", title="", read=Equal(n * v + n * r, 0), given=(Equal(r, 0),)).find()
    assert [one.text() for one in found.corrected.printed] == ["n*v + n*r = n*v"]
    assert claim("k", at="", title="", read=Equal(r, 0)).find().corrected is None
