"""Bayesian logistic regression by SGLD and pSGLD through our kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.trace import trace
from verification.experiments.job import Job
from verification.experiments.li2016psgld.gaussian import LETTERS, SGLD
from verification.experiments.problems import problem_on


def posterior(X: Any, y: Any, sampler: str, eps: float, batch: int, variance: float) -> Problem:
    """The problem: a normal prior of this variance on every weight."""
    params = {"eps": repr(eps)} | (LETTERS if sampler != SGLD else {})
    content = {
        "model": "logistic_regression", "ridge": repr(1 / variance), "S": batch, "params": params,
    }  # fmt: skip
    return problem_on(content, X=X, y=y)


def weights(job: Job, made: Problem, sampler: str, chains: int, steps: int, every: int) -> Any:
    """Weights after every ``every`` steps, (chains, times, D), the start left out."""
    found = registry.sampler(sampler, made.params)
    setting = Setting(found, made.model)
    run = trace(
        setting, made.values(found), chains=chains, steps=steps, every=every, seed=job.seed, device="cpu"
    )
    return run.states["theta"][:, 1:]


def probability(margins: Any) -> Any:
    """1/(1 + exp(-m)) without overflow.

    >>> probability(np.array([-1e4, 0.0]))
    array([0. , 0.5])
    """
    return 0.5 * (1 + np.tanh(np.asarray(margins) / 2))


def running_errors(samples: Any, X: Any, y: Any) -> Any:
    """Test errors of probabilities averaged over the samples so far, (chains, times)."""
    found = []
    for chain in samples:
        total, errors = np.zeros(len(X)), []
        for k, margins in enumerate(chain @ X.T):
            total += probability(margins)
            errors.append(float(((total / (k + 1) > 0.5) != (y > 0)).mean()))
        found.append(errors)
    return np.array(found)


def mode(X: Any, y: Any, variance: float) -> tuple[Any, Any]:
    """The posterior's mode by Newton's method, and the curvature of the mean loss there.

    >>> X, y = np.array([[1.0], [1.0], [1.0]]), np.array([1.0, 1.0, -1.0])
    >>> bool(abs(mode(X, y, 1e9)[0][0] - np.log(2)) < 1e-6)
    True
    """
    N, at = len(X), np.zeros(X.shape[1])
    for _ in range(50):
        p = probability(X @ at)
        gradient = X.T @ (p - (y > 0)) / N + at / variance / N
        A = (X * (p * (1 - p))[:, None]).T @ X / N + np.eye(len(at)) / variance / N
        at = at - np.linalg.solve(A, gradient)
        if abs(gradient).max() < 1e-12:
            break
    return at, A


def largest_stable_step(curvature: float, N: int) -> float:
    """SGLD's, where the steepest direction has this curvature of the mean loss: by its exact law.

    >>> round(largest_stable_step(0.5, 100), 5)
    0.08
    """
    low, high = 0.0, 8 / (N * curvature)
    for _ in range(22):
        middle = (low + high) / 2
        content = {"hessian": [[repr(curvature)]], "noise": [[1]], "N": N, "S": 1,
                   "params": {"eps": repr(middle)}}  # fmt: skip
        stable = law(SGLD, Problem.of(content)).stable
        low, high = (middle, high) if stable else (low, middle)
    return low
