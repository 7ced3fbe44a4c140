"""Whether the draws of a run follow a step: exact tests of its innovations.

Innovations are independent normal numbers, so that their means, sizes and products have exact laws,
those of ``verification.statistics``. Whether they depend on where the chain was is asked by an e-value:
with w normal and z known before it, exp(a sum w z - a^2 sum z^2/2) has mean at most 1 for every a, and
so has its average over a normal a. That holds for every number of draws, and for every z: for where the
chain was pulled (is the step as long as it should be?), for squares and cubes of that (is the loss
quadratic?) and for the last innovation (is something remembered?).

Where noise is not normal, as of real minibatches, the same quantities are averaged over stretches of
the run and held against zero by Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verification.finished.steps import Innovations, Step, innovations
from verification.statistics import Comparison, Test, compare
from verification.statistics.kinds import Scale
from verification.statistics.mixtures import MeanMixture
from verification.statistics.robust import compare_robustly
from verification.statistics.terms import Terms

Array = Any

LIKELY = MeanMixture(0.3)  # relative errors of a pull that are looked for first
STRETCHES = 64  # of a run whose noise is not normal
_PAIRS = 12  # coordinates up to which the noise is held against its law pair by pair
PULL, BEND, MEMORY = "pull", "bend", "memory"


@dataclass(frozen=True, eq=False)
class Run:
    """The positions of a finished run, (chains, draws, D), and the axes along which it is looked at."""

    positions: Array
    axes: Array  # rows: the curvature's, the flattest first
    normal: bool  # whether the noise should be
    dtype: str = "float64"

    @property
    def draws(self) -> int:
        """How many draws a chain has."""
        return int(self.positions.shape[1])

    @property
    def chains(self) -> int:
        """How many chains there are."""
        return int(self.positions.shape[0])

    def thinned(self, draws: int) -> Run:
        """The beginning of it, for a short look."""
        kept = self.positions[: max(1, draws // max(self.draws, 1)), :draws]
        return Run(kept, self.axes, self.normal, self.dtype)


@dataclass(frozen=True, eq=False)
class Held:
    """What tests say of a run's draws, each given the one before."""

    tests: tuple[Test, ...]
    numbers: int  # draws that were foretold, of all chains
    false_alarm: float
    found: Innovations
    pull: tuple[float, float]  # what the step moves over what it should, with its error
    size: tuple[float, float]  # the variance of the noise over what it should be, with its error

    @cached_property
    def comparison(self) -> Comparison:
        """All of them under one false-alarm probability."""
        return Comparison(self.tests, self.numbers, self.false_alarm)

    @property
    def agrees(self) -> bool:
        """Whether no test rejects."""
        return self.comparison.agrees

    def rejects(self, kind: str) -> bool:
        """Whether one of the tests whose name begins so rejects."""
        return any(name.startswith(kind) for name in self.comparison.rejected)


def held(run: Run, step: Step, false_alarm: float) -> Held:
    """All tests of a run's draws against a step."""
    found = innovations(step, run.positions)
    scores = dict(_scores(run, step, found))
    tests = _exact(run, found, scores, false_alarm) if run.normal else _robust(run, found, scores)
    w, z = found.whitened, found.pulled
    reach = float((z * z).sum()) or 1.0
    pull = 1 + float((w * z).sum()) / reach, 1 / math.sqrt(reach)
    rank = np.linalg.matrix_rank(found.covariance)
    free = w[..., 0].size * rank
    size = float((w * w).sum()) / free, math.sqrt(2 / free)
    return Held(tests, w[..., 0].size, false_alarm, found, pull, size)


