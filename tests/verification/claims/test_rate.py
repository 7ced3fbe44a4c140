"""Fresh claims of rates: tight and not, with roots and logarithms, of formulas and of laws."""

from fractions import Fraction

import pytest
import sympy as sp

from verification.along import Path, order_at, slope_of, values_along
from verification.asymptotics import Term, Undecided, first_terms, leading, sign
from verification.claims.rate import AT_MOST, EXACTLY, Order, Rate
from verification.miner.conditions import Commute, OneDimensional
from verification.miner.scalars import Below
from verification.notation import A, C, D, N, S, Sigma, eps, trace
from verification.quantities import COVARIANCE_GAP, DIVERGENCE, TEMPERATURE, Amount
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.verdict import RoutesDisagree

COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}
x, a, b = sp.symbols("x a b", positive=True)
COMMUTING = Commute(("A", "C"))


def rate(left, right, relation=EXACTLY, **more):
    more = {"variable": eps, **more} if "of" in more else {"variable": x, **more}
    return Rate("fresh", printed=(Order(left, right, relation),), **COMMON, **more)


TRUE = [
    rate(sp.sqrt(a**2 + x) - a, x),
    rate((1 - sp.cos(0) + x) ** 3 / (a + x), x**3),
    rate(sp.log(1 + a * x) - a * x, x**2),
    rate(sp.sqrt(x**3 + x**4), x ** sp.Rational(3, 2)),
    rate((x**2 + b) / (a + x), x, limit="oo"),
    rate(sp.exp(-a * x) - 1, x, AT_MOST),
    rate(1 / sp.sqrt(x + a), x ** sp.Rational(-1, 2), limit="oo"),
    rate(COVARIANCE_GAP, eps**2, of="sgd"),
    rate(DIVERGENCE, eps**2, of="sgld", time="discrete"),
    rate(TEMPERATURE, eps, of="sgd", time="discrete"),
]
FALSE = [  # with what is true instead
    (rate(sp.sqrt(a**2 + x) - a, sp.sqrt(x)), x),
    (rate((x**2 + 1) / (x + a), x**2, limit="oo"), x),
    (rate(x * sp.log(1 / x), x), None),
    (rate(x * sp.log(1 / x), x, AT_MOST), None),
    (rate(a - a, x), None),
    (rate(COVARIANCE_GAP, eps, of="sgd"), eps**2),
    (rate(COVARIANCE_GAP, eps**3, AT_MOST, of="sgd"), eps**2),
    (rate(DIVERGENCE, eps, of="sgld", time="discrete", given=(OneDimensional(()),)), eps**2),
]
CONDITIONAL = [
    (rate((a - b) * x + x**2, x), "a < b or b < a"),
    (rate(sp.sqrt((1 - a) ** 2 + x) - (1 - a), x), "a < 1"),
    (rate(sp.sqrt(x + (a - b) ** 2), sp.sqrt(x)), "a = b"),
    (rate(A * Sigma - Sigma * A, eps**2, AT_MOST, of="sgd"), "A and B B^T commute"),
]


@pytest.mark.parametrize("claim", TRUE, ids=lambda c: c.order.text())
def test_true_rates_are_proved_and_their_twins_rejected(claim):
    finding = claim.find()
    assert finding.verdict == "proved"
    assert finding.counterexample is None
    twins = claim.twins(finding)
    assert twins.tried >= 3
    assert twins.survivors == ()


@pytest.mark.parametrize(("claim", "true"), FALSE, ids=lambda c: getattr(c, "key", ""))
def test_false_rates_are_refuted_with_the_true_order(claim, true):
    finding = claim.find()
    assert finding.verdict == "refuted"
    shown = finding.counterexample
    assert shown.left != shown.right
    assert shown.script.count("\n") < 60
    assert not run(shown.script)
    if true is None:
        assert finding.corrected is None
        return
    (right,) = finding.corrected.printed
    assert right.right == true
    corrected = claim.true_statement(finding)
    assert corrected.find().verdict == "proved"
    assert claim.twins(finding).survivors == ()


@pytest.mark.parametrize(("claim", "condition"), CONDITIONAL, ids=lambda c: getattr(c, "key", ""))
def test_conditions_are_found(claim, condition):
    finding = claim.find()
    assert finding.verdict == "proved-if"
    assert finding.condition == condition
    assert not run(finding.counterexample.script)
    assert claim.under(finding.needs).find().verdict == "proved"
    assert claim.twins(finding).survivors == ()


BEST = ((eps, 2 * D * S / (N * trace(C))),)  # the step at which the divergence is smallest


def at_the_best_step(left, right, **more):
    return rate(left, right, of="sgd", variable=N, limit="oo", where=BEST, **more)


def test_rates_along_a_path_of_two_letters():
    """At its best step the discrete algorithm's law tends to that of the limit, as N grows."""
    true = at_the_best_step(COVARIANCE_GAP, N**-2)
    assert true.find().verdict == "proved"
    finding = at_the_best_step(COVARIANCE_GAP, 1 / N).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].right == N**-2
    assert "eps = 2*D*S/(N*Trace(C))" in finding.counterexample.script
    assert not run(finding.counterexample.script)
    divergence = at_the_best_step(DIVERGENCE, N**-2, time="discrete", given=(OneDimensional(()),))
    assert divergence.find().verdict == "proved"
    assert divergence.twins(divergence.find()).survivors == ()


