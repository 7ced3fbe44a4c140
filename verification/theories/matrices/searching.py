"""A numerical search for parameters at which the divergence from law to posterior is smaller.

The declared updates are run in floating point; what is found is rounded to short fractions, and
whoever uses it looks at it in exact numbers again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.declare import MatrixName
from sgtheory.independent.running import Point, linear_map
from sgtheory.reader.exact import identity
from sgtheory.setting import Setting
from verification.refuter.places import Place
from verification.theories.matrices.freedom import DIAGONAL_OVER, MULTIPLE_OVER, STEP_OVER, Freedom

_DENOMINATORS = (1, 2, 4, 10, 100, 10**9)


@dataclass(frozen=True)
class Better:
    """The best point found, in fractions, and the divergence there."""

    place: Place
    divergence: float


def search(
    setting: Setting, place: Place, time: str, freedom: Freedom, starts: int = 3
) -> tuple[float, Better]:
    """The divergence at a place, and the best point reached from there and from other starts."""
    from scipy.optimize import minimize

    def divergence(x: Any) -> float:
        return divergence_at(setting, _moved(place, x, freedom), time, freedom.reverse)

    start = _start_of(place, freedom)
    generator = np.random.default_rng(1)
    around = [start, *(start + generator.normal(size=len(start)) for _ in range(starts - 1))]
    with np.errstate(invalid="ignore"):  # infinite less infinite, outside the stable range
        found = min((minimize(divergence, x, method="Nelder-Mead") for x in around), key=lambda r: r.fun)
    here = divergence(start)
    for digits in _DENOMINATORS:  # the shortest fractions that keep half of what was gained
        best = _moved(place, found.x, freedom, digits)
        there = divergence_at(setting, best, time, freedom.reverse)
        if there <= (here + found.fun) / 2:
            break
    return here, Better(best, there)


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
        product = float(place.scalars["N"]) * _floats(place.A) @ moments[: place.D, : place.D]
        sign, volume = np.linalg.slogdet(product)
    if sign <= 0 or not np.isfinite(volume):
        return np.inf
    if reverse:
        return float(np.trace(np.linalg.inv(product)) + volume - place.D) / 2
    return float(np.trace(product) - volume - place.D) / 2


def _step_and_noise(setting: Setting, place: Place, time: str) -> tuple[Any, Any]:
    symbols = {s for _, e in setting.updates for s in e.free_symbols if not isinstance(s, MatrixName)}
    roots = {s: float(place.scalars.get(s.name, 1)) ** 0.5 for s in symbols}
    one = _floats(identity(place.D)).tolist()
    matrices = {"H": one, **{n: _floats(m).tolist() for n, m in place.matrices.items()}}
    step, noise = linear_map(setting, time, Point(float, roots, (), matrices, one))
    return np.array(step, float), np.array(noise, float)


def _floats(m: Any) -> Any:
    return np.array([[float(x) for x in row] for row in m])


def _start_of(place: Place, freedom: Freedom) -> Any:
    """Coordinates without constraints: logarithms of numbers, or that of H as a matrix."""
    if freedom.over == STEP_OVER:
        return np.log([float(place.scalars["eps"])])
    H = _floats(place.matrices["H"])
    if freedom.over in (DIAGONAL_OVER, MULTIPLE_OVER):
        return np.log(np.diag(H) if freedom.over == DIAGONAL_OVER else H[0, :1])
    values, vectors = np.linalg.eigh(H)
    logarithm = vectors @ np.diag(np.log(values)) @ vectors.T
    return logarithm[np.triu_indices(len(H))]


def _moved(place: Place, x: Any, freedom: Freedom, digits: int = 0) -> Place:
    """The place with its parameter at these coordinates; in fractions where digits are asked for."""
    with np.errstate(over="ignore"):
        H = np.exp(x[:1]) if freedom.over == STEP_OVER else _gain_of(x, place.D, freedom.over)
    if freedom.over == STEP_OVER:
        return place.but(eps=_short(H[0], digits or _DENOMINATORS[-1]))
    rows = [[_short(v, digits) if digits else float(v) for v in row] for row in H]
    return place.but(H=tuple(tuple(row) for row in rows))


def _short(x: float, digits: int) -> Fraction:
    return Fraction(float(x)).limit_denominator(digits)


def _gain_of(x: Any, d: int, over: str) -> Any:
    if over in (DIAGONAL_OVER, MULTIPLE_OVER):
        return np.diag(np.exp(x) if over == DIAGONAL_OVER else np.exp(x).repeat(d))
    logarithm = np.zeros((d, d))
    logarithm[np.triu_indices(d)] = x
    values, vectors = np.linalg.eigh(logarithm + np.triu(logarithm, 1).T)
    H = vectors @ np.diag(np.exp(values)) @ vectors.T
    return (H + H.T) / 2
