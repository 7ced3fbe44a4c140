"""Fresh statements about limits: orders, asymptotic equality and trends, of formulas and of laws."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.declare import positive
from sgtheory.notation.matrixwords import Entry
from verification.laws.lagsums import correlation_time, correlation_time_of_square
from verification.laws.quantities import (
    DIVERGENCE,
    SIGMA_CONTINUOUS,
    SIGMA_DISCRETE,
)
from verification.notation import A, C, D, N, S, Sigma, eps, identity, mu, trace
from verification.refuter import parameters
from verification.refuter.conditions import OneDimensional
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.statements import Moves, Order, claim, growing, term, vanishing
from verification.statements.scripts import script_of
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import Term, Undecided, first_terms, sign
from verification.terms.kinds import Transpose
from verification.terms.ways import Way
from verification.theories import limits
from verification.verdicts.verdict import RoutesDisagree

THIRD = sp.Rational(-1, 3)
HERE = {"at": "here", "title": "T", "says": "S."}
x, a, b, r = sp.symbols("x a b r", positive=True)
EXACTLY, AT_MOST = "Theta", "O"
TEMPERATURE = N * trace(A * Sigma) / D  # 1 at the posterior
COVARIANCE_GAP = SIGMA_DISCRETE - SIGMA_CONTINUOUS
ONE = (OneDimensional(()),)


def stated(relation, **more):
    return replace(claim("fresh", printed=relation, **HERE, **more), paper="test")


def way_of(more):
    letter = more.pop("variable", eps if "of" in more else x)
    return Way(letter, more.pop("limit", "0"), more.pop("where", ()))


def rate(left, right, relation=EXACTLY, **more):
    return stated(Order(left, relation, right, way_of(more)), **more)


def close(left, right, **more):
    return stated(Order(left, "~", right, way_of(more)), **more)


def trend(left, word="grows", **more):
    more = {"variable": mu if "of" in more else x, **more}
    return stated(Moves(left, word, way_of(more)), **more)


RATES = [
    rate(sp.sqrt(a**2 + x) - a, x),
    rate((1 - sp.cos(0) + x) ** 3 / (a + x), x**3),
    rate(sp.log(1 + a * x) - a * x, x**2),
    rate(sp.sqrt(x**3 + x**4), x ** sp.Rational(3, 2)),
    rate((x**2 + b) / (a + x), x, limit="oo"),
    rate(sp.exp(-a * x) - 1, x, AT_MOST),
    rate(1 / sp.sqrt(x + a), x ** sp.Rational(-1, 2), limit="oo"),
    pytest.param(rate(COVARIANCE_GAP, eps**2, of="sgd"), marks=pytest.mark.strong),
    pytest.param(
        rate(DIVERGENCE, eps**2, of="sgld", time="discrete"),
        marks=[
            pytest.mark.strong,
            pytest.mark.xfail(reason="what log det leaves out beside the diagonal has no known sign"),
        ],
    ),
    rate(TEMPERATURE, eps, of="sgd", time="discrete"),
]
WRONG_RATES = [  # with what is true instead
    (rate(sp.sqrt(a**2 + x) - a, sp.sqrt(x)), x),
    (rate((x**2 + 1) / (x + a), x**2, limit="oo"), x),
    (rate(x * sp.log(1 / x), x), None),
    (rate(x * sp.log(1 / x), x, AT_MOST), None),
    (rate(a - a, x), None),
    (rate(COVARIANCE_GAP, eps, of="sgd"), eps**2),
    pytest.param(rate(COVARIANCE_GAP, eps**3, AT_MOST, of="sgd"), eps**2, marks=pytest.mark.strong),
    pytest.param(
        rate(DIVERGENCE, eps, of="sgld", time="discrete", given=(OneDimensional(()),)),
        eps**2,
        marks=pytest.mark.strong,
    ),
]
RATES_IF = [
    (rate((a - b) * x + x**2, x), "a < b or b < a"),
    (rate(sp.sqrt((1 - a) ** 2 + x) - (1 - a), x), "a < 1"),
    (rate(sp.sqrt(x + (a - b) ** 2), sp.sqrt(x)), "a = b"),
    pytest.param(
        rate(A * Sigma - Sigma * A, eps**2, AT_MOST, of="sgd"),
        "A and B B^T commute",
        marks=pytest.mark.strong,
    ),
]


@pytest.mark.parametrize("claim", RATES, ids=lambda c: c.statement.text())
def test_true_rates_are_proved_and_their_twins_rejected(claim):
    finding = claim.find()
    assert finding.verdict == "proved"
    assert finding.counterexample is None
    twins = claim.twins(finding)
    assert twins.tried >= 3
    assert twins.survivors == ()


@pytest.mark.parametrize(("claim", "true"), WRONG_RATES, ids=lambda c: getattr(c, "key", ""))
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
    assert right.right == term(true)
    corrected = replace(claim, statement=right)
    assert corrected.find().verdict == "proved"
    assert claim.twins(finding).survivors == ()


@pytest.mark.parametrize(("claim", "condition"), RATES_IF, ids=lambda c: getattr(c, "key", ""))
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


@pytest.mark.strong
def test_rates_along_a_path_of_two_letters():
    """At its best step the discrete algorithm's law tends to that of the limit, as N grows."""
    true = at_the_best_step(COVARIANCE_GAP, N**-2)
    assert true.find().verdict == "proved"
    finding = at_the_best_step(COVARIANCE_GAP, 1 / N).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].right == term(N**-2)
    divergence = at_the_best_step(DIVERGENCE, N**-2, time="discrete", given=(OneDimensional(()),))
    assert divergence.find().verdict == "proved"
    assert divergence.twins(divergence.find()).survivors == ()
    assert not run(finding.counterexample.script)


