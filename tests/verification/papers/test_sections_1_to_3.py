"""Sections 1 to 3, the remark on Eq. 21 and Appendix A: the substance of the verdicts."""

from functools import cache

import pytest

from verification.library import claims

CLAIMS = {c.key: c for c in claims("mandt2017")}


@cache
def found(key):
    return CLAIMS[key].find()


def test_eq21_estimates_less_than_the_covariance():
    finding = found("eq21")
    assert finding.gap.text == "relative gap -1/S, of order 1 in 1/S"
    assert "(S - 1)*" in finding.corrected.text
    assert "N*(S - 1)*" in finding.corrected.text  # without replacement
    assert "does not tend to 1 as N grows" in found("eq21.large_N").reason


def test_a_set_has_the_factor_of_a_finite_population():
    assert "(N - S)" in found("eq6.drawn_as_a_set").corrected.text
    assert found("appA.double_sum_is_single").verdict == "proved"  # draws are independent there


def test_normal_noise_is_a_limit_with_rates():
    assert [found(f"sec3_2.normal_{m}_moment").gap.order for m in ("third", "fourth")] == ["1/2", "1"]


@pytest.mark.strong
def test_signs_of_appendix_a():
    assert found("appA.hessian").corrected.text.endswith("= -I")
    assert found("appA.eq37").corrected.text.endswith("= -(mean_s(x*transpose(x))*theta - mean_s(y*x))")


@pytest.mark.parametrize("key", ["appA.law", "appA.law_of_data"])
def test_the_law_of_appendix_a_is_off_under_both_readings(key):
    assert found(key).corrected.text == "Sigma = eps*C/(2*S)"


@pytest.mark.strong
def test_the_noise_of_linear_regression_is_that_of_one_example_over_s():
    assert found("appA.noise_covariance_of_one").condition == "S = 1"


def test_rank_one_noise_may_fill_the_covariance():
    finding = found("sec3_2.rank")
    assert finding.condition == "an eigenvector of A is in the kernel of B B^T"
    assert len(finding.counterexample.problem["hessian"]) == 2


def test_the_learning_rate_of_section_2_lacks_its_sizes():
    assert found("sec2.learning_rate").corrected.text.startswith("eps = 2*D*S/(N*tr(C)) minimises")
