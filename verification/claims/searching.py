"""A numerical search for parameters at which the divergence from law to posterior is smaller."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.numeric import law
from sgtheory.problem import Problem
from verification.claims.best import DIAGONAL_OVER, STEP_OVER
from verification.refuter.places import Place

_DENOMINATORS = (1, 2, 4, 10, 100, 10**9)


@dataclass(frozen=True)
class Better:
    """The best point found, in fractions, and the divergence there."""

    place: Place
    divergence: float


def search(sampler: str, place: Place, time: str, over: str) -> tuple[float, Better]:
    """The divergence at a place, and the best point reached from there and from other starts."""
    from scipy.optimize import minimize

    def divergence(x: Any) -> float:
        return _divergence(sampler, _moved(place, x, over), time)

    start = _start_of(place, over)
    generator = np.random.default_rng(1)
    starts = [start, *(start + generator.normal(size=len(start)) for _ in range(3))]
    found = min((minimize(divergence, x, method="Nelder-Mead") for x in starts), key=lambda r: r.fun)
    here = divergence(start)
    for digits in _DENOMINATORS:  # the shortest fractions that keep half of what was gained
        best = _moved(place, found.x, over, digits)
        there = _divergence(sampler, best, time)
        if there <= (here + found.fun) / 2:
            break
    return here, Better(best, there)


def _divergence(sampler: str, place: Place, time: str) -> float:
    try:
        with np.errstate(all="ignore"):
            found = law(sampler, Problem.of(place.to_json()), time=time).kl_to_posterior
    except UnusableInput:  # rounded to a step of zero, or to a gain that is not positive
        return np.inf
    return np.inf if found is None else found


def _start_of(place: Place, over: str) -> Any:
    """Coordinates without constraints: log eps, or the logarithm of H as a matrix."""
    if over == STEP_OVER:
        return np.log([float(place.scalars["eps"])])
    H = np.array([[float(x) for x in row] for row in place.matrices["H"]])
    if over == DIAGONAL_OVER:
        return np.log(np.diag(H))
    values, vectors = np.linalg.eigh(H)
    logarithm = vectors @ np.diag(np.log(values)) @ vectors.T
    return logarithm[np.triu_indices(len(H))]


def _moved(place: Place, x: Any, over: str, digits: int = _DENOMINATORS[-1]) -> Place:
    """The place with its parameter at these coordinates, in exact numbers."""
    if over == STEP_OVER:
        return place.but(eps=_short(np.exp(x[0]), digits))
    H = _gain_of(x, place.D, over)
    return place.but(H=tuple(tuple(_short(v, digits) for v in row) for row in H))


def _short(x: float, digits: int) -> Fraction:
    return Fraction(float(x)).limit_denominator(digits)


def _gain_of(x: Any, d: int, over: str) -> Any:
    if over == DIAGONAL_OVER:
        return np.diag(np.exp(x))
    logarithm = np.zeros((d, d))
    logarithm[np.triu_indices(d)] = x
    values, vectors = np.linalg.eigh(logarithm + np.triu(logarithm, 1).T)
    H = vectors @ np.diag(np.exp(values)) @ vectors.T
    return (H + H.T) / 2