@pytest.mark.strong
def test_samplers_with_the_root_of_twice_the_step():
    gamma = sp.Symbol("gamma", positive=True)
    true = rate(COVARIANCE_GAP, gamma, of="lmc", variable=gamma)
    assert true.find().verdict == "proved"
    assert true.twins(true.find()).survivors == ()
    false = rate(COVARIANCE_GAP, gamma**2, of="lmc", variable=gamma).find()
    assert false.verdict == "refuted"
    assert not run(false.counterexample.script)


def test_a_given_condition_can_be_dropped():
    (given,) = parameters.stated((a < 1,))
    claim = rate(sp.sqrt((1 - a) ** 2 + x) - (1 - a), x, given=(given,))
    assert claim.find().verdict == "proved"
    assert claim.without(given).find().verdict == "proved-if"


def test_a_bound_that_is_not_tight_says_so():
    finding = rate(x * sp.log(1 + a * x), x, AT_MOST).find()
    assert finding.verdict == "proved"
    assert "not tight" in finding.reason
    assert "the left side is a*x**2, which is of smaller order" in finding.reason
    assert finding.evidence[0].data["tight"] is False
    tight = rate(x * sp.log(1 + a * x), x**2, AT_MOST).find()
    assert tight.evidence[0].data["tight"] is True


def test_counterexamples_are_small():
    finding = rate(COVARIANCE_GAP, eps, of="sgd").find()
    assert finding.counterexample.problem["hessian"] == [["1"]]
    assert finding.counterexample.problem["noise"] == [["1"]]
    assert finding.counterexample.problem["params"] == {}
    # eps^2/(2 (2 - eps)) at 16^-4 and 16^-16
    assert finding.counterexample.left == "5.82081e-11, 7.34684e-40"
    assert finding.counterexample.words == "left and right side at eps = 16^-4, 16^-16"


def test_a_sabotaged_expansion_is_caught_by_the_values(monkeypatch):
    monkeypatch.setattr(limits, "first_terms", lambda *args: (Term(Fraction(1, 2), sp.Integer(1)),))
    with pytest.raises(RoutesDisagree):
        rate(sp.sqrt(a**2 + x) - a, sp.sqrt(x)).find()


