"""What is known of data, and of the minibatches that are drawn from them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import formula_of, say
from verification.notation import N, S
from verification.refuter.conditions import Condition
from verification.refuter.places import Place
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import sign
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term
from verification.terms.ways import Way
from verification.theories import ranks, zeros
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.minibatches import drawing
from verification.theories.minibatches.drawing import NOT_REPLACED, REPLACED, WITH, WITHOUT
from verification.theories.minibatches.drawn import Drawn
from verification.theories.minibatches.forms import SIZES, Form, Reader
from verification.theories.minibatches.monomials import BATCH, FIRST, Misfit
from verification.theories.minibatches.places import Samples, samples
from verification.theories.minibatches.spelling import (
    Growth,
    growth,
    ratio_of,
    weights_of_squares,
    written,
)
from verification.theories.minibatches.words import COLUMN, KINDS, OF_BATCHES, OF_THETA
from verification.theories.subject import ITS_LETTERS, About, Subject
from verification.verdicts.verdict import Gap


@dataclass(frozen=True)
class Draws(Subject):
    """Data in letters, and the ways of drawing that are given."""

    sides: tuple[Term, ...]
    limiting: bool = False  # whether a size goes to a limit
    given: tuple[Condition, ...] = ()

    rank, solves = ITS_LETTERS, True
    also = frozenset({"matrices", "operators"})
    letters_taken = frozenset({*KINDS, "matrix", "dimension"})
    decided_alike = True  # by conditions on how one draws, and by cases

    # -- places ------------------------------------------------------------------------------------

    @cached_property
    def letters(self) -> tuple[Letter, ...]:
        """All letters; theta where something is a function of it."""
        parts = [p for side in self.sides for p in side.subterms()]
        theta = [Letter("theta", COLUMN)] if self._has(*OF_THETA) else []
        return tuple(dict.fromkeys((*(p for p in parts if isinstance(p, Letter)), *theta)))

    @cached_property
    def drawn(self) -> tuple[Letter, ...]:
        """Letters of examples that are standard normal, and averaged."""
        parts = (p for side in self.sides for p in side.subterms())
        over = (p.of[1:] for p in parts if isinstance(p, Applied) and p.head == "over_noise")
        return tuple(dict.fromkeys(a for of in over for a in of if isinstance(a, Letter)))

    def _has(self, *heads: str) -> bool:
        parts = (p for side in self.sides for p in side.subterms())
        return any(isinstance(p, Applied) and p.head in heads for p in parts)

    def places(self, about: About) -> Samples:
        """Small data, a size, and a way of drawing."""
        return self.samples

    @property
    def samples(self) -> Samples:
        """Where it is looked at."""
        return samples(self.letters, self.limiting, self.drawn)

    def solved(self, sides: tuple[Term, ...], place: Place) -> Drawn | None:
        """The letters of a place; a degree in theta is that for data in general position."""
        special = self._has("degree") and not self.samples.data(place).is_generic
        return None if special else self.opened(sides, place)

    def opened(self, sides: tuple[Term, ...], place: Place) -> Drawn:
        """The letters of a place."""
        return Drawn(self, sides or self.sides, place)

    def problem(self, place: Place) -> dict[str, Any]:
        """The data as rows, one for each example."""
        return self.samples.data(place).to_json()

    def redrawn(self, place: Place, space: Any, source: random.Random) -> Place:
        """What is said is said of all data."""
        return self.samples.redrawn(place, source)

    # -- ways of drawing ---------------------------------------------------------------------------

    @property
    def schemes(self) -> tuple[str, ...]:
        """The ways of drawing that what is given leaves."""
        drawings = [c for c in self.given if isinstance(c, drawing.Drawing)]
        return tuple(w for w in (WITH, WITHOUT) if all(w in c.schemes for c in drawings))

    @property
    def cases(self) -> tuple[tuple[str, Condition], ...]:
        """The ways that are left, as conditions."""
        return tuple((w, REPLACED if w == WITH else NOT_REPLACED) for w in self.schemes)

    def lattice(self, statement: Any, space: Any) -> tuple[Condition, ...]:
        """How one draws, and how many."""
        return tuple(c for c in drawing.DRAWINGS if c not in self.given)

    def reader(self, scheme: str) -> Reader:
        """With sizes put in where they are given."""
        known: dict[Any, Any] = {drawing.OneDrawn: sp.Integer(1), drawing.AllDrawn: N}
        sizes = tuple((S, known[type(c)]) for c in self.given if type(c) in known)
        return _reader(scheme, self.letters, sizes)

    @property
    def fits(self) -> bool:
        """Whether shapes fit, and what is differentiated is a polynomial: so that something is said."""
        try:
            for left, right in zip(self.sides[::2], self.sides[1::2], strict=False):
                self._rest(left, right, WITH)
        except Misfit:
            return False
        except ArithmeticError:  # differences are derivatives of polynomials only
            return not self._has(*OF_THETA)
        return True

    # -- proofs ------------------------------------------------------------------------------------

    def _rest(self, left: Term, right: Term, scheme: str) -> tuple[Form, Form, Form, Reader]:
        """Both sides and their difference in normal form."""
        reader = self.reader(scheme)
        first, second = reader.read(left), reader.read(right)
        return first, second, first - second, reader

    def vanishes(self, left: Term, right: Term) -> Answer:
        """By the normal form, for each way of drawing that is left: for all sizes and all data."""
        told, failed, over = [], [], set()
        try:
            for scheme in self.schemes:
                *_, rest, reader = self._rest(left, right, scheme)
                value = written(rest, reader)
                told.append(_told(scheme, "left - right", value))
                if rest.terms:
                    failed.append(scheme)
                    over.add(value)
        except Misfit as why:
            return Disproved(f"It is {why}.")
        except ArithmeticError:
            return Silent(Silence.NO_FORMULA)
        one = None not in over and len(over) == 1  # else numbers tell it
        known = say("The left side minus the right is {}", from_sympy(*over)) if one else ""
        return self._answer(told, failed, "Both sides have the same normal form", known)

    def _answer(
        self, told: list[Step], failed: list[str], lemma: str, differs: Any, growing: str = ""
    ) -> Answer:
        derivation = Derivation("Averages in normal form", tuple(told), ())
        drawn = self._has(*OF_BATCHES)
        if failed:
            one = drawn and len(failed) < len(self.schemes)
            when = f" when minibatches are drawn {failed[0]}" if one else ""
            return Disproved(say("{}{}.", differs, when) if differs else "", derivation)
        data = "data in general position" if self._has("degree") else "all data"
        how = f"for {data}, in every dimension"
        if drawn:
            by = f", drawn {self.schemes[0]}" if len(self.schemes) == 1 else ""
            sets = " (at least $S$ where minibatches are sets)" if len(self.schemes) > 1 else ""
            sizes = {"S": f"$N${sets}", "N": "$S$"}.get(growing, "$N$, $S$")
            how = f"for every {sizes} and dimension, and {data}{by}"
        return Proved(say("{}, {}.", lemma, how), derivation, {"dimensions": "every"})

    def has_sign(self, left: Term, right: Term, wanted: tuple[int, ...], given: Any = ()) -> Answer:
        """Of degrees in theta, which are numbers; whether two sides differ is said by ``vanishes``."""
        if wanted == (-1, 1):
            answer = self.vanishes(left, right)
            if isinstance(answer, Disproved):
                return Silent(Silence.MAY_VANISH, derivation=answer.derivation)
            found = isinstance(answer, Proved)
            return Disproved("Both sides are one.", answer.derivation) if found else answer
        if ranks.are_in(left, right, *(side for a, b, _ in given for side in (a, b))):
            return ranks.has_sign(left, right, wanted, given, lambda _: iter(()))
        told, failed = [], []
        for scheme in self.schemes:
            value = self._degree(left - right, scheme)
            if value is None:
                return self._by_squares(left, right, wanted)
            told.append(_told(scheme, "left - right", value))
            failed += [] if sp.sign(value) in wanted else [scheme]
        lemma = "The degree in $theta$ is as it is said to be"
        differs = say("The left side minus the right is ${}$, in degrees in $theta$", value)
        return self._answer(told, failed, lemma, differs)

    def _by_squares(self, left: Term, right: Term, wanted: tuple[int, ...]) -> Answer:
        """By a difference that is a number times a variance, and one times a mean's square."""
        told = []
        for scheme in self.schemes:
            try:
                *_, rest, reader = self._rest(left, right, scheme)
            except (Misfit, ArithmeticError):
                return Silent(Silence.NO_FORMULA)
            weights = weights_of_squares(rest, reader)
            signs = {0} if weights is None else {0, *(_sign(w, scheme) for w in weights)}
            if weights is None or not signs <= set(wanted):
                return Silent(Silence.NO_CERTIFICATE)
            told.append(_told(scheme, "left - right", written(rest, reader)))
        lemma = "The difference is a share of a variance and one of a squared mean, each of one sign"
        return self._answer(told, [], lemma, "")

    def _degree(self, side: Term, scheme: str) -> Any:
        """What a number made of degrees is; None where it is none."""
        reader = self.reader(scheme)
        try:
            value = reader.number_of(reader.read(side))
        except (Misfit, ArithmeticError):
            return None
        return value if value.is_number else None

    def least(self, side: Term) -> Term | None:
        """What a number made of degrees is."""
        values = {self._degree(side, scheme) for scheme in self.schemes}
        value = values.pop() if len(values) == 1 else None
        return None if value is None else from_sympy(value)

    def holds_only_where(
        self, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
    ) -> bool:
        """Whether equations hold for all data only where one of some conditions on the drawing does.

        What is left over is a sum of averages of data, which are independent; each has a factor that
        vanishes nowhere else.
        """
        sizes = [drawing.vanishing(p) for c in conditions for p in getattr(c, "parts", ())]
        said = [[e] for e in sizes if e is not None]
        for scheme in (w for w in self.schemes if not any(drawing.is_told(w, c) for c in conditions)):
            rest = [(self._rest(r.left, r.right, scheme)) for r in relations if r.relation == "="]
            factors = [reader.written(c) for *_, form, reader in rest for c in form.terms.values()]
            if not factors or not all(zeros.only_where([e], said) for e in factors):
                return False
        return all(r.relation == "=" for r in relations)

    # -- limits ------------------------------------------------------------------------------------

    def tends_to_one(self, left: Term, right: Term, way: Way) -> Answer:
        """Whether the ratio of two sides does, by the first terms of their normal forms."""
        told, failed = [], []
        for scheme in self.schemes:
            try:
                *_, rest, _ = self._rest(left, right, scheme)
                if any(m.labels(kind) for m in rest.terms for kind in (BATCH, FIRST)):
                    return Disproved("It is about one minibatch, at every size.")
                found = self._growth(left, right, way, scheme)
            except Misfit as why:
                return Disproved(f"It is {why}.")
            except ArithmeticError:
                return Silent(Silence.NO_FORMULA)
            told.append(_told(scheme, "relative error", 0 if found is None else found.term))
            failed += [scheme] if found is None or found.order <= 0 else []
        ratio = say("The ratio of the sides tends to 1 as {} grows", way.letter)
        answer = self._answer(told, failed, ratio, "", way.letter.name)
        if not failed:
            return answer
        lemma = "The ratio of the sides does not tend to 1 as {} grows."
        return Disproved(say(lemma, way.letter), answer.derivation)

    def _growth(
        self, left: Term, right: Term, way: Way, scheme: str, scale: Term | None = None
    ) -> Growth | None:
        _, second, rest, reader = self._rest(left, right, scheme)
        squared = None if scale is None else reader.read(from_sympy(in_symbols(scale) ** 2))
        return growth(rest, second, squared, reader, SIZES[way.letter.name])

    def rate(self, left: Term, right: Term, way: Way, scale: Term | None) -> Gap | None:
        """The relative error of an equation as a size grows; its slowest, over the ways of drawing."""
        found = [self._growth(left, right, way, scheme, scale) for scheme in self.schemes]
        known = [g for g in found if g is not None and g.order > 0]
        if len(known) < len(found):
            return None
        worst = min(known, key=lambda g: g.order)
        term = formula_of(from_sympy(sp.sympify(worst.term)))
        return Gap(f"1/{way.letter}", str(worst.order), term, of_many=True)

    # -- what may be true instead --------------------------------------------------------------------

    def mended(self, left: Term, right: Term, moving: Any = ()) -> Iterator[tuple[Term, Term]]:
        """The right side times what is missing, or with what is; the left side as averages of data."""
        for scheme in self.schemes:
            try:
                first, second, rest, reader = self._rest(left, right, scheme)
            except (Misfit, ArithmeticError):
                return
            factor = ratio_of(first, second)
            if factor is not None:
                times = reader.written(factor)
                yield left, right if factor == 1 else from_sympy(times * _symbols(right))
            more = written(rest, reader) if self.drawn else None  # beside a moment of what is drawn
            if more is not None:
                yield left, right + from_sympy(more)
            shown = written(first, reader)
            if shown is not None:
                yield left, from_sympy(shown)


