"""Fresh claims of asymptotic equality, of formulas and of laws, with hypotheses that can be dropped."""

from fractions import Fraction

import pytest
import sympy as sp

from verification.claims.asymptotic import Asymptotic
from verification.claims.base import Printed
from verification.miner.conditions import restrict
from verification.miner.scalars import Below, Equal
from verification.notation import A, C, N, S, Sigma, eps, identity, mu, trace
from verification.quantities import SIGMA_CONTINUOUS, SIGMA_DISCRETE
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
x, a, b = sp.symbols("x a b", positive=True)


def close(left, right, **more):
    more = {"variable": eps if "of" in more else x, **more}
    return Asymptotic("fresh", printed=(Printed(left, right, "~"),), **COMMON, **more)


TRUE = [  # with the relative gap to first order
    (close(sp.sqrt(x**2 + a * x) - x, a / 2, limit="oo"), -a / (4 * x)),
    (close(sp.log(1 + a * x), a * x), -a * x / 2),
    (close((x + a) * (x + b), x**2 + (a + b) * x, limit="oo"), a * b / x**2),
    (close(sp.sqrt((1 - a) ** 2 + x), 1 - a, given=(Below(("a", "1")),)), x / (2 * (a - 1) ** 2)),
    (close(SIGMA_DISCRETE, SIGMA_CONTINUOUS, of="sgd"), None),
    (close(trace(A * Sigma), eps / (2 * S * mu) * trace(C), of="momentum", time="discrete"), None),
    (close(N * A * Sigma, identity, of="sgld", time="discrete"), None),
    (close(trace(A * Sigma), eps * N / (4 * S) * trace(C), of="sgld", variable=N, limit="oo"), None),
]
FALSE = [
    (close(sp.log(1 + a * x), 2 * a * x), a * x),
    (close(sp.sqrt(a + x) - sp.sqrt(a), sp.sqrt(x)), x / (2 * sp.sqrt(a))),
    (close(trace(A * Sigma), eps / (S * mu) * trace(C), of="momentum", time="discrete"), None),
    (close(SIGMA_DISCRETE, 2 * SIGMA_CONTINUOUS, of="sgd"), None),
]
CONDITIONAL = [
    (close(sp.sqrt((1 - a) ** 2 + x), 1 - a), "a < 1"),
    (close((a + b * x) / (a + x), b), "b = 1"),
    (close(sp.sqrt((a - b) ** 2 + x), b - a), "a < b"),
    (close(A * Sigma, eps / (2 * S) * C, of="sgd"), "A and B B^T commute"),
]


@pytest.mark.parametrize(("claim", "gap"), TRUE, ids=lambda c: getattr(c, "key", ""))
def test_true_statements_are_proved_with_their_gap(claim, gap):
    finding = claim.find()
    assert finding.verdict == "proved"
    if gap is not None:
        assert sp.simplify(sp.sympify(finding.gap.term.text, locals=LETTERS) - gap) == 0
    if claim.of == "momentum":  # a minute's work, and the same search as for the others
        return
    twins = claim.twins(finding)
    assert twins.tried >= 8
    assert twins.survivors == ()


LETTERS = {"x": x, "a": a, "b": b}


@pytest.mark.parametrize(("claim", "true"), FALSE, ids=lambda c: getattr(c, "key", ""))
def test_false_statements_are_refuted(claim, true):
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert finding.counterexample.left != finding.counterexample.right
    assert not run(finding.counterexample.script)
    if true is not None:
        (right,) = finding.corrected.printed
        assert sp.simplify(right.right - true) == 0
        assert claim.true_statement(finding).find().verdict == "proved"
        assert claim.twins(finding).survivors == ()


@pytest.mark.parametrize(("claim", "condition"), CONDITIONAL, ids=lambda c: getattr(c, "key", ""))
def test_conditions_are_found(claim, condition):
    finding = claim.find()
    assert (finding.verdict, finding.condition) == ("proved-if", condition)
    assert not run(finding.counterexample.script)
    given = claim.under(finding.needs)
    assert given.find().verdict == "proved"
    assert given.without(finding.needs).find().verdict == "proved-if"
    assert claim.twins(finding).survivors == ()


def test_the_script_shows_the_ratio():
    shown = close(sp.log(1 + a * x), 2 * a * x).find().counterexample
    assert shown.problem == {"a": "1"}
    assert shown.left == [["log(17/16)", "log(257/256)", "log(4097/4096)"]]
    assert "numpy" not in shown.script
    mended = shown.script.replace("Decimal(2)*a", "a")
    assert mended != shown.script
    assert run(mended)  # the true statement passes the same decision


def test_a_wrong_first_term_is_caught(monkeypatch):
    from verification.asymptotics import Term
    from verification.claims import limits

    def wrong(p, *rest):
        return (Term(Fraction(5 if p.has(sp.Integer(2)) else 1), sp.Integer(1)),)

    monkeypatch.setattr(limits, "first_terms", wrong)
    with pytest.raises(RoutesDisagree):
        close(3 * a * x, a * x).find()  # 2 a x is left over, and said to be of fifth order


def test_conditions_on_scalars_are_imposed_and_written_in():
    place = Place({}, {"a": sp.Integer(3), "b": sp.Integer(2)})
    for condition in (Below(("a", "b")), Below(("b", "a")), Below(("a", "1")), Below(("1", "b"))):
        assert condition.holds(restrict(place, condition))
    assert Equal(("a", "b")).holds(restrict(place, Equal(("a", "b"))))
    assert not Equal(("a", "b")).holds(place)
    below = Below(("a", "b"))
    assert below.written(b - a).is_positive
    assert sp.simplify(below.read_back(below.written(b**2 * a)) - b**2 * a) == 0
