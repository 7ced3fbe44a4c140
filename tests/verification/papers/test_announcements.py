"""What abstract, introduction, discussions and conclusions say in passing: the substance of verdicts."""

from fractions import Fraction
from functools import cache

import pytest

from verification.library import claims

CLAIMS = {c.key: c for c in claims("mandt2017")}


@cache
def found(key):
    return CLAIMS[key].find()


def test_a_chain_settles_where_its_means_do_and_a_decreasing_step_needs_an_infinite_sum():
    assert found("abstract.stationary").condition == "eps*lambda < 2"
    needed = "rho[t] adds up without end over t and rho[t] = o(1) as t -> infinity"
    assert found("sec1.decreasing_step").condition == needed


def test_a_cubic_term_moves_the_mean_and_nothing_else_does():
    finding = found("sec1.centred_on_any_loss")
    assert finding.condition == "b = 0"
    assert finding.corrected.text.endswith("= -(V*b*eps - 2*o)/2")


def test_the_inverse_curvature_beats_the_inverse_noise_where_they_are_not_proportional():
    numbers = found("sec2.best_gain_of_robbins_monro").counterexample.problem
    a, c = (float(Fraction(numbers[x])) for x in "ac")
    noise, curvature = (k**2 * c / (2 * k * a - 1) for k in (1 / c, 1 / a))
    assert noise > curvature * 1.01


def test_a_loss_that_is_multiplied_multiplies_the_covariance():
    assert found("sec3_2.inverse_to_A_with_the_loss").verdict == "proved"
    assert found("sec3_2.inverse_to_A").verdict == "proved"


def test_the_signs_of_theorem_5_leave_no_minimum():
    corrected = found("thm5.minimiser_of_the_display").corrected.text
    assert "+ N*tr(H*V)/4" in corrected
    assert "- log(det(H))/2" in corrected


def test_the_rate_that_is_estimated_online_misses_one_part_in_s():
    assert found("sec4_2.rate_online").gap.text == "relative gap -1/S, of order 1 in 1/S"


@pytest.mark.parametrize(("key", "order"), [("inverting", "d**3"), ("the_full_gain", "d**2")])
def test_costs_in_the_dimension(key, order):
    finding = found(f"sec4_1.cost_of_{key}")
    assert (finding.verdict, finding.corrected) == ("proved", None)
    (statement,) = CLAIMS[f"sec4_1.cost_of_{key}"].printed
    assert statement.text().endswith(f"Theta({order}) as d -> infinity")


def test_redundant_data_make_sampling_cheaper_in_proportion():
    bound = "S*N*A*(sum over all k of E[theta_0 theta_k^T]) >= rho*(N*I) as matrices"
    assert found("sec6_2.redundant_data").corrected.text == bound


def test_the_divergence_of_appendix_f_has_its_logarithms_with_the_other_sign():
    corrected = found("appF.kl_with_q").corrected.text
    assert "=c= log(det(G))/2 + " in corrected
    assert "- log(det(Q))/2" in corrected
    assert "- D*log(eps/S)/2" in corrected


def test_losses_of_appendix_a_fall_without_end():
    assert found("appA.eq36.minimised").verdict == found("appA.eq37.minimised").verdict == "refuted"


def test_records_come_in_the_order_of_the_paper():
    keys = list(CLAIMS)
    places = (
        "abstract.stationary",
        "eq1",
        "eq13",
        "thm1",
        "thm5",
        "eq34.line1",
        "sec7.reasonable",
        "eq35",
        "sec8.shape_by_the_rate",
        "appA.eq36",
    )
    assert keys[0].startswith("abstract.")
    assert sorted(places, key=keys.index) == list(places)
