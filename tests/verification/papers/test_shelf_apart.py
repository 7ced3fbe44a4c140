"""Statements of the shelf by another route: densities by SymPy, integrals and data in floats."""

import itertools
from random import Random

import numpy as np
import pytest
import sympy as sp

from tests.verification.papers.test_shelf import law, radius

x, p, y, v = sp.symbols("x p y v")
F, G = x**4 / 4 + sp.sin(x), 1 + x**2  # a loss and a metric, or a noise, that depend on the position
AT = {x: 0.3, p: 0.7, y: -0.4, v: 0.9}
LAM, H = 1.7, 0.6


def leftover(energy, drift, noise):
    """What exp(-energy) changes by in an instant; noise stands before second derivatives."""
    rho = sp.exp(-energy)
    flow = sum(sp.diff(a * rho, q) for q, a in drift.items())
    spread = sum(sp.diff(d * rho, q, 2) for q, d in noise.items())
    return float((spread - flow).subs(AT))


def test_thermostats():
    """ding2014: claims 1 to 4, and 8 by the equations of the second moments."""
    thermostat = {x: p, p: -sp.diff(F, x) - y * p, y: p**2 - 1}
    about = lambda c: F + p**2 / 2 + (y - c) ** 2 / 2  # noqa: E731
    assert leftover(about(2), thermostat, {p: 2}) == pytest.approx(0)
    assert leftover(about(0), thermostat, {p: 2}) != pytest.approx(0)
    assert leftover(about(2), thermostat, {p: G}) != pytest.approx(0)
    assert leftover(F + p**2 / 2, {x: p, p: -sp.diff(F, x)}, {p: 2}) != pytest.approx(0)
    a, b, h = 0.5, 0.8, 1e-4  # Euler's step, of which what is small is left out
    P = law([[1 - h**2 * LAM, h * (1 - h * b)], [-h * LAM, 1 - h * b]],
            [[h * np.sqrt(2 * a * h)], [np.sqrt(2 * a * h)]])  # fmt: skip
    assert np.diag(P) == pytest.approx([a / b / LAM, a / b], rel=1e-3)


def test_the_complete_recipe():
    """ma2015: the divergence is needed, a skew part does nothing, any other part does."""
    down, slope = -G * sp.diff(F, x), sp.diff(G, x)
    assert leftover(F, {x: down + slope}, {x: G}) == pytest.approx(0)
    assert leftover(F, {x: down}, {x: G}) != pytest.approx(0)
    turned = {x: G * p, p: down - 0.5 * p + slope}
    assert leftover(F + p**2 / 2, turned, {p: 0.5}) == pytest.approx(0)
    assert leftover(F + p**2 / 2, turned | {p: down - 0.5 * p}, {p: 0.5}) != pytest.approx(0)
    R, W = np.random.default_rng(1).normal(size=(2, 3, 3))
    P, M = W @ W.T + np.eye(3), R @ R.T + np.eye(3)
    for part, kept in ((R - R.T, True), (R, False)):
        drift = (P + part) @ M @ np.linalg.inv(M)
        assert np.allclose(drift + drift.T, 2 * P) == kept
    h, S = 0.2, 3  # N is one: the noise of a minibatch, and what is left to inject
    noise = [[h / np.sqrt(S), np.sqrt(2 * h - h**2 / S)]]
    assert law([[1 - h * LAM]], noise)[0, 0] == pytest.approx(1 / (LAM * (1 - h * LAM / 2)))


def test_contraction_of_langevin_monte_carlo():
    """durmus2019: rates at random numbers, and the bias where it is known, on a normal target."""
    draw = Random(1)
    for _ in range(200):
        m, more, share, between = (draw.uniform(0.01, 3) for _ in range(4))
        L, kappa = m + more, 2 * m * (m + more) / (2 * m + more)
        gamma, a = min(share / 3, 1) * 2 / (m + L), m + more * min(between / 3, 1)
        assert max((1 - gamma * m) ** 2, (1 - gamma * L) ** 2) <= 1 - kappa * gamma + 1e-12
        assert m <= kappa <= 2 * m
        assert kappa <= (m + L) / 2
        assert 2 / (a * (2 - gamma * a)) <= 2 / kappa + 1e-12
        gamma = gamma / 2
        squared = sum((1 / np.sqrt(k * (1 - gamma * k / 2)) - 1 / np.sqrt(k)) ** 2 for k in (m, L))
        bound = 2 / kappa * L**2 * gamma * (1 / kappa + gamma)
        assert squared <= bound * (2 * 2 + 2 * L**2 * gamma / m + 2 * L**2 * gamma**2 / 6)