def test_samplers_with_the_root_of_twice_the_step():
    gamma = sp.Symbol("gamma", positive=True)
    true = rate(COVARIANCE_GAP, gamma, of="lmc", variable=gamma)
    assert true.find().verdict == "proved"
    assert true.twins(true.find()).survivors == ()
    false = rate(COVARIANCE_GAP, gamma**2, of="lmc", variable=gamma).find()
    assert false.verdict == "refuted"
    assert not run(false.counterexample.script)


def test_a_given_condition_can_be_dropped():
    given = Below(("a", "1"))
    claim = rate(sp.sqrt((1 - a) ** 2 + x) - (1 - a), x, given=(given,))
    assert claim.find().verdict == "proved"
    assert claim.without(given).find().verdict == "proved-if"


def test_a_bound_that_is_not_tight_says_so():
    finding = rate(x * sp.log(1 + a * x), x, AT_MOST).find()
    assert finding.verdict == "proved"
    assert "not tight" in finding.reason
    assert "x^(2) holds" in finding.reason
    assert finding.evidence[0].data["tight"] is False
    tight = rate(x * sp.log(1 + a * x), x**2, AT_MOST).find()
    assert tight.evidence[0].data["tight"] is True


def test_counterexamples_are_small():
    finding = rate(COVARIANCE_GAP, eps, of="sgd").find()
    assert finding.counterexample.problem["hessian"] == [["1"]]
    assert finding.counterexample.problem["noise"] == [["1"]]
    assert finding.counterexample.problem["params"] == {}
    # sums of squares of eps^2/(2 (2 - eps)): exact
    assert "1/984064" in finding.counterexample.words


def test_a_sabotaged_expansion_is_caught_by_the_values(monkeypatch):
    from verification.claims import limits

    monkeypatch.setattr(limits, "first_terms", lambda *args: (Term(Fraction(1, 2), sp.Integer(1)),))
    with pytest.raises(RoutesDisagree):
        rate(sp.sqrt(a**2 + x) - a, sp.sqrt(x)).find()


# -- the expansions against SymPy's own limits, and the orders against the slopes ------------------


@pytest.mark.parametrize(
    "expr",
    [
        sp.sqrt(1 + x) - 1 - x / 2,
        (1 - sp.sqrt(1 - 4 * a * x)) / (2 * a) - x,
        sp.log(x + a) - sp.log(a),
        sp.exp(sp.sqrt(x)) - 1 - sp.sqrt(x),
        1 / (sp.sqrt(x) + x) - 1 / sp.sqrt(x),
        sp.sqrt(sp.sqrt(x) + 1) - 1,
    ],
    ids=str,
)
def test_first_terms_are_the_limits(expr):
    first, second = first_terms(expr, x)
    assert sp.simplify(sp.limit(expr / first.written(x), x, 0) - 1) == 0
    rest = (expr - first.written(x)) / second.written(x)
    assert sp.simplify(sp.limit(rest, x, 0) - 1) == 0
    assert sp.limit(expr / (2 * first.written(x)), x, 0) != 1


def test_what_cannot_be_expanded_is_refused():
    for expr in (sp.sin(x), sp.exp(1 / x), sp.log(sp.log(1 / x))):
        with pytest.raises(Undecided):
            leading(expr, x)


def test_signs_are_sure():
    assert sign((a - b) ** 2 + a * b) == 1
    assert sign((a - b) ** 2) is None  # it may vanish
    assert sign(1 / (a - 1)) is None


def test_orders_at_places_and_slopes_agree():
    place = Place({}, {"a": Fraction(3), "b": Fraction(2)})
    for expr, limit in (
        (sp.sqrt(a * x + b**2) - b, "0"),
        (x**2 / (x + a) - x, "oo"),
        (x ** sp.Rational(3, 2) * a + x**2, "0"),
    ):
        path = Path(x, limit)
        exact = order_at(expr, None, place, path, "discrete").power
        slope = slope_of(values_along(expr, None, place, path, "discrete"), path)
        assert slope.settled
        assert abs(slope.value - exact) <= max(slope.error, 1e-6)
        assert abs(slope.value - exact - 0.5) > slope.error  # and not another


def test_logarithms_do_not_settle():
    path, place = Path(x), Place({}, {})
    values = values_along(x * sp.log(1 / x), None, place, path, "discrete")
    assert not slope_of(values, path).settled


def test_sums_of_logarithms_are_compared_exactly():
    half, two, eight = Fraction(1, 2), Fraction(2), Fraction(8)
    assert Amount(Fraction(0), ((Fraction(1), eight), (Fraction(-3), two))).is_zero
    assert Amount(Fraction(0), ((Fraction(1), half), (Fraction(1, 3), eight))).is_zero
    assert not Amount(Fraction(1), ((Fraction(1), half),)).is_zero
