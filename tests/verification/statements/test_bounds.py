"""Bounds that the code does not know: true, false, tight or not, true for small steps."""

import json

import pytest
import sympy as sp

from verification.judging.judge import judge, plans
from verification.library import all_claims
from verification.notation import A, C, D, S, Sigma, SmallestEigenvalue, eps, trace
from verification.refuter.script import run
from verification.statements import Compare, claim, letters

x, y, L, m, g = sp.symbols("x y L m gamma", positive=True)
HERE = {"at": "here", "title": "T", "says": "S."}
CLAIMS = {c.id: c for c in all_claims()}


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
        assert search.data["largest_found"] <= 1 + 1e-12
    else:
        assert not run(finding.counterexample.script)


@pytest.mark.parametrize("sides", [(x, y), (y, x)])
@pytest.mark.parametrize("said", ["<=", ">="])
def test_numbers_that_differ_are_in_no_order(sides, said):
    """Whichever stands first where they are given to differ: what is no order is taken for none."""
    differ = Compare(sides[0], "!=", sides[1])
    one = claim("fresh", printed=Compare(x, said, y), given=(differ,), **HERE)
    assert one.find().verdict == "refuted"


def test_a_ratio_that_only_rounds_to_one_is_not_attained():
    """(1 - exp(-x))/x <= 1/x: the ratio is 1 - exp(-x), below one at every x."""
    (attained, near) = (
        bound(2 * x / (1 + x) ** 2, sp.Rational(1, 2)),
        bound((1 - sp.exp(-x)) / x, 1 / x),
    )
    met = "Both sides are equal at a place that a search found: the inequality is tight."
    assert attained.find().evidence[-1].words == met
    found = near.find().evidence[-1]
    assert found.words == "The smaller side over the larger comes near to 1: the inequality is tight."
    assert found.data["tight"]


def test_the_constant_is_mended():
    finding = bound(x * y, (x**2 + y**2) / 4).find()
    assert finding.corrected.text == "x*y <= 2*(x**2/4 + y**2/4)"
    assert finding.corrected.verdict == "proved"


def test_the_condition_on_the_step_is_found():
    finding = bound((1 - g * m) ** 2, 1 - g * m, where=((m, L),)).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "m <= 1/gamma"  # solved for the letter that is bounded already


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


def test_a_whole_number_above_another_is_above_one():
    """The smaller is at least one; a smaller that is any positive number says nothing of one."""
    N, p = letters("N p", "count")
    (d,) = letters("d")
    above = claim("above", printed=Compare(N * d, ">", d), given=(Compare(p, "<", N),), **HERE)
    assert above.find().verdict == "proved"
    (x,) = letters("x")
    any_number = claim("any", printed=Compare(N * d, ">", d), given=(Compare(x, "<", N),), **HERE)
    assert any_number.find().verdict != "proved"


@pytest.mark.parametrize(
    "key", ["eq32", "sec4_1.commute", "sec1.scale_not_shape"], ids=["time", "if_and_only_if", "trace"]
)
def test_what_fixes_no_covariance_is_not_measured_at_minibatches(key):
    """A law in time, two statements and an equation with a trace: judged to the end."""
    ((one, plan),) = plans([CLAIMS[f"mandt2017.{key}"]])
    verdict = judge(one, plan)
    assert verdict.broken is None
    json.dumps(verdict.to_json())
