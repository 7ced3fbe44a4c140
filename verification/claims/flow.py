"""Claims that a printed formula solves an equation exactly, over a time h of any length.

Without noise the formula has to start where the state is and move along the drift. With noise that is
additive for what it moves, mean and covariance have to solve their own equations, which makes the law
that of the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.errors import UnusableInput
from sgtheory.printing import latex, plain
from verification.claims.base import Printed
from verification.claims.calculus import Calculus
from verification.claims.formal import Line
from verification.claims.invariance import process_lines
from verification.refuter.search import Failure
from verification.twins import corruptions
from verification.verdict import Correction, Counterexample


@dataclass(frozen=True, kw_only=True)
class Flow(Calculus):
    """``update`` gives each state of ``process`` after a time ``h``, in the old states and noises."""

    process: Diffusion
    update: tuple[Any, ...]
    h: Any
    noises: tuple[Any, ...] = ()
    equalities: tuple[Printed, ...] = ()
    states: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", (*self.process.state, self.h))
        object.__setattr__(self, "equalities", tuple(_equations(self)))
        super().__post_init__()

    def lines(self) -> tuple[Any, ...]:
        """The equation and its printed solution."""
        pairs = zip(self.process.state, self.update, strict=True)
        return (*process_lines(self.process), *(_line(s, e) for s, e in pairs))

    def _mapped(self, change: Any) -> Self:
        drift = tuple(map(change, self.process.drift))
        noise = tuple(tuple(map(change, row)) for row in self.process.noise)
        process = replace(self.process, drift=drift, noise=noise)
        return replace(self, process=process, update=tuple(map(change, self.update)), equalities=())

    def correct(self, time: str) -> Correction | None:
        """The same with the root of the time on the noise, where that is what is missing."""
        drawn = dict.fromkeys(self.noises, sp.Integer(0))
        root = {w: sp.sqrt(self.h) * w for w in self.noises}
        fixed = replace(self, update=tuple(sp.sympify(e).subs(root) for e in self.update), equalities=())
        if not drawn or not (fixed.prove(time).holds and fixed.tested(time).data["holds"]):
            return None
        shown = fixed.lines()[self.process.dimension :]
        return Correction(
            r" \qquad ".join(line.latex() for line in shown),
            "; ".join(line.text() for line in shown),
            "proved",
            "with the root of the time on the noise",
            (fixed,),
        )

    def counterexample_of(self, failure: Failure, time: str) -> Counterexample:
        """What the two numbers are."""
        words = "a speed, a variance or a start of the printed solution, and what the equation asks for"
        return replace(super().counterexample_of(failure, time), words=words)

    def corrupted(self, finding: Any) -> Iterator[tuple[str, Self]]:
        """One line of the solution corrupted."""
        for k, (s, e) in enumerate(zip(self.process.state, self.update, strict=True)):
            for name, wrong in corruptions(sp.expand(e)):
                update = (*self.update[:k], wrong, *self.update[k + 1 :])
                yield f"{s}: {name}", replace(self, update=update, equalities=())

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Parameters replaced everywhere."""
        return self._mapped(lambda e: sp.sympify(e).subs(values))


def _equations(claim: Flow) -> Iterator[Printed]:
    """Mean and covariance: how they start and how they move."""
    state, h = claim.process.state, claim.h
    quiet = dict.fromkeys(claim.noises, sp.Integer(0))
    update = tuple(map(sp.sympify, claim.update))
    mean = [e.subs(quiet) for e in update]
    amplitude = sp.Matrix([[sp.diff(e, w) for w in claim.noises] or [0] for e in update])
    if amplitude.free_symbols & set(claim.noises):
        raise UnusableInput("a solution that is linear in its noises", str(update), "write its law")
    there = {s: m for s, m in zip(state, mean, strict=True) if s != m}
    for s, m, b in zip(state, mean, claim.process.ito_drift, strict=True):
        yield Printed(m.subs(h, 0), s)
        yield Printed(
            sp.Derivative(m, h) if m.has(h) else sp.Integer(0), b.subs(there, simultaneous=True)
        )
    covariance = amplitude * amplitude.T
    moved = [k for k in range(len(state)) if any(covariance[k, j] != 0 for j in range(len(state)))]
    moved += [k for k, row in enumerate(claim.process.noise) if any(row) and k not in moved]
    slopes = {
        (i, k): sp.diff(claim.process.drift[i], state[k]) for i in range(len(state)) for k in moved
    }
    linear = all(not (e.free_symbols & {state[k] for k in moved}) for e in slopes.values())
    if moved and not linear:
        raise UnusableInput(
            "a drift that is linear in what noise moves", str(claim.process.drift), "split it"
        )
    for i in moved:
        for j in moved[: moved.index(i) + 1]:
            V = covariance[i, j]
            grown = claim.process.covariance[i][j].subs(there, simultaneous=True)
            grown += sum(
                slopes[i, k] * covariance[k, j] + slopes[j, k] * covariance[k, i] for k in moved
            )
            yield Printed(V.subs(h, 0), sp.Integer(0))
            yield Printed(sp.Derivative(V, h) if V.has(h) else sp.Integer(0), grown)


def _line(state: Any, value: Any) -> Line:
    return Line(
        rf"{latex(state)}(h) = {latex(sp.sympify(value))}", f"{state}(h) = {plain(sp.sympify(value))}"
    )
