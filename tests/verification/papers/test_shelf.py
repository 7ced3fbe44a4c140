"""Statements of the shelf by another route: laws of steps in floats, from their matrices alone."""

import numpy as np
import pytest

from verification.library import claims
from verification.library.shelf import shelf

LAM, EPS, B, S = 1.7, 0.3, 0.4, 2.0  # curvature, step, momentum, size of a minibatch; C is 1


def law(step, noise):
    """The stationary covariance of x' = step x + noise xi."""
    M, Q = np.array(step, float), np.array(noise, float) @ np.array(noise, float).T
    n = len(M)
    return np.linalg.solve(np.eye(n * n) - np.kron(M, M), Q.ravel()).reshape(n, n)


def radius(step):
    return max(abs(np.linalg.eigvals(np.array(step, float))))


def test_each_text_of_the_shelf_is_understood_as_a_whole():
    assert len(shelf()) >= 12
    for key in shelf():
        assert len(claims(key)) >= 8
        assert {claim.stands for claim in claims(key)} == {"common"}


def test_momentum_at_a_finite_step():
    """Velocity first, then the position: liu2021.claim8, yaida2019.claim9."""
    noise = EPS / np.sqrt(S)
    P = law([[1 - EPS * LAM, B], [-EPS * LAM, B]], [[noise], [noise]])  # position, velocity
    sigma, velocity = P[0, 0], P[1, 1]
    left = 2 * (1 - B) * LAM * sigma - (1 + B**2) / (1 - B**2) * EPS * LAM**2 * sigma
    left += 2 * B / (1 - B**2) * EPS * LAM**2 * sigma
    assert left == pytest.approx(EPS / S)
    assert EPS * LAM * sigma == pytest.approx((1 + B) / 2 * velocity)
    assert EPS / (2 * (1 - B)) * (LAM**2 * sigma + 1 / S) != pytest.approx(LAM * sigma)  # claim10


def test_splittings_on_a_normal_target():
    """leimkuhler2013: BAOAB, OBABO and the limit of high friction; N A is the curvature here."""
    h, c = 0.6, 0.3
    kick, drift = np.array([[1, 0], [-h / 2 * LAM, 1]]), np.array([[1, h / 2], [0, 1]])
    damp, root = np.diag([1, c]), np.diag([1, np.sqrt(c)])
    P = law(kick @ drift @ damp @ drift @ kick, kick @ drift @ [[0], [np.sqrt(1 - c**2)]])
    assert P[0, 0] == pytest.approx(1 / LAM)
    assert P[1, 1] == pytest.approx(1 - h**2 * LAM / 4)
    verlet = kick @ drift @ drift @ kick
    first = root @ verlet @ [[0], [np.sqrt(1 - c)]]
    P = law(root @ verlet @ root, np.hstack([first, [[0], [np.sqrt(1 - c)]]]))
    assert P[0, 0] == pytest.approx(1 / (LAM * (1 - h**2 * LAM / 4)))
    s = np.sqrt(h / 2)
    assert law([[1 - h * LAM, 1], [0, 0]], [[s], [s]])[0, 0] == pytest.approx(1 / LAM)


@pytest.mark.parametrize("nu", [0.1, 0.5, 1.0])
def test_the_largest_step_of_quasi_hyperbolic_momentum(nu):
    """gitman2019.claim4: just below it the chain is stable, just above it is not."""
    most = 2 * (1 + B) / (LAM * (1 + B * (1 - 2 * nu)))
    for factor, stable in ((0.999, True), (1.001, False)):
        alpha = factor * most
        step = [
            [1 - alpha * LAM * (1 - nu + nu * (1 - B)), -alpha * nu * B],
            [(1 - B) * LAM, B],
        ]
        assert (radius(step) < 1) == stable


def test_what_a_parameter_below_one_moves_is_seen():
    """gitman2019.claim2 was proved: the share that stood for beta hid it from the derivative."""
    (claim,) = (one for one in claims("gitman2019") if one.key == "claim2")
    assert claim.find().verdict == "refuted"
