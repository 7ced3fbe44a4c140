"""Section 4.2 and section 7.3 of Mandt et al.: what stands behind the verdicts."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

from verification.library import claims
from verification.refuter.script import run

CLAIMS = {c.key: c for c in claims("mandt2017")}


@cache
def found(key, time="continuous"):
    return CLAIMS[key].find(time)


N, S = 20, 2
G = np.diag([3.0, 1.0])  # precision of the likelihood about its mode m
MODE = np.array([1.5, 1.2])


def spread(lam, noise, time, gain=False):
    """Tr Sigma of constant SGD with the rate (or gain) that the paper calls best; of the posterior."""
    A = (G + lam * np.eye(2)) / N
    H = 2 * S / N * np.linalg.inv(noise) if gain else 2 * S / N * 2 / np.trace(noise) * np.eye(2)
    Q = H @ noise @ H / S
    one = np.eye(2)
    F = -H @ A
    if time == "continuous":
        system = np.kron(F, one) + np.kron(one, F)
    else:
        system = np.kron(one + F, one + F) - np.eye(4)
    return np.trace(np.linalg.solve(system, -Q.ravel()).reshape(2, 2))


def fixed_point(trace_of):
    """Where D/lambda is the mean of |theta|^2."""

    def slope(lam):
        mean = np.linalg.solve(G + lam * np.eye(2), G @ MODE)
        return 2 / lam - mean @ mean - trace_of(lam)

    return brentq(slope, 1e-3, 50)


@pytest.mark.strong
def test_where_eq22_settles_and_where_it_should():
    """The root of E[dL/dlambda] under SGD's law, against the maximum of the marginal likelihood."""
    wanted = fixed_point(lambda lam: np.trace(np.linalg.inv(G + lam * np.eye(2))))
    marginal = brentq(  # m ~ N(0, G^-1 + I/lambda)
        lambda lam: sum(
            (1 / (1 / g + 1 / lam) - (m / (1 / g + 1 / lam)) ** 2) / lam**2
            for g, m in zip(np.diag(G), MODE, strict=True)
        ),
        1e-3,
        50,
    )
    assert wanted == pytest.approx(marginal, rel=1e-8)
    skew, even = np.diag([8.0, 1.0]), 2 * np.eye(2)
    assert fixed_point(lambda lam: spread(lam, even, "continuous")) == pytest.approx(wanted, rel=1e-8)
    assert fixed_point(lambda lam: spread(lam, skew, "continuous", gain=True)) == pytest.approx(wanted)
    assert abs(fixed_point(lambda lam: spread(lam, skew, "continuous")) / wanted - 1) > 0.02
    assert abs(fixed_point(lambda lam: spread(lam, even, "discrete")) / wanted - 1) > 1e-3
    words = "A is a multiple of the identity or B B^T is a multiple of the identity"
    assert found("eq22.fixed_point").condition == words
    assert found("eq22.fixed_point", "discrete").verdict == "refuted"


def test_without_noise_eq22_ends_at_a_joint_point_estimate():
    """The deterministic recursion: variance zero, and lambda runs away where the data say little."""
    for mode, degenerate in ((3.0, False), (1.5, True)):
        theta, lam = mode, 1.0
        for _ in range(40_000):
            theta -= 0.01 * ((theta - mode) + lam * theta)
            lam = max(lam - 0.01 * (theta**2 / 2 - 1 / (2 * lam)), 1e-6)
        if degenerate:
            assert lam > 15
        else:  # the stationary point of the joint density
            assert lam < 1
            assert lam * theta**2 == pytest.approx(1, abs=1e-3)
    assert "noise" in found("eq22.without_noise").reason


def test_the_rate_on_the_sum_is_unstable_in_a_well_specified_model():
    assert found("eq22.rate_for_the_sum", "discrete").condition == "S*lambda < BB^T"


def test_what_is_wrong_with_eq35_without_brackets():
    reason = found("eq35.as_parenthesised").reason
    rest = "theta_00*x_00 + theta_10*x_01"
    assert reason == f"The left side minus the right is {rest}, which is not zero in general."


def test_the_degenerate_point_is_a_minimum_of_the_loss():
    assert found("sec7_3.degenerate_maximizer").reason.startswith("It shrinks as lambda -> infinity")
    assert found("sec7_3.infinite_density").verdict == "proved"


def test_a_decreasing_rate_can_stop_too_early():
    finding = found("eq22.decreasing_rate")
    condition = "rho[t] adds up without end over t and rho[t] = o(1) as t -> infinity"
    assert finding.condition == condition
    assert run(finding.counterexample.script) is False
    left = np.prod([1 - 1 / (2 * t**2) for t in range(1, 100_000)])
    assert left > 0.358  # the certified bound, and how close it is
    assert left < 0.37
