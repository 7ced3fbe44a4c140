"""What is recorded about a sampler of a library: its update in its own letters, what it may equal here.

Nothing in an entry says that two updates are equal. A ``Match`` proposes parameters and states; whether
the proposal is right is computed (``verification.conventions.sameness``), and so is the way back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sgtheory.declare import Card, N, Sampler, gradient
from sgtheory.notation.printing import plain

ASSUMPTIONS = {
    "full-gradients": "every gradient is over all the data",
    "no-prior": "the loss has no prior part",
}


@dataclass(frozen=True)
class Wants:
    """The gradient that a library wants to be handed, from the gradient of the mean loss.

    >>> from sgtheory.declare import state
    >>> Wants("log density", "sum")(state("theta"))
    -N*Gradient(theta, 0)
    """

    of: str  # "log density" or "loss"
    over: str  # "sum" over all N examples, or their "mean"

    def __call__(self, x: Any, draw: int = 0) -> Any:
        """In our language: the sign of a log density, the factor of a sum."""
        sign = -1 if self.of == "log density" else 1
        return sign * (N if self.over == "sum" else 1) * gradient(x, draw)

    @property
    def words(self) -> str:
        """As a card says it."""
        return f"the {self.of}, as a {self.over} over all N examples"

    @property
    def formula(self) -> str:
        """What it is of our mean gradient g."""
        return ("-" if self.of == "log density" else "") + ("N g" if self.over == "sum" else "g")


@dataclass(frozen=True)
class Match:
    """A proposal: with these parameters and states, a sampler declared here makes the same step.

    ``ours`` gives each of our parameters in the library's letters (a matrix is that number times the
    identity), ``states`` ours in the library's states, ``holds`` what the library's parameters have to
    be. ``every`` steps of ours are one call there.
    """

    like: str
    ours: tuple[tuple[str, Any], ...]
    states: tuple[tuple[str, Any], ...] = ()
    holds: tuple[tuple[Any, Any], ...] = ()
    every: int = 1
    assumes: tuple[str, ...] = ()  # keys of ASSUMPTIONS
    back: tuple[tuple[Any, Any], ...] = ()  # on the way back, of a parameter that is one too many


@dataclass(frozen=True)
class Entry:
    """A sampler of a library."""

    name: str
    call: str  # how it is called, with its parameters and their defaults
    wants: Wants
    sampler: Sampler  # what one call does, in the library's letters
    source: str  # the file of the library's repository
    matches: tuple[Match, ...] = ()
    target: str = ""  # the address of a ready target for ``check``
    notes: tuple[str, ...] = ()
    count: tuple[str, str] | None = None  # of one that belongs to a series: the parameter, its number

    @property
    def update(self) -> tuple[str, ...]:
        """The updates, a line each."""
        return tuple(f"{target} = {plain(expr)}" for target, expr in self.sampler.updates)

    @property
    def digest(self) -> str:
        """What a recorded run was made for: a change of the declaration makes the record void."""
        told = repr((self.sampler.updates, self.sampler.start, self.sampler.where, self.call))
        return hashlib.sha256(told.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Series:
    """Entries that differ by a whole number, such as how many inner steps one call makes."""

    name: str
    parameter: str
    default: int
    make: Callable[[int], Entry]


@dataclass(frozen=True)
class Library:
    """A library, the version that was read, and its samplers."""

    name: str
    package: str
    version: str
    repository: str
    entries: tuple[Entry | Series, ...]
    language: str = "Python"
    install: tuple[str, ...] = ()  # what pip is told, itself first; nothing where pip has it not
    module: str = ""  # what is imported to see whether it is there
    unrun: str = ""  # why those of its entries have not been run that have no ready step
    others: tuple[tuple[str, str], ...] = ()  # samplers that it has besides, and why there is no entry


def declared(name: str, wants: Wants, **parts: Any) -> Sampler:
    """A library's update as a declaration; its convention is what the entry says of the gradient."""
    card = Card(loss=wants.over, drift=f"see the update; G is {wants.formula}")
    return Sampler(convention=card, name=name, **parts)
