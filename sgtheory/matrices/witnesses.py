"""A search for exact matrices at which two expressions differ although the hypotheses hold."""

from __future__ import annotations

import random
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows, multiply
from sgtheory.language import D
from sgtheory.matrices.evaluation import Point, fits, identity
from sgtheory.matrices.hypotheses import Equation
from sgtheory.matrices.letters import (
    Letter,
    Word,
    coefficients_of,
    letters_of,
    subwords,
    words_of_scalar,
)
from sgtheory.matrices.monoid import rooted
from sgtheory.matrices.obeying import Unknown, moved, unknown_sets
from sgtheory.matrices.samples import number, together
from sgtheory.matrices.sums import Matrix
from sgtheory.matrices.words import Pairs

_SIZES = (1, 2, 3)
_TRIES = 8  # at each size
_AGREEING = 4  # points at which the sides agree, until larger sizes are looked at


@dataclass(frozen=True)
class Witness:
    """Exact values of letters (by name) and scalars at which two sides differ."""

    size: int
    letters: dict[str, Rows]
    scalars: dict[str, Fraction]
    left: Any
    right: Any
    roots: dict[str, Rows] = field(default_factory=dict)

    def __repr__(self) -> str:
        shown = [f"{k} = {_shown(v)}" for k, v in sorted(self.letters.items())]
        shown += [f"{k} = {v}" for k, v in sorted(self.scalars.items()) if k != "D"]
        return f"D = {self.size}, {', '.join(shown)}: {_shown(self.left)} against {_shown(self.right)}"


def _shown(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in value) + "]"


@dataclass(frozen=True)
class Question:
    """Two sides, and what is given about the letters in them."""

    left: Any
    right: Any
    pairs: Pairs
    equations: tuple[Equation, ...]

    @property
    def sides(self) -> list[Any]:
        """Everything that is compared or given."""
        return [self.left, self.right, *(s for e in self.equations for s in (e.left, e.right))]

    @property
    def words(self) -> list[Word]:
        """Every word that occurs, inside scalars too."""
        return [w for s in self.sides for w in words_in(s)]

    @property
    def letters(self) -> frozenset[Letter]:
        """Every letter that occurs."""
        return frozenset[Letter]().union(*map(letters_of, self.words))

    def symbols(self) -> tuple[set[Any], set[Any]]:
        """Every scalar symbol, and those of which a square root occurs."""
        scalars = [c for s in self.sides for c in scalars_in(s)]
        powers = {p for c in scalars for p in c.atoms(sp.Pow) if not p.args[1].is_Integer}
        return {s for c in scalars for s in c.atoms(sp.Symbol)} - {D}, {p.args[0] for p in powers}


def words_in(value: Any) -> list[Word]:
    """The words of a matrix or inside a scalar."""
    return value.words if isinstance(value, Matrix) else words_of_scalar(value)


def scalars_in(value: Any) -> list[Any]:
    """The coefficients of a matrix, those inside inverted sums too; or the scalar itself."""
    own = [c for _, c in value.terms] if isinstance(value, Matrix) else [value]
    return own + [c for w in words_in(value) for c in coefficients_of(w)]


def find_witness(question: Question) -> Witness | None:
    """Values at which the sides differ, the smallest size first; None where the search finds none."""
    rng = random.Random(2017)  # the same question finds the same witness
    letters = question.letters
    halved = rooted(v for w in question.words for v in subwords(w))
    symbols, squares = question.symbols()
    movable = unknown_sets(question.equations, _by_preference(letters - halved, question.pairs))
    for size in _SIZES:
        agreeing = 0
        for _ in range(_TRIES):
            try:
                made, roots = together(rng, letters, question.pairs, size, halved)
                scalars = {s: number(rng, s, s in squares) for s in sorted(symbols, key=str)}
                point = Point(made or {"I": identity(size)}, roots, {**scalars, D: Fraction(size)})
                obeying = _obeying(question, point, movable)
                found = None if obeying is None else _compare(question, obeying)
            except ZeroDivisionError:
                continue
            if found is not None:
                return found
            agreeing += obeying is not None
            if agreeing == _AGREEING:
                break
    return None


def _by_preference(letters: Iterable[Letter], pairs: Pairs) -> list[Letter]:
    """Which letters to solve for: late names first, the unknown is more often called Sigma than A."""
    bound = {x for p in pairs for x in p}
    able = (x for x in letters if not x.orthogonal)
    return sorted(able, key=lambda x: (x not in bound, x.name), reverse=True)


def _compare(question: Question, point: Point) -> Witness | None:
    left, right = (_value(side, point) for side in (question.left, question.right))
    if not _differ(left, right):
        return None
    letters = {} if list(point.letters) == ["I"] else dict(point.letters)
    scalars = {str(s): v for s, v in point.scalars.items()}
    return Witness(point.size, letters, scalars, left, right, dict(point.roots))


def _value(side: Any, point: Point) -> Any:
    return point.matrix(side) if isinstance(side, Matrix) else point.scalar(side)


def _differ(left: Any, right: Any) -> bool:
    if isinstance(left, list) or (isinstance(left, Fraction) and isinstance(right, Fraction)):
        return bool(left != right)
    # SymPy raises its working precision until 30 digits are certain.
    gap = sp.expand(sp.sympify(left) - sp.sympify(right))
    return gap != 0 and abs(sp.N(gap, 30)) > sp.Rational(1, 10**20)


def _obeying(question: Question, point: Point, movable: Iterable[frozenset[Unknown]]) -> Point | None:
    """The point, with some letters moved so that the equations hold; None where that fails."""
    if _holds(question, point):
        return point
    for unknowns in movable:
        with suppress(ZeroDivisionError):
            found = moved(question.equations, point, unknowns)
            if found is not None and _holds(question, found):
                return found
    return None


def _holds(question: Question, point: Point) -> bool:
    """Whether everything that is given holds: equations, assumptions and commuting pairs."""
    for e in question.equations:
        left, right = _value(e.left, point), _value(e.right, point)
        if _differ(left, right) or (left != right and not isinstance(left, sp.Basic)):
            return False
    values = point.letters
    if not all(fits(x, values[x.name]) for x in question.letters):
        return False
    pairs = (tuple(x.name for x in p) for p in question.pairs if p <= question.letters)
    return all(multiply(values[a], values[b]) == multiply(values[b], values[a]) for a, b in pairs)
