"""The law of a sampler that has no closed form, as many chains show it in one dimension."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from reports.document import Block, Heading, Mono, Number, Paragraph, Table
from sgtheory.problem import Problem
from sgtheory.setting import Setting

_GROUPS = 256  # of 64 chains
_STEPS = 400
_SEED = 1


@dataclass(frozen=True)
class Shown:
    """Mean and variance of one state among the chains that are still numbers, with standard errors."""

    state: str
    mean: float
    mean_error: float
    variance: float
    variance_error: float


@dataclass(frozen=True)
class Simulated:
    """What chains show: how many there were, how many are still numbers, and the law of those."""

    chains: int
    finite: int
    rows: tuple[Shown, ...]


def simulated(sampler: Any, problem: Problem, steps: int = _STEPS) -> Simulated:
    """Run chains on the processor and look at them where they end."""
    import numpy as np

    from simulators.bind import bind
    from simulators.cpu.engine import CpuEngine
    from simulators.lower import lower

    setting = Setting(sampler, problem.model)
    values = problem.values(sampler)
    engine = CpuEngine(bind(lower(setting, examples=values.count), values), 1)
    x = engine.start(0, _GROUPS, _SEED)
    engine.advance(x, 0, 0, steps, _SEED)
    ends = engine.host(x)
    kept = ends[np.isfinite(ends).all(axis=1)]
    rows = []
    for k, state in enumerate(setting.state):
        found = kept[:, k * problem.D]
        if len(found) > 1:
            with np.errstate(all="ignore"):  # chains on their way to infinity
                away = (found - found.mean()) ** 2
                errors = [float(np.std(v)) / len(v) ** 0.5 for v in (found, away)]
                rows.append(Shown(state.name, found.mean(), errors[0], away.mean(), errors[1]))
    return Simulated(len(ends), len(kept), tuple(rows))


def simulated_law(sampler: Any, content: str) -> list[Block]:
    """A table of what chains show on the first coordinate of an example problem."""
    given = json.loads(content)
    if "X" in given:  # of data, the last covariate
        one = {"X": [row[-1:] for row in given["X"]]}
        left = "the last column of X"
    else:
        one = {k: [row[:1] for row in given[k][:1]] for k in ("hessian", "noise")}
        left = f"curvature {one['hessian'][0][0]}"
    found = simulated(sampler, Problem.of({**given, **one}))
    words = (
        f"{found.chains:,} chains in one dimension ({left}, all else as in the"
        f" problem file below) after {_STEPS} steps; with ± go standard errors."
    )
    if found.finite < found.chains:
        words += f" Of them {found.chains - found.finite:,} are no longer numbers; the rest are shown."
    rows = tuple(
        (Mono(r.state), _number(r.mean, r.mean_error), _number(r.variance, r.variance_error))
        for r in found.rows
    )
    blocks: list[Block] = [Heading(2, "A simulated law", "law-simulated"), Paragraph(words)]
    return [*blocks, Table(("state", "mean", "variance"), rows, align="lll")] if rows else blocks


def _number(value: float, error: float) -> Number:
    return Number(f"{value:.4g}", "estimated", f"{error:.1g}")
