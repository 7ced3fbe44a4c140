"""Bounds that the code does not know: true, false, tight or not, true for small steps."""

import pytest
import sympy as sp

from verification.notation import A, C, D, S, Sigma, SmallestEigenvalue, eps, trace
from verification.refuter.script import run
from verification.statements import Compare, claim

x, y, L, m, g = sp.symbols("x y L m gamma", positive=True)
HERE = {"at": "here", "title": "T", "says": "S."}


def bound(left, right, where=(), **more):
    given = tuple(Compare(a, "<=", b) for a, b in where)
    return claim("fresh", printed=Compare(left, "<=", right), given=given, **more, **HERE)


@pytest.mark.parametrize(
    ("one", "verdict", "tight"),
    [
        (bound(2 * x / (1 + x) ** 2, sp.Rational(1, 2)), "proved", True),
        (bound(x / (1 + x) ** 2, sp.Rational(1, 2)), "proved", False),
        (bound((1 - g * m) ** 2, 1 - g * m, where=((g * L, 1), (m, L))), "proved", True),
        (bound(x * y, (x**2 + y**2) / 4), "refuted", False),
        (bound(trace(A * C), trace(A) * trace(C)), "proved", True),
        (bound(trace(A) * trace(C), D * trace(A * C)), "refuted", False),
    ],
)
def test_verdict_and_tightness(one, verdict, tight):
    finding = one.find()
    assert finding.verdict == verdict
    search = finding.evidence[-1]
    if verdict == "proved":
        assert search.data["tight"] == tight
        assert search.data["supremum"] <= 1 + 1e-12
    else:
        assert not run(finding.counterexample.script)


def test_the_constant_is_mended():
    finding = bound(x * y, (x**2 + y**2) / 4).find()
    assert finding.corrected.text == "x*y <= 2*(x**2/4 + y**2/4)"
    assert finding.corrected.verdict == "proved"


def test_the_condition_on_the_step_is_found():
    finding = bound((1 - g * m) ** 2, 1 - g * m, where=((m, L),)).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "gamma*m <= 1"


@pytest.mark.strong
def test_a_bound_on_a_law():
    one = bound(
        trace(Sigma),
        eps * trace(C) / (2 * S * SmallestEigenvalue(A)),
        of="sgd",
        kinds=(("A", "diagonal"),),
    )
    finding = one.find()
    assert finding.verdict == "proved"
    assert one.find("discrete").verdict == "refuted"


@pytest.mark.parametrize(
    "one",
    [
        bound(2 * x / (1 + x) ** 2, sp.Rational(1, 2)),
        bound((1 - g * m) ** 2, 1 - g * m, where=((g * L, 1), (m, L))),
        bound(trace(A * C), trace(A) * trace(C)),
    ],
    ids=["numbers", "scalars", "matrices"],
)
def test_wrong_twins(one):
    twins = one.twins(one.find())
    assert twins.rejected == twins.tried >= 4
