"""Where a step with one matrix P before A in every word settles: along each eigenvector of P A.

P A is similar to P^(1/2) A P^(1/2), so that its eigenvalues are positive; the largest is at most the
product of those of P and of A.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.modepairs.stability import criterion
from sgtheory.notation.matrixwords import A, LargestEigenvalue
from sgtheory.notation.sentence import say
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.polynomials import factored
from verification.refuter.parameters import Holds
from verification.terms.asymptotics import taken_and_added
from verification.terms.from_sympy import from_sympy
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.matrices.wordletters import IDENTITY
from verification.theories.signs import Bound, under

if TYPE_CHECKING:
    from verification.theories.matrices.wordlaw import WordLaw

_OWN, _CURVATURE = sp.symbols("_of_gain _of_curvature", positive=True)


@dataclass(frozen=True)
class GainModes:
    """A law, and the matrix that stands before A throughout."""

    law: WordLaw
    gain: Any

    @property
    def product(self) -> Any:
        """P A."""
        return sp.Symbol(str(self.gain), commutative=False) * A

    @cached_property
    def number(self) -> tuple[Any, Any] | None:
        """What a letter, for an eigenvalue of A or none, is multiplied by where P A is known by it."""
        found = sp.expand(self.law.words.meant(self.product)).subs(IDENTITY, 1)
        for number, letter in ((found, sp.Integer(1)), (found * A**-1, _CURVATURE)):
            if sp.expand(number).is_commutative:
                return sp.factor(number), letter
        return None

    @cached_property
    def eigenvalue(self) -> Any:
        """One of P A: a letter, or what is known of it."""
        return LAMBDA if self.number is None else sp.Mul(*self.number)

    def spelt(self, expr: Any) -> Any:
        """With letters for the largest eigenvalues of P A, which are those of A P, of P and of A."""
        first, second = self.product.args
        top, own = self.eigenvalue, _OWN
        if self.number is not None and self.number[1] == _CURVATURE:  # P is a number
            own = self.number[0]
        tops = {self.product: top, second * first: top, first: own, second: _CURVATURE}
        return sp.sympify(expr).xreplace({LargestEigenvalue(x): s for x, s in tops.items()})

    def told(self, given: Iterable[Any]) -> list[Bound]:
        """What is given of nothing but numbers and the largest eigenvalues."""
        found: list[Bound] = []
        for small, large, equal in (one.upward for one in given if hasattr(one, "upward")):
            a, b = (self.spelt(self.law.symbols(side)) for side in (small, large))
            if all(s.is_commutative for e in (a, b) for s in e.free_symbols):
                found.append((a, b, equal))
        return found

    def bounds(self, given: Iterable[Any]) -> list[Bound]:
        """What is so of every eigenvalue, where it is given of the largest one."""
        found = [b for b in self.told(given) if self._goes_down(b)]
        if any(_OWN in e.free_symbols for a, b, _ in found for e in (a, b)):
            found.append((self.eigenvalue, _OWN * _CURVATURE, True))
        return found

    def _goes_down(self, bound: Bound) -> bool:
        """Whether it is one from above: the other eigenvalues are smaller."""
        rest = bound[1] - bound[0]
        of_matrices = {LAMBDA, _CURVATURE} & rest.free_symbols
        return all(_is_positive(-sp.diff(rest, x), self.plain) for x in of_matrices)

    @cached_property
    def plain(self) -> list[Bound]:
        """What is given of numbers alone."""
        parts = (p for c in self.law.given for p in c.parts if isinstance(p, Holds))
        found = [*self.told(self.law.bounds), *((p.lower, p.upper, not p.strict) for p in parts)]
        if self.number is not None and not self.number[0].is_positive:  # P is, and so is P A
            found.append((sp.Integer(0), self.number[0], False))
        return [b for b in found if not _is_of_matrices(b)]

    @cached_property
    def needed(self) -> tuple[Any, ...]:
        """What has to be positive for it to settle, without the factors that have their sign anyway."""
        form = mode_form(self.law.setting, self.law.time)
        there = (c.subs(LAMBDA, self.eigenvalue) for c in criterion(form))
        found = (_without_signs(c, self.plain) for c in there)
        return tuple(dict.fromkeys(c for c in found if c != 1))

    def settles(self, given: Iterable[Any]) -> Answer:
        """By what is given; else what it needs, which is a bound of the largest eigenvalue."""
        bounds = [*self.bounds(given), *self.plain]
        if all(_is_positive(c, bounds) for c in self.needed):
            lemma = say("Along every eigenvector of ${}$ it is stable.", from_sympy(self.product))
            return Proved(lemma, facts={"dimensions": "every"})
        if len(self.needed) != 1:
            return Silent(Silence.NO_CERTIFICATE)
        (needed,) = self.needed
        tops = {LAMBDA: LargestEigenvalue(self.product), _CURVATURE: LargestEigenvalue(A)}
        of_matrices = tops.keys() & needed.free_symbols
        if not all(_is_positive(-sp.diff(needed, x), self.plain) for x in of_matrices):
            return Silent(Silence.NO_CERTIFICATE)  # else the largest one decides
        small, large = (from_sympy(sp.factor(e).subs(tops)) for e in taken_and_added(needed))
        return Silent(Silence.NO_CERTIFICATE, only_if=(small < large,))


def gain_modes(law: WordLaw) -> GainModes | None:
    """None where a step is not one along each eigenvector of such a product."""
    try:
        gain = mode_form(law.setting, law.time).gain
    except (NotAffine, UnusableInput):
        return None
    if gain is None or law.sets:
        return None
    modes = GainModes(law, gain)
    signed = all(s.is_positive for c in modes.needed for s in c.free_symbols)
    return modes if signed else None


def _is_of_matrices(bound: Bound) -> bool:
    return any({LAMBDA, _OWN, _CURVATURE} & e.free_symbols for e in bound[:2])


def _without_signs(criterion: Any, bounds: list[Bound]) -> Any:
    """What is left of a product without the factors that are surely positive, or negative."""
    found = sp.Integer(1)
    for factor in sp.Mul.make_args(factored(criterion)):
        known = next((k for k in (1, -1) if _is_positive(k * factor, bounds)), None)
        found *= factor if known is None else known
    return sp.expand(found)


def _is_positive(expr: Any, bounds: list[Bound]) -> bool:
    if sp.sympify(expr).is_positive:
        return True
    return bool(bounds) and isinstance(under(expr, bounds, True), Proved)
