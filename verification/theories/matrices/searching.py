"""A numerical search for parameters at which the divergence between law and posterior is smaller.

The declared updates are run in floating point; what is found is rounded to short fractions, and
whoever uses it looks at it in exact numbers again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.declare import MatrixName
from sgtheory.independent.running import Point, linear_map
from sgtheory.reader.exact import floats, identity
from sgtheory.setting import Setting
from verification.refuter.places import Place
from verification.theories.matrices.freedom import DIAGONAL_OVER, MULTIPLE_OVER, STEP_OVER, Freedom

_DENOMINATORS = (1, 2, 4, 10, 100, 10**9)


def search(
    setting: Setting, place: Place, time: str, freedom: Freedom, starts: int = 3
) -> tuple[float, Place, float]:
    """The divergence at a place, the best one reached from there and other starts, and that there."""
    from scipy.optimize import minimize

    def divergence(x: Any, digits: int = 0) -> float:
        return divergence_at(setting, _moved(place, x, freedom, digits), time, freedom.reverse)

    start = _start_of(place, freedom)
    generator = np.random.default_rng(1)
    around = [start, *(start + generator.normal(size=len(start)) for _ in range(starts - 1))]
    with np.errstate(invalid="ignore"):  # infinite less infinite, outside the stable range
        found = min((minimize(divergence, x, method="Nelder-Mead") for x in around), key=lambda r: r.fun)
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
        product = float(place.scalars["N"]) * floats(place.A) @ moments[: place.D, : place.D]
        sign, volume = np.linalg.slogdet(product)
    if sign <= 0 or not np.isfinite(volume):
        return np.inf
    trace = np.trace(np.linalg.inv(product)) + 2 * volume if reverse else np.trace(product)
    return float(trace - volume - place.D) / 2


def _step_and_noise(setting: Setting, place: Place, time: str) -> tuple[Any, Any]:
    symbols = {s for _, e in setting.updates for s in e.free_symbols if not isinstance(s, MatrixName)}
    roots = {s: float(place.scalars.get(s.name, 1)) ** 0.5 for s in symbols}
    one = floats(identity(place.D)).tolist()
    matrices = {"H": one, **{n: floats(m).tolist() for n, m in place.matrices.items()}}
    step, noise = linear_map(setting, time, Point(float, roots, (), matrices, one))
    return np.array(step, float), np.array(noise, float)


def _start_of(place: Place, freedom: Freedom) -> Any:
    """Coordinates without constraints: logarithms of numbers, or that of H as a matrix."""
    if freedom.over == STEP_OVER:
        return np.log([float(place.scalars["eps"])])
    H = floats(place.matrices["H"])
    if freedom.over in (DIAGONAL_OVER, MULTIPLE_OVER):
        return np.log(np.diag(H) if freedom.over == DIAGONAL_OVER else H[0, :1])
    values, vectors = np.linalg.eigh(H)
    logarithm = vectors @ np.diag(np.log(values)) @ vectors.T
    return logarithm[np.triu_indices(len(H))]


def _moved(place: Place, x: Any, freedom: Freedom, digits: int) -> Place:
    """The place with its parameter at these coordinates; in fractions where digits are asked for."""

    def short(v: Any) -> Any:
        return Fraction(float(v)).limit_denominator(digits) if digits else float(v)

    with np.errstate(over="ignore"):
        if freedom.over == STEP_OVER:
            return place.but(eps=Fraction(float(np.exp(x[0]))).limit_denominator(digits or 10**9))
        H = _gain_of(x, place.D, freedom.over)
    return place.but(H=tuple(tuple(map(short, row)) for row in H))


def _gain_of(x: Any, d: int, over: str) -> Any:
    if over in (DIAGONAL_OVER, MULTIPLE_OVER):
        return np.diag(np.exp(x) if over == DIAGONAL_OVER else np.exp(x).repeat(d))
    logarithm = np.zeros((d, d))
    logarithm[np.triu_indices(d)] = x
    values, vectors = np.linalg.eigh(logarithm + np.triu(logarithm, 1).T)
    H = vectors @ np.diag(np.exp(values)) @ vectors.T
    return (H + H.T) / 2
