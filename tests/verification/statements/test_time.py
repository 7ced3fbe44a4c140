"""Equations, limits and bounds with exponentials, times and averages: verdicts, corrections, twins."""

import pytest
import sympy as sp

from sgtheory.modepairs.pairs import LI
from verification import notation
from verification.refuter.script import run
from verification.statements import (
    Compare,
    Equal,
    Order,
    Solves,
    claim,
    growing,
    letter,
    letters,
    number,
)
from verification.terms.notation import A, C, H, I, S, Sigma, eps
from verification.theories.time.expansion import in_stable_steps, is_negative_in_long_steps
from verification.theories.time.given import WELL_SPECIFIED
from verification.theories.time.modes import ELL_I
from verification.theories.time.words import F, Q, averaged, expm, integral, lagged, long_run, variable

T, t, s = letters("T t s", "count")
LEADING = (A**-1 * Sigma + Sigma * A**-1) / (eps * T)


def stated(relation, of="sgd", **more):
    return claim("k", at="here", title="t", printed=relation, of=of, **more)


def test_a_product_in_the_wrong_order_holds_where_the_matrices_commute():
    finding = stated(Equal(A * lagged(t, t), lagged(t, t) * A)).find()
    assert finding.verdict == "proved-if"
    assert "commute" in finding.condition


def test_a_wrong_factor_is_mended_and_a_script_sees_it():
    finding = stated(Equal(lagged(t, t), eps / S * I), given=(WELL_SPECIFIED,)).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == "E[theta(t) theta(t)^T] = 1/2*(eps/S*I)"
    assert run(finding.counterexample.script) is False


def test_a_flipped_exponent_is_mended():
    less = expm(eps * T * A) - I
    assert stated(Equal(averaged(T), LEADING + A**-2 * less)).find().verdict == "refuted"
    right = A**-1 / (S * T) + A**-2 * less / (eps * S * T**2)
    finding = stated(Equal(averaged(T), right), given=(WELL_SPECIFIED,)).find()
    assert "exp(-eps*T*A)" in finding.corrected.text


def test_the_leading_term_alone_is_right_for_long_windows():
    finding = stated(Equal(averaged(T), LEADING)).find()
    assert (finding.verdict, finding.gap.parameter, finding.gap.order) == ("limit-only", "1/T", "1")
    assert finding.gap.term.text == "-1/(eps*T*lambda_i)"
    assert finding.reason == "It holds only as 1/T vanishes."


def test_powers_stand_for_exponentials_in_the_algorithm():
    finding = stated(Equal(averaged(T), LEADING)).find("discrete")
    assert "(I - eps*A)**T" in finding.corrected.text
    assert finding.corrected.verdict == "proved"


def test_two_times_are_in_the_order_that_is_given():
    right = Sigma * expm(-eps * A * (s - t))
    assert stated(Equal(lagged(t, s), right), given=(t < s,)).find().verdict == "proved"
    assert stated(Equal(lagged(t, s), right), given=(s < t,)).find().verdict != "proved"


def test_a_double_integral_is_cut_where_the_times_meet():
    x, y = variable("x"), variable("y")
    whole = integral(lagged(x, y), (y, 0, T), (x, 0, T)) / T**2
    earlier = integral(lagged(x, y), (y, 0, x), (x, 0, T)) / T**2
    assert stated(Equal(averaged(T), whole)).find().verdict == "proved"
    finding = stated(Equal(averaged(T), 2 * earlier)).find()
    assert finding.verdict == "proved-if"
    assert run(finding.counterexample.script) is False


def test_gains_need_not_commute():
    long_run = A**-1 * C * A**-1 / (T * S)
    assert stated(Order(averaged(T, H), "~", long_run, growing(T))).find().verdict == "proved"
    skew = A**-1 * H * C * H * A**-1 / (T * S)
    assert stated(Order(averaged(T, H), "~", skew, growing(T))).find().verdict != "proved"


def test_orders_are_exact():
    assert stated(Order(averaged(T), "Theta", 1 / T, growing(T))).find().verdict == "proved"
    finding = stated(Order(averaged(T), "Theta", 1 / T**2, growing(T))).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.printed[0].right == 1 / T
    assert run(finding.counterexample.script) is False


def test_a_limit_that_is_another():
    finding = stated(Order(expm(-eps * T * A), "~", I, growing(T)), of="").find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False
    assert (
        stated(Order(expm(-eps * T * A), "o", number(1), growing(T)), of="").find().verdict == "proved"
    )


@pytest.mark.parametrize(("relation", "verdict"), [("<=", "proved"), (">=", "refuted")])
def test_bounds_are_in_every_direction(relation, verdict):
    bound = Compare(S * T * averaged(T), relation, A**-1)
    finding = stated(bound, given=(WELL_SPECIFIED,)).find()
    assert finding.verdict == verdict
    if verdict == "refuted":
        assert finding.corrected.printed[0].relation == "<="
        assert run(finding.counterexample.script) is False


def test_a_solution_of_the_process_and_one_of_another():
    now, past = letter("t"), variable("u")

    def solution(rate, size):
        kick = size * expm(rate * (now - past))
        return stated(Solves(expm(rate * now), kick, now, past, rate=F, covariance=Q))

    assert solution(-eps * A, eps / S ** number("1/2")).find().verdict == "proved"
    finding = solution(-A, (eps / S) ** number("1/2")).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text.startswith("theta(t) = exp(-A*(eps*t)) theta(0)")


def test_twins_are_rejected():
    one = stated(Equal(averaged(T), LEADING))
    twins = one.twins(one.find())
    assert twins.tried == twins.rejected > 20


def test_an_order_that_holds_in_short_steps_alone_says_so():
    """Of a window the average is no wider than the posterior while 1 - eps lambda is not negative."""
    bound = Compare(S * T * averaged(T), "<=", A**-1)
    finding = stated(bound, given=(WELL_SPECIFIED,)).find("discrete")
    assert (finding.verdict, finding.condition) == ("proved-if", "eps <= 1/lambda_max(A)")
    assert finding.converse.known == "necessary"
    assert run(finding.counterexample.script) is False


def test_what_is_known_in_long_steps():
    phi = sp.exp(ELL_I * sp.Symbol("T", positive=True))
    u = notation.eps * LI
    assert in_stable_steps((1 - u) * (1 - phi)) is None
    assert in_stable_steps((1 - u) * (1 - phi), short=True) is not None
    assert is_negative_in_long_steps((1 - u) * (1 - phi))
    assert not is_negative_in_long_steps((1 - u) * (1 + phi) * 0)
    assert not is_negative_in_long_steps((sp.Rational(1, 2) - u) * phi)  # the power may have any sign
    assert in_stable_steps((sp.Rational(1, 2) - u) * phi, short=True) is None


@pytest.mark.parametrize(("least", "condition"), [("1", None), ("1/2", "r >= 1")])
def test_hypotheses_are_put_into_an_order_of_functions_of_the_curvature(least, condition):
    """With noise r A a sample costs r times as much: enough where r is no less than one."""
    r = letter("r")
    known = (Equal(C, r * A), r >= number(least))
    finding = stated(Compare(S * A * long_run(), ">=", I), given=known).find("discrete")
    assert (finding.verdict, finding.condition) == ("proved-if" if condition else "proved", condition)
