"""What is simulated: five workloads, one definition of their numbers for every contender.

====  =====================================================  =======================  =========
W1    SGD on a quadratic, D = 10                             65,536 chains            10 normals
W2    SGLD on the same quadratic, D = 10                     65,536 chains            20 normals
W3    momentum on the same quadratic, D = 10                 65,536 chains            10 normals
W4    SGLD on logistic regression, minibatches of 32         4,096 chains             10 normals
W5    SGD on a quadratic, D = 1                              1,048,576 chains         1 normal
====  =====================================================  =======================  =========

Each runs 1,000 steps and ends with the mean and the covariance over its chains. The normals are those
of a chain's step. Only NumPy is imported here, so that contenders need nothing else of this project.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

EPS, S, BETA, MU = 0.05, 16, 100, 0.9  # BETA: inverse temperature of W2; MU: velocity that is kept in W3
EXAMPLES, BATCH, STEP = 10_000, 32, 1e-4  # of W4; its prior is a standard normal


@dataclass(frozen=True)
class Workload:
    """A sampler on a problem, and what one step of one chain is made of.

    ``fma`` counts fused multiply-adds, ``rows`` the examples of a minibatch (each needs an index).
    """

    code: str
    title: str
    sampler: str
    D: int
    chains: int
    steps: int
    normals: int
    fma: int
    rows: int = 0

    def quick(self) -> Workload:
        """The same at a size that takes milliseconds."""
        return replace(self, chains=min(self.chains, 2_048), steps=20)


def workloads() -> Mapping[str, Workload]:
    """The five, by their codes.

    >>> [w.normals for w in workloads().values()]
    [10, 20, 10, 10, 1]
    """
    D = 10
    listed = (
        Workload("W1", "SGD, D = 10", "sgd", D, 65_536, 1_000, D, 2 * D * D),
        Workload("W2", "SGLD, D = 10", "sgld", D, 65_536, 1_000, 2 * D, 2 * D * D + D),
        Workload("W3", "momentum, D = 10", "momentum", D, 65_536, 1_000, D, 2 * D * D + 2 * D),
        Workload("W4", "SGLD, logistic regression", "sgld", D, 4_096, 1_000, D, 2 * D, BATCH),
        Workload("W5", "SGD, D = 1", "sgd", 1, 1_048_576, 1_000, 1, 2),
    )
    return {w.code: w for w in listed}


def workload(code: str) -> Workload:
    """A workload by its code; ``sgd:D`` is W1 in another dimension.

    >>> workload("sgd:4").fma
    32
    """
    kind, _, dimension = code.partition(":")
    if kind == "sgd" and dimension:
        D = int(dimension)
        return Workload(code, f"SGD, D = {D}", "sgd", D, 65_536, 1_000, D, 2 * D * D)
    return workloads()[code]


@dataclass(frozen=True)
class Linear:
    """x' = x - eps A x + G w (+ g v), and with velocity m' = mu m - eps A x + G w, x' = x + m'."""

    A: Array
    B: Array
    F: Array  # I - eps A
    G: Array  # eps B / sqrt(S)
    g: float  # standard deviation of the injected noise
    mu: float

    def cast(self, dtype: str) -> Linear:
        """The same matrices in the precision of a run."""
        return replace(self, **{k: getattr(self, k).astype(dtype) for k in "ABFG"})


def linear(D: int) -> Linear:
    """Dense A with eigenvalues from 1/2 to 2, dense B, which do not commute.

    >>> np.linalg.eigvalsh(linear(10).A).round(6)[[0, -1]].tolist()
    [0.5, 2.0]
    """
    source = np.random.default_rng(2_017)
    if D == 1:
        A = B = np.ones((1, 1))
    else:
        Q = np.linalg.qr(source.standard_normal((D, D)))[0]
        A = (Q * np.linspace(0.5, 2, D)) @ Q.T
        A = (A + A.T) / 2
        B = source.standard_normal((D, D)) / math.sqrt(D) + np.eye(D) / 2
    noise = EPS / math.sqrt(S) * B
    return Linear(A, B, np.eye(D) - EPS * A, noise, math.sqrt(2 * EPS / BETA), MU)


def signed_rows() -> Array:
    """The examples of W4: each x times its label, -1 or 1, which is all that the likelihood sees."""
    source = np.random.default_rng(2_018)
    X, truth = source.standard_normal((EXAMPLES, 10)), source.standard_normal(10)
    up = source.random(EXAMPLES) < 1 / (1 + np.exp(-X @ truth))
    return X * np.where(up, 1.0, -1.0)[:, None]


def problem(work: Workload) -> Any:
    """The workload as a problem of sgtheory."""
    from sgtheory import Problem

    D = work.D
    if work.rows:
        # all labels are 1 in rows that carry their signs: so it reads with labels 0, 1 and -1, 1 alike
        content: dict[str, Any] = {
            "model": "logistic_regression",
            "X": signed_rows().tolist(),
            "y": [1] * EXAMPLES,
            "ridge": 1,
            "replacement": True,
            "S": BATCH,
            "params": {"eps": 2 * STEP},
        }
        return Problem.of({**content, "start": {"theta": [0] * D}})
    numbers = linear(D)
    C = numbers.B @ numbers.B.T
    # SGLD's eps is twice the step over N, so N is the inverse temperature
    params = {"eps": 2 * EPS / BETA} if work.sampler == "sgld" else {"eps": EPS, "mu": 1 - MU}
    content = {"hessian": numbers.A.tolist(), "noise": ((C + C.T) / 2).tolist(), "S": S, "N": BETA}
    return Problem.of({**content, "params": params, "start": {"theta": [1] * D}})
