"""Many problems at once: one program, compiled once, with the numbers of each problem.

Property-based tests ask for this: a thousand random problems, ten thousand chains each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.setting import Setting
from simulators.bind import Bound, Values, bind
from simulators.emit import Layout
from simulators.engines import Engine, devices_for, engine_for
from simulators.ensemble import Ensemble, run
from simulators.lower import lower
from simulators.plan import check
from simulators.rewrites import FOLD, drop_identities
from simulators.workers import Meter, Progress, in_order


def simulate_family(
    setting: Setting,
    problems: Sequence[Values],
    *,
    chains: int = 10_000,
    steps: int = 1_000,
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    dtype: str = "float64",
    normals: str = "exact",
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Ensemble, ...]:
    """An ensemble for each of many problems of one sampler, model and dimension.

    Each has a seed of its own, 0, 1, 2, ... unless they are given, and is the ensemble that
    ``simulate`` makes of that problem with that seed, to the bit. On a GPU they are carried out
    together, and ``seconds`` is each one's share of the time that took.

    >>> from sgtheory import Problem, registry
    >>> sgd = registry.sampler("sgd")
    >>> problems = [Problem.of({"model": "quadratic", "hessian": [[k]], "noise": [[1]], "S": 4,
    ...                         "params": {"eps": "1/4"}}) for k in (1, 2, 3)]
    >>> runs = simulate_family(Setting(sgd, problems[0].model), [p.values(sgd) for p in problems],
    ...                        chains=1000, steps=30)
    >>> spread = [float(run.covariance["theta,theta"][0, 0]) for run in runs]
    >>> spread[0] > spread[1] > spread[2]
    True
    """
    if not problems:
        raise UnusableInput("at least one problem", "none", "give some")
    chosen = list(range(len(problems)) if seeds is None else seeds)
    if len(chosen) != len(problems):
        raise UnusableInput(f"{len(problems)} seeds", str(len(chosen)), "give a seed to each problem")
    for seed in chosen:
        check(chains, steps, seed, dtype, threads, None)
    family = bound_alike(setting, problems, dtype)
    meter = Meter(len(family) * chains * steps, progress)
    devices = devices_for(family[0], device, normals)
    if devices and len(family) > 1:
        from simulators.cuda.family import FamilyEngine, ensembles, problems_a_group

        if problems_a_group(Layout.of(family[0]), chains) > 1:
            engines = [FamilyEngine(family[0], on, normals) for on in devices]
            return tuple(ensembles(engines, family, chains, steps, chosen, meter))
    first = engine_for(family[0], device, threads, normals)
    tasks = [
        partial(_one, first, bound, chains, steps, seed, meter)
        for bound, seed in zip(family, chosen, strict=True)
    ]
    return tuple(in_order(tasks, first.workers, meter))


def bound_alike(setting: Setting, problems: Sequence[Values], dtype: str) -> list[Bound]:
    """One program with the numbers of each problem: it leaves out what is the identity in all."""
    rewrites = (drop_identities(*problems), FOLD)
    program = lower(setting, rewrites, problems[0].replacement, problems[0].count)
    family = [bind(program, values, dtype) for values in problems]
    shared = tuple(
        (name, kinds.pop() if len(kinds) == 1 else "full")
        for name, kinds in ((n, {dict(b.patterns)[n] for b in family}) for n, _ in family[0].patterns)
    )
    family = [replace(b, patterns=shared) for b in family]
    for values, bound in zip(problems, family, strict=True):
        for what, one, all_ in (
            ("the dimension", bound.D, family[0].D),
            ("N and S", bound.batches, family[0].batches),
            ("replacement", values.replacement, problems[0].replacement),
        ):
            if one != all_:
                remedy = "simulate the problems that agree together"
                raise UnusableInput(f"problems that agree in {what}", f"{all_} and {one}", remedy)
    return family


def _one(first: Engine, bound: Bound, chains: int, steps: int, seed: int, meter: Meter) -> Any:
    made = run(bound, first.rebound(bound), chains, steps, seed)
    meter.add(chains * steps)
    return made
