"""Digits told apart by a network: runs of declared samplers, and their test errors along the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from verification.experiments import datasets
from verification.experiments.job import Job
from verification.experiments.networks import feedforward
from verification.experiments.networks.declared import Method, Normals, train
from verification.experiments.record import Line, Plot

CLASSES, WHOLE = 10, 60_000
BINS = tuple(float(x) for x in np.linspace(-2, 2, 81))


def array_module(device: str) -> Any:
    """CuPy where a GPU is asked for, or found; NumPy otherwise.

    >>> array_module("cpu").__name__
    'numpy'
    """
    from simulators.cuda.devices import device_count

    if device == "cuda" or (device == "auto" and device_count()):
        import cupy

        return cupy
    return np


@dataclass(frozen=True)
class Plan:
    """How networks of one width are trained; steps are halved after every ``halve`` epochs."""

    hidden: int  # units of each of two layers
    variance: float  # of the prior
    batch: int
    epochs: int
    halve: int
    thin: int  # steps between looks
    burnin: int  # steps before averages begin


@dataclass(frozen=True, eq=False)
class Trained:
    """What is kept of some runs: errors (runs, times), shares of weights by bin, and their spread."""

    steps: tuple[int, ...]
    errors: Any
    weights: Any  # (runs, bins)
    spread: Any  # (runs,) standard deviations


def joined(parts: Sequence[Trained]) -> Trained:
    """Runs one after another."""
    first = parts[0]
    return Trained(
        first.steps,
        np.concatenate([p.errors for p in parts]),
        np.concatenate([p.weights for p in parts]),
        np.concatenate([p.spread for p in parts]),
    )


Trainee = tuple[Method, Plan]


def trained(job: Job, data: Any, asked: Mapping[str, Trainee], runs: int) -> dict[str, Trained]:
    """All runs of what is asked for, by its name; every name has the same starts and minibatches.

    On a GPU runs go together, so that it has enough to do; on the processor one after another, so that
    they stay in its cache. Each group is a part that is kept.
    """
    xp = array_module(job.device)
    groups = [(k,) for k in range(runs)] if xp is np else [tuple(range(runs))]
    total, done, found = len(asked) * len(groups), 0, {}
    for name, (method, plan) in asked.items():
        parts = []
        for group in groups:

            def tell(share: float, done: int = done, words: str = name) -> None:
                job.tell(f"training: {words}", (done + share) / total)

            make = partial(run, job, data, method, plan, group, xp, tell)
            parts.append(job.part(f"{name}, {method}, {plan}, runs {group}", make))
            done += 1
        found[name] = joined(parts)
    return found


def run(
    job: Job, data: Any, method: Method, plan: Plan, group: tuple[int, ...], xp: Any = np,
    tell: Callable[[float], None] = lambda share: None, steps: int = 0,
) -> Trained:  # fmt: skip
    """Train some runs side by side and look at the test part every ``thin`` steps.

    ``steps`` other than 0 stops earlier than after all epochs.
    """
    widths = (data.X.shape[1], plan.hidden, plan.hidden, CLASSES)
    X, T = (xp.asarray(x, dtype=np.float32) for x in (data.X, data.test_X))
    y, labels = xp.asarray(data.y), xp.asarray(data.test_y)
    who = f"{plan.hidden} {group[0]}"
    theta = feedforward.begin(job.rng(f"start {who}"), len(group), widths)
    source = feedforward.Posterior(
        X, y, widths, plan.batch, plan.variance, job.rng(f"minibatches {who}"), xp
    )
    own = job.rng(f"noise {method.label} {who}")
    normals = Normals(own if xp is np else xp.random.default_rng(int(own.integers(2**62))), np.float32)
    each = len(X) // plan.batch
    last = steps or plan.epochs * each
    sizes = {"N": len(X), "S": plan.batch}
    schedule = partial(halved, every=plan.halve * each)
    errors, seen, total, x = [], 0, 0.0, None
    for k, x in enumerate(train(method, source, xp.asarray(theta), normals, sizes, last, schedule), 1):
        if k % plan.thin == 0 or k == last:
            logs = feedforward.log_probabilities(x, T, widths, xp)
            if method.averages and k > plan.burnin:
                total, seen = total + xp.exp(logs), seen + 1
                logs = total
            errors.append(wrong(logs, labels))
            tell(k / last)
    return _kept(errors, x, last, plan.thin)


def wrong(scores: Any, labels: Any) -> Any:
    """The share of labels that are not those of the highest score, for each run; of no number, all.

    >>> wrong(np.array([[[0.1, 0.9], [0.8, 0.2]], [[np.nan, 1.0], [1.0, 0.0]]]), np.array([1, 1]))
    array([0.5, 1. ])
    """
    right = (scores.argmax(axis=-1) == labels) & (scores == scores).all(axis=-1)  # NaN is not itself
    share = 1 - right.mean(axis=-1)
    return np.asarray(share.get() if hasattr(share, "get") else share)


def halved(k: int, every: int) -> float:
    """The block decay: a half after so many steps, a quarter after twice as many.

    >>> [halved(k, 2) for k in range(5)]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """
    return float(0.5 ** (k // every))


def _kept(errors: list[Any], x: Any, last: int, thin: int) -> Trained:
    here = np.asarray(x.get() if hasattr(x, "get") else x, np.float64)
    steps = tuple(sorted({*range(thin, last + 1, thin), last}))
    with np.errstate(all="ignore"):
        inside = [np.histogram(row[np.isfinite(row)], BINS)[0] / len(row) for row in here]
        spread = here.std(axis=1)
    return Trained(steps, np.stack(errors, axis=1), np.stack(inside), spread)


def curves(found: Mapping[str, Trained], title: str, suffix: str = "") -> Plot:
    """Test errors along the way, averaged over runs."""
    lines = tuple(
        Line(name.removesuffix(suffix).replace(",", " with"), tuple(float(k) for k in made.steps),
             tuple(100 * float(e) for e in made.errors.mean(axis=0)))
        for name, made in found.items() if name.endswith(suffix)
    )  # fmt: skip
    return Plot("curves", title, "iteration", "per cent", lines, log_y=True)


NO_THEORY = (
    "No exact law of a network's posterior is known: there is no exact line. That declared samplers"
    " are run"
    " as declared is held against plain loops, step by step, in our tests."
)


def uncompared(job: Job, data: Any) -> str:
    """Why errors cannot be held against printed ones; nothing where they can."""
    reasons = []
    if len(data.X) != WHOLE or data.kind != datasets.REAL:
        reasons.append(f"{len(data.X):,} of MNIST's {WHOLE:,} examples (give --data mnist=FILE)")
    if job.scale != "paper":
        reasons.append("smaller networks and fewer epochs (use --scale paper)")
    return "; ".join(reasons)
