"""Small exact problems as a person would try them: the first failure is the prettiest."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from sgtheory.setting import Setting
from verification.rational import RationalProblem

_ONE = Fraction(1)
_CURVATURES_1 = (1, 2)
_CURVATURES_2 = ((1, 0, 2), (1, 0, 1), (2, 1, 2), (1, 0, 3), (2, 1, 3))  # a, b, d of [[a, b], [b, d]]
_FACTORS_1 = (1, 2)
_FACTORS_2 = ((1, 0, 0, 1), (1, 0, 1, 1), (1, 0, 0, 2), (1, 0, 2, 1), (2, 0, 1, 1))
_STEPS = (Fraction(1, 4), Fraction(1, 16), Fraction(1))
_DAMPINGS = (Fraction(1, 2), Fraction(1, 4), Fraction(1))
_SIZES = ((1, 1), (4, 1), (9, 4))  # (N, S)


def probes(setting: Setting, dimensions: tuple[int, ...] = (1, 2)) -> Iterator[RationalProblem]:
    """Rational problems for a setting, simplest first."""
    names = {p.name for p in setting.sampler.parameters}
    choices: list[list[tuple[str, Any]]] = []
    if "eps" in names:
        choices.append([("eps", step) for step in _STEPS])
    if "mu" in names:
        choices.append([("mu", damping) for damping in _DAMPINGS])
    for d in dimensions:
        for sizes, curvature, factor, *rest in product(_SIZES, _curvatures(d), _factors(d), *choices):
            scalars = {"N": Fraction(sizes[0]), "S": Fraction(sizes[1]), **dict(rest)}
            yield RationalProblem(curvature, factor, scalars)


def _curvatures(d: int) -> list[Any]:
    if d == 1:
        return [((Fraction(a),),) for a in _CURVATURES_1]
    return [_square(a, b, b, c) for a, b, c in _CURVATURES_2]


def _factors(d: int) -> list[Any]:
    if d == 1:
        return [((Fraction(b),),) for b in _FACTORS_1]
    return [_square(*entries) for entries in _FACTORS_2]


def _square(a: int, b: int, c: int, d: int) -> Any:
    return ((Fraction(a), Fraction(b)), (Fraction(c), Fraction(d)))
