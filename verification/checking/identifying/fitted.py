"""The affine law of a step that no declaration has: numbers with errors, formulas where they fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.notation.display import Shown
from sgtheory.notation.printing import plain
from verification.checking.faults.naming import formulas
from verification.checking.faults.search import Evidence
from verification.checking.faults.variant import Numbers
from verification.checking.identifying.letters import Letters
from verification.checking.identifying.responses import LONGEST, Response, memory, sign

Array = Any
_WIDE = 5.0  # standard errors by which a number must be seen to say something


@dataclass(repr=False, frozen=True)
class Fitted(Shown):
    """How a coordinate moves where the curvature is one number a.

    With one step of memory ``theta <- (1 - c a) theta + noise``; with two it is
    ``(1 + k - c a) theta - k before``.
    """

    steps: int  # of memory
    pull: tuple[tuple[float, float], ...]  # c in each problem, with its error
    kept: tuple[tuple[float, float], ...]  # k in each
    noise: tuple[tuple[float, float], ...]  # variance that is injected in a step, beside the gradient's
    letters: Any
    problems: tuple[str, ...]
    temperature: tuple[tuple[float, float], ...] = ()

    def lines(self) -> Iterator[str]:
        """What is known of it."""
        if self.steps == 1:
            yield "Without noise, where the curvature is a: theta - mode <- (1 - c a) (theta - mode)."
        elif self.steps == 2:
            yield (
                "Without noise, where the curvature is a, measured from the mode:"
                " theta <- (1 + k - c a) theta - k (theta before)."
            )
        else:
            yield f"A position depends on more than {LONGEST} steps before, or steps differ."
            return
        yield f"c is {self._told(self.pull)}."
        if self.steps == 2:
            yield f"k is {self._told(self.kept)}."
        if self.noise:
            yield f"The variance of the noise that is injected in one step is {self._told(self.noise)}."
        if self.temperature:
            told = self._told(self.temperature)
            yield f"For small steps it targets exp(-N L/T) with T = N*variance/(2 c): {told}."

    def _told(self, values: Sequence[tuple[float, float]]) -> str:
        seen = [k for k, (v, e) in enumerate(values) if abs(v) > _WIDE * e]
        there = {s: x[seen] for s, x in self.letters.items()}
        told = [values[k] for k in seen]
        found = formulas([v for v, _ in told], [e for _, e in told], there) if len(seen) > 1 else ()
        if found:
            return plain(found[0].expr)
        shown = (f"{v:.4g} +- {e:.1g} ({p})" for (v, e), p in zip(values, self.problems, strict=True))
        return "no short formula: " + ", ".join(shown)

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        return {
            "steps": self.steps, "c": [list(x) for x in self.pull], "k": [list(x) for x in self.kept],
            "noise": [list(x) for x in self.noise], "temperature": [list(x) for x in self.temperature],
            "problems": list(self.problems),
        }  # fmt: skip


def fitted(
    letters: Letters, responses: Sequence[Response], evidence: Evidence, named: Any
) -> Fitted | None:
    """The law in the problems of one dimension; ``named`` makes letters for formulas of numbers."""
    small = [r for r in responses if r.case.D == 1]
    if not small:
        return None
    every = [memory(r.path, sign(r.case), r.exact) for r in small]
    steps = max(len(m) for m in every)
    numbers = [Numbers.of(letters.sampler, r.case) for r in small]
    known = named([{sp.Symbol(n, positive=True): x for n, x in own.scalars.items()} for own in numbers])
    problems = tuple(r.case.name for r in small)
    if steps > 2 or any(not m for m in every):
        return Fitted(LONGEST + 1, (), (), (), known, problems)
    pull, kept = [], []
    for r, m in zip(small, every, strict=True):
        a = float(r.case.A[0, 0])
        k = -m[1] if len(m) == 2 else 0.0
        pull.append(((1 + k - m[0]) / a, r.exact * 10 / a))
        kept.append((k, r.exact * 10))
    noise: list[tuple[float, float]] = []
    heat: list[tuple[float, float]] = []
    there = {o.case.name: o for o in evidence.outcomes}
    if steps == 1 and all(r.case.name in there for r in small):
        for r, own, (c, _) in zip(small, numbers, pull, strict=True):
            o = there[r.case.name]
            variance = float(o.measured.covariance[0, 0])
            q = variance - c * c * float(o.case.noise_root[0, 0]) ** 2
            error = variance * float(np.sqrt(2 / o.measured.chains))
            noise.append((q, error))
            front = own.scalars["N"] / (2 * c)
            heat.append((q * front, abs(error * front)))
    return Fitted(steps, tuple(pull), tuple(kept), tuple(noise), known, problems, tuple(heat))
