"""KL divergences measured on ensembles of normal law: estimates without bias, and their reach.

Chains that begin at the mode have it for their mean at every step, so n times their second moments
about it, X, is Wishart's: n degrees of freedom about the covariance P of the law. With the target's
precision J the divergence is (tr(J P) - log det(J P) - D)/2. Put X/n for P: the trace has no bias, the
log determinant is off by the sum over i of psi((n - i + 1)/2) - log(n/2), whatever P. The estimate
without that has, with W = P^(1/2) J P^(1/2) and s < n, s W < n, the moment generating function

    log E exp(s estimate) = log E exp((s/(2 n)) tr(W X)) |X|^(-s/2) + ...
      = log Gamma_D((n - s)/2) - log Gamma_D(n/2) - ((n - s)/2) log det(I - s W/n) + (terms linear in s),

because both factors only change the parameters of Wishart's density. Chernoff's bound on it holds at
every level and number of chains: nothing is taken to be nearly normal, which an estimate close to its
least value, zero, is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sgtheory.onestep.full import Array
from verification.experiments.ensembles import FALSE_ALARM
from verification.experiments.record import Amount


def bias(D: int, chains: int) -> float:
    """What the plain estimate of the divergence has too much, on average.

    >>> round(bias(2, 1000), 6)  # D (D + 1)/(4 n), to leading order
    0.001501
    """
    from scipy.special import digamma

    psi = sum(float(digamma((chains - i) / 2)) for i in range(D))
    return (D * math.log(chains / 2) - psi) / 2


def estimate(second: Array, inverse: Array, chains: int) -> float:
    """KL(law || target) from second moments about the target's mean, without bias.

    >>> estimate(np.eye(2), np.eye(2), 1000) == -bias(2, 1000)
    True
    """
    product = inverse @ second
    D = len(second)
    plain = (float(np.trace(product)) - float(np.linalg.slogdet(product)[1]) - D) / 2
    return plain - bias(D, chains)


def reach(covariance: Array, inverse: Array, chains: int, level: float) -> float:
    """How far an estimate may be from the divergence of this law, but with at most this probability.

    Four times the chains have about half the reach:

    >>> one, many = (reach(2 * np.eye(2), np.eye(2), n, 1e-6) for n in (10_000, 40_000))
    >>> round(one / many, 1)
    2.0
    """
    ratios = np.linalg.eigvals(inverse @ covariance).real
    most = chains / max(1.0, float(ratios.max()))
    return max(_chernoff(ratios, chains, end, math.log(2 / level)) for end in (-chains, most))


def _chernoff(ratios: Array, chains: int, end: float, log: float) -> float:
    """The least of (log E exp(s (estimate - truth)) + log)/|s| over s between 0 and an end."""
    from scipy.optimize import minimize_scalar

    spread = generating(ratios, chains)

    def bound(x: float) -> float:
        s = end * math.exp(x)
        return (spread(s) + log) / abs(s)

    found = minimize_scalar(bound, bounds=(math.log(1e-6), math.log(0.999)), method="bounded")
    return float(found.fun)


def generating(ratios: Array, chains: int) -> Callable[[float], float]:
    """The log moment generating function of an estimate less the truth.

    ``ratios`` are the eigenvalues of the target's precision times the law's covariance.
    """
    from scipy.special import multigammaln

    D, n = len(ratios), chains
    whole = float(multigammaln(n / 2, D))
    truth = (float(ratios.sum()) - float(np.log(ratios).sum()) - D) / 2

    def at(s: float) -> float:
        moved = float(multigammaln((n - s) / 2, D)) - whole
        trace = -(n - s) / 2 * float(np.log1p(-s / n * ratios).sum())
        plain = moved + trace + s / 2 * (D * math.log(n / 2) - float(np.log(ratios).sum()) - D)
        return plain - s * (truth + bias(D, n))

    return at


def measured_divergence(
    sampler: str, problem: Any, *, chains: int, steps: int, seed: int, device: str, intervals: int
) -> tuple[Amount, Amount]:
    """KL(law after some steps || posterior): of an ensemble, and exactly.

    The reach is that of a sample from the exact law, at this experiment's level.
    """
    from sgtheory import law, registry
    from sgtheory.onestep.full import precision
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate

    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    values = problem.values(setting.sampler)
    inverse = precision(setting, values)
    exact = law(sampler, problem, at=steps)
    assert exact.kl_to_posterior is not None
    run = simulate(setting, values, chains=chains, steps=steps, seed=seed % 2**32, device=device)
    mean = run.mean["theta"]
    second = run.covariance["theta,theta"] + np.outer(mean, mean)
    error = reach(exact.covariance["theta", "theta"], inverse, chains, FALSE_ALARM / intervals)
    found = Amount(estimate(second, inverse, chains), error)
    return found, Amount(exact.kl_to_posterior, 1e-9 * (1 + exact.kl_to_posterior), "certified")
