"""The double well: samplers with a decreasing step, by a second route, and what is decided on them."""

import numpy as np
import pytest

from simulators.ensemble import simulate
from simulators.trace import trace
from verification.experiments import perform
from verification.experiments.chen2016santa import figure1, schedules
from verification.experiments.job import Job


def slope(x):
    """By hand: (4x^3 + 3x^2 - 26x - 1)/14."""
    return (4 * x**3 + 3 * x**2 - 26 * x - 1) / 14


def by_hand_rmsprop(steps, power=0.3):
    """The update with a step that shrinks, in a plain loop."""
    x, V, path = 4.0, 0.0, [4.0]
    for t in range(1, steps + 1):
        g = slope(x)
        V = 0.99 * V + 0.01 * g * g
        x -= t**-power / 10 * g / (1e-5 + np.sqrt(V))
        path.append(x)
    return np.array(path)


def by_hand_santa(chains, steps, power):
    """Algorithm 4 with eta = (t^-power)/100, beta = t^2, all of it exploration, C = 1."""
    rng = np.random.default_rng(5)
    x, u = np.full(chains, 4.0), 0.1 * rng.standard_normal(chains)
    a, v = np.full(chains, 0.1), np.zeros(chains)
    for t in range(1, steps + 1):
        eta, heat, f = t**-power / 100, t**-power / 100 / t**2, slope(x)
        before = 1 / np.sqrt(1e-5 + np.sqrt(v))
        v = 0.99 * v + 0.01 * f * f
        g = 1 / np.sqrt(1e-5 + np.sqrt(v))
        x = x + g * u / 2
        a = a + (u * u - heat) / 2
        u = np.exp(-a / 2) * u
        u = u - eta * g * f + np.sqrt(2 * before * np.sqrt(eta) * heat) * rng.standard_normal(chains)
        u = np.exp(-a / 2) * u
        a = a + (u * u - heat) / 2
        x = x + g * u / 2
    return x


def test_the_decreasing_step_of_rmsprop_is_the_loops():
    """Without noise both routes give one path; a constant step gives another."""
    setting, values = schedules.on_the_well("rmsprop", "eps", figure1.POWER, figure1.RMSPROP)
    path = trace(setting, values, chains=1, steps=50, device="cpu").states["theta"][0, :, 0]
    assert path == pytest.approx(by_hand_rmsprop(50), abs=1e-10)
    assert abs(path - by_hand_rmsprop(50, power=0.0)).max() > 0.1


@pytest.mark.parametrize("power", [0.6, 0.0])
def test_santa_with_a_decreasing_step_has_the_law_of_the_loop(power):
    """Means after a few steps within six standard errors, at a changing and at a constant step."""
    params = {"eta": "1/100", "gamma": 2, "burnin": 10_000, "C0": 1, "sigma": "99/100"}
    setting, values = schedules.on_the_well("santa_sss:algorithm4", "eta", power, params)
    found = simulate(setting, values, chains=4096, steps=6, seed=3, device="cpu")
    x = by_hand_santa(4096, 6, power)
    error = np.hypot(x.std() / 64, found.standard_error["mean"]["theta"][0])
    assert abs(found.mean["theta"][0] - x.mean()) < 6 * error
    wrong = by_hand_santa(4096, 6, power + 2)
    assert abs(found.mean["theta"][0] - wrong.mean()) > 6 * error


def test_the_modes_are_where_the_slope_changes_its_sign():
    """And the barrier is between them."""
    assert np.allclose(slope(np.array(schedules.stationary_points())), 0, atol=1e-9)
    x = np.linspace(-3, 3, 7)
    assert np.allclose(
        (schedules.potential(x + 1e-6) - schedules.potential(x - 1e-6)) / 2e-6, slope(x), atol=1e-6
    )


def test_a_tiny_reading_is_counted_whole():
    """Shares of one reading, from few runs."""
    job = Job(
        "chen2016santa.figure1",
        "laptop",
        {"chains": 128, "steps": 60, "paths": 4, "times": 3},
        keep=False,
    )
    reading = ("santa_sss:algorithm4", "eta = h", "1", "99/100")
    (a, b), (times, left, paths) = figure1.ends(job, *reading)
    assert 0 <= a.value + b.value <= 1
    assert (times[-1], paths.shape) == (60, (4, 61))
    assert np.all((left >= 0) & (left <= 1))


@pytest.mark.long
def test_the_laptop_run_decides_by_its_numbers():
    """Every statement rejects its spoilt twin."""
    found = perform("chen2016santa.figure1", keep=False).findings
    assert found.shapes
    assert not any(s.twin_holds for s in found.shapes)
