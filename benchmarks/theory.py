"""The theory room against what one would otherwise do: ``python -m benchmarks.theory [--out FILE]``.

- the law of momentum SGD by mode pairs, against SciPy's discrete Lyapunov solver on the full
  2D x 2D matrices (its bilinear method), D = 10, 30, 100, 300; and the law of every sampler with two
  states at D = 300;
- linear regression with real minibatches: 10^5 examples in 20 dimensions, and 200 dimensions;
- the derivation of every sampler, for every dimension: its covariance, and everything that is told;
- against a general moment tool (sympy.stats: the expectation of every product of two new states,
  then a linear solve), which knows one dimension; and against a direct symbolic Kronecker solve at
  D = 1, 2 and 3, each stopped after a minute.

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
LIMIT = 60  # seconds for what may never end


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

    from sgtheory.numbers.numeric import law
    from sgtheory.onestep.full import full_step
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
        full = solve_discrete_lyapunov(step.M, step.Q, method="bilinear")[:d, :d]
        gap = float(np.abs(full - covariance["theta", "theta"]).max() / np.abs(full).max())
        rows.append(
            {"D": d, "mode_pairs_s": ours, "scipy_s": theirs, "ratio": theirs / ours, "difference": gap}
        )
    return rows


def large_laws() -> list[dict[str, Any]]:
    """The law of every sampler with two states at D = 300, and real minibatches."""
    from sgtheory.numbers.numeric import law
    from sgtheory.onestep.affine import is_affine
    from sgtheory.problem import Problem
    from sgtheory.registry import model, samplers
    from sgtheory.setting import Setting

    params = {"eta": 1e-5, "alpha": 0.2, "gamma": 1.5, "L": 10, "T": 100}
    rows = []
    for name, sampler in samplers().items():
        setting = Setting(sampler, model("quadratic"))
        if len(sampler.state) == 2 and is_affine(setting) and setting.period is not None:
            eps = {"underdamped": 1e-3, "momentum_position_first": 1e-2}.get(name, 0.1)
            problem = problem_of(300).with_params(**params, eps=eps)
            began = time.process_time()
            found = law(sampler, problem).require_stable()
            seconds = time.process_time() - began
            rows.append({"what": f"{name}, D = 300", "seconds": seconds, "residual": found.residual})
    for n, d in ((100_000, 20), (20_000, 200)):
        source = np.random.default_rng(d)
        X = source.standard_normal((n, d))
        y = X @ source.standard_normal(d) + source.standard_normal(n)
        content = {"model": "linear_regression", "X": X.tolist(), "y": y.tolist(), "S": 10}
        read = Problem.of({**content, "params": {"eps": 1e-3}})
        for name in ("sgd", "momentum"):
            began = time.process_time()
            found = law(name, read.with_params(mu=0.5)).require_stable()
            what = f"{name} on linear regression, N = {n}, D = {d}"
            seconds = time.process_time() - began
            rows.append({"what": what, "seconds": seconds, "residual": found.residual})
    return rows


def derivations() -> list[dict[str, Any]]:
    """Every sampler in its own process, so that nothing is remembered from the one before."""
    from sgtheory.onestep.affine import is_affine
    from sgtheory.registry import model, samplers
    from sgtheory.setting import Setting

    rows = []
    for name, sampler in samplers().items():
        setting = Setting(sampler, model("quadratic"))
        if is_affine(setting) and setting.period is not None:  # else steps are never alike
            seconds = {what: _apart(_derive, name, what) for what in ("covariance", "all")}
            moments = _apart(_by_moments, name)
            rows.append({"sampler": name, **seconds, "moment_tool_one_dimension": moments})
    return rows


def _apart(work: Callable[..., None], *arguments: Any) -> float | None:
    """CPU seconds of some work in a forked process; None where a minute was not enough."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    seconds = context.Value("d", -1.0)

    def run() -> None:
        began = time.process_time()
        work(*arguments)
        seconds.value = time.process_time() - began

    process = context.Process(target=run)
    process.start()
    process.join(LIMIT)
    if process.is_alive():
        process.terminate()
        process.join()
        return None
    if seconds.value < 0:
        raise RuntimeError(f"{work.__name__}{arguments} failed")
    return float(seconds.value)


