"""Running a foreign step on a case: its chains, and what they did that no sampler should do."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from sgtheory.errors import UnusableInput
from verification.checking.cases import Case, start_of
from verification.checking.gradients import MINIBATCHES, Gradient, gradient_of
from verification.checking.gradients import Refused as Refused  # adapters look for it here
from verification.checking.shapes import FIRST

Array = Any
_LARGEST = 1e200  # variance, so that what tests multiply it with cannot overflow
HIDDEN = "hidden"  # an average that a target keeps to itself: it cannot be looked at
_SHOWN = 4  # chains whose positions are kept, to be held against those of another run


class Runner(Protocol):
    """What an adapter makes of a target: many chains at once, positions as (chains, D).

    An attribute ``loss`` that says "sum" asks for gradients of the summed loss N L, not of the mean L.
    ``resumable`` is false of one whose state lies elsewhere, so that it runs one thing at a time.
    It may also have ``named(state, name)``, another part of the state or None; ``run(state, gradient,
    rng, params, steps)``, where several steps at once are quicker than one after another; and
    ``remarks()``: what it saw of the target that explains a deviation, each a name and words.
    """

    def start(self, states: Mapping[str, Array], rng: Any, params: Mapping[str, Any]) -> Any:
        """The first state of all chains, from the states of the sampler that it is held against."""

    def step(self, state: Any, gradient: Gradient, rng: Any, params: Mapping[str, Any]) -> Any:
        """One step of all chains."""

    def position(self, state: Any) -> Array:
        """Where the chains are."""


def shown(runner: Runner, state: Any, name: str) -> Array:
    """The state of that name: the position, or an average of positions where the target shows it."""
    if name == "theta":
        return runner.position(state)
    named = getattr(runner, "named", None)
    found = None if named is None else named(state, name)
    if found is None:
        raise Refused(HIDDEN, f"the state has no {name}")
    return found


@dataclass(frozen=True)
class Measured:
    """The positions at all times of a case: their mean and covariance (divisor n), or a fault."""

    case: str
    chains: int
    mean: Array = None
    covariance: Array = None
    shown: Array = None  # of the first chains
    sample: Array = field(default=None, repr=False)  # of all chains, where the case keeps them
    early: Array = field(default=None, repr=False)  # of all chains, at the first times
    fault: str = ""  # the name of what went wrong
    words: str = ""
    dtype: str = "float64"  # in which positions were rounded
    remarks: tuple[tuple[str, str], ...] = ()  # names and words of what explains a deviation


def measured(
    runner: Runner,
    sampler: Any,
    case: Case,
    chains: int,
    seed: int | None = None,
    until: float = math.inf,
    between: Callable[[], object] | None = None,
) -> Measured:
    """Run a case; faults that need no statistics are told by name. ``until`` is a monotonic time."""
    try:
        own = case.seed if seed is None else seed
        seen = positions(runner, sampler, case, chains, own, until, between)
    except Refused as fault:
        return Measured(case.name, chains, fault=fault.name, words=str(fault))
    except UnusableInput:  # ours: such as a parameter that no sampler here has
        raise
    except Exception as error:  # whatever foreign code raises is a finding
        words = f"{type(error).__name__}: {error}"
        return Measured(case.name, chains, fault="crashed", words=words)
    dtype = "float32" if any(x.dtype == np.float32 for x in seen) else "float64"
    stacked = np.hstack(seen).astype(float, copy=False)
    with np.errstate(all="ignore"):
        mean = stacked.mean(0)
        about = stacked - mean
        covariance = about.T @ about / chains
    if not np.abs(covariance).max(initial=0.0) < _LARGEST:  # no test could be trusted with it
        words = f"positions reach {np.abs(stacked).max():.1e}, too far to measure a variance"
        return Measured(case.name, chains, fault="not finite", words=words)
    kept: dict[str, Any] = {
        "shown": stacked[:_SHOWN].copy(),
        "sample": stacked if case.keep else None,
        "early": stacked[:, : FIRST * case.D].copy() if case.gradient != MINIBATCHES else None,
        "remarks": tuple(getattr(runner, "remarks", tuple)()),
    }
    return Measured(case.name, chains, mean, covariance, dtype=dtype, **kept)


def positions(
    runner: Runner, sampler: Any, case: Case, chains: int, seed: int, until: float = math.inf,
    between: Callable[[], object] | None = None,
) -> list[Array]:  # fmt: skip
    """The positions of all chains at the times of a case; ``between`` is called halfway through them."""
    rng = np.random.default_rng([seed, 1])
    gradient = gradient_of(case, np.random.default_rng([seed, 2]), getattr(runner, "loss", ""))
    params = case.parameters(sampler)
    state = runner.start(start_of(sampler, case, chains, rng), rng, params)
    seen = []
    run = getattr(runner, "run", None)
    done = 0
    while done < max(case.times):
        if time.monotonic() > until:
            raise Refused("slow", f"the time limit was reached after {done} of {max(case.times)} steps")
        steps = 1 if run is None else min(t for t in case.times if t > done) - done
        with np.errstate(all="ignore"):
            if run is None:
                state = runner.step(state, gradient, rng, dict(params))
            else:
                state = run(state, gradient, rng, dict(params), steps)
        done += steps
        if between is not None and done == case.times[len(case.times) // 2]:
            between()
        if done in case.times:
            seen.append(_checked(shown(runner, state, case.shown), case, chains, done))
    return seen


def _checked(position: Array, case: Case, chains: int, k: int) -> Array:
    found = np.array(position)  # a copy: a step may write into its state
    if found.dtype not in (np.float32, np.float64):
        words = f"after {k} steps positions are {found.dtype}, expected float64 or float32"
        raise Refused("number type", words)
    if found.shape != (chains, case.D):
        raise Refused(
            "shape", f"after {k} steps positions have shape {found.shape}, expected {(chains, case.D)}"
        )
    if not np.isfinite(found).all():
        bad = int((~np.isfinite(found)).any(axis=1).sum())
        raise Refused("not finite", f"after {k} steps {bad} of {chains} chains are not finite")
    return found
