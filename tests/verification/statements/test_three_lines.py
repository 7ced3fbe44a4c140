"""Statements that the language was asked for, in three lines each, without any class of their own."""

import pytest
import sympy as sp

from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.dynamics.diffusion import Diffusion, coordinates
from verification.notation import second
from verification.statements import Equal, Preserves, claim

HERE = {"at": "here", "title": "T"}
theta, v, g = state("theta v g")
eps, mu, beta = positive("eps mu beta")
FILTERED = Sampler(
    state=(theta, v, g),
    updates=(
        (g, (1 - beta) * g + beta * gradient(theta)),
        (v, (1 - mu) * v - eps * g),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="gradient filter, momentum, position"),
)


STILL = Equal(second("theta", "v") + second("v", "theta"), 0)
WRONG = Equal(second("v", "v"), eps * second("theta", "g"))


@pytest.mark.parametrize(
    ("statement", "holds"), [(STILL, True), pytest.param(WRONG, False, marks=pytest.mark.strong)]
)
def test_the_law_of_a_three_state_sampler_of_the_users_own(statement, holds):
    """In the limit velocities are uncorrelated with positions."""
    found = claim("law", of=FILTERED, read=statement, **HERE).find()
    assert (found.verdict == "proved") is holds


@pytest.mark.parametrize("correction", [1, 0], ids=["with", "without"])
def test_a_density_under_a_diffusion_with_a_metric_and_a_turning_part(correction):
    """Gamma_i is the divergence of the row i of D + J; without it the density is not kept."""
    x, y = coordinates("x", 2)
    U, a, d, q = (sp.Function(n, positive=n in "ad")(x, y) for n in ("U", "a", "d", "q"))
    metric, turning = sp.diag(a, d), sp.Matrix([[0, q], [-q, 0]])
    slopes = -(metric + turning) * sp.Matrix([U.diff(x), U.diff(y)])
    gamma = [sum(((metric + turning)[i, j]).diff(z) for j, z in enumerate((x, y))) for i in range(2)]
    drift = tuple(s + correction * c for s, c in zip(slopes, gamma, strict=True))
    noise = ((sp.sqrt(2 * a), 0), (0, sp.sqrt(2 * d)))
    one = claim("density", read=Preserves(((Diffusion((x, y), drift, noise), -U),)), **HERE)
    assert (one.find().verdict == "proved") is bool(correction)
