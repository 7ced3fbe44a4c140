"""The samplers of the library posteriors, as released, under a translation of parameters.

With the temperature 1/N of a mean log posterior, by which the library's own examples call them.
"""

import math
import warnings

import pytest

from verification.checking import check

pytest.importorskip("torch", reason="PyTorch is not installed")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the library about its own classes
    sgmcmc = pytest.importorskip("posteriors.sgmcmc", reason="posteriors is not installed")

FEW = {"effect": 0.1}


def sgld(log_posterior, eps, N, H):
    """In one dimension, where the gain is a number."""
    return sgmcmc.sgld.build(log_posterior, lr=eps * float(H) * N / 2, temperature=1 / N)


def sghmc(log_posterior, eta, alpha, beta, tau, N):
    """Its momentum times lr is our velocity; it may begin at rest, as ours does."""
    lr = math.sqrt(eta * N)
    said = {"lr": lr, "alpha": alpha / lr, "beta": 2 * beta / (tau * eta), "temperature": tau / N}
    return sgmcmc.sghmc.build(log_posterior, momenta=0.0, **said)


def baoa(log_posterior, eps, gamma, tau, N):
    """Its momentum times the root of N is our velocity."""
    root = math.sqrt(N)
    said = {"lr": eps * root, "alpha": gamma / root, "temperature": tau / N}
    return sgmcmc.baoa.build(log_posterior, momenta=0.0, **said)


def sghmc_at_another_temperature(log_posterior, eta, alpha, beta, tau, N):
    """A wrong translation: of the summed loss, handed the mean one."""
    return sghmc(log_posterior, eta, alpha, beta, tau * N, N)


RIGHT = [
    (sgld, "sgld", (1, 1)),
    (sghmc, "sghmc", (1, 2, 3)),
    (baoa, "underdamped:BAOA", (1, 2, 3)),
]


@pytest.mark.parametrize(("build", "like", "dimensions"), RIGHT, ids=[r[1] for r in RIGHT])
def test_its_samplers_conform(build, like, dimensions):
    found = check(build, like, dimensions=dimensions, **FEW)
    assert (found.verdict, [d.words for d in found.diagnosis]) == ("conforms", [])


WRONG = [
    (sghmc, "sghmc_velocity_first"),
    (sghmc_at_another_temperature, "sghmc"),
    (baoa, "underdamped:OBA"),
]


@pytest.mark.parametrize(("build", "like"), WRONG, ids=[f"{w[0].__name__}-{w[1]}" for w in WRONG])
def test_another_law_is_told_from_theirs(build, like):
    assert check(build, like, dimensions=(1, 2), **FEW).verdict == "deviates"