def _scores(run: Run, step: Step, found: Innovations) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """By name: an innovation along a direction, and what was known before it, (draws, chains)."""
    w, z = found.whitened, found.pulled
    yield PULL, (w, z)
    seen = step.settled[step.seen, step.seen]
    values, vectors = np.linalg.eigh(found.covariance)
    white = (vectors / np.sqrt(np.where(values > 0, values, np.inf))) @ vectors.T
    for i, axis in enumerate(run.axes, 1):
        front = white @ axis
        size = float(np.linalg.norm(front)) or 1.0
        along = w @ (front / size)
        if len(run.axes) > 1:
            yield f"{PULL} along axis {i}", (along, z @ (front / size))
        spread = math.sqrt(float(axis @ seen @ axis)) or 1.0
        moved = float(np.sqrt(((z @ (front / size)) ** 2).mean())) or 1.0
        s = found.places @ axis / spread
        yield f"{BEND} along axis {i}, squares", (along, moved * (s * s - 1) / math.sqrt(2))
        yield f"{BEND} along axis {i}, cubes", (along, moved * (s**3 - 3 * s) / math.sqrt(6))
    if len(w) > 1:
        yield MEMORY, (w[1:], w[:-1])


def _exact(
    run: Run, found: Innovations, scores: Mapping[str, tuple[Array, Array]], false_alarm: float
) -> tuple[Test, ...]:
    D = run.positions.shape[2]
    raw = found.raw.reshape(-1, D)
    mean = raw.mean(axis=0)
    about = (raw - mean).T @ (raw - mean) / len(raw)
    names = tuple(f"noise of {i + 1}" for i in range(D))
    told = compare(mean, about, np.zeros(D), found.covariance, len(raw), false_alarm, names).tests
    if D > _PAIRS:  # the whole covariance sees pairs
        told = tuple(t for t in told if not t.name.startswith("cov "))
    return (*told, *(_e_test(name, w, z) for name, (w, z) in scores.items()))


def _e_test(name: str, w: Array, z: Array) -> Test:
    total, reach = float((w * z).sum()), float((z * z).sum())
    if reach <= 0:
        return Test(name, 0.0, 1.0, 0.0, LIKELY)
    p = math.exp(-max(LIKELY.log_e(total, reach), 0.0))  # type: ignore[arg-type]
    return Test(name, total / math.sqrt(reach), p, total / reach, LIKELY)


def _robust(run: Run, found: Innovations, scores: Mapping[str, tuple[Array, Array]]) -> tuple[Test, ...]:
    """Student's t of what stretches have on average."""
    D, raw = run.positions.shape[2], found.raw
    variances = np.diag(found.covariance)
    columns: dict[str, Array] = {}
    for i in np.flatnonzero(variances > 0):
        columns[f"mean noise of {i + 1}"] = raw[..., i]
        columns[f"var noise of {i + 1}"] = raw[..., i] ** 2 / variances[i] - 1
    columns["scale"] = (found.whitened**2).sum(axis=2) / D - 1
    for name, (w, z) in scores.items():
        columns[name] = w * z if w.ndim == 2 else (w * z).sum(axis=2)
    averaged = np.column_stack([_stretched(x, run.chains) for x in columns.values()])
    middle = averaged.mean(axis=0)
    unknown = np.full(len(columns), np.nan)
    terms = Terms(
        tuple(columns), np.zeros(len(columns)), middle, averaged.var(axis=0, ddof=1), unknown, unknown,
        len(averaged),
    )  # fmt: skip
    tested = compare_robustly(terms, 0.5).tests
    return tuple(Test(t.name, t.statistic, t.p_value, t.deviation, Scale()) for t in tested)


def _stretched(x: Array, chains: int) -> Array:
    """The means over stretches of chains, at least so many in all."""
    each = max(STRETCHES // chains, 1)
    length = max(len(x) // each, 1)
    cut = x[: len(x) // length * length]
    return cut.reshape(-1, length, x.shape[1]).mean(axis=1).ravel()


def first_draws(found: Innovations) -> Test:
    """Whether chains began where their settled law lets them be: neither too far nor too near."""
    chains, rank = found.first.shape
    statistic, kind = float((found.first**2).sum()), Scale(rank)
    away = math.sqrt(statistic / (rank * chains))
    return Test("first draws", statistic, kind.p_value(statistic, chains), away, kind)
