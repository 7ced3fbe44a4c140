"""What a declared sampler does on a case, by our own kernels: where there is no law in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.setting import Setting
from simulators.bind import bind
from simulators.interpret import start
from simulators.lower import lower
from simulators.moments import LANES
from simulators.program import Program
from simulators.rewrites import FOLD, drop_identities
from verification.checking.cases import Case, Law, names_of

Array = Any

_CHUNK = 256  # blocks of chains at a time


@dataclass(frozen=True)
class Sample(Law):
    """Mean and covariance of an ensemble, and its positions at all times of a case."""

    positions: Array = None


@dataclass(frozen=True, eq=False)
class Kernels:
    """The compiled kernels of a sampler in some dimension on some model."""

    sampler: Any
    program: Any
    engine: Any

    @classmethod
    def of(cls, sampler: Any, case: Case) -> Kernels:
        """Compiled once; the numbers of other cases of the same shape are bound to them."""
        from simulators.cpu.engine import CpuEngine

        declared = registry.sampler(sampler, case.problem.params)
        values = case.problem.values(declared)
        rewrites = (drop_identities(values), FOLD)
        setting = Setting(declared, case.problem.model)
        program = lower(setting, rewrites, values.replacement, values.count)
        return cls(declared, program, CpuEngine(bind(program, values), 1))

    def positions(self, case: Case, chains: int, seed: int) -> Array:
        """Of all chains at the times of a case, (chains, times * D)."""
        bound = bind(self.program, case.problem.values(self.sampler))
        engine, blocks = self.engine.rebound(bound), -(-chains // LANES)
        at = bound.program.states.index("theta") * case.D
        parts = []
        for first in range(0, blocks, _CHUNK):
            seen = self._seen(engine, case, first, min(_CHUNK, blocks - first), seed, at)
            parts.append(np.hstack(list(seen)))
        return case.within(np.vstack(parts)[:chains] + np.tile(case.mode, len(case.times)))

    def _seen(
        self, engine: Any, case: Case, first: int, count: int, seed: int, at: int
    ) -> Iterator[Array]:
        x, done = engine.start(first * LANES, count, seed), 0
        with np.errstate(all="ignore"):
            for t in case.times:
                engine.advance(x, first * LANES, done, t - done, seed)
                done = t
                yield engine.host(x)[:, at : at + case.D].copy()


def first_states(setting: Setting, values: Any, case: Case, chains: int, rng: Any) -> dict[str, Array]:
    """The first states of a sampler whose start is not Gaussian, from our plain interpreter."""
    program = _begun(setting, values.replacement, values.count)
    found = start(bind(program, values), np.arange(chains), int(rng.integers(2**31)))
    moves = {s.name for s in setting.sampler.positions}
    shift = np.array(case.mode)
    return {n: np.array(x) + (shift if n in moves else 0) for n, x in found.items()}


@lru_cache(maxsize=16)
def _begun(setting: Setting, replacement: Any, count: Any) -> Program:
    """Where a diagnosis begins some hundred times."""
    return lower(setting, (FOLD,), replacement, count)


def reference(sampler: Any, case: Case, chains: int, seed: int) -> Sample:
    """An ensemble of our own.

    >>> from verification.checking.cases import cases
    >>> case = cases("sgd", dimensions=(1,))[0]
    >>> reference("sgd", case, 100, seed=3).positions.shape
    (100, 4)
    """
    found = Kernels.of(sampler, case).positions(case, chains, seed)
    mean = found.mean(axis=0)
    about = found - mean
    return Sample(mean, about.T @ about / len(found), names_of(case), found)
