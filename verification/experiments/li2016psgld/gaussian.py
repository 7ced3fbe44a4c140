"""The two-dimensional Gaussian: exact and simulated covariances of SGLD and of pSGLD without Gamma.

The covariance is diagonal and gradients have no noise, so that the coordinates are independent chains:
pSGLD's law is the product of two laws of (theta, V), each found by the transition operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import law, registry
from sgtheory.dynamics.density import stationary_density
from sgtheory.dynamics.vanishing import Loss, at_rest
from sgtheory.operator.stationary import stationary
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.trace import trace
from verification.experiments.job import Job
from verification.experiments.record import Amount

SGLD, PSGLD = "sgld", "psgld:no_gamma"  # as the paper's experiments use it
NAMES = {SGLD: "SGLD", PSGLD: "pSGLD"}
LETTERS = {"alpha": "99/100", "lambda": "1/100000"}
START = ("2/5", "1")  # one standard deviation of the printed target: at 0 the first V is 0


def problem(
    sampler: str, eps: str, variances: Sequence[str], start: Sequence[str] = START
) -> tuple[Problem, Any]:
    """The problem at a step, and the declared sampler with the paper's default letters."""
    params = {"eps": eps} | (LETTERS if sampler != SGLD else {})
    d = len(variances)
    hessian = [
        [str(1 / Fraction(v)) if i == j else "0" for j in range(d)] for i, v in enumerate(variances)
    ]
    content = {
        "model": "gaussian2d", "hessian": hessian, "noise": [["0"] * d for _ in range(d)],
        "params": params, "start": {"theta": list(start)},
    }  # fmt: skip
    made = Problem.of(content)
    return made, registry.sampler(sampler, made.params)


def exact(sampler: str, eps: str, variances: Sequence[str]) -> tuple[Amount, ...] | None:
    """The stationary variances of both coordinates; None where the step is unstable.

    >>> [round(a.value, 4) for a in exact("sgld", "3/10", ("4/25", "1"))]
    [0.3012, 1.0811]
    """
    if sampler == SGLD:
        found = law(sampler, problem(sampler, eps, variances)[0])
        if not found.stable:
            return None
        values = np.diag(found.covariance["theta", "theta"])
        return tuple(Amount(float(v), 1e-9 * float(v), "certified") for v in values)
    return tuple(_coordinate(sampler, eps, v, at) for v, at in zip(variances, START, strict=True))


@cache
def _coordinate(sampler: str, eps: str, variance: str, start: str) -> Amount:
    found = stationary(sampler, problem(sampler, eps, [variance], [start])[0], accuracy=1e-3)
    return Amount(*found.covariance("theta", "theta"), "certified")


def limit(variance: float) -> float:
    """The variance of what pSGLD samples as its step vanishes, from the declared updates.

    >>> round(limit(1.0), 3)
    2.0
    """
    x, N = sp.symbols("x N", positive=True)
    U, G = (sp.Function(n, positive=True)(x) for n in "UG")
    loss = Loss(x, U.diff(x) / N, 1 / G - sp.Symbol("lambda", positive=True))
    density = stationary_density(at_rest(registry.sampler(PSGLD), loss).process)
    at = np.linspace(-12, 12, 24_001) * variance**0.5
    gain = 1 / (float(Fraction(LETTERS["lambda"])) + abs(at) / variance)
    alpha = sp.Symbol("alpha", nonnegative=True)
    logs = sp.lambdify((U, G, alpha), density)(at**2 / (2 * variance), gain, 0.99)
    weights = np.exp(logs - logs.max())
    return float(weights @ at**2 / weights.sum())


def error(variances: Sequence[float], target: Sequence[str]) -> float:
    """The Frobenius distance of diagonal covariances.

    >>> error((1, 2), ("1", "1"))
    1.0
    """
    return float(np.linalg.norm(np.asarray(variances) - [float(Fraction(v)) for v in target]))


def samples(job: Job, sampler: str, eps: str, variances: Sequence[str], chains: int, steps: int) -> Any:
    """Positions of some chains after each step, (chains, steps, 2), the start left out."""
    made, found = problem(sampler, eps, variances)
    run = trace(
        Setting(found, made.model), made.values(found), chains=chains, steps=steps, seed=job.seed,
        device="cpu",
    )  # fmt: skip
    return run.states["theta"][:, 1:]


def autocorrelation_time(x: Any) -> float:
    """One half plus the sum of autocorrelations (Eq. 9) of chains about 0, their mean by symmetry.

    The sum ends before the first pair of neighbouring autocovariances that is not positive.

    >>> source = np.random.default_rng(0)
    >>> round(autocorrelation_time(source.standard_normal((64, 4096))), 1)
    0.5
    """
    n = x.shape[1]
    spectrum = np.fft.rfft(x, 2 * n, axis=1)
    sums = np.fft.irfft((abs(spectrum) ** 2).mean(axis=0))[: n // 2]
    covariances = sums / (n - np.arange(n // 2))
    pairs = covariances[0 : n // 2 // 2 * 2 : 2] + covariances[1 : n // 2 // 2 * 2 : 2]
    bad = np.flatnonzero(pairs <= 0)
    last = bad[0] if len(bad) else len(pairs)
    return float(pairs[:last].sum() / covariances[0] - 0.5)


def exact_time(eps: str, variances: Sequence[str]) -> tuple[float, ...]:
    """SGLD's autocorrelation times in the paper's sense, half of the law's."""
    found = law(SGLD, problem(SGLD, eps, variances)[0], average=1).autocorrelation_time
    assert found is not None
    return tuple(float(t) / 2 for t in found)