def subject(about: About) -> Draws | None:
    """What has data in it."""
    terms = (*about.terms, *(side for r in about.relations for side in r.sides))
    of_data = any(a.kind in KINDS for t in terms for a in t.letters)
    return Draws(terms, bool(about.ways), about.given) if of_data else None


@lru_cache(maxsize=32)
def _reader(scheme: str, letters: tuple[Letter, ...], sizes: tuple[tuple[Any, Any], ...]) -> Reader:
    """One for all statements in the same letters: it keeps what it has read."""
    return Reader(scheme, letters, dict(sizes))


def _sign(share: Any, scheme: str) -> int | None:
    """Of a formula in the sizes, which are one at least; without replacement S is at most N.

    Where N = 1 there is no variance: what its share divides by may vanish there.
    """
    more, fewer = sp.symbols("more fewer", positive=True)
    sizes = {S: 1 + fewer, N: 1 + more + (fewer if scheme == WITHOUT else 0)}
    return sign(sp.cancel(share.subs(sizes))) if share != 0 else 0


def _symbols(side: Term) -> Any:
    """An expression, with the sizes by name."""
    expr = in_symbols(side)
    return expr.xreplace({s: SIZES[s.name] for s in expr.free_symbols if s.name in ("N", "S")})


def _told(scheme: str, name: str, value: Any) -> Step:
    shown = (
        Formula(r"\text{not zero}", "not zero")
        if value is None
        else formula_of(from_sympy(sp.sympify(value)))
    )
    line = Equation(Formula(rf"\text{{{name}}}", name), shown)
    return Step(scheme[0].upper() + scheme[1:], "In normal form:", (line,))
