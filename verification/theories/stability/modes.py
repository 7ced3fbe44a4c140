"""One step of a sampler along an eigenvector of A, whose eigenvalue is the letter lambda.

A chain settles where it does along every eigenvector. Hurwitz's criterion says where, in the letters; at
places Schur's or Routh's test on the declared step does, in fractions; scripts have eigenvalues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.modepairs.stability import criterion
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import tidy
from sgtheory.notation.sentence import Sentence, say
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.polynomials import factored
from verification.laws.rational import is_stable, own_matrices, problem_space
from verification.refuter.conditions import Condition
from verification.refuter.follow import following
from verification.refuter.lawscript import settling_lines
from verification.refuter.parameters import Holds
from verification.refuter.places import NUMBERS, Place, Space
from verification.refuter.script import identifier
from verification.terms.arithmetics.rational import exactly
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import sign
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Undefined
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.signs import BOUNDED, Known
from verification.theories.subject import ITS_LETTERS, About, Subject
from verification.verdicts.verdict import NoAnswer

Where = tuple[tuple[Letter, Term], ...]
_ENDS: dict[Term, Letter] = {
    Applied(end, (Letter("A", "matrix"),)): Letter(LAMBDA.name) for end in ("lambda_max", "lambda_min")
}
_BELOW_ONE = {"positive": "fraction", "nonnegative": "unit"}


@dataclass(frozen=True)
class Mode(Subject):
    """A sampler along one eigenvector, in one reading of time; ``sets`` are parameters as formulas."""

    setting: Any = None
    time: str = "continuous"
    kinds: tuple[tuple[str, str], ...] = ()
    sets: Where = ()
    given: tuple[Condition, ...] = ()

    rank = ITS_LETTERS
    solves = True

    def times(self, sides: Iterable[Term]) -> dict[str, str]:
        """In which time it is looked at."""
        return {"": self.time}

    @property
    def _own(self) -> dict[str, Any]:
        """The letters of one step, by name."""
        return {s.name: s for s in mode_form(self.setting, self.time).M.free_symbols}

    @property
    def its_own(self) -> Mapping[str, Sentence]:  # type: ignore[override]
        """The eigenvalue, which no source of a statement on stability needs to name."""
        gain = "" if mode_form(self.setting, self.time).gain is None else ", or of $H A$ with a gain $H$"
        return {LAMBDA.name: say(f"Here $lambda$ stands for each eigenvalue of $A${gain}.")}

    def places(self, about: About) -> Space:
        """The eigenvalue, the parameters that are not set, and further letters."""
        every = (*about.letters, *(a for _, value in self.sets for a in value.letters))
        return self._space(about.positive() | {a.name: a.kind for a in every if a.kind in NUMBERS})

    def _space(self, named: Mapping[str, str]) -> Space:
        if any(p.name == LAMBDA.name for p in self.setting.sampler.parameters):
            taken = "a parameter has the name of the eigenvalue, lambda: call it otherwise"
            raise NoAnswer(self.setting.sampler.name, taken)
        follows = following(self.setting)
        own = problem_space(self.setting).scalars
        needed = {*named, *self._own, *(follows.leads if follows is not None else ())}
        own = {n: k for n, k in own.items() if n not in ("N", "S") or n in needed}
        made = {a.name for a, _ in self.sets} | (follows.names if follows is not None else set())
        scalars = {n: k for n, k in {**named, **own, LAMBDA.name: "positive"}.items() if n not in made}
        for bound in (c.bounded for c in self.given if isinstance(c, Holds)):
            if bound is not None and bound[1] == 1:  # it is drawn below one, and so written in proofs
                kind = scalars.get(bound[0], "")
                scalars |= {bound[0]: _BELOW_ONE[kind]} if kind in _BELOW_ONE else {}
        return Space({}, {**scalars, **dict(self.kinds)}, follows=follows)

    def spelt(self, side: Term) -> Term:
        """At places all eigenvalues of A are one, which is its largest and its smallest."""
        return side.named(_ENDS)

    def reads(self, terms: Iterable[Term]) -> bool:
        """Proofs take no ends of the spectrum, but places do."""
        return super().reads(map(self.spelt, terms))

    def opened(self, sides: tuple[Term, ...], place: Place) -> AtMode:
        """The numbers of a place: what is asked of it is worked out there."""
        return AtMode(place.scalars, self, place)

    def symbols(self, side: Term) -> Any:
        """A term in the symbols of the step."""
        expr, own = in_symbols(side), self._own
        return expr.xreplace(
            {s: own.get(s.name, sp.Symbol(s.name, positive=True)) for s in expr.free_symbols}
        )

    def criteria(self, where: Where) -> tuple[Any, ...]:
        """What has to be positive, with parameters set."""
        found = criterion(mode_form(self.setting, self.time))
        for pairs in (self.sets_beside(where), where):
            put = {self.symbols(a): self.symbols(value) for a, value in pairs}
            found = tuple(c.subs(put, simultaneous=True) for c in found)
        return tuple(map(factored, found))

    def sets_beside(self, where: Where) -> Where:
        """What is set by formulas, which follow the parameters that are set otherwise."""
        return tuple((a, value) for a, value in self.sets if a not in dict(where))

    def settles(self, where: Where, wanted: bool, given: tuple[Any, ...] = ()) -> Answer:
        """Every criterion is positive, by itself or by what is given; or (not wanted) one nowhere is."""
        criteria, known = self.criteria(where), self._known(given)
        missed = [c for c in criteria if not known.says(c)] if wanted else []
        if missed:
            needed = dict.fromkeys(_relation(known.rest(c)) for c in missed)
            return Silent(Silence.NO_CERTIFICATE, only_if=tuple(needed))
        if not wanted and not any(known.says(-c, strictly=False) for c in criteria):
            return Silent(Silence.NO_CERTIFICATE)
        which = "discrete algorithm" if self.time == "discrete" else "continuous-time process"
        said = f"the {which} is {'stable' if wanted else 'not stable'}{' there' if given else ''}"
        lemma = say("Along every eigenvector of $A$ {}, by Hurwitz's criterion.", said)
        return Proved(lemma, _told(criteria, wanted), {"dimensions": "every"})

    def has_sign(
        self,
        left: Term,
        right: Term,
        wanted: tuple[int, ...],
        given: Iterable[tuple[Term, Term, bool]] = (),
    ) -> Answer:
        """Whether left minus right has a wanted sign."""
        rest = self.symbols(left - right) * wanted[0]
        if self._known((), given).says(rest, strictly=0 not in wanted):
            return Proved("The larger side minus the smaller is positive there.")
        return Silent(Silence.NO_CERTIFICATE)

    def _known(self, given: tuple[Any, ...], pairs: Iterable[tuple[Term, Term, bool]] = ()) -> Known:
        """What is known of the letters, those of the sampler and those of what is given."""
        every = {a.name: a.kind for one in given for a in one.letters}
        # which a parameter of the sampler does not say of itself
        within = {n: kind for n, kind in every.items() if kind in BOUNDED}
        kinds = every | dict(self._space({}).scalars) | within | dict(self.kinds)
        found = [*pairs, *(one.upward for one in given if hasattr(one, "upward"))]
        for one in (one for one in given if getattr(one, "settles", False)):
            sides = (_halves(c) for c in self.criteria(one.where) if sign(c) != 1)
            found += [(from_sympy(a), from_sympy(b), equal) for a, b, equal in sides]
        return Known(kinds, tuple(found))


class AtMode(dict[str, Any]):
    """What letters are worth at a place, and whether a sampler settles there."""

    def __init__(self, values: Mapping[str, Any], law: Mode, place: Place) -> None:
        super().__init__(values)
        self.law, self.place = law, place

    def _there(self, where: Where) -> Place | None:
        """The eigenvalue as a problem, with parameters set; None where they are undefined."""
        scalars = dict(self)
        for pairs in (where, self.law.sets_beside(where)):
            try:
                scalars |= {a.name: exactly(value, scalars) for a, value in pairs}
            except Undefined:
                return None
        if any(x < 0 for x in scalars.values()):
            return None
        one = ((Fraction(1),),)
        curvature = ((scalars[LAMBDA.name],),)
        numbers = {"N": Fraction(1), "S": Fraction(1), **scalars}
        return Place({"A": curvature, "B": one}, numbers, self.place.follows)

    def settles(self, where: Where) -> bool | None:
        """By Schur's or Routh's test."""
        there = self._there(where)
        return None if there is None else is_stable(self.law.setting, there, self.law.time)

    def lines(self) -> list[str]:
        """The numbers, in a script."""
        return [f"{identifier(n)} = F('{x}')" for n, x in self.items()]

    def steps_in_a_script(self, where: Where) -> list[str]:
        """The eigenvalues of one step."""
        there = self._there(where)
        assert there is not None
        return settling_lines(self.law.setting, there, self.law.time)


def _relation(c: Any) -> Any:
    """``c > 0`` with what is subtracted on the left.

    >>> mu = sp.Symbol("mu", positive=True)
    >>> print(_relation(4 - 2 * mu - LAMBDA))
    lambda < 4 - 2*mu
    """
    small, large, _ = _halves(c)
    return from_sympy(small) < from_sympy(large)


def _halves(c: Any) -> tuple[Any, Any, bool]:
    """The same as two positive sides, without what is positive anyway."""
    top = sp.factor(sp.fraction(sp.factor(c))[0])
    factors = [f for f in sp.Mul.make_args(top) if sign(f) != 1]
    rest = sp.expand(sp.Mul(*factors)) if factors else c
    terms = [t for t in sp.Add.make_args(rest) if t.could_extract_minus_sign()]
    negative = sp.Add(*([t for t in terms if t.has(LAMBDA)] or terms))
    if not factors:
        return sp.Integer(0), sp.Mul(*(f for f in sp.Mul.make_args(top) if not f.is_number)), False
    left, right = (tidy(sp.factor(e)) for e in (-negative, rest - negative))
    return left, right, False


def _told(criteria: Iterable[Any], wanted: bool) -> Derivation:
    equations = tuple(Equation(Formula("0", "0"), tidy(c), "<") for c in criteria if not c.is_number)
    words = "All positive:" if wanted else "Not all positive:"
    return Derivation("Stability", (Step("Hurwitz's criterion", words, equations),), ())


def subject(about: About) -> Mode | None:
    """Where a sampler settles; one with matrices of its own has no step along an eigenvector."""
    asked = any(one.settling for one in about.statement.relations)
    if not asked or about.setting is None or own_matrices(about.setting.sampler):
        return None
    return Mode(about.setting, about.time, about.kinds, about.sets, about.given)
