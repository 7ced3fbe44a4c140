"""Averages along chains: bounds by Poisson's equation, and exact errors along schedules."""

from fractions import Fraction

import pytest

from sgtheory.errors import DeclarationError
from verification.refuter.script import run
from verification.statements import (
    Adds,
    All,
    Bounded,
    Equal,
    Order,
    claim,
    growing,
    index,
    letter,
    mean,
    over,
    sequences,
    sqrt,
    term,
)
from verification.statements.deciding import asked
from verification.statements.scripts import script_of
from verification.theories.sequences import averages
from verification.theories.sequences.chains import H, X
from verification.verdicts.verdict import RoutesDisagree

t, T = index("t"), letter("T", "count")
(eps,), (place,), (xi,) = (
    sequences("epsilon", "decreasing sequence"),
    sequences("x", "random sequence"),
    sequences("xi", "noises"),
)
x = place[t - 1]
EULER = Equal(place[t], x - 2 * eps[t] * x + sqrt(eps[t]) * xi[t])
ANY = (EULER, Equal(place[0], 1), eps[1] <= "1/2")
S_T, SQUARES = over(eps[t], t, 1, T), over(eps[t] ** 2, t, 1, T)


def average(of):
    return over(eps[t] * of, t, 1, T) / S_T


def about(statement, *given):
    return claim("k", at="a", title="t", read=statement, given=given or ANY)


def of_square(right):
    return about(Bounded(mean((average(x**2) - term("1/4")) ** 2), right))


def vanishing_along(steps, left, start=0):
    rule = Equal(place[t], x - eps[t] * x + sqrt(eps[t]) * xi[t])
    return about(Order(left, "o", 1, growing(T)), rule, Equal(place[0], start), Equal(eps[t], steps))


def test_the_bound_for_euler_is_proved_and_its_twins_are_not():
    stated = of_square(1 / S_T + SQUARES**2 / S_T**2)
    finding = stated.find()
    assert finding.verdict == "proved"
    twins = stated.twins(finding, 12)
    assert (twins.survivors, twins.tried) == ((), twins.rejected)
    assert twins.tried >= 6


def test_a_bound_without_the_bias_is_refuted_and_mended():
    finding = of_square(1 / S_T).find()
    assert finding.verdict == "refuted"
    mended = finding.corrected.printed[0]
    assert about(mended).find().verdict == "proved"
    assert "epsilon[t]**2" in mended.text()
    assert run(finding.counterexample.script) is False


def test_an_average_about_another_number_is_off():
    stated = Bounded(mean((average(x**2) - term("1/2")) ** 2), 1 / S_T + SQUARES**2 / S_T**2)
    assert about(stated).find().verdict == "refuted"


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (SQUARES / S_T**2, 1 / S_T, "proved"),
        (1 / T, SQUARES / S_T**2, "proved"),  # Cauchy and Schwarz: S_T^2 <= T times the sum of squares
        (SQUARES**2, S_T * over(eps[t] ** 3, t, 1, T), "proved"),
        (1 / S_T, SQUARES**2 / S_T**2, "refuted"),
        (SQUARES**2 / S_T**2, 1 / S_T, "refuted"),
    ],
)
def test_which_sums_are_below_which(left, right, verdict):
    assert about(Bounded(left, right)).find().verdict == verdict


def test_a_variance_needs_no_bias_and_a_mean_no_variance():
    variance = mean(average(x) ** 2) - mean(average(x)) ** 2
    assert about(Bounded(variance, 1 / S_T)).find().verdict == "proved"
    off = mean(average(x**2) - term("1/4"))
    assert about(Bounded(off, 1 / S_T + SQUARES / S_T)).find().verdict == "proved"
    assert about(Bounded(off, 1 / S_T)).find().verdict == "refuted"


def test_steps_of_any_length_are_not_bounded():
    known = (EULER, Equal(place[0], 1), eps[1] <= 2)  # 1 - 2 h below -1: the chain grows
    assert about(Bounded(mean(average(x) ** 2), 1 / S_T), *known).find().verdict == "refuted"


def test_proof_and_schedules_must_agree(monkeypatch):
    monkeypatch.setattr(averages, "is_bounded", lambda *_: averages.Proved("It is so."))
    with pytest.raises(RoutesDisagree):
        of_square(1 / S_T).find()


def test_scripts_come_to_the_exact_moments_by_covariances():
    question = asked(of_square(1 / S_T + SQUARES**2 / S_T**2))
    for _, one in question.by_steps():
        run_of = one.statement.run
        exact = run_of.worth(16)
        lines, names = run_of.script(lambda a: a.name)
        module = {}
        exec("\n".join([*lines, f"{names}, = moments(16)"]), module)
        for name, value in exact.items():
            assert module[name] == pytest.approx(float(value), rel=1e-9)
        assert run(script_of(one.statement, {})) is True


