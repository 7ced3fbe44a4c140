"""What a recipe is free to choose, and which divergence it is to make small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.rational import matrix_value, numbers_of, problem_space, scalar_value
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

    @property
    def divergence(self) -> str:
        """What is made small, in words."""
        return "KL(posterior || law)" if self.reverse else "KL(law || posterior)"

    def space(self, setting: Setting, regular: bool = False) -> Space:
        """Small problems; the noise has an inverse, or its diagonal roots, where that is asked for."""
        space, kind = problem_space(setting), "any"
        if self.gain is not None and _takes_roots(self.gain):
            kind = "rational lengths"
        elif self.reverse or regular:
            kind = "positive definite"
        return replace(space, matrices={**space.matrices, "B": kind})

    def put(self, setting: Setting, place: Place, value: Any) -> Place | None:
        """A place with the parameter set to a printed value; None where that is none."""
        if self.over != STEP_OVER:
            return with_gain(setting, place, value)
        with_it = place if self.gain is None else with_gain(setting, place, self.gain)
        if with_it is None:
            return None
        step = scalar_value(value, numbers_of(with_it, {}))
        return with_it.but(eps=step) if step > 0 else None

    def directions(self, d: int) -> dict[str, Along]:
        """Every direction in which the parameter may move, by name."""
        if self.over == STEP_OVER:
            return {"eps": {"eps": 1}}
        if self.over == MULTIPLE_OVER:
            return {"h": {"H": [list(row) for row in exact.identity(d)]}}
        last = {DIAGONAL_OVER: 1, GAIN_OVER: d}[self.over]
        return {
            f"H[{i}][{j}]": {"H": _unit(d, i, j)} for i in range(d) for j in range(i, min(d, i + last))
        }

    def times(self, place: Place, factors: tuple[Any, ...]) -> Place:
        """A place with the parameter multiplied: all of it by one factor, or each diagonal entry."""
        if self.over == STEP_OVER:
            return place.but(eps=place.scalars["eps"] * factors[0])
        of = factors if len(factors) > 1 else factors * place.D
        rows = [
            [x * (of[i] if i == j or len(factors) == 1 else 1) for j, x in enumerate(row)]
            for i, row in enumerate(place.matrices["H"])
        ]
        return place.but(H=tuple(tuple(row) for row in rows))


def with_gain(setting: Setting, problem: Place, gain: Any) -> Place | None:
    """The problem with H set to a printed gain; None where that is not positive definite.

    A step that the sampler need not be given is 1: then the gain is all there is.
    """
    eps = next(p for p in setting.sampler.parameters if p.name == "eps")
    bare = {k: v for k, v in problem.matrices.items() if k != "H"}
    scalars = dict(problem.scalars)
    if setting.sampler.default(eps) is not None:
        scalars["eps"] = Fraction(1)
    placed = Place(bare, scalars)
    nothing = [[x * 0 for x in row] for row in problem.A]
    try:
        value = matrix_value(gain, numbers_of(placed, {"theta,theta": nothing}))
    except (ZeroDivisionError, TypeError):
        return None
    H = tuple(tuple(row) for row in value)
    symmetric = all(H[i][j] == H[j][i] for i in range(placed.D) for j in range(i))
    return placed.but(H=H) if symmetric and exact.is_definite(H, strictly=True) else None


def _takes_roots(expr: Any) -> bool:
    return any(not p.exp.is_Integer for p in sp.sympify(expr).atoms(sp.Pow))


def _unit(d: int, i: int, j: int) -> list[list[int]]:
    return [[int((a, b) in ((i, j), (j, i))) for b in range(d)] for a in range(d)]
