"""What is found beside the verdicts of section 6.1, of the window of 6.2 and of Appendices B and G."""

from functools import cache

import pytest

from verification.library import all_claims

CLAIMS = {c.key: c for c in all_claims() if c.paper == "mandt2017"}


@cache
def found(key, time=None):
    return CLAIMS[key].find(time)


def test_the_exponent_of_err_max_is_turned_over():
    assert "exp(-eps/S*N*A)" in found("sec6_2.err_max").corrected.text


def test_the_formal_solution_belongs_to_rescaled_time():
    text = found("appB.eq38").corrected.text
    assert text.startswith("theta(t) = exp(-A*(eps*t)) theta(0)")


@pytest.mark.parametrize(
    ("key", "time", "term"),
    [
        ("eq30", "continuous", "-1/(eps*T*lambda_i)"),
        ("eq30", "discrete", "-eps*lambda_i/2"),
        ("eq31", "discrete", "-2*(1 - eps*lambda_i)/(eps*T*lambda_i*(2 - eps*lambda_i))"),
        ("eq32", "discrete", "eps*lambda_i/2"),
        ("sec6_2.one_pass", "continuous", "-S/(eps*N*lambda_i)"),
        ("sec6_2.small_steps", "continuous", "-eps*N*lambda_i/(3*S)"),
    ],
)
def test_gaps(key, time, term):
    assert found(key, time).gap.term.text == term


def test_step_by_step_eq30_is_the_long_run_covariance():
    text = "Cov[average over T] ~ A**(-1)*C*A**(-1)/(T*S) as T -> infinity"
    assert found("eq30", "discrete").corrected.text == text


def test_step_by_step_the_average_is_wider_than_the_posterior_in_long_steps_alone():
    finding = found("sec6_2.below_posterior", "discrete")
    assert (finding.condition, finding.converse.known) == ("eps <= 1/lambda_max(A)", "necessary")
    shown = finding.counterexample.problem
    step, curvature = shown["params"]["eps"], shown["hessian"][0][0]
    from fractions import Fraction

    assert Fraction(step) * Fraction(curvature) > 1


def test_relative_errors_are_negative():
    assert found("sec6_2.err_max_sign").verdict == "proved"
