"""Random numbers that foreign code draws from the whole process, not from the generator it is handed.

Much code draws from NumPy's global generator or from Python's: seeded for a run, it can be repeated and
judged like any other. Each run has states of its own, also where another run comes in between, and those
of the process are put back.
"""

from __future__ import annotations

import contextlib
import inspect
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import numpy as np

_OWN = (np.random.Generator, np.random.RandomState, random.Random)
_MAKERS = ("default_rng", "RandomState", "SystemRandom", "PCG64", "Philox", "MT19937")
_NAMES = {
    "numpy": "NumPy's global generator (np.random)",
    "python": "Python's global generator (random)",
}


@dataclass
class Commons:
    """The states of the global generators in one run, and from which of them it drew.

    >>> one, other = Commons.of(3), Commons.of(3)
    >>> with one.used():
    ...     first = np.random.standard_normal()
    >>> with other.used():
    ...     first == np.random.standard_normal()
    True
    >>> one.drawn()
    "The target draws from NumPy's global generator (np.random), which was seeded for this check: draw \
from the generator that is handed in, and your own runs repeat too."
    """

    states: dict[str, Any]
    used_ones: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, seed: int) -> Commons:
        """Both from one seed."""
        numpy = np.random.RandomState(np.random.MT19937(np.random.SeedSequence([seed, 5])))
        return cls({"numpy": numpy.get_state(legacy=False), "python": random.Random(seed).getstate()})

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """The states of this run in their places, as long as foreign code runs."""
        before = _states()
        _put(self.states)
        try:
            yield
        finally:
            after = _states()
            self.used_ones |= {n for n, x in after.items() if not _same(x, self.states[n])}
            self.states = after
            _put(before)

    def drawn(self) -> str:
        """In words, what was drawn from; empty where nothing was."""
        if not self.used_ones:
            return ""
        names = " and ".join(_NAMES[n] for n in sorted(self.used_ones))
        return (
            f"The target draws from {names}, which was seeded for this check: draw from the generator"
            " that is handed in, and your own runs repeat too."
        )


def told_of(function: Any) -> str:
    """In words, which generators a function draws from that are its own, and what to do; or nothing.

    >>> told_of(lambda x: np.random.default_rng().normal())
    'default_rng makes a generator of its own: draw from the one that is handed in'
    >>> told_of(len)
    ''
    """
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    if not isinstance(code, CodeType):
        return ""
    try:
        known = inspect.getclosurevars(inspect.unwrap(function))
    except ValueError:  # a name that has no value yet
        return ""
    held = {n for n, x in {**known.globals, **known.nonlocals}.items() if isinstance(x, _OWN)}
    if held:
        verb = "is a generator of its own" if len(held) == 1 else "are generators of its own"
        return f"{', '.join(sorted(held))} {verb}: draw from the one that is handed in"
    made = [n for n in _MAKERS if n in code.co_names]
    return f"{made[0]} makes a generator of its own: draw from the one that is handed in" if made else ""


def _states() -> dict[str, Any]:
    return {"numpy": np.random.get_state(legacy=False), "python": random.getstate()}


def _put(states: dict[str, Any]) -> None:
    random.setstate(states["python"])
    with contextlib.suppress(ValueError):  # another kind of generator was put in its place
        np.random.set_state(states["numpy"])


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return bool(one == other)
    found, were = one["state"], other["state"]
    if found.keys() != were.keys() or one["gauss"] != other["gauss"]:
        return False
    return all(np.array_equal(x, were[n]) for n, x in found.items())
