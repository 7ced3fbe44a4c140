"""Values of letters moved so that given equations hold: one exact linear system for several letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Rows, add, matrix_of
from sgtheory.matrices.evaluation import Point, inverted
from sgtheory.matrices.hypotheses import Equation
from sgtheory.matrices.letters import DiagonalPart, Letter, Word, letters_of, words_of_scalar

Numbers = Sequence[Fraction]
Unknown = tuple[Letter, int]  # a letter, or its inverse: power 1 or -1
Step = tuple[Letter, int, Rows]


def unknown_sets(equations: Sequence[Equation], letters: Sequence[Letter]) -> list[frozenset[Unknown]]:
    """Sets of letters, or inverses of letters, in which the equations are jointly affine.

    No set has more letters than there are equations. The letters come in order of preference.
    Degrees are counted word by word, so a product of scalars may be missed: what is solved for must
    be put in and checked.
    """
    terms = [words for e in equations for words in _terms(e)]
    inside = frozenset[Letter]().union(*(letters_of(w) for words in terms for w in words))
    able = [(x, p) for x in letters if x in inside for p in ((1, -1) if x.invertible else (1,))]
    found: dict[frozenset[Unknown], None] = {}
    for first in able:
        chosen: dict[Letter, int] = {}
        for x, power in (first, *able):
            more = {**chosen, x: power}
            if x not in chosen and len(more) <= len(equations) and _affine(terms, more):
                chosen = more
        found[frozenset(chosen.items())] = None
    return [s for s in found if s]


def _terms(e: Equation) -> list[list[Word]]:
    """The words of each term, those in its scalars too."""
    if e.is_matrix:
        return [[w, *words_of_scalar(c)] for w, c in e.difference.terms]
    return [words_of_scalar(t) for t in sp.Add.make_args(sp.expand(e.difference))]


def _affine(terms: Iterable[Iterable[Word]], unknowns: Mapping[Letter, int]) -> bool:
    return all(sum(_degree(w, unknowns) for w in words) <= 1 for words in terms)


def _degree(word: Word, unknowns: Mapping[Letter, int]) -> Fraction:
    """The degree in the unknowns; 2 stands for whatever is not a polynomial in them."""
    out = Fraction(0)
    for f in word:
        if isinstance(f.base, DiagonalPart):
            inside = _degree(f.base.word, unknowns)
            out += inside if f.power == 1 else 2 * inside
        elif isinstance(f.base, Letter) and f.base in unknowns:
            degree = f.power * unknowns[f.base]
            out += degree if degree >= 1 else 2
        elif letters_of((f,)) & unknowns.keys():
            out += 2
    return out


def moved(equations: Sequence[Equation], point: Point, unknowns: Iterable[Unknown]) -> Point | None:
    """The point with the unknowns moved so that equations affine in them hold; None if none do."""
    ordered = sorted(unknowns, key=lambda u: u[0].name)
    steps = [(x, power, e) for x, power in ordered for e in _directions(x, point.size)]
    here = _residuals(equations, point)
    columns = []
    for step in steps:
        there = _residuals(equations, _stepped(point, [step], [Fraction(1)]))
        columns.append([a - b for a, b in zip(there, here, strict=True)])
    weights = particular(columns, [-v for v in here])
    return None if weights is None else _stepped(point, steps, weights)


def _directions(x: Letter, n: int) -> Iterator[Rows]:
    """A basis of the space in which a letter lives."""
    for i in range(n):
        for j in range(i if x.symmetric else 0, i + 1 if x.diagonal else n):
            places = {(i, j), (j, i)} if x.symmetric else {(i, j)}
            yield [[Fraction(int((a, b) in places)) for b in range(n)] for a in range(n)]


def _stepped(point: Point, steps: Sequence[Step], weights: Iterable[Fraction]) -> Point:
    """The point with multiples of some directions added to its letters, or to their inverses."""
    turned = {x.name for x, power, _ in steps if power < 0}
    letters = {k: inverted(m) if k in turned else m for k, m in point.letters.items()}
    for (x, _, e), weight in zip(steps, weights, strict=True):
        letters[x.name] = add(letters[x.name], [[weight * v for v in row] for row in e])
    letters |= {k: inverted(letters[k]) for k in turned}
    return replace(point, letters=letters)


def _residuals(equations: Iterable[Equation], point: Point) -> list[Fraction]:
    """Left sides minus right sides, entry by entry; those with logarithms are left out."""
    out: list[Any] = []
    for e in equations:
        if e.is_matrix:
            out += [v for row in point.matrix(e.difference) for v in row]
        else:
            out.append(point.scalar(e.difference))
    return [v for v in out if isinstance(v, Fraction)]


def particular(
    columns: Sequence[Sequence[Fraction]], target: Sequence[Fraction]
) -> list[Fraction] | None:
    """Weights with which the columns add up to the target, as few as possible; None if there are none.

    >>> one = Fraction(1)
    >>> particular([[one, one], [2 * one, 2 * one]], [one, one])
    [Fraction(1, 1), Fraction(0, 1)]
    """
    system = matrix_of([[*(c[i] for c in columns), t] for i, t in enumerate(target)])
    reduced, rank = system.rref()
    rows = [next((k for k, x in enumerate(row) if x), None) for row in reduced.table()[:rank]]
    if len(columns) in rows:
        return None
    ends = (reduced[i, len(columns)] for i in range(rank))
    solved = {k: Fraction(int(x.p), int(x.q)) for k, x in zip(rows, ends, strict=True)}
    return [solved.get(k, Fraction(0)) for k in range(len(columns))]
