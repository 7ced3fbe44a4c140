"""What a recipe is free to choose, which divergence it is to make small, and a search for where that is.

The search runs the declared updates in floating point; what is found is rounded to short fractions, and
whoever uses it looks at it in exact numbers again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import MatrixName
from sgtheory.independent.running import Point, linear_map
from sgtheory.language import STEP
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.gains import with_default_step
from verification.laws.rational import problem_space, value_at
from verification.refuter.places import Place, Space

STEP_OVER, GAIN_OVER, DIAGONAL_OVER = "step", "gain", "diagonal gain"
MULTIPLE_OVER = "multiple of the identity"

_DENOMINATORS = (1, 2, 4, 10, 100, 10**9)
Along = dict[str, Any]  # a direction


@dataclass(frozen=True)
class Freedom:
    """A step, perhaps beside a printed gain; or a gain of a kind. Reverse is KL(posterior || law)."""

    over: str = STEP_OVER
    gain: Any = None
    reverse: bool = False

    def put(self, setting: Setting, place: Place, value: Any) -> Place | None:
        """A place with the parameter set to a printed value; None where that is none."""
        if self.over != STEP_OVER:
            return with_gain(setting, place, value)
        with_it = place if self.gain is None else with_gain(setting, place, self.gain)
        if with_it is None:
            return None
        step = value_at(value, with_it)
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

    def line(self, place: Place, along: Along) -> tuple[Callable[[Fraction], Place], Fraction]:
        """The places that lie in a direction, and a length that is short there."""
        if self.over == STEP_OVER:
            eps = place.scalars["eps"]
            return lambda t: place.but(eps=eps + t), eps / 4
        H = np.array(place.matrices["H"])
        return lambda t: place.but(H=tuple(map(tuple, H + t * np.array(along["H"])))), Fraction(1)

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
        H = value_at(gain, placed)
    except ArithmeticError:
        return None
    symmetric = all(H[i][j] == H[j][i] for i in range(placed.D) for j in range(i))
    return placed.but(H=H) if symmetric and exact.is_definite(H, strictly=True) else None


def space_of_recipe(setting: Setting, gain: Any, reverse: bool) -> Space:
    """Small problems; the noise has an inverse, or its diagonal roots, where that is needed."""
    space, kind = problem_space(setting), "positive definite" if reverse else "any"
    if any(not p.exp.is_Integer for p in sp.sympify(gain or 1).atoms(sp.Pow)):
        kind = "rational lengths"
    return replace(space, matrices={**space.matrices, "B": kind})


def _unit(d: int, i: int, j: int) -> list[list[int]]:
    return [[int((a, b) in ((i, j), (j, i))) for b in range(d)] for a in range(d)]


# -- a search --------------------------------------------------------------------------------------


def search(setting: Setting, place: Place, time: str, freedom: Freedom) -> tuple[float, Place, float]:
    """The divergence at a place, the best one that is reached from there, and that there."""
    from scipy.optimize import minimize

    def divergence(x: Any, digits: int = 0) -> float:
        return divergence_at(setting, _moved(place, x, freedom, digits), time, freedom.reverse)

    start = _start_of(place, freedom)
    with np.errstate(invalid="ignore"):  # infinite less infinite, outside the stable range
        found = minimize(divergence, start, method="Nelder-Mead")
    here = divergence(start)
    for digits in _DENOMINATORS:  # the shortest fractions that keep half of what was gained
        there = divergence(found.x, digits)
        if there <= (here + found.fun) / 2:
            break
    return here, _moved(place, found.x, freedom, digits), there


def divergence_at(setting: Setting, place: Place, time: str, reverse: bool = False) -> float:
    """The divergence between the law and the posterior; infinite where there is none."""
    step, noise = _step_and_noise(setting, place, time)
    if not np.isfinite(step).all():
        return np.inf
    n, one = len(step), np.eye(len(step))
    radii = np.linalg.eigvals(step)
    if np.abs(radii).max() >= 1 if time == "discrete" else radii.real.max() >= 0:
        return np.inf
    system = np.eye(n * n) - np.kron(step, step)
    if time == "continuous":
        system = -np.kron(step, one) - np.kron(one, step)
    moments = np.linalg.solve(system, (noise @ noise.T).ravel()).reshape(n, n)
    with np.errstate(all="ignore"):
        product = float(place.scalars["N"]) * exact.floats(place.A) @ moments[: place.D, : place.D]
        sign, volume = np.linalg.slogdet(product)
    if sign <= 0 or not np.isfinite(volume):
        return np.inf
    trace = np.trace(np.linalg.inv(product)) + 2 * volume if reverse else np.trace(product)
    return float(trace - volume - place.D) / 2


def _step_and_noise(setting: Setting, place: Place, time: str) -> tuple[Any, Any]:
    symbols = {s for _, e in setting.updates for s in e.free_symbols if not isinstance(s, MatrixName)}
    roots = {s: float(place.scalars.get(s.name, 1)) ** 0.5 for s in symbols}
    one = exact.floats(exact.identity(place.D)).tolist()
    matrices = {"H": one, **{n: exact.floats(m).tolist() for n, m in place.matrices.items()}}
    step, noise = linear_map(setting, time, Point(float, roots, (), matrices, one))
    return np.array(step, float), np.array(noise, float)


def _start_of(place: Place, freedom: Freedom) -> Any:
    """Coordinates without constraints: the logarithm of a number, or that of H along its directions."""
    from scipy.linalg import logm

    if freedom.over == STEP_OVER:
        return np.log([float(place.scalars["eps"])])
    logarithm = logm(exact.floats(place.matrices["H"])).real
    bases = (np.array(along["H"]) for along in freedom.directions(place.D).values())
    return np.array([logarithm[np.unravel_index(np.argmax(E != 0), E.shape)] for E in bases])


def _moved(place: Place, x: Any, freedom: Freedom, digits: int) -> Place:
    """The place with its parameter at these coordinates; in fractions where digits are asked for."""
    from scipy.linalg import expm

    def short(v: Any) -> Any:
        return Fraction(float(v)).limit_denominator(digits) if digits else float(v)

    with np.errstate(over="ignore", invalid="ignore"):
        if freedom.over == STEP_OVER:
            return place.but(eps=Fraction(float(np.exp(x[0]))).limit_denominator(digits or 10**9))
        bases = (np.array(along["H"], float) for along in freedom.directions(place.D).values())
        H = expm(sum(c * E for c, E in zip(x, bases, strict=True)))
    return place.but(H=tuple(tuple(map(short, row)) for row in (H + H.T) / 2))
