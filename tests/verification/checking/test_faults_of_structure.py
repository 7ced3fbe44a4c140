"""Faults that change where a term stands, or which steps it is made in, each with its name."""

import numpy as np
import pytest
import sympy as sp
from scipy.stats import norm

from sgtheory import registry
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state, t
from verification.checking import check
from verification.checking.faults.pointwise import pointwise
from verification.checking.faults.trials import CUTS, CutStep, _clearly
from verification.checking.faults.variant import Variant
from verification.checking.judging import FALSE_ALARM
from verification.checking.scaling import weights
from verification.checking.written import step_of

FEW = {"dimensions": (1, 2, 3, 2)}
theta = state("theta")
eps, T = positive("eps T")
xi = normal("xi")
CARD = Card(loss="mean", drift="eps/2 N", order="one update")
WARM = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=(
        (
            theta,
            theta
            - eps / 2 * N * gradient(theta)
            + sp.Piecewise((0, sp.Mod(t, 5) < 2), (1, True)) * sp.sqrt(eps) * xi,
        ),
    ),
    convention=CARD,
)


def noise_on_the_position(x, gradient, rng, eta, alpha, tau, N):
    theta, v = x["theta"], x["v"]
    v = (1 - alpha) * v - eta * N * gradient(theta)
    noise = np.sqrt(2 * alpha * eta * tau) * rng.standard_normal(theta.shape)
    return {"theta": theta + v + noise, "v": v}


def inverted(theta, gradient, rng, eps, N, t):
    noise = np.sqrt(eps) * rng.standard_normal(theta.shape) * (t % 5 < 2)
    return theta - eps / 2 * N * gradient(theta) + noise


