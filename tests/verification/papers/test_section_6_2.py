"""Section 6.2 of Mandt et al.: what is true beside what is printed, and statements beside them."""

from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.modepairs.pairs import LI
from verification.claims.along_mode import AlongMode
from verification.claims.base import Printed
from verification.claims.best_window import BestWindow, best_window, divergence, share
from verification.claims.linear_chains import COST, LinearChains, matrix_response, response
from verification.claims.windows import Windows
from verification.laws.modechain import LONG_RUN, NEXT, VARIANCE, WINDOW, ModeChain, T, number
from verification.library import claims
from verification.notation import N, S, eps
from verification.refuter.script import run

CLAIMS = {c.key: c for c in claims("mandt2017")}
COMMON = {"at": "here", "title": "T", "says": "S.", "paper": "test"}


def along(left, right, relation="=", of="sgd", **more):
    return AlongMode("fresh", **COMMON, of=of, printed=(Printed(left, right, relation),), **more)


@pytest.mark.parametrize("of", ["sgd", "momentum", "momentum_position_first", "nesterov"])
@pytest.mark.parametrize("time", ["discrete", "continuous"])
def test_a_sample_costs_a_pass_whatever_the_sampler(of, time):
    claim = along(S * N * LI * LONG_RUN, N, of=of, time=time)
    assert claim.prove(time).holds
    assert claim.failure(time, 20) is None


def test_with_the_exact_gain_the_correlation_time_is_a_pass():
    gain = 2 * S / ((N + S) * LI)
    assert along(VARIANCE, 1 / (N * LI), gain=gain, time="discrete").find().verdict == "proved"
    assert along(S * LONG_RUN / VARIANCE, N, gain=gain, time="discrete").find().verdict == "proved"


def test_the_continuous_rule_gives_n_less_s():
    finding = CLAIMS["sec6_2.gradients_per_independent_sample"].find("discrete")
    assert finding.corrected.text.endswith("= N - S")
    assert finding.gap.text == "relative gap -S/N, of order 1 in 1/N"


def test_langevin_pays_for_what_it_injects():
    finding = along(S * N * LI * LONG_RUN, N, of="sgld", time="discrete").find()
    assert finding.verdict == "refuted"
    cost = sp.simplify(finding.corrected.printed[0].right - (N + 4 * S / (eps * N * LI)) * 1)
    assert sp.simplify(cost.subs(dict.fromkeys(cost.free_symbols, 3))) == 0


def test_distinct_examples_cost_less():
    finding = CLAIMS["sec6_2.gradients_per_sample_distinct"].find()
    assert finding.condition == "S = 1"
    assert finding.corrected.text.endswith("= N*(N - S)/(N - 1)")


@pytest.mark.strong
def test_windows_are_exact_where_iterates_are_independent():
    finding = CLAIMS["alg1"].find("discrete")
    assert finding.condition == "eps*lambda_i = 1"
    assert "and only then" in finding.reason
    across = CLAIMS["alg1.independent"].lattice("discrete")
    assert [c.words for c in across] == ["eps*lambda_i = 1"]
    assert not run(finding.counterexample.script)


def test_the_corrected_windows_hold_at_other_numbers():
    chain = ModeChain(CLAIMS["alg1"].setting, "discrete")
    known = {"eps": Fraction(3, 7), LI.name: Fraction(4, 9), "S": Fraction(9), "T": Fraction(11)}
    found = chain.at(known, (WINDOW, NEXT))
    rate = 1 - known["eps"] * known[LI.name]
    variance = known["eps"] / (known["S"] * (1 + rate))
    within = sum(variance * rate ** abs(s - t) for s in range(11) for t in range(11)) / 121
    across = sum(variance * rate ** (11 + s - t) for s in range(11) for t in range(11)) / 121
    assert found == {WINDOW.name: within, NEXT.name: across}
    corrected = CLAIMS["alg1"].correct("discrete").printed[0].right
    assert number(corrected, known) == 11 * known["S"] * known[LI.name] * within


@pytest.mark.strong
def test_the_best_window_is_shorter_than_a_pass():
    claim = CLAIMS["alg1.window_of_one_pass"]
    finding = claim.find("discrete")
    assert finding.verdict == "limit-only"
    true = BestWindow("fresh", **COMMON, of="sgd", printed=finding.corrected.printed, time="discrete")
    known = {"eps": 0.125, "lambda_i": 1, "N": 100, "S": 1}
    value = finding.corrected.printed[0].right
    shorter = float(value.subs({s: known[s.name] for s in value.free_symbols}))
    assert int(shorter) <= best_window(Fraction(1, 8), Fraction(100), "discrete") <= int(shorter) + 1
    assert true.failure("discrete") is None
    assert finding.evidence[-1].data["regret"] < 0.1


def test_small_steps_leave_no_good_window():
    losses = [divergence(share(Fraction(1, 10**k), 8, Fraction(8), "discrete")) for k in (2, 4, 6)]
    assert losses == sorted(losses)
    assert losses[-1] > 5


@pytest.mark.parametrize("c", [Fraction(1, 2), Fraction(3, 4), 1, 2])
def test_no_multiple_of_a_pass_is_best(c):
    claim = BestWindow("fresh", **COMMON, of="sgd", printed=(Printed(T, c * N / S),), time="discrete")
    assert claim.prove("discrete").holds is False
    assert claim.failure("discrete") is not None
    assert (claim.gap("discrete") is not None) == (c == 1)


def test_preconditioned_windows_are_exact_in_discrete_time():
    assert CLAIMS["sec6_2.inverse_hessian_as_preconditioner"].find("discrete").verdict == "proved"


@pytest.mark.strong
def test_the_class_of_linear_chains():
    import random

    assert all(sp.simplify(response(m)[0] + 1 / LI) == 0 for m in (1, 2, 3))
    assert matrix_response(random.Random(3))
    wrong = LinearChains("fresh", **COMMON, printed=(Printed(COST, N - S, ">="),))
    assert wrong.find().verdict == "proved"  # a weaker bound is one
    stronger = LinearChains("fresh", **COMMON, printed=(Printed(COST, N + S, ">="),)).find()
    assert stronger.verdict == "refuted"
    assert stronger.corrected.text == "G >= N"
    assert not run(stronger.counterexample.script)


def test_the_slip_in_the_covariance_of_a_mean():
    finding = CLAIMS["sec6_2.mean_of_posterior_samples"].find()
    assert finding.verdict == "refuted"
    assert finding.corrected.verdict == "proved"
    assert CLAIMS["sec6_2.averaging_to_the_printed_covariance"].find().verdict == "refuted"
    assert CLAIMS["sec6_2.averaging_to_the_covariance_of_samples"].find().verdict == "proved"


@pytest.mark.parametrize(("first", "last"), [(0, T), (1, T), (1, T - 1), (0, T - 2)])
def test_windows_off_by_one_are_seen(first, last):
    finding = Windows("fresh", **COMMON, first=sp.sympify(first), last=last).find()
    assert finding.verdict == "refuted"
    assert not run(finding.counterexample.script)


def test_hessian_and_noise_differ_by_the_prior():
    finding = CLAIMS["sec6_2.fisher_is_hessian_with_prior"].find()
    assert finding.corrected.text == "A = rho*I/N + C"
    assert CLAIMS["sec6_2.fisher_is_hessian"].find().verdict == "proved"
