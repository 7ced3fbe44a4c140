"""A candidate: what the target may really do, in words, with what is still to be fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from sgtheory.declare import N, Parameter, S
from verification.checking.cases import Case, Law
from verification.checking.faults.variant import Numbers, Variant, law

Expr = Any

LONGEST = 6.0  # a description that costs more is no name


@dataclass(frozen=True)
class Candidate:
    """Updates that may be those of the target.

    ``cost`` is the length of the description, in changes to what is declared. ``free`` are numbers that
    are fitted, near the values ``neutral`` where nothing is changed. ``given`` has the parameters of
    another declared sampler in those of the one that the target is held against.
    """

    name: str
    words: str  # with {0}, {1} for what is fitted; empty: made from the updates
    variant: Variant
    cost: float = 1.0
    free: tuple[Any, ...] = ()
    neutral: tuple[float, ...] = ()
    given: tuple[tuple[str, Expr], ...] = ()
    other: str = ""  # the declared sampler that this is, where it is one
    kurtosis: float = 3.0  # of the injected noise
    grid: tuple[float, ...] = ()  # where to look for what is free
    reads: tuple[tuple[str, Expr], ...] = ()  # a parameter of the sampler itself that has another value
    base: Variant | None = None  # what the updates are held against, to be added to the words
    front: Expr = None  # what stands before the only free factor, which may be named together with it

    def numbers(self, own: Numbers, fitted: tuple[float, ...] = ()) -> Numbers:
        """The numbers that the updates see in a case."""
        known = {s.name: x for s, x in zip(self.free, fitted, strict=False)}
        known |= {name: own.scalar(sp.sympify(expr)) for name, expr in self.given}
        return own.with_scalars(**known) if known else own

    def law(self, own: Numbers, fitted: tuple[float, ...] = ()) -> Law:
        """The exact law in a case, whose numbers for the declared sampler are ``own``."""
        return law(self.variant, self.numbers(own, fitted))

    def settled(self, found: Mapping[Any, Expr], cost: float) -> Candidate:
        """With expressions for what was fitted."""
        values = [found[s] for s in self.free]
        given = tuple((name, sp.sympify(e).subs(found)) for name, e in self.given)
        given += tuple((s.name, found[s]) for s in self.free if self.other)
        variant = self.variant if self.other else self.variant.replaced(found)
        words = self.words
        for k, value in enumerate(values):
            words = words.replace(f"{{{k}}}", _plain(value))
        return replace(
            self, words=words, variant=variant, free=(), neutral=(), given=given, cost=self.cost + cost
        )


def _plain(expr: Expr) -> str:
    from sgtheory.notation.printing import plain

    return plain(sp.sympify(expr))


def letters(sampler: Any) -> tuple[Any, ...]:
    """What a declared sampler may have in its factors: its scalars, N, S."""
    scalars = tuple(p for p in sampler.parameters if isinstance(p, Parameter))
    return (*scalars, N, S)


def scale(k: int = 0, positive: bool = False) -> Parameter:
    """A number that is to be fitted."""
    return Parameter(f"scale{k}", positive=True) if positive else Parameter(f"scale{k}", real=True)


def agree(law_: Law, other: Law, within: float) -> bool:
    """Whether two laws are the same to so many standard deviations."""
    from verification.checking.cases import difference

    return bool(difference(law_, other) < within)


__all__ = ["LONGEST", "Candidate", "Case", "agree", "letters", "scale"]