def one_tensor(theta, gradient, rng, eps, N):
    noise = np.sqrt(eps / 2) * rng.standard_normal(theta.shape)
    noise[:, : theta.shape[1] // 2] = 0
    return theta - eps / 2 * N * gradient(theta) + noise


@pytest.mark.parametrize(
    ("step", "like", "fixed", "words"),
    [
        (
            noise_on_the_position,
            "sghmc_velocity_first",
            {"beta": 0},
            "is added to theta with the factor",
        ),
        (inverted, WARM, {}, "the condition is inverted"),
        (one_tensor, "sgld", {}, "reaches the second half of the coordinates only"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_where_a_term_stands_is_named(step, like, fixed, words):
    found = check(step, like, fixed=fixed, **FEW)
    assert found.verdict == "deviates"
    assert words in found.diagnosis[0].words, found.diagnosis


def baoab_with_a_wrong_bath(x, gradient, rng, eps, gamma, tau, N):
    theta, v = x["theta"], x["v"]
    c = np.exp(-gamma * eps)
    v = v - eps / 2 * N * gradient(theta)
    theta = theta + eps / 2 * v
    v = c * v + np.sqrt(tau) * (1 - c) * rng.standard_normal(theta.shape)
    theta = theta + eps / 2 * v
    return {"theta": theta, "v": v - eps / 2 * N * gradient(theta)}


def test_an_approximation_is_told_as_one_beside_what_it_is_near():
    """The ratio is sqrt(tanh(eps gamma/2)), near sqrt(eps gamma/2): the formula is that of the step."""
    found = check(baoab_with_a_wrong_bath, "underdamped:BAOAB", **FEW)
    words = [d.words for d in found.diagnosis]
    assert any("sqrt(tau)*(c - 1)" in w for w in words), words
    assert len(words) == 1 or "does not tell" in words[0] or "do not tell" in words[0]


def test_steps_without_a_law_have_edits_of_products_and_of_means_of_squares():
    found = [c.name for c in pointwise(Variant.of(registry.sampler("adam")))]
    assert "v squares an average" in found
    assert "v is a sum" in found
    assert not any("noise" in name for name in found)
    assert not list(pointwise(Variant.of(registry.sampler("sgd"))))


@pytest.mark.long
def test_a_product_without_a_factor_is_named_where_there_is_no_law():
    def plain_drift(x, gradient, rng, eps, alpha, N, **rest):
        theta, g = x["theta"], gradient(x["theta"])
        V = alpha * x["V"] + (1 - alpha) * g * g
        noise = np.sqrt(eps / (rest["lambda"] + np.sqrt(V))) * rng.standard_normal(theta.shape)
        return {"theta": theta - eps / 2 * N * g + noise, "V": V}

    found = check(plain_drift, "psgld:no_gamma", dimensions=(1, 2))
    assert found.verdict == "deviates"
    assert "is not multiplied by G" in found.diagnosis[0].words


def test_a_step_with_a_cut_gradient_is_run_with_the_cut():
    cut = CutStep(step_of("sgd"), CUTS["normalised"][1], "gradient", lambda _: 1.0)
    from verification.checking.adapters.numpy_step import runner

    class Long:
        def draw(self, x):
            return None

        def __call__(self, x, batch=None):
            return 100 * np.ones_like(x)

    first = {"theta": np.zeros((3, 1)), "t of its own": np.zeros((3, 1))}
    params = {"eps": 0.5, "H": np.eye(1), "N": 10.0}
    after = runner(cut).step(first, Long(), np.random.default_rng(1), params)
    assert np.allclose(after["theta"], -0.5)


@pytest.mark.parametrize(
    ("rest", "unit"),
    [(sp.Mod(t, 3), "0"), (sp.Mod(eps * t, T), "1"), (sp.Mod(t, T), "0")],
)
def test_what_is_left_of_whole_periods_has_the_unit_of_the_period(rest, unit):
    """A factor eps of the gradient has the weight -1, so that periods of eps t have it too."""
    declared = Sampler(
        state=(theta,), updates=((theta, theta - eps * sp.exp(-rest / (T if rest.has(T) else 1)) *
        gradient(theta)),), convention=CARD,
    )  # fmt: skip
    found = weights(declared)
    assert found is not None
    assert str(found["eps"]) == "-1"
    assert str(-found.get("T", 0)) == unit


def friction_on_the_position(x, gradient, rng, eta, alpha, tau, N):
    theta, v = x["theta"], x["v"]
    v = v - eta * N * gradient(theta)
    v = v + np.sqrt(2 * alpha * eta * tau) * rng.standard_normal(theta.shape)
    return {"theta": (1 - alpha) * theta + v, "v": v}


class Stale:
    """Heavy ball with the gradient of the step before, and its own in the first step."""

    def init(self, theta, rng, **_):
        zero = np.zeros_like(theta)
        return {"theta": theta, "v": zero, "g": zero, "n": zero}

    def __call__(self, x, gradient, rng, eps, mu):
        g = gradient(x["theta"])
        v = (1 - mu) * x["v"] - eps * np.where(x["n"] == 0, g, x["g"])
        return {"theta": x["theta"] + v, "v": v, "g": g, "n": x["n"] + 1}


v, mu = state("v"), positive("mu")
TWO_BATCHES = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
        (v, (1 - mu) * v - eps * N / 2 * (gradient(theta) + gradient(theta, 1)) + sp.sqrt(eps) * xi),
        (theta, theta + v),
    ),
    convention=CARD,
)


def summed_with_averaged_noise(x, gradient, rng, eps, mu, N):
    g = gradient(x["theta"]) + gradient(x["theta"])
    noise = sum(rng.standard_normal(g.shape) for _ in range(2)) / 2
    v = (1 - mu) * x["v"] - eps * N * g + np.sqrt(eps) * noise
    return {"theta": x["theta"] + v, "v": v}


@pytest.mark.parametrize(
    ("step", "like", "fixed", "words"),
    [
        (
            friction_on_the_position,
            "sghmc_velocity_first",
            {"beta": 0},
            ["1 - alpha multiplies theta, should multiply v."],
        ),
        (Stale(), "momentum", {}, ["the one of the step before is used, and its own in the first"]),
        (
            summed_with_averaged_noise,
            TWO_BATCHES,
            {},
            [
                "The gradients of the 2 minibatches of an update are summed, should be averaged.",
                "sqrt(2)*sqrt(eps)/2, should be sqrt(eps): sqrt(2) times too small.",
            ],
        ),
    ],
    ids=["friction", "stale", "micro-batches"],
)
def test_what_is_put_in_another_place_or_once_for_each_minibatch(step, like, fixed, words):
    found = check(step, like, fixed=fixed, **FEW)
    assert found.verdict == "deviates"
    assert all(w in found.diagnosis[0].words for w in words), found.diagnosis


def thermostat(x, gradient, rng, noise, eta, a, tau, N):
    v = x["v"] - eta * x["xi"] * x["v"] - eta * N * gradient(x["theta"])
    v = v + noise * rng.standard_normal(v.shape)
    xi = x["xi"] + eta * (np.mean(v**2, axis=-1, keepdims=True) - tau)
    return {"theta": x["theta"] + eta * v, "v": v, "xi": xi}


@pytest.mark.long
def test_of_edits_that_moments_hardly_tell_the_likely_one_is_told():
    """Noise that is small beside a minibatch's: leaving it out is shorter, and much less likely."""

    def unrooted(x, gradient, rng, eta, a, tau, N):
        return thermostat(x, gradient, rng, np.sqrt(2 * a * tau) * eta, eta, a, tau, N)

    found = check(unrooted, "sgnht")
    assert found.diagnosis[0].words == "The noise of v is multiplied by eta, should be by sqrt(eta)."


@pytest.mark.long
def test_where_nothing_fits_and_there_is_no_law_what_is_near_is_told():
    def other(x, gradient, rng, eta, a, tau, N):
        noise = 0.6 * np.sqrt(2 * a * tau * eta)
        return thermostat(x, gradient, rng, noise, eta, a, 2 * tau, N)

    (found,) = check(other, "sgnht", dimensions=(1, 2)).diagnosis
    assert found.score == 0
    assert "Positions differ from those of our own chains" in found.words
    assert "Near it comes: " in found.words
    assert "Against that speaks problem" in found.words


def test_what_is_clearly_likelier_follows_from_the_false_alarm_and_the_number_of_hypotheses():
    """Twice the gap is the square of a standard normal number, as large as false alarms are."""
    few, many = _clearly(1), _clearly(500)
    assert 2 * norm.sf((2 * few) ** 0.5) == pytest.approx(FALSE_ALARM)
    assert 2 * norm.sf((2 * many) ** 0.5) == pytest.approx(FALSE_ALARM / 500)
