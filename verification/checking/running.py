"""Running a foreign step on a case: its chains, and what they did that no sampler should do."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from sgtheory.errors import UnusableInput, told
from verification.checking.cases import Case, Count, start_of
from verification.checking.commons import Commons
from verification.checking.forms import FEW
from verification.checking.gradients import MINIBATCHES, Gradient, gradient_of
from verification.checking.gradients import Refused as Refused  # adapters look for it here
from verification.checking.shapes import FIRST
from verification.checking.targets import cleaned

Array = Any
_LARGEST = 1e200  # variance, so that what tests multiply it with cannot overflow
HIDDEN = "hidden"  # an average that a target keeps to itself: it cannot be looked at
_CLEAR = 6.0  # standard errors by which a first state must differ to be told
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
    began: str = ""  # how the first state differs from the declared one, where the target made it
    noted: str = ""  # what is to be said beside any verdict

    def __post_init__(self) -> None:
        for name in ("words", "began", "noted"):
            object.__setattr__(self, name, cleaned(getattr(self, name)))


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
        began: list[str] = []
        commons = Commons.of(own)
        with commons.used():
            seen = positions(runner, sampler, case, chains, own, until, between, began)
    except Refused as fault:
        return Measured(case.name, chains, fault=fault.name, words=str(fault))
    except UnusableInput:  # ours: such as a parameter that no sampler here has
        raise
    except Exception as error:  # whatever foreign code raises is a finding
        return Measured(case.name, chains, fault="crashed", words=told(error))
    stacked = case.within(np.hstack(seen)).astype(float, copy=False)
    dtype = "float32" if _is_single(stacked) else "float64"
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
        "began": "; ".join(began),
        "noted": commons.drawn(),
    }
    return Measured(case.name, chains, mean, covariance, dtype=dtype, **kept)


def _is_single(x: Array) -> bool:
    """Whether all numbers have single precision, also where a step hands them on as doubles.

    >>> _is_single(np.array([0.5, 0.1], np.float32).astype(float)), _is_single(np.array([0.5, 0.1]))
    (True, False)
    """
    with np.errstate(all="ignore"):
        return bool((x == x.astype(np.float32)).all())


def ill_formed(runner: Runner, sampler: Any, case: Case) -> Measured | None:
    """A fault at the very first step, made with few chains, told with the form that the step would take.

    With few chains a wrong shape is an error, where many would take all memory first.
    """
    tried = getattr(runner, "tried", None)
    if tried is None:
        return None
    one = measured(runner, sampler, replace(case, times=case.times[:1], keep=False), FEW)
    if one.fault in ("form", "mutates its state"):  # which say already what to write
        return one
    if one.fault not in ("crashed", "shape"):
        return None
    rng = np.random.default_rng([case.seed, 3])
    gradient = gradient_of(case, rng, getattr(runner, "loss", ""))
    states = start_of(sampler, case, FEW, rng)
    with Commons.of(case.seed).used():
        return replace(one, words=tried(states, gradient, rng, case.parameters(sampler), one.words))


def positions(
    runner: Runner, sampler: Any, case: Case, chains: int, seed: int, until: float = math.inf,
    between: Callable[[], object] | None = None, began: list[str] | None = None,
) -> list[Array]:  # fmt: skip
    """The positions of all chains at the times of a case; ``between`` is called halfway through them.

    ``began`` hears how the first state differs from the one that was handed over.
    """
    rng = np.random.default_rng([seed, 1])
    gradient = gradient_of(case, np.random.default_rng([seed, 2]), getattr(runner, "loss", ""))
    params = case.parameters(sampler)
    ticking = [n for n, x in params.items() if isinstance(x, Count)]
    declared = start_of(sampler, case, chains, rng)
    state = runner.start(declared, rng, params)
    if began is not None:
        began += _beginning(runner, state, declared)
    seen = []
    run = getattr(runner, "run", None)
    done = 0
    while done < max(case.times):
        if time.monotonic() > until:
            raise Refused("slow", f"the time limit was reached after {done} of {max(case.times)} steps")
        steps = 1 if run is None else min(t for t in case.times if t > done) - done
        params |= dict.fromkeys(ticking, Count(done))
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


def _beginning(runner: Runner, state: Any, declared: Mapping[str, Array]) -> list[str]:
    """In words, each state that the target can show and that begins otherwise than declared."""
    told = []
    for name, x in declared.items():
        try:
            own = np.asarray(shown(runner, state, name), float)
        except (Refused, TypeError, ValueError):  # kept to itself
            continue
        if own.shape != x.shape:
            continue
        (mean, sd), (its, spread) = ((y.mean(), y.std(axis=0).mean()) for y in (x, own))
        error = _CLEAR * (sd + spread + 1e-9) / math.sqrt(len(x))
        if abs(its - mean) > error or abs(spread - sd) > error:
            told.append(
                f"{name} begins with mean {its:.3g} and standard deviation {spread:.3g},"
                f" declared are {mean:.3g} and {sd:.3g}"
            )
    return told


def _checked(position: Array, case: Case, chains: int, k: int) -> Array:
    found = np.array(position)  # a copy: a step may write into its state
    if found.dtype not in (np.float32, np.float64):
        words = f"after {k} steps positions are {found.dtype}, expected float64 or float32"
        raise Refused("number type", words)
    if found.shape != (chains, case.D):
        raise Refused(
            "shape", f"after {k} steps positions have shape {found.shape}, expected {(chains, case.D)}"
        )
    if not case.beyond and not np.isfinite(found).all():
        bad = int((~np.isfinite(found)).any(axis=1).sum())
        raise Refused("not finite", f"after {k} steps {bad} of {chains} chains are not finite")
    return found
