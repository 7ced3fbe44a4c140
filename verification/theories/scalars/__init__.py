"""Numbers and functions of numbers: sums, products, powers, roots, exponentials and logarithms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from verification.notation import N, S
from verification.refuter.conditions import Condition
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Letter, Term
from verification.theories import limits, sizes
from verification.theories.answers import Answer, Proved
from verification.theories.scalars import best, equations, necessary, signs
from verification.theories.subject import ANYTHING, About, Subject

__all__ = ["NUMBERS", "Numbers", "condition", "subject"]


@dataclass(frozen=True)
class Numbers(Subject):
    """Numbers in letters, of which nothing is known but what is given."""

    given: tuple[Condition, ...] = ()
    bounds: tuple[tuple[Term, Term, bool], ...] = ()  # numbers of which the first is given to be less

    formula, is_constant = staticmethod(limits.in_letters), staticmethod(equations.is_constant)
    is_free_of, slope = staticmethod(equations.is_free_of), staticmethod(equations.slope)
    has_sign, is_bounded = staticmethod(signs.has_sign), staticmethod(signs.is_bounded)
    scaled, enlarged = staticmethod(signs.scaled), staticmethod(sizes.enlarged)
    holds_only_where, roots = necessary.holds_only_where, necessary.roots
    is_best, best_instead = staticmethod(best.is_best), staticmethod(best.best_instead)
    equations_of_best = staticmethod(best.no_best)

    def under_all(self, given: tuple[Any, ...]) -> Numbers:
        """What is given may say which of some numbers is the largest."""
        ordered = tuple(one.upward for one in given if hasattr(one, "upward"))
        return replace(self, bounds=ordered) if ordered else self

    def vanishes(self, left: Term, right: Term) -> Answer:
        """By the normal form, or neither side is the larger wherever what is given holds."""
        answer = equations.vanishes(left, right)
        rest = getattr(answer, "rest", None)
        empty = any(left == right and not equal for left, right, equal in self.bounds)
        if rest is None or empty or not rest.has(sp.Max, sp.Min, sp.Abs):
            return answer
        ways = (signs.has_sign(left, right, wanted, self.bounds) for wanted in ((-1, 0), (1, 0)))
        return Proved(_NEITHER) if all(isinstance(one, Proved) for one in ways) else answer


_NEITHER = "Neither side is the larger wherever what is given holds."
NUMBERS = Numbers()


def condition(relation: Any, about: About) -> Any:
    """An equation between numbers of a problem, in its sampler's symbols."""
    left, right = relation.left, relation.right
    number = isinstance(left, Letter) and left.kind != "matrix" and left.name in about.problem
    plain = not any(a.kind == "matrix" for a in right.letters)  # else it is a number of each problem
    if about.setting is None or relation.relation != "=" or not (number and plain):
        return None
    own = {s.name: s for s in (N, S, *about.setting.sampler.parameters)}
    sides = (in_symbols(side, named=True) for side in (left, right))
    return ANYTHING, sp.Eq(*(e.xreplace({s: own.get(s.name, s) for s in e.free_symbols}) for e in sides))


def subject(about: About) -> Subject:
    """Any statement, where no other theory takes it."""
    return NUMBERS
