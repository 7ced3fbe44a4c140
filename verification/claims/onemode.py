"""Statements about one eigenvector of A with eigenvalue lambda: what they share.

A chain is stable where it is so along every eigenvector. Hurwitz's criterion, in symbols, stands against
Schur's test on the declared step in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.independent.running import linear_map
from sgtheory.modepairs.stability import criterion
from sgtheory.notation.printing import tidy
from sgtheory.onestep.affine import LAMBDA, mode_form
from verification.claims.base import Claim, Printed
from verification.laws.rational import fractions, point_of, problem_space, value_at
from verification.refuter.follow import following
from verification.refuter.parameters import Holds
from verification.refuter.places import Place, Space
from verification.refuter.twins import corruptions
from verification.terms.asymptotics import sign
from verification.verdicts.verdict import Finding, NoAnswer

Sets = tuple[tuple[Any, Any], ...]
_INSIDE = sp.Symbol("_inside", positive=True)  # s/(1 + s) is between 0 and 1
_CASES: Mapping[str, tuple[Any, ...]] = {
    "fraction": (_INSIDE / (1 + _INSIDE),),
    "cosquare": (_INSIDE / (1 + _INSIDE),),
    "cosine": (_INSIDE / (1 + _INSIDE),),
    "up to one": (_INSIDE / (1 + _INSIDE), sp.Integer(1)),
    "unit": (_INSIDE / (1 + _INSIDE), sp.Integer(1), sp.Integer(0)),
}


@dataclass(frozen=True)
class OneMode(Claim):
    """What statements about one eigenvector have in common; ``sets`` puts formulas for parameters."""

    sets: Sets = ()
    kinds: tuple[tuple[str, str], ...] = ()

    def formulas(self) -> tuple[Any, ...]:
        """Where further letters may be."""
        return tuple(b for _, b in self.sets)

    def space(self) -> Space:
        """The eigenvalue, the parameters that are not set, and further letters."""
        set_here = {a.name for a, _ in self.sets}
        if any(p.name == LAMBDA.name for p in self.setting.sampler.parameters):
            taken = "a parameter has the name of the eigenvalue, lambda: call it otherwise"
            raise NoAnswer(self.id, taken)
        follows, known = following(self.setting), problem_space(self.setting).scalars
        if follows is not None and self.sets:
            put = dict(self.sets)
            follows = replace(follows, pairs=tuple((c, m.subs(put)) for c, m in follows.pairs))
        led = follows.leads if follows is not None else frozenset()
        scalars = {
            n: k for n, k in known.items() if n not in set_here and (n not in ("N", "S") or n in led)
        }
        scalars[LAMBDA.name] = "positive"
        for s in sorted({s for f in self.formulas() for s in sp.sympify(f).free_symbols}, key=str):
            if follows is None or s.name not in follows.names:
                scalars.setdefault(s.name, "count" if s.is_integer else "positive")
        for condition in self.conditions:  # a letter below 1 is drawn there, and so written in proofs
            bounded = condition.bounded if isinstance(condition, Holds) else None
            if bounded is not None and bounded[1] == 1 and scalars.get(bounded[0]) == "positive":
                scalars[bounded[0]] = "fraction"
        return Space({}, {**scalars, **dict(self.kinds)}, follows=follows)

    def room_given(self) -> tuple[Printed, ...]:
        """What is given of parameters, as relations."""
        within = (c for c in self.conditions if isinstance(c, Holds))
        return tuple(Printed(c.lower, c.upper, "<") for c in within)

    def is_stable(self, place: Place, time: str) -> bool:
        """By Schur's or Hurwitz's test on the declared step, in fractions."""
        from sgtheory.independent.roots import characteristic, hurwitz_stable, schur_stable

        polynomial = characteristic(self.step(place, time))
        return schur_stable(polynomial) if time == "discrete" else hurwitz_stable(polynomial)

    def step(self, place: Place, time: str) -> Any:
        """One step along the eigenvector."""
        return linear_map(self.setting, time, point_of(self.setting, self.problem(place)))[0]

    def problem(self, place: Place) -> Place:
        """The problem in one dimension, parameters put in."""
        values = {a.name: number(b, place) for a, b in self.sets}
        if any(x < 0 for x in values.values()):
            raise TypeError("a parameter is negative")
        matrices = {"A": ((place.scalars[LAMBDA.name],),), "B": ((Fraction(1),),)}
        return Place(matrices, {"N": Fraction(1), "S": Fraction(1), **place.scalars, **values})

    def criteria(self, time: str, case: Mapping[Any, Any]) -> tuple[Any, ...]:
        """What has to be positive, with the parameters and the case put in."""
        found = criterion(mode_form(self.setting, time))
        return tuple(sp.factor(c.subs(dict(self.sets)).subs(case)) for c in found)

    def cases(self) -> list[dict[Any, Any]]:
        """Letters that are bounded written in letters that are not, and their ends."""
        kinds = self.space().scalars
        bounded = [(n, _CASES[k]) for n, k in kinds.items() if k in _CASES]
        names = [sp.Symbol(n, positive=True) for n, _ in bounded]
        found = []
        for k, values in enumerate(product(*(v for _, v in bounded))):
            own = {_INSIDE: sp.Symbol(f"_inside_{k}", positive=True)}
            found.append({a: v.subs(own) for a, v in zip(names, values, strict=True)})
        return [self._spelt(c) for c in found]

    def _spelt(self, case: Mapping[Any, Any]) -> dict[Any, Any]:
        """Parameters are letters of a class of their own."""
        forms = criterion(mode_form(self.setting, "discrete"))
        every = {s for f in (*forms, *self.formulas()) for s in sp.sympify(f).free_symbols}
        return {s: v for a, v in case.items() for s in every if s.name == a.name}

    def measured(self, finding: Finding, plan: Any) -> tuple[Finding, None]:
        """A chain that is not stable has no law to measure."""
        return finding, None

    def has_discrete_reading(self) -> bool:
        """The discrete algorithm has a stability of its own."""
        return self.time == "continuous"


def number(expr: Any, place: Place) -> Any:
    """A formula in the scalars of a place; TypeError where its value is no fraction."""
    try:
        return fractions(value_at(sp.sympify(expr), place))
    except ArithmeticError as error:
        raise TypeError(str(error)) from error


def plain_corruptions(expr: Any) -> Iterator[tuple[str, Any]]:
    """Corruptions that have a value wherever the letters have: no roots, nothing negative."""
    found = corruptions(sp.sympify(expr))
    return (twin for twin in found if "sqrt" not in twin[0] and "sign flipped" not in twin[0])


def upward(p: Printed) -> Printed:
    """The strict relation with the larger side on the right.

    >>> upward(Printed(sp.Integer(2), sp.Integer(1), ">")).text()
    '1 < 2'
    """
    return p if p.relation == "<" else Printed(p.right, p.left, "<")


def follows(criterion_: Any, room: list[Any]) -> bool:
    """Positive by itself, or a positive multiple of something that is, plus what is not negative.

    >>> follows(2 - LAMBDA, [1 - LAMBDA]), follows(1 - LAMBDA, [2 - LAMBDA])
    (True, False)
    """
    return sign(criterion_) == 1 or any(_covers(criterion_, r) for r in room if r != 0)


def _covers(c: Any, r: Any) -> bool:
    if sign(sp.cancel(c / r)) == 1:
        return True
    slopes = [sp.expand(e).coeff(LAMBDA, 1) for e in (c, r)]
    if 0 in slopes:
        return False
    ratio = sp.cancel(slopes[0] / slopes[1])
    return sign(ratio) == 1 and sign(sp.factor(c - ratio * r)) == 1


def relation_of(c: Any) -> Printed:
    """``c > 0`` with what is subtracted on the left.

    >>> mu = sp.Symbol("mu", positive=True)
    >>> relation_of(4 - 2 * mu - LAMBDA).text()
    'lambda < 4 - 2*mu'
    """
    top = sp.expand(sp.fraction(sp.factor(c))[0])
    factors = [f for f in sp.Mul.make_args(sp.factor(top)) if sign(f) != 1]
    rest = sp.expand(sp.Mul(*factors)) if factors else c
    terms = [t for t in sp.Add.make_args(rest) if t.could_extract_minus_sign()]
    negative = sp.Add(*([t for t in terms if t.has(LAMBDA)] or terms))
    if not factors:
        letters = [f for f in sp.Mul.make_args(sp.factor(top)) if not f.is_number]
        return Printed(sp.Integer(0), sp.Mul(*letters), "<")
    return Printed(tidy(sp.factor(-negative)), tidy(sp.factor(rest - negative)), "<")
