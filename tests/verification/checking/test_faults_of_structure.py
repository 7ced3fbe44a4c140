"""Faults that change where a term stands, or which steps it is made in, each with its name."""

import numpy as np
import pytest
import sympy as sp

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state, t
from verification.checking import check
from verification.checking.declared import step_of
from verification.checking.faults.trials import CUTS, CutStep
from verification.checking.scaling import weights

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
