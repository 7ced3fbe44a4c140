"""What a recipe is free to choose, and which divergence it is to make small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.language import STEP
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.gains import with_default_step
from verification.laws.rational import fractions, problem_space, value_at
from verification.refuter.places import Place, Space

STEP_OVER, GAIN_OVER, DIAGONAL_OVER = "step", "gain", "diagonal gain"
MULTIPLE_OVER = "multiple of the identity"

Along = dict[str, Any]  # a direction of exact derivatives


@dataclass(frozen=True)
class Freedom:
    """A step, perhaps beside a printed gain; or a gain of a kind. Reverse is KL(posterior || law)."""

    over: str = STEP_OVER
    gain: Any = None
    reverse: bool = False

    def space(self, setting: Setting) -> Space:
        """Small problems; the noise has an inverse, or its diagonal roots, where that is needed."""
        space, kind = problem_space(setting), "positive definite" if self.reverse else "any"
        if any(not p.exp.is_Integer for p in sp.sympify(self.gain or 1).atoms(sp.Pow)):
            kind = "rational lengths"
        return replace(space, matrices={**space.matrices, "B": kind})

    def put(self, setting: Setting, place: Place, value: Any) -> Place | None:
        """A place with the parameter set to a printed value; None where that is none."""
        if self.over != STEP_OVER:
            return with_gain(setting, place, value)
        with_it = place if self.gain is None else with_gain(setting, place, self.gain)
        if with_it is None:
            return None
        step = fractions(value_at(value, with_it))
        return with_it.but(eps=step) if step > 0 else None

    def directions(self, d: int) -> dict[str, Along]:
        """Every direction in which the parameter may move, by name."""
        if self.over == STEP_OVER:
            return {"eps": {"eps": 1}}
        if self.over == MULTIPLE_OVER:
            return {"h": {"H": exact.identity(d)}}
        last = {DIAGONAL_OVER: 1, GAIN_OVER: d}[self.over]
        return {
            f"H[{i}][{j}]": {"H": _unit(d, i, j)} for i in range(d) for j in range(i, min(d, i + last))
        }

    def times(self, place: Place, factors: tuple[Any, ...]) -> Place:
        """A place with the parameter multiplied: all of it by one factor, or each diagonal entry."""
        if self.over == STEP_OVER:
            return place.but(eps=place.scalars["eps"] * factors[0])
        return place.but(H=scaled(place.matrices["H"], factors))


def scaled(H: Any, factors: tuple[Any, ...]) -> Any:
    """A gain times one factor, or each diagonal entry times its own."""
    if len(factors) == 1:
        return tuple(tuple(x * factors[0] for x in row) for row in H)
    return tuple(
        tuple(x * factors[i] if i == j else x for j, x in enumerate(r)) for i, r in enumerate(H)
    )


def with_gain(setting: Setting, problem: Place, gain: Any) -> Place | None:
    """The problem with H set to a printed gain; None where that is not positive definite.

    A step that the sampler need not be given is 1: then the gain is all there is.
    """
    bare = {k: v for k, v in problem.matrices.items() if k != "H"}
    one = {} if with_default_step(setting, STEP).free_symbols else {"eps": Fraction(1)}
    placed = Place(bare, {**problem.scalars, **one})
    try:
        H = fractions(value_at(gain, placed))
    except ArithmeticError:
        return None
    symmetric = all(H[i][j] == H[j][i] for i in range(placed.D) for j in range(i))
    return placed.but(H=H) if symmetric and exact.is_definite(H, strictly=True) else None


def _unit(d: int, i: int, j: int) -> list[list[int]]:
    return [[int((a, b) in ((i, j), (j, i))) for b in range(d)] for a in range(d)]
