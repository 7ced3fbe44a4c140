"""The samplers of blackjax against the exact law of their algorithms; skipped without it."""

import pytest
from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, local, nonnegative, normal, positive, state
from verification.checking import check
from verification.checking.adapters import adapter

blackjax = pytest.importorskip("blackjax", reason="blackjax is not installed")

CARD = Card(loss="mean", drift="the mean loss")
SMALL = {"dimensions": (1, 2)}
INNER = 3

theta, p = state("theta p")
g = local("g")
gamma, alpha, tau, h = positive("gamma alpha tau h")
beta = nonnegative("beta")
xi = normal("xi")

LANGEVIN = Sampler(
    convention=CARD,
    state=(theta,),
    noises=(xi,),
    updates=((theta, theta - gamma * N * gradient(theta) + sqrt(2 * gamma * tau) * xi),),
)


def hamiltonian(shared=True, refreshed=1, position_first=True):
    """All inner steps in one: one minibatch or many, and the variance of a fresh momentum."""
    noises = [normal(f"xi{k}") for k in range(INNER + 1)]
    updates = [(p, sqrt(refreshed) * noises[0])]
    for k in range(INNER):
        moved = (theta, theta + h * p)
        kicked = (
            (1 - alpha * h) * p
            - h * N * g
            + sqrt(h * tau * (2 * alpha - h * tau * beta)) * noises[k + 1]
        )
        last = (moved, (p, kicked)) if position_first else ((p, kicked), moved)
        updates += [(g, gradient(theta, 0 if shared else k)), *last]
    return Sampler(
        convention=CARD,
        state=(theta, p),
        noises=tuple(noises),
        updates=tuple(updates),
        given=(alpha * h <= 1, h * tau * beta <= 2 * alpha),
    )


def sgld(grad_estimator, gamma, tau):
    return blackjax.sgld(grad_estimator), {"step_size": gamma, "temperature": tau}


def sgld_in_single_precision(grad_estimator, gamma, tau):
    return sgld(grad_estimator, gamma, tau)


sgld_in_single_precision.dtype = "float32"


def sgld_at_temperature_1(grad_estimator, gamma):
    return blackjax.sgld(grad_estimator), {"step_size": gamma}


def sgld_with_half_a_step(grad_estimator, gamma, tau):
    return blackjax.sgld(grad_estimator), {"step_size": gamma / 2, "temperature": tau}


def sgld_of_the_mean_loss(grad_estimator, gamma, tau, N):
    return sgld(lambda x, batch: grad_estimator(x, batch) / N, gamma, tau)


def csgld_without_contours(grad_estimator, gamma, tau):
    pair = blackjax.csgld(lambda x, batch: 0.0, grad_estimator, zeta=0)
    return pair, {"step_size_diff": gamma, "step_size_stoch": 1e-3, "temperature": tau}


def sghmc(grad_estimator, h, alpha, beta, tau):
    pair = blackjax.sghmc(grad_estimator, INNER, alpha, beta)
    return pair, {"step_size": h, "temperature": tau}


@pytest.mark.parametrize("build", [sgld, sgld_in_single_precision, csgld_without_contours])
def test_sgld_conforms(build):
    found = check(build, LANGEVIN, **SMALL)
    assert found.verdict == "conforms", found.diagnosis


@pytest.mark.parametrize("build", [sgld_at_temperature_1, sgld_with_half_a_step, sgld_of_the_mean_loss])
def test_sgld_with_other_settings_deviates(build):
    assert check(build, LANGEVIN, **SMALL).verdict == "deviates"


def test_sghmc_has_one_minibatch_and_a_momentum_of_unit_variance():
    found = check(sghmc, hamiltonian(), **SMALL)
    assert found.verdict == "conforms", found.diagnosis


@pytest.mark.parametrize("other", [{"shared": False}, {"refreshed": tau}, {"position_first": False}])
def test_sghmc_of_other_conventions_is_told_apart(other):
    assert check(sghmc, hamiltonian(**other), **SMALL).verdict == "deviates"


def test_factories_are_recognised():
    assert adapter(sgld).KIND == adapter(blackjax.sgld).KIND == "blackjax"
    steps = Sampler(
        convention=CARD,
        state=(theta,),
        noises=(xi,),
        updates=((theta, theta - h * N * gradient(theta) + sqrt(2 * h) * xi),),
    )
    told = check(blackjax.sgld, steps, dimensions=(1,))  # blackjax calls it step_size
    assert (told.verdict, told.diagnosis[0].name) == ("crashed", "crashed")
    assert "step_size" in told.diagnosis[0].words
