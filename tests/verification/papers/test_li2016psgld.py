"""Li et al. 2016: what pSGLD samples, seen in the algorithm itself."""

import numpy as np
import pytest
import sympy as sp

from verification.library import claims
from verification.statements.algorithms import G, U

CLAIMS = {c.key: c for c in claims("li2016psgld")}


def sampled(gamma, alpha, eps=0.02, lam=1e-5, chains=3_000):
    """The mean class probability over chains of pSGLD for logistic regression on one example."""
    source = np.random.default_rng(1)
    x = 1.4 * source.normal(size=chains)
    V, total, count = np.zeros(chains), 0.0, 0
    for step in range(1_500):
        g = 1 / (1 + np.exp(-x))
        V = alpha * V + (1 - alpha) * g * g
        G = 1 / (lam + np.sqrt(V))
        Gamma = -(1 - alpha) * g * g * (1 - g) * G**2 / np.sqrt(V)
        x = (
            x
            - eps / 2 * (G * (x / 2 + g) - gamma * Gamma)
            + np.sqrt(eps * G) * source.normal(size=chains)
        )
        if step > 500:
            total, count = total + np.mean(1 / (1 + np.exp(-x))), count + 1
    return total / count


def means(log_density, memory, lam=1e-5):
    """The same under a density in U and G, and under the posterior."""
    at = np.linspace(-12, 12, 4801)
    g = 1 / (1 + np.exp(-at))
    posterior = np.exp(-(at**2) / 4 - np.log1p(np.exp(at)))
    (alpha,) = log_density.free_symbols - {*U.args} or {sp.Symbol("alpha")}
    tilt = sp.lambdify((G, alpha), sp.expand(log_density + U), "numpy")
    limit = posterior * np.exp(tilt(1 / (lam + g), memory))
    return (limit @ g / limit.sum(), posterior @ g / posterior.sum())


@pytest.mark.parametrize(("key", "gamma"), [("thm1", 1), ("cor2", 0)])
def test_the_sampler_itself_goes_to_the_limit_and_not_to_the_posterior(key, gamma):
    true = CLAIMS[key].find().corrected.printed[0]
    limit, posterior = means(true.form.stated[0][1], 0.5)
    seen = sampled(gamma, 0.5)
    # 3000 chains: a standard error of 0.005 at most; the step leaves less than 0.01
    assert abs(seen - limit) < 0.02 < abs(seen - posterior) / 2


def test_what_is_sampled_is_told():
    shown = {key: CLAIMS[key].find().corrected.text for key in ("alg1", "alg1.eq3", "cor2.law")}
    assert shown == {
        "alg1": "pSGLD (Algorithm 1) with full gradients, as eps -> 0: pi ~ exp(-alpha*log(G(x)) -"
        " U(x))",
        "alg1.eq3": "pSGLD, Gamma inside of what G multiplies with full gradients, as eps -> 0:"
        " pi ~ exp(G(x) - alpha*G(x) - U(x) - log(G(x)))",
        "cor2.law": "pSGLD without Gamma with full gradients, as eps -> 0: pi ~ exp(-U(x) - log(G(x)))",
    }
