"""Section 4.3 and Appendix D of Mandt et al.: what stands behind the verdicts."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

from verification.library import claims
from verification.refuter.script import run

CLAIMS = {c.key: c for c in claims("mandt2017")}


@cache
def found(key, time="continuous"):
    return CLAIMS[key].find(time)


def covariance(A, C, rate, damping):
    """Of discrete momentum, by its Stein equation; of SGD, with the damping 1."""
    from scipy.linalg import solve_discrete_lyapunov

    d, one = len(A), np.eye(len(A))
    M = np.block([[one - rate * A, (1 - damping) * one], [-rate * A, (1 - damping) * one]])
    kick = np.vstack([one, one])
    return solve_discrete_lyapunov(M, rate**2 * kick @ C @ kick.T)[:d, :d]


def test_the_printed_ratio_is_that_of_the_algorithm():
    """The correction of the scaling factor, entry by entry, against a Stein solve."""
    corrected = found("sec1.scaling_factor", "discrete").corrected.text
    formula = sp.sympify(corrected.split("r_ij = ")[1])
    known = {str(s): s for s in formula.free_symbols}
    at = {known["eps"]: 0.3, known["mu"]: 0.4, known["lambda_i"]: 1.0, known["lambda_j"]: 2.5}
    A, C = np.diag([1.0, 2.5]), np.array([[2.0, 0.7], [0.7, 1.0]])
    ratio = covariance(A, C, 0.3, 0.4) / covariance(A, C, 0.3, 1.0)
    assert ratio[0, 1] == pytest.approx(float(formula.subs(at)), rel=1e-10)
    assert abs(ratio[0, 1] - 1 / 0.4) > 0.1


def test_the_gap_of_two_shapes_is_that_of_what_is_over_its_trace():
    """As printed of the discrete algorithm, against two Stein solves at a small step."""
    told = found("sec1.scale_not_shape", "discrete").gap.term.text
    each = sp.lambdify(("eps", "mu", "lambda_i", "lambda_j"), told.split("g_ij = ")[1])
    curvatures, C = np.array([1.0, 2.0]), np.array([[1.0, 0.5], [0.5, 2.0]])
    rate, damping = 1e-5, 0.5
    here, there = (covariance(np.diag(curvatures), C, rate, mu) for mu in (damping, 1.0))
    here, there = here / np.trace(here), there / np.trace(there)
    g = each(rate, damping, curvatures[:, None], curvatures[None, :])
    wanted = g - (g.diagonal() * here.diagonal()).sum()
    assert np.allclose((here - there) / here, wanted, rtol=1e-3)
    assert not np.allclose((here - there) / here, g, rtol=0.1)


def test_the_level_sets_of_the_discrete_algorithm():
    """Where A and C commute, eps/(mu S) and eps/(2 - mu) fix its law; neither does by itself."""
    A, C = np.diag([1.0, 2.5]), np.diag([2.0, 1.0])
    rate, damping, batch = 0.3, 0.4, 1.0
    for other in (0.2, 0.7):
        rate_2 = rate * (2 - other) / (2 - damping)
        batch_2 = batch * rate_2 / other * damping / rate
        same = covariance(A, C, rate_2, other) / batch_2
        assert np.allclose(same, covariance(A, C, rate, damping) / batch, rtol=1e-10)
        only_one = covariance(A, C, rate * other / damping, other)
        assert not np.allclose(only_one, covariance(A, C, rate, damping), rtol=1e-3)


def test_vanishing_damping_at_a_fixed_rate_takes_all_correlations_away():
    """The combination eps/(mu S) stays, and the entries off the diagonal of A's basis vanish."""
    A, C = np.diag([1.0, 2.5]), np.array([[2.0, 0.7], [0.7, 1.0]])
    off = [covariance(A, C, 0.3 * damping, damping)[0, 1] for damping in (1.0, 0.1, 0.01, 0.001)]
    assert off[0] > 0.05
    assert off[3] == pytest.approx(off[2] / 10, rel=0.15)


def test_stability_of_the_means():
    assert found("sec4_3.means_settle", "discrete").condition == "eps*lambda < 4 - 2*mu"
    assert found("sec4_3.damping_range").condition == "0 < mu"
    for product, settles in ((3.1, True), (3.3, False)):
        M = np.array([[1 - product, 0.6], [-product, 0.6]])
        assert bool(abs(np.linalg.eigvals(M)).max() < 1) == settles


def test_less_damping_steadies_where_it_is_said_to():
    finding = found("sec4_3.steadier", "discrete")
    assert finding.reason == "It is so at lambda = 1, nu = 1, mu = 1/2, r = 2."

    def radius(mu):
        product = 2 * mu  # eps lambda at the rate r = eps/mu
        M = np.array([[1 - product, 1 - mu], [-product, 1 - mu]])
        return abs(np.linalg.eigvals(M)).max()

    assert radius(1 / 2) < 1 <= radius(1)


@pytest.mark.strong
def test_three_autocorrelation_times():
    assert found("sec4_3.autocorrelation_time", "continuous").corrected.text.endswith("= 2/(lambda_i*r)")
    assert found("sec4_3.autocorrelation_time", "discrete").verdict == "proved"
    assert "tends to 2/(lambda_i*r)" in found("sec4_3.autocorrelation_time", "discrete").reason
    assert "is 1/mu to first order" in found("sec4_3.autocorrelation_time_of_square").reason
    assert "is 2/mu to first order" in found("sec4_3.relaxation_time").reason


def test_energies_are_equal_in_units_of_the_rate():
    assert "eps" in found("sec4_3.energies").corrected.text


def test_the_false_step_of_appendix_d_and_what_it_should_say():
    finding = found("appD.index_first")
    assert finding.verdict == "refuted"
    assert finding.corrected.text == "A*xi + transpose(xi)*transpose(A) = A*xi + transpose(A*xi)"
    assert run(finding.counterexample.script) is False
    assert found("appD.term_antisymmetric").condition == "A and xi commute"


def test_noise_reaches_the_position_in_the_algorithm():
    finding = found("appD.no_other_correction", "discrete")
    assert finding.verdict == "refuted"
    assert finding.corrected.text.count("eps**2*C/S") == 4  # the velocity's own, and three more