def test_exact_moments_of_an_average():
    question = asked(about(Bounded(mean(average(x) ** 2), 1 / S_T)))
    run_of = next(one.statement.run for _, one in question.by_steps())
    constant = type(run_of)(run_of.chain, term("1/4"), run_of.products)
    (error,) = [a for a, product in constant.products if dict(product).get(X * H) == 2]
    # x_1 = 1, x_2 = 1/2 + xi/2: the sum is 3/8 + xi/8
    assert constant.worth(2)[error.name] == Fraction(9, 64) + Fraction(1, 64)


def test_averages_along_decreasing_steps_and_their_twins():
    stated = vanishing_along(1 / (2 * t ** term("1/3")), mean((average(x**2) - term("1/2")) ** 2))
    finding = stated.find()
    assert finding.verdict == "proved"
    assert stated.twins(finding, 8).survivors == ()


def test_plain_averages_along_one_over_t_stay_as_wide():
    finding = vanishing_along(1 / t, mean((over(x, t, 1, T) / T) ** 2)).find()
    assert finding.verdict == "refuted"
    # a posterior of variance 1/2, and half of it in the limit
    assert float(finding.counterexample.left.split(", ")[-1]) == pytest.approx(4, rel=0.05)
    assert run(finding.counterexample.script) is False


def test_what_falls_without_a_proof_is_left_open():
    assert vanishing_along(1 / t, mean(average(x) ** 2)).find().verdict == "inconclusive"


def test_what_is_no_statement_on_a_chain_is_decided_beside_one():
    assert about(Order(term("1/16"), "o", 1, growing(T))).find().verdict == "refuted"


def test_noises_without_a_chain_are_refused():
    with pytest.raises(DeclarationError, match="finitely many values"):
        about(Equal(mean(xi[1] ** 2), 2 - mean(xi[2] ** 2))).find()
    with pytest.raises(DeclarationError, match="by x"):
        about(Bounded(mean(average(x) ** 2), 1 / S_T), EULER).find()  # no start


(rate,) = sequences("rho", "decreasing sequence")
TO_REST = (Equal(place[t], x - rate[t] * (x + xi[t])), Equal(place[0], 1), rate[1] <= "1/2")
LANGEVIN = (Equal(place[t], x - rate[t] * x + sqrt(2 * rate[t]) * xi[t]), *TO_REST[1:])
TWO = (Equal(place[t], (1 - rate[t] / 2) * (x - rate[t] * x) + rate[t] * xi[t] / 3), *TO_REST[1:])
ENDLESS, VANISHING = Adds(rate[t], "without end", growing(t)), Order(rate[t], "o", 1, growing(t))
STOPPING = Adds(rate[t], "to a finite sum", growing(t))
END = mean(place[T] ** 2)


@pytest.mark.parametrize(
    ("of", "given", "verdict", "condition"),
    [
        (END, TO_REST, "proved-if", All(ENDLESS, VANISHING).text()),
        (END, (*TO_REST, ENDLESS), "proved-if", VANISHING.text()),
        (END, (*TO_REST, ENDLESS, VANISHING), "proved", None),
        (END, (*TO_REST, STOPPING), "refuted", None),
        (END, (*LANGEVIN, ENDLESS, VANISHING), "refuted", None),
        (END, TWO, "proved-if", All(ENDLESS, VANISHING).text()),
        (T * END, (*TO_REST, ENDLESS, VANISHING), "refuted", None),
        (mean(place[T]), TO_REST, "proved-if", ENDLESS.text()),
    ],
    ids=["any", "endless", "both", "stopping", "noise of Langevin", "another", "too fast", "mean"],
)
def test_along_which_falling_steps_a_chain_comes_to_rest(of, given, verdict, condition):
    """Exactly where they vanish and add up without end; without noise the sum is enough."""
    one = claim("rest", at="here", title="t", read=Order(of, "o", 1, growing(T)), given=given)
    finding = one.find()
    assert (finding.verdict, finding.condition) == (verdict, condition)
    if finding.counterexample is not None:
        assert run(finding.counterexample.script) is False
    if verdict.startswith("proved"):
        twins = one.twins(finding)
        assert (twins.tried, twins.survivors) == (twins.rejected, ())
        assert twins.rejected >= 3


def test_a_schedule_that_keeps_a_third_of_the_noise():
    """Steps that tend to 1/2 have an infinite sum; the variance tends to (1/4)/(1 - 1/4)."""
    variance = Fraction(1)
    for k in range(1, 4_000):
        step = Fraction(1, 2) + Fraction(1, 2 * k)
        variance = ((1 - step) ** 2 * variance + step**2).limit_denominator(10**12)
    assert float(variance) == pytest.approx(1 / 3, rel=1e-3)