CLOSE = [  # with the relative gap to first order
    (close(sp.sqrt(x**2 + a * x) - x, a / 2, limit="oo"), -a / (4 * x)),
    (close(sp.log(1 + a * x), a * x), -a * x / 2),
    (close((x + a) * (x + b), x**2 + (a + b) * x, limit="oo"), a * b / x**2),
    (close(sp.sqrt((1 - a) ** 2 + x), 1 - a, given=parameters.stated((a < 1,))), x / (2 * (a - 1) ** 2)),
    (close(SIGMA_DISCRETE, SIGMA_CONTINUOUS, of="sgd"), None),
    (close(trace(A * Sigma), eps / (2 * S * mu) * trace(C), of="momentum", time="discrete"), None),
    (close(N * A * Sigma, identity, of="sgld", time="discrete"), None),
    (close(trace(A * Sigma), eps * N / (4 * S) * trace(C), of="sgld", variable=N, limit="oo"), None),
]
NOT_CLOSE = [
    (close(sp.log(1 + a * x), 2 * a * x), a * x),
    (close(sp.sqrt(a + x) - sp.sqrt(a), sp.sqrt(x)), x / (2 * sp.sqrt(a))),
    (close(trace(A * Sigma), eps / (S * mu) * trace(C), of="momentum", time="discrete"), None),
    (close(SIGMA_DISCRETE, 2 * SIGMA_CONTINUOUS, of="sgd"), None),
]
CLOSE_IF = [
    (close(sp.sqrt((1 - a) ** 2 + x), 1 - a), "a < 1"),
    (close((a + b * x) / (a + x), b), "b = 1"),
    (close(sp.sqrt((a - b) ** 2 + x), b - a), "a < b"),
    pytest.param(
        close(A * Sigma, eps / (2 * S) * C, of="sgd"), "A and B B^T commute", marks=pytest.mark.strong
    ),
]


@pytest.mark.parametrize(("claim", "gap"), CLOSE, ids=lambda c: getattr(c, "key", ""))
def test_close_statements_are_proved_with_their_gap(claim, gap):
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


@pytest.mark.parametrize(("claim", "true"), NOT_CLOSE, ids=lambda c: getattr(c, "key", ""))
def test_what_is_not_close_is_refuted(claim, true):
    finding = claim.find()
    assert finding.verdict == "refuted"
    assert finding.counterexample.left != finding.counterexample.right
    assert not run(finding.counterexample.script)
    if true is not None:
        (right,) = finding.corrected.printed
        assert sp.simplify(in_symbols(right.right) - true) == 0
        assert replace(claim, statement=right).find().verdict == "proved"
        assert claim.twins(finding).survivors == ()


@pytest.mark.parametrize(("claim", "condition"), CLOSE_IF, ids=lambda c: getattr(c, "key", ""))
def test_conditions_of_closeness_are_found(claim, condition):
    finding = claim.find()
    assert (finding.verdict, finding.condition) == ("proved-if", condition)
    assert not run(finding.counterexample.script)
    given = claim.under(finding.needs)
    assert given.find().verdict == "proved"
    assert given.without(finding.needs).find().verdict == "proved-if"
    assert claim.twins(finding).survivors == ()


def test_conditions_on_scalars_are_imposed_and_written_in():
    place = Place({}, {"a": Fraction(3), "b": Fraction(2)})
    *below, equal = parameters.stated((a < b, b < a, a < 1, b > 1, sp.Eq(a, b)))
    for condition in below:
        assert condition.holds(condition.imposed(place))
    assert equal.holds(equal.imposed(place))
    assert not equal.holds(place)
    assert below[0].written(b - a).is_positive
    assert sp.simplify(below[0].read_back(below[0].written(b**2 * a)) - b**2 * a) == 0


TRENDS = [
    trend(1 / (a + x)),
    trend(1 / x - 5 / (x + a)),  # shrinks at first
    trend(sp.sqrt(a + x), "shrinks"),
    trend(-sp.log(x)),
]
NO_TRENDS = [trend(x / (a + x)), trend(a), trend(1 / x, "shrinks"), trend(x - x**2 - a)]


@pytest.mark.parametrize("one", TRENDS, ids=lambda c: c.statement.text())
def test_true_trends(one):
    finding = one.find()
    assert finding.verdict == "proved"
    twins = one.twins(finding)
    assert twins.tried >= 2
    assert twins.survivors == ()


@pytest.mark.parametrize("one", NO_TRENDS, ids=lambda c: c.statement.text())
def test_false_trends_have_a_script(one):
    finding = one.find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_what_is_constant_is_said_to_be():
    assert "does not depend on x: it is a" in trend(a).find().reason


