"""The theory room against what one would otherwise do: ``python -m benchmarks.theory [--out FILE]``.

- the law of momentum SGD by mode pairs, against SciPy's discrete Lyapunov solver on the full
  2D x 2D matrices (its default method), D = 10, 30, 100, 300;
- the symbolic law of momentum SGD for every dimension, against a direct symbolic Kronecker solve at
  D = 1 and D = 2 only.

Operations: mode pairs cost one symmetric eigenproblem (about 9 D^3) and D^2 solves of 4 x 4 systems
(about 40 D^2); the full solver iterates on matrices of size 2D (about 25 (2D)^3 by Schur vectors).
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# One thread: OpenBLAS spins when the cores are shared, and CPU seconds would count the spinning.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

ROUNDS = 5


def median_seconds(work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The median CPU time of a few rounds after one that is not counted."""
    work()
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def problem_of(d: int) -> Any:
    """A dense problem of dimension d with non-commuting A and C."""
    from sgtheory.problem import Problem

    source = np.random.default_rng(d)
    g, h = source.standard_normal((2, d, d))
    A, C = g @ g.T / d + np.eye(d), h @ h.T / d
    content = {"hessian": ((A + A.T) / 2).tolist(), "noise": ((C + C.T) / 2).tolist()}
    return Problem.of({**content, "N": 1000, "S": 10, "params": {"eps": 0.1, "mu": 0.3}})


def numbers() -> list[dict[str, Any]]:
    """The law in numbers: seconds of both routes, their ratio and their largest difference."""
    from scipy.linalg import solve_discrete_lyapunov

    from sgtheory.full import full_step
    from sgtheory.numeric import law
    from sgtheory.registry import sampler
    from sgtheory.setting import Setting

    rows = []
    for d in (10, 30, 100, 300):
        problem = problem_of(d)
        momentum = sampler("momentum")
        setting = Setting(momentum, problem.model)
        step = full_step(setting, problem.values(momentum), "discrete")
        ours = median_seconds(lambda p=problem: law("momentum", p))  # type: ignore[misc]
        theirs = median_seconds(
            lambda s=step: solve_discrete_lyapunov(s.M, s.Q, method="bilinear"),  # type: ignore[misc]
            rounds=3,
        )
        covariance = law("momentum", problem).covariance
        assert covariance is not None
        full = solve_discrete_lyapunov(step.M, step.Q, method="bilinear")[:d, :d]
        gap = float(np.abs(full - covariance["theta", "theta"]).max() / np.abs(full).max())
        rows.append(
            {"D": d, "mode_pairs_s": ours, "scipy_s": theirs, "ratio": theirs / ours, "difference": gap}
        )
    return rows


def symbols() -> list[dict[str, Any]]:
    """The symbolic law: every dimension by pairs, against one dimension at a time by Kronecker."""
    import sympy as sp

    from sgtheory.affine import mode_form
    from sgtheory.pairs import stationary
    from sgtheory.registry import model, sampler
    from sgtheory.setting import Setting

    setting = Setting(sampler("momentum"), model("quadratic"))

    def pairs() -> None:
        stationary.cache_clear()
        mode_form.cache_clear()
        stationary(setting)

    def kronecker(d: int) -> None:
        eps, mu, S = sp.symbols("eps mu S", positive=True)
        A = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"a{min(i, j)}{max(i, j)}"))
        C = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"c{min(i, j)}{max(i, j)}"))
        one = sp.eye(d)
        M = sp.Matrix(sp.BlockMatrix([[one - eps * A, (1 - mu) * one], [-eps * A, (1 - mu) * one]]))
        Q = sp.Matrix(sp.BlockMatrix([[C, C], [C, C]])) * eps**2 / S
        n = 2 * d
        system = sp.eye(n * n) - sp.kronecker_product(M, M)
        sp.polys.matrices.DomainMatrix.from_Matrix(
            system.row_join(sp.Matrix(n * n, 1, list(Q)))
        ).to_field().rref()

    ours = median_seconds(pairs)
    rows = [{"what": "mode pairs, every D", "seconds": ours}]
    for d in (1, 2):
        began = time.process_time()
        kronecker(d)
        rows.append(
            {"what": f"symbolic Kronecker, D = {d} only", "seconds": time.process_time() - began}
        )
    return rows


def main() -> None:
    """Measure, print, and write where asked."""
    document = {"schema": "sgtheory.benchmark/1", "law": numbers(), "symbolic": symbols()}
    text = json.dumps(document, indent=1)
    print(text)
    if "--out" in sys.argv:
        Path(sys.argv[sys.argv.index("--out") + 1]).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
