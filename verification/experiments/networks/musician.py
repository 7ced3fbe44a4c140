"""Recurrent networks on piano rolls: runs of declared samplers, and their losses after every epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verification.experiments import datasets
from verification.experiments.job import Job
from verification.experiments.networks import recurrent
from verification.experiments.networks.classifier import array_module
from verification.experiments.networks.declared import Method, Normals, train

_NUMBERS = 40_000_000  # that a pass over sequences may hold at once


@dataclass(frozen=True)
class Plan:
    """How networks are trained; gradients longer than ``longest`` are scaled to it."""

    units: int
    epochs: int
    longest: float
    runs: int


@dataclass(frozen=True, eq=False)
class Learned:
    """Losses per frame after every epoch, (runs, epochs), of the part held back and of the tests."""

    valid: Any
    test: Any

    @property
    def stopped(self) -> Any:
        """Each run's test loss at the epoch at which the part held back has its least."""
        clean = np.where(np.isfinite(self.valid), self.valid, np.inf)
        at = clean.argmin(axis=1)
        return np.take_along_axis(self.test, at[:, None], axis=1)[:, 0]


def rolls(job: Job, name: str) -> dict[str, list[Any]]:
    """A set's sequences by part, no more and no longer than this scale allows."""
    found = datasets.music(name, job.files)
    many, frames = job.size("sequences"), job.size("frames")
    return {part: [s[:frames] for s in sequences[:many]] for part, sequences in found.items()}


def learn(
    job: Job, name: str, parts: dict[str, list[Any]], method: Method, plan: Plan,
    tell: Callable[[float], None] = lambda share: None,
) -> Learned:  # fmt: skip
    """Train all runs side by side on minibatches of one sequence and look after every epoch."""
    xp = array_module(job.device)
    X, inside = (xp.asarray(x) for x in recurrent.padded(parts["train"]))
    theta = xp.asarray(recurrent.begin(job.rng(f"start {name}"), plan.runs, plan.units))
    source = recurrent.Sequences(X, inside, plan.units, plan.longest, job.rng(f"order {name}"), xp)
    own = job.rng(f"noise {name} {method.label}")
    normals = Normals(own if xp is np else xp.random.default_rng(int(own.integers(2**62))), np.float32)
    N = len(X)
    valid, test = [], []
    for k, x in enumerate(train(method, source, theta, normals, {"N": N, "S": 1}, N * plan.epochs), 1):
        if k % N == 0:
            valid.append(per_frame(x, parts["valid"], plan.units, xp))
            test.append(per_frame(x, parts["test"], plan.units, xp))
        if k % 50 == 0:
            tell(k / (N * plan.epochs))
    return Learned(np.stack(valid, axis=1), np.stack(test, axis=1))


def per_frame(theta: Any, sequences: Sequence[Any], units: int, xp: Any = np) -> Any:
    """Minus the log likelihood over all frames, divided by their number, (runs,).

    Sequences of like length go together, a few at a time, so that little is held at once.
    """
    ordered = sorted(sequences, key=len)
    total = np.zeros(len(theta))
    while ordered:
        each = 6 * units * len(theta) * len(ordered[-1])
        few = max(1, min(len(ordered), _NUMBERS // each))
        X, inside = (xp.asarray(np.swapaxes(a, 0, 1)[:, None]) for a in recurrent.padded(ordered[-few:]))
        with np.errstate(all="ignore"):
            losses = recurrent.loss(theta, X, inside, units, xp).sum(axis=1)
        total += np.asarray(losses.get() if hasattr(losses, "get") else losses)
        del ordered[-few:]
    return total / sum(len(s) for s in sequences)
