"""Fresh statements about what an instant or a step adds to moments, of samplers that the papers lack."""

from fractions import Fraction

import pytest

from verification.notation import A, C, S, Sigma, eps, mu, second
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.statements import All, Assumption, Equal, claim
from verification.theories.matrices.increments import (
    are_moments,
    as_moments,
    mean_of,
    noise_of,
    products,
    rate,
    rate_of_mean,
)

HERE = {"at": "here", "title": "T"}


def fresh(statement, of="sgd", time="discrete"):
    return claim("fresh", of=of, time=time, read=statement, **HERE)


def rule(left=1, right=1, both=0, a="theta", b="theta"):
    change, first, second_one, third = products(a, b)
    return Equal(change, left * first + right * second_one + both * third)


CASES = [
    (fresh(Equal(rate_of_mean("theta"), -eps * A * mean_of("theta"))), "proved"),
    (fresh(Equal(rate_of_mean("theta"), -2 * eps * mean_of("theta"))), "refuted"),
    (
        fresh(
            Equal(rate_of_mean("theta"), (1 - mu) * mean_of("v") - eps * A * mean_of("theta")),
            of="momentum",
        ),
        "proved",
    ),
    (fresh(Equal(rate_of_mean("theta"), mean_of("v")), of="momentum_position_first"), "proved"),
    (fresh(Equal(rate_of_mean("theta"), mean_of("v")), of="momentum"), "refuted"),
    (fresh(rule()), "refuted"),
    (fresh(rule(both=1)), "proved"),
    (fresh(rule(left=2, right=0, both=1)), "proved-if"),
    (fresh(rule(), time="continuous"), "refuted"),
    (fresh(rule(both=1), time="continuous"), "proved"),
    (fresh(Equal(noise_of("theta", "theta"), eps**2 / S * C)), "proved"),
    (fresh(Equal(noise_of("theta", "theta"), eps / S * C)), "refuted"),
    (
        fresh(
            Equal(rate("theta", "v"), second("v", "v") - mu * second("theta", "v") - eps * A * Sigma),
            of="momentum",
            time="continuous",
        ),
        "proved-if",
    ),
]


@pytest.mark.parametrize(("one", "word"), CASES)
def test_verdicts_scripts_and_twins(one, word):
    finding = one.find()
    assert finding.verdict == word
    if word == "proved":
        twins = one.twins(finding)
        assert twins.tried >= 2
        assert twins.survivors == ()
    else:
        assert run(finding.counterexample.script) is False
        assert finding.corrected.verdict == "proved"


def test_what_is_added_is_printed_as_mathematicians_write_it():
    both = All(rule(both=1, b="v"), Equal(rate_of_mean("v"), mean_of("v")), Equal(noise_of("v", "v"), 0))
    one = claim("k", of="momentum", printed=both, **HERE)
    assert one.statement.text() == (
        "dE[theta v^T] = 1*E[d theta v^T] + 1*E[theta d v^T] + 1*E[d theta d v^T]"
        " and dE[v]/dt = E[v] and E[d W_v d W_v^T]/dt = 0"
    )
    first, mean, noise = one.printed_latex()
    assert r"\mathrm{d}\mathbb{E}[\theta v^{\top}]" in first
    assert r"\mathbb{E}[\mathrm{d} \theta v^{\top}]" in first
    assert mean == r"\frac{\mathrm{d}}{\mathrm{d}t} \mathbb{E}[v] = \mathbb{E}[v]"
    assert noise == r"\mathbb{E}[\mathrm{d} W_{v} \mathrm{d} W_{v}^{\top}] / \mathrm{d}t = 0"


def test_what_a_step_adds_is_told_as_no_rate():
    wrong = fresh(Equal(rate_of_mean("theta"), mean_of("v")), of="momentum", time="continuous")
    assert wrong.find("discrete").corrected.text == "dE[theta] = E[v] - mu*E[v] - eps*A*E[theta]"
    moments = fresh(Equal(rate("v", "v"), 0), of="momentum", time="continuous")
    assert moments.find("discrete").corrected.text.startswith("dE[v v^T] = ")


def test_numbers_for_second_moments_are_those_of_some_law():
    theta_v, v_theta = second("theta", "v"), second("v", "theta")
    for statement in (Equal(rate("v", "v"), v_theta), Equal(rate("theta", "theta"), theta_v)):
        one = claim("e", at="", title="", of="momentum", read=statement)
        for time in ("continuous", "discrete"):
            found = one.find(time)
            params = found.counterexample.problem["params"]
            one_way, other = params["P_theta_v"], params["P_v_theta"]
            assert one_way == [list(row) for row in zip(*other, strict=True)]


def test_no_law_has_negative_variances():
    setting = claim("e", at="", title="", of="momentum", read=Equal(rate_of_mean("v"), 0)).setting
    names = ("Sigma", "P_theta_v", "P_v_theta", "P_v_v")
    made = [Place({n: ((Fraction(x),),) for n, x in zip(names, xs, strict=True)}, {}) for xs in (
        (1, 1, 1, 1), (1, 2, 2, 1), (1, 1, 0, 1), (-1, 0, 0, 1)
    )]  # fmt: skip
    assert [are_moments(setting, one) for one in made] == [True, False, False, False]
    assert all(are_moments(setting, as_moments(setting, one)) for one in made)


SMALL = Assumption("step and damping are small", small=("eps", "mu"))


@pytest.mark.parametrize(
    ("given", "statement", "gap"),
    [
        ((SMALL,), Equal(rate_of_mean("theta"), mean_of("v")), "-mu, of order 1 in mu"),
        ((), Equal(rate_of_mean("theta"), mean_of("v")), None),
        ((SMALL,), Equal(second("v", "v"), eps / 2 * (Sigma * A + A * Sigma)), "mu/2, of order 1 in mu"),
        ((), Equal(second("v", "v"), eps / 2 * (Sigma * A + A * Sigma)), None),
        ((SMALL,), Equal(second("v", "v"), eps / 3 * (Sigma * A + A * Sigma)), None),
        ((SMALL,), Equal(rate_of_mean("theta"), 2 * mean_of("v")), None),
    ],
)
def test_what_is_left_over_vanishes_only_with_letters_that_are_taken_to_zero(given, statement, gap):
    found = claim("fresh", of="momentum", given=given, read=statement, **HERE).find("discrete")
    told = None if gap is None else f"relative gap {gap}, where eps vanishes faster"
    assert (found.gap and found.gap.text) == told
    assert found.verdict == ("refuted" if gap is None else "limit-only")
