"""Claims about letters: matrices and scalars of stated kinds, with or without a sampler's law."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.declare import Size
from verification.claims.base import Claim, Printed
from verification.laws.rational import (
    Numbers,
    numbers_of,
    problem_space,
    rooted,
    stationary_moments,
)
from verification.refuter.conditions import Condition
from verification.refuter.follow import following
from verification.refuter.places import MATRIX_KINDS, Place, Space
from verification.terms.kinds import Transpose

# What has a value although no letter of a place gives it: moments of the law, and products of letters.
_DERIVED = ("Sigma", "C", "EE^T", "I", "D")


@dataclass(frozen=True)
class Lettered(Claim):
    """A relation between expressions in letters.

    ``kinds`` says of which kind letters are where that is not what their form suggests: matrices are
    positive definite, scalars positive, sizes whole numbers. With a sampler named, the letters are
    those of a problem, and ``Sigma`` and the other moments are those of its stationary law.
    """

    kinds: tuple[tuple[str, str], ...] = ()
    sizes: tuple[int, ...] = (1, 2)

    def symbols(self) -> set[Any]:
        """Everything that stands for a matrix or a number in what is printed."""
        sides = [sp.sympify(s) for p in self.relations() for s in (p.left, p.right)]
        return set().union(*(s.free_symbols for s in sides))

    def relations(self) -> tuple[Printed, ...]:
        """Every relation with letters in it."""
        return self.printed

    def space(self) -> Space:
        """Small problems of the sampler with all letters that are printed, or those letters alone."""
        matrices: dict[str, str] = {}
        scalars: dict[str, str] = {}
        follows = None
        if self.of:
            follows = following(self.setting)
            problem = problem_space(self.setting, gain=any(s.name == "H" for s in self.symbols()))
            matrices, scalars = dict(problem.matrices), dict(problem.scalars)
        halves = {b for r in self.relations() for b in _half_bases(r.left) | _half_bases(r.right)}
        for symbol in sorted(self.symbols(), key=str):
            name, derived = symbol.name, self.of and _is_derived(symbol.name)
            if symbol in halves and scalars.get(name) in ("positive", "count"):
                scalars[name] = {"positive": "square", "count": "square count"}[scalars[name]]
            if name in matrices or name in scalars or derived or name in ("I", "D"):
                continue
            if follows is not None and name in follows.names:
                continue
            if not symbol.is_commutative:
                matrices[name] = "positive definite"
            elif isinstance(symbol, Size):
                scalars[name] = "square count" if symbol in halves else "count"
            else:
                scalars[name] = "square" if symbol in halves else "positive"
        for name, kind in self.kinds:
            (matrices if kind in MATRIX_KINDS else scalars)[name] = kind
        return Space(matrices, scalars, self.sizes, follows=follows)

    def numbers(self, place: Place, time: str) -> Numbers | None:
        """What expressions are evaluated with; None where the law does not exist."""
        if self.of:
            moments = stationary_moments(self.setting, place, time)
            return None if moments is None else numbers_of(place, moments)
        matrices = {n: [list(row) for row in m] for n, m in place.matrices.items()}
        matrices = matrices or {"I": [[Fraction(1)]]}
        roots = {n: rooted(x) for n, x in place.scalars.items()}
        return Numbers(Fraction, matrices, {**roots, "D": rooted(Fraction(place.D))})

    def holds_at_random(
        self,
        time: str,
        source: random.Random,
        under: Condition | None = None,
        size: int | None = 2,
    ) -> bool | None:
        """In two dimensions, where exact laws are still short; in four for roots of D."""
        if size == 2 and any(rooted_dimension(s) for p in self.relations() for s in (p.left, p.right)):
            size = 4
        return super().holds_at_random(time, source, under, size if 2 in self.sizes else None)

    def has_discrete_reading(self) -> bool:
        """Only where it is about a law."""
        return bool(self.of) and super().has_discrete_reading()


def free_letters(kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The letters of which antisymmetric ones are made.

    >>> free_letters((("X", "antisymmetric"),))
    {'X_free': 'any'}
    """
    return {f"{n}_free": "any" for n, kind in kinds if kind == "antisymmetric"}


def antisymmetric_letters(kinds: tuple[tuple[str, str], ...]) -> dict[Any, Any]:
    """Antisymmetric letters as F - F^T, F free: that is all that a proof knows of them."""
    free = {n.removesuffix("_free"): sp.Symbol(n, commutative=False) for n in free_letters(kinds)}
    return {sp.Symbol(n, commutative=False): x - Transpose(x) for n, x in free.items()}


def rooted_dimension(side: Any) -> bool:
    """Whether a root is taken of D: then it is rational in dimensions 1 and 4."""
    return sp.Symbol("D") in {sp.Symbol(b.name) for b in _half_bases(side)}


def is_matrix(*sides: Any) -> bool:
    """Whether any of the sides is a matrix."""
    return any(not sp.sympify(s).is_commutative for s in sides)


def _is_derived(name: str) -> bool:
    return name in _DERIVED or name.startswith("P_")


def _half_bases(side: Any) -> set[Any]:
    powers = sp.sympify(side).atoms(sp.Pow)
    return {p.base for p in powers if p.base.is_Symbol and not p.exp.is_Integer}