def coordinate(matrix):
    return Entry(matrix, 0, 0)


def of_momentum(quantity, time, step):
    return trend(quantity, of="momentum", time=time, where=((eps, step),), given=ONE)


@pytest.mark.strong
def test_correlation_times_of_momentum_at_one_rate():
    one, square = correlation_time(coordinate), correlation_time_of_square(coordinate)
    finding = of_momentum(one, "continuous", r * mu).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text.endswith("= 2/(lambda_i*r)")
    assert "tends to 2/(lambda_i*r)" in of_momentum(one, "discrete", r * mu).find().reason
    finding = of_momentum(square, "continuous", r * mu).find()
    assert finding.verdict == "proved"
    assert "is 1/mu to first order" in finding.reason
    assert of_momentum(one, "continuous", r).find().verdict == "refuted"  # the step alone held fixed


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
            first_terms(expr, x, count=1)


def test_signs_are_sure():
    assert sign((a - b) ** 2 + a * b) == 1
    assert sign((a - b) ** 2) is None  # it may vanish
    assert sign(1 / (a - 1)) is None


def test_numbers_beyond_all_decimals_leave_no_script():
    """exp(1/x) is no O(x): at 16^-16 no decimal holds it, so that balls alone tell."""
    finding = rate(sp.exp(1 / x), x, AT_MOST).find()
    assert finding.verdict == "refuted"
    assert finding.counterexample.script == ""
    assert finding.counterexample.problem == {"x": "1/65536"}


def test_a_script_takes_exponentials_that_default_decimals_do_not():
    finding = trend(sp.exp(-1 / x), "grows").find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


Q, K = sp.symbols("Q K", commutative=False)
GAMMA = sp.Symbol("gamma", positive=True)
FORWARDS, BACKWARDS = trace(Transpose(Q) * A * Q), trace(Transpose(Q) * Q * A)
SOME, ANY = (("Q", "nonzero"), ("K", "any")), (("Q", "any"), ("K", "any"))


@pytest.mark.parametrize(
    ("left", "kinds", "proved"),
    [
        (FORWARDS + BACKWARDS - GAMMA * trace(Transpose(Q) * K), SOME, True),
        (FORWARDS - GAMMA * trace(A * Q * A * Transpose(Q)), SOME, True),
        (FORWARDS + BACKWARDS, ANY, False),  # Q may be zero
        (FORWARDS - BACKWARDS, SOME, False),  # the commutator takes the identity to zero
        (FORWARDS + GAMMA**-1 * trace(Transpose(Q) * K), SOME, False),
        (trace(Q * A * Q), SOME, False),  # no square, Q not being symmetric
        (trace(Transpose(Q) * A * K * K * A * Q), SOME, False),
    ],
)
def test_traces_that_stay_away_from_zero(left, kinds, proved):
    one = claim("k", at="", title="", read=Order(left, "Theta", 1, vanishing(GAMMA)), kinds=kinds)
    finding = one.find()
    assert (finding.verdict == "proved") is proved
    if proved:
        assert one.twins(finding).survivors == ()
    elif finding.counterexample is not None:
        assert run(finding.counterexample.script) is False


def test_what_is_short_for_something_in_the_step_moves_with_it():
    """Of BAO's covariance c = exp(-gamma eps) is no number that stays: it has no first term with c."""
    tau = positive("tau")
    gap = Order(N * A * Sigma - tau * identity, "O", eps, vanishing(eps))
    found = claim("fresh", of="underdamped:BAO", time="discrete", read=gap, **HERE).find()
    assert found.verdict != "refuted"
    assert "c - 1" not in found.reason


def test_what_vanishes_but_for_rounding_has_no_size_in_a_script():
    """Its exact route knows that h - h is zero; 300 digits of n^(-1/3) leave something over."""
    h, n = positive("h"), positive("n")
    way = growing(n, (h, n**THIRD))
    rest = h - (n * h) ** sp.Rational(-1, 2)
    for word in ("Theta", "Omega"):
        assert run(script_of(Order(rest, word, n**THIRD, way), {"n": Fraction(1)})) is False
    for word in ("O", "o"):
        assert run(script_of(Order(rest, word, n**THIRD, way), {"n": Fraction(1)})) is True
