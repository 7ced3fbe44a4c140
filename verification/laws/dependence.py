"""Whether a quantity of a law moves with a letter: its values at two places that differ there alone.

A rational function that moves with a letter has two values there, but for a chance of its degree over
how many numbers are drawn from. Of a rational function plus logarithms both have to stay: no sum of
logarithms of rational functions is a rational function that moves.
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import lcm, prod
from typing import Any

import sympy as sp

from sgtheory.errors import NotAffine
from sgtheory.independent.fields import Rows, add, multiply
from sgtheory.notation.matrixwords import Determinant, Trace, identity
from sgtheory.setting import Setting
from verification.laws.quantities import is_matrix, letters, matrices_at
from verification.laws.rational import problem_space, takes_root_of_gain, value_at
from verification.refuter.conditions import AreProportional, Condition, NotImposed
from verification.refuter.kinds import random_matrix, random_scalar
from verification.refuter.places import FACTORS, Place, Space
from verification.terms.walking import CANNOT

ERROR = 1e-12  # degrees below 10^4, two pairs of places, numbers of fifty bits and more
_PAIRS, _TRIES, _SIZE, _WIDE = 2, 16, 3, 2**50
_LARGEST = 100  # multiple of a logarithm, relative to another


def stands_still(
    expr: Any,
    setting: Setting | None,
    time: str,
    letter: str,
    under: tuple[Condition, ...],
    seed: str,
) -> bool | None:
    """Whether two values are one at random places; None where there are no exact values.

    >>> from sgtheory import registry
    >>> from verification.notation import A, Sigma, trace
    >>> sgd = Setting(registry.sampler("sgd"), registry.model("quadratic"))
    >>> stands_still(trace(A * Sigma), sgd, "continuous", "A", (), "doc")
    True
    >>> stands_still(trace(A * Sigma), sgd, "discrete", "A", (), "doc")
    False
    """
    if any(p.on_numbers for c in under for p in c.parts):
        return None
    source, seen, space = random.Random(f"twice {seed}"), 0, _space(expr, setting, letter)
    for _ in range(_TRIES):
        try:
            place = space.random(source, _SIZE, _WIDE)
            for condition in under:
                place = condition.imposed(place)
            both = (place, _moved(place, space, letter, under, source))
            values = [_values(expr, setting, time, one) for one in both]
        except (TypeError, KeyError, NotAffine, ZeroDivisionError, NotImposed, *CANNOT):
            continue  # no root at this place, or a pole
        if not _agree(*values):
            return False
        seen += 1
        if seen == _PAIRS:
            return True
    return None


def _space(expr: Any, setting: Setting | None, letter: str) -> Space:
    """Problems of a sampler, with squares for the further letters of a quantity."""
    gain = "H" in {letter, *letters(expr)}
    problems = Space() if setting is None else problem_space(setting)
    squared = setting is not None and takes_root_of_gain(setting)
    matrices = {"A": "positive definite", "B": "any", "E": "any"}
    matrices |= {"H": "squared" if squared else "positive definite"} if gain else {}
    own = {*problems.scalars, "D", *(problems.follows.names if problems.follows else ())}
    more = {s.name for s in expr.free_symbols if s.is_commutative and s.name not in own}
    scalars = {**problems.scalars, **dict.fromkeys(sorted(more), "square")}
    return Space(matrices, scalars, follows=problems.follows)


def _moved(
    place: Place, space: Space, letter: str, under: tuple[Condition, ...], source: random.Random
) -> Place:
    """The place with another value of a letter; what is given of the letter goes on to hold."""
    name = FACTORS.get(letter, letter)
    if name not in space.matrices:
        return place.but(**{name: random_scalar(space.scalars[name], source, _WIDE)})
    touching = [p for c in under for p in c.parts if letter in p.letters]
    if touching:
        return place.but(**{name: another(place.matrices[name], touching, source)})
    return place.but(**{name: random_matrix(space.matrices[name], place.D, source, _WIDE)})


def another(value: Any, touching: list[Condition], source: random.Random) -> Any:
    """Another exact matrix that obeys the same conditions: a polynomial of the first, or a multiple."""
    X: Rows = [list(row) for row in value]
    a, b, c = (Fraction(source.randrange(1, 9), source.randrange(1, 5)) for _ in range(3))
    if any(isinstance(p, AreProportional) for p in touching):
        return tuple(tuple(a * x for x in row) for row in X)
    both = add([[a * x for x in row] for row in multiply(X, X)], [[b * x for x in row] for row in X])
    return tuple(tuple(x + c if i == j else x for j, x in enumerate(r)) for i, r in enumerate(both))


def _values(expr: Any, setting: Setting | None, time: str, place: Place) -> tuple[Any, list[Any]]:
    """What is rational, and of each logarithm its factor and what it is taken of."""
    matrices = matrices_at((expr,), setting, place, time, stable=False)
    assert matrices is not None

    def at(part: Any) -> Any:
        return value_at(part, place, **matrices)

    if is_matrix(expr):
        return at(expr), []
    of_matrices = sp.sympify(expr).replace(_is_of_number, lambda e: e.func(e.args[0] * identity))
    rational, logs = sp.Integer(0), []
    for term in sp.Add.make_args(sp.expand_mul(of_matrices, deep=False)):
        log = next((f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)), None)
        if log is None:
            rational += term
        else:
            logs.append((at(term / log), at(log.args[0])))
    return at(rational), logs


def _is_of_number(e: Any) -> bool:
    """SymPy makes 1 of a matrix times its inverse."""
    return isinstance(e, Trace | Determinant) and e.args[0].is_commutative


def _agree(one: tuple[Any, list[Any]], other: tuple[Any, list[Any]]) -> bool:
    """Whether both parts are alike: logarithms where a product of powers is one."""
    factors = [factor for factor, _ in one[1]]
    if one[0] != other[0] or factors != [factor for factor, _ in other[1]]:
        return False
    ratios = [b / a for (_, a), (_, b) in zip(one[1], other[1], strict=True)]
    shares = [factor / factors[0] for factor in factors]
    if any(max(abs(s.numerator), s.denominator) > _LARGEST for s in shares):
        return all(ratio == 1 for ratio in ratios)
    whole = lcm(*(s.denominator for s in shares))
    return bool(prod(r ** int(s * whole) for r, s in zip(ratios, shares, strict=True)) == 1)