def test_underdamped_steps():
    """cheng2018: densities, and the noise of a step by adding up small ones."""
    u, h = 0.7, 0.5
    drift = {x: v, v: -2 * v - u * sp.diff(F, x)}
    assert leftover(F + v**2 / (2 * u), drift, {v: 2 * u}) == pytest.approx(0)
    assert leftover(F + v**2 / 2, drift, {v: 2 * u}) != pytest.approx(0)
    left = h - (np.arange(10**5) + 0.5) * h / 10**5
    mean = lambda f: h * float(np.mean(f))  # noqa: E731
    fast, slow = np.exp(-4 * left), np.exp(-2 * left)
    assert mean(4 * u * fast) == pytest.approx(u * (1 - np.exp(-4 * h)))
    position = u * (h - np.exp(-4 * h) / 4 - 3 / 4 + np.exp(-2 * h))
    assert mean(u * (1 - slow) ** 2) == pytest.approx(position)
    both = u / 2 * (1 + np.exp(-4 * h) - 2 * np.exp(-2 * h))
    assert mean(2 * u * slow * (1 - slow)) == pytest.approx(both)
    rate = lambda a: np.array([[1 - a / 2, a / 2 - 1], [a / 2 - 1, 1 - a / 2]])  # noqa: E731
    twice = lambda a: np.array([[1 - a, a / 2 - 1], [a / 2 - 1, 1 - a]])  # noqa: E731
    assert min(np.linalg.eigvalsh(rate(0.4))) > -1e-12
    assert min(np.linalg.eigvalsh(twice(0.4))) < -0.1


def test_a_splitting_for_noisy_gradients():
    """matthews2018: N is one, S is three, the noise of one example is one."""
    c, S = 0.3, 3
    half = np.array([[1, H / 2], [0, 1]])
    kick = lambda lam: np.array([[1, 0], [-H / 2 * (1 + c) * lam, c]])  # noqa: E731
    drawn = H**2 / 4 * (1 + c) ** 2 / S
    P = law(half @ kick(LAM) @ half, half @ [[0], [np.sqrt(1 - c**2)]])
    assert P[0, 0] == pytest.approx(1 / LAM)
    assert P[1, 1] == pytest.approx(1 / (1 - H**2 * LAM / 4))
    P = law(half @ kick(LAM) @ half, half @ [[0], [np.sqrt(1 - c**2 + drawn)]])
    assert P[0, 0] == pytest.approx((1 + H**2 * (1 + c) / (4 * (1 - c) * S)) / LAM)
    for factor, stable in ((0.999, True), (1.001, False)):
        assert (radius(half @ kick(factor**2 * 4 / H**2) @ half) < 1) == stable


def test_minibatches_averages_and_references():
    """jain2018 and chatterji2018: small data gone through, numbers put in."""
    b, r, a = np.arange(1, 40), 3.0, 0.5
    most = 2 * b / (r + (b - 1) * a)
    assert all(np.diff(most) > 0)
    assert all(most <= 2 / a)
    assert ((most >= b / r) == (b <= 1 + r / a)).all()
    z, t = 4.0, 0.8
    start = np.exp(-t * (np.arange(10**5) + 0.5) * z / 10**5).mean()
    assert start == pytest.approx((1 - np.exp(-t * z)) / (t * z))
    here, known = np.array([1.0, -2.0, 4.0, 0.5]), np.array([0.5, -1.0, 3.0, 1.0])
    pairs = list(itertools.combinations(range(4), 2))
    batch = lambda z: np.array([z[list(k)].mean() for k in pairs])  # noqa: E731
    assert (batch(here - known) + known.mean()).mean() == pytest.approx(here.mean())
    assert batch(here - known).mean() != pytest.approx(here.mean())
    one = here - known + known.mean() - here.mean()
    assert (one**2).mean() == pytest.approx(((here - known) ** 2).mean() - (here - known).mean() ** 2)
    assert (batch(here) ** 2).mean() - here.mean() ** 2 != pytest.approx(here.var() / 2)


def test_an_epoch_of_two_minibatches():
    """shaw2025: noise that adds up to nothing within an epoch, beside noise that is drawn anew."""
    w = 0.8

    def excess(h):
        keep, full = 1 - h * LAM, 1 / (LAM * (1 - h * LAM / 2))
        epoch = [[keep * h * w - h * w, keep * np.sqrt(2 * h), np.sqrt(2 * h)]]
        anew = law([[keep]], [[h * w, np.sqrt(2 * h)]])[0, 0]
        assert anew == pytest.approx((1 + h * w**2 / 2) * full)
        return law([[keep**2]], epoch)[0, 0] - full

    assert excess(0.01) / 0.01**3 == pytest.approx(w**2 * LAM / 4, rel=0.05)