def _derive(name: str, what: str) -> None:
    from sgtheory.symbolic import derive

    derive(name).derivation(what)


def _by_moments(name: str) -> None:
    """Second moments in one dimension: expectations by sympy.stats, then a linear solve."""
    import sympy as sp
    from sympy.stats import E as expectation
    from sympy.stats import Normal

    from sgtheory.declare import Apply, Noise, State
    from sgtheory.setting import Setting
    from sgtheory.symbolic import derive

    setting: Setting = derive(name).setting
    states = {s: sp.Symbol(f"x_{s.name}") for s in setting.state}
    new: dict[Any, Any] = dict(states)
    for target, expr in setting.updates:
        flat = sp.sympify(expr).replace(Apply, lambda m, x: sp.Symbol(f"m_{m}") * x)
        flat = flat.replace(lambda e: isinstance(e, Noise), lambda w: Normal(w.name, 0, 1))
        new[target] = sp.expand(flat.xreplace(new))
    assert all(isinstance(s, State) for s in states)
    order = list(states)
    pairs = [(a, b) for k, a in enumerate(order) for b in order[k:]]
    unknown = {states[a] * states[b]: sp.Symbol(f"P_{a.name}_{b.name}") for a, b in pairs}
    equations = []
    for a, b in pairs:
        mean = sp.expand(expectation(sp.expand(new[a] * new[b])))
        equations.append(_second_moments(mean, unknown) - unknown[states[a] * states[b]])
    sp.linsolve(equations, list(unknown.values()))


def _second_moments(mean: Any, unknown: dict[Any, Any]) -> Any:
    import sympy as sp

    variables = sorted({s for product in unknown for s in product.free_symbols}, key=str)
    total = sp.Integer(0)
    for powers, coefficient in sp.Poly(mean, *variables).terms():
        product = sp.Mul(*(v**p for v, p in zip(variables, powers, strict=True)))
        total += coefficient * unknown.get(product, product)
    return total


def kronecker() -> list[dict[str, Any]]:
    """One dimension at a time: M P M^T + Q = P with all entries as symbols."""
    return [
        {"sampler": name, "D": d, "seconds": _apart(_kronecker, name, d)}
        for name in ("sgd", "momentum")
        for d in (1, 2, 3)
    ]


def _kronecker(name: str, d: int) -> None:
    import sympy as sp

    eps, mu, S = sp.symbols("eps mu S", positive=True)
    A = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"a{min(i, j)}{max(i, j)}"))
    C = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"c{min(i, j)}{max(i, j)}"))
    one = sp.eye(d)
    M, Q = one - eps * A, C * eps**2 / S
    if name == "momentum":
        M = sp.Matrix(sp.BlockMatrix([[M, (1 - mu) * one], [-eps * A, (1 - mu) * one]]))
        Q = sp.Matrix(sp.BlockMatrix([[Q, Q], [Q, Q]]))
    n = M.rows
    system = sp.eye(n * n) - sp.kronecker_product(M, M)
    whole = sp.polys.matrices.DomainMatrix.from_Matrix(system.row_join(sp.Matrix(n * n, 1, list(Q))))
    whole.to_field().rref()


def main() -> None:
    """Measure, print, and write where asked."""
    document = {
        "schema": "sgtheory.benchmark/1",
        "law": numbers(),
        "large": large_laws(),
        "derive": derivations(),
        "kronecker": kronecker(),
    }
    text = json.dumps(document, indent=1)
    print(text)
    if "--out" in sys.argv:
        Path(sys.argv[sys.argv.index("--out") + 1]).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
