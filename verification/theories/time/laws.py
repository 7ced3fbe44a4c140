"""What is known of a sampler's law in time: at a generic pair of modes, and at exact places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import sympy as sp

from sgtheory.dynamics import coefficients
from sgtheory.modepairs.pairs import LI, LJ
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import Sentence, listed, say, sentence
from sgtheory.polynomials import cancelled, factored
from verification import notation
from verification.laws.pair_form import DELTA, NotInPairForm, function_of_A
from verification.notation import N, S
from verification.refuter.conditions import Condition
from verification.refuter.lattice import conditions
from verification.refuter.parameters import related, written_under
from verification.refuter.places import Space
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Number, Term, number
from verification.theories import zeros
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent, differ
from verification.theories.exponentials import algebraic, nowhere_negative, vanishes
from verification.theories.subject import About, matrices_of
from verification.theories.time import best, extents, orders
from verification.theories.time.expansion import in_stable_steps
from verification.theories.time.gaps import gap_of, long_run
from verification.theories.time.given import IsFormula, noise_and_modes
from verification.theories.time.mending import A, Closed, Sigma, is_of_law, mends, slips
from verification.theories.time.modes import ELL_I, ELL_J, Reading
from verification.theories.time.places import OnPlaces
from verification.theories.time.spelling import (
    Unordered,
    has_law,
)
from verification.verdicts.verdict import Gap


@dataclass(frozen=True)
class Law(OnPlaces):
    """A sampler on the quadratic model in one reading of time; without one, letters alone."""

    orders = orders  # lemmas on first terms
    is_best, gap_of_best, edges = best.is_best, best.gap_of_best, extents.edges
    equations_of_best = best.equations_of_best

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """Conditions on its matrices; of one equation, that a factor of the difference vanishes."""
        first, *others = statement.relations
        roots = () if others or first.relation != "=" else self.where_equal(first.left, first.right)
        return (*conditions(matrices_of(space)), *roots)

    def entries(self, side: Term, **changed: Any) -> dict[Any, Any]:
        """A term at a generic pair of modes; sums over all lags by the noise, not by the covariance."""
        return replace(self.reading, **changed).of(replace(self.spelling, by_noise=True).of(side))

    def known(self, *sides: Term) -> list[dict[Any, Any]]:
        """The same of some terms; nothing where no pair of modes says it."""
        try:
            return [self.entries(side) for side in sides]
        except (NotInPairForm, Unordered, TypeError, ZeroDivisionError):
            return []

    @cached_property
    def reading(self) -> Reading:
        """How terms are read at a pair of modes."""
        noise, single, one = noise_and_modes(self.given)
        gain = ("number" if one else "frame") if "H" in self.names else ""
        plain = Reading(self.setting, self.time, noise, single, one)
        known: list[tuple[Any, Any]] = []
        for part in (p for c in self.given for p in c.parts):
            if isinstance(part, IsFormula) and part.letters == ("C",):
                plain = replace(plain, noise=plain.of(part.value).get(DELTA, sp.Integer(0)))
            elif isinstance(
                part, IsFormula
            ):  # the eigenvalues, with a gain those of H A, are one number
                value = plain.of(part.value).get(DELTA, sp.Integer(0))
                value = cancelled(LI * value) if part.letters == ("H",) else value
                if value.has(LI):
                    raise NotInPairForm("eigenvalues that are not one number")
                known += [(LI, value), (LJ, value)]
        return replace(plain, gain=gain, known=tuple(known))

    def where_equal(self, left: Term, right: Term) -> tuple[Condition, ...]:
        """Where left minus right has a factor that can vanish, alike at every eigenvalue."""
        rest = self.known(left - right)
        if [set(one) for one in rest] != [{DELTA}]:
            return ()
        top = sp.fraction(sp.together(algebraic(rest[0][DELTA])[0]))[0]
        found: list[Condition] = []
        for factor, _ in sp.factor_list(top)[1]:
            if factor.free_symbols <= {N}:
                continue  # a data set of one size is no condition
            if not factor.has(LI):
                ways = coefficients.relations([factor])
                found += [related(way[0]) for way in ways if len(way) == 1]
            elif sp.degree(factor, LI) == 1 and "H" not in self.names:
                value = next(iter(sp.solve(factor, LI)), sp.nan)  # where no eigenvalue is positive
                if value.is_positive and not any(s.name.startswith("_E") for s in value.free_symbols):
                    found.append(IsFormula(("A",), from_sympy(value * notation.identity)))
        return tuple(found)

    @property
    def scope(self) -> Sentence:
        """For which problems."""
        words = listed((c.words for c in self.given), by=" and ")
        return say(", where {}", words) if words else sentence(", in every dimension")

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Left minus right at a generic pair of modes, with the law put in."""
        whole = self.known(left - right)
        if not whole:
            return Silent(Silence.NO_FORMULA)
        rest = {k: written_under(c, self.given) for k, c in whole[0].items()}
        zero = all(vanishes(c) for c in rest.values())
        told = _told(sp.Integer(0) if zero else sp.Add(*(k * c for k, c in rest.items())))
        if zero:
            return Proved(
                say("Both sides have the same entry at every pair of modes{}.", self.scope), told
            )
        words = "the continuous-time process" if self.time == "continuous" else "the discrete algorithm"
        about = f" for {words}" if has_law(left) or has_law(right) else ""
        return Disproved(differ(left, right, about), told)

    def holds_only_where(
        self, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
    ) -> bool:
        """Whether an equation holds only where one of some conditions does, at each mode."""
        (first, *others) = relations
        if not others and first.relation in ("<=", ">=") and len(conditions) == 1:
            small, large, _ = first.upward
            return extents.fails_without(self, small, large, conditions[0])
        rest = {} if others or first.relation != "=" else self.entries(first.left - first.right)
        if len(rest) != 1:
            return False
        (left,) = rest.values()
        if len(conditions) == 1 and isinstance(conditions[0], IsFormula):
            return rest.keys() == {DELTA} and self._is_only_at(left, conditions[0])
        own = {s.name: s for s in left.free_symbols}
        wanted = [zeros.vanishing(c) for c in conditions]
        said = [[e.xreplace({s: own.get(s.name, s) for s in e.free_symbols})] for e in wanted if e]
        return None not in wanted and zeros.only_where([written_under(left, tuple(given))], said)

    def _is_only_at(self, rest: Any, condition: IsFormula) -> bool:
        """Whether what is left over at each mode vanishes nowhere but where A is such a number times I.

        The power of a step's factor over a time is no more than one in size, and so is none of 1 and -1.
        """
        if condition.letters != ("A",):
            return False
        value = self.reading.of(condition.value).get(DELTA, sp.nan)
        expr, meant = algebraic(rest)
        decaying = [E for E, e in meant.items() if (e.args[0] / ELL_I).is_positive]
        never = [E + sign for E in decaying for sign in (1, -1)]
        open_ = [f for f, _ in sp.factor_list(sp.fraction(sp.together(expr))[0])[1]]
        open_ = [f for f in open_ if not zeros.has_sign(f) and f not in never and -f not in never]
        return value is not sp.nan and all(zeros.has_sign(sp.cancel(f / (LI - value))) for f in open_)

    def gap(self, left: Term, right: Term, moving: tuple[Letter, ...] = ()) -> Gap | None:
        """How far apart both sides are as the step vanishes, or as the window grows."""
        try:
            return gap_of(left, right, self)
        except Unordered:
            return None

    def mended(
        self, left: Term, right: Term, moving: tuple[Letter, ...] = ()
    ) -> Iterator[tuple[Term, Term]]:
        """What may be true instead: nothing says that it is."""
        yield from ((left, one) for one in slips(right) if mends(one, right))
        if (factor := self._factor(left, right)) is not None:
            yield left, factor * right
        if is_of_law(left):
            for law in (self._law_of_A, (None, None)):
                if law is not None:
                    closed = Closed(self.time, self.spelling.ordered, *law).of(left)
                    if closed != left:
                        yield left, closed

    def _factor(self, left: Term, right: Term, where: Mapping[Any, Any] = MappingProxyType({})) -> Any:
        """What both sides differ by at every pair of modes alike, where that is made of numbers."""
        both = self.known(left, right)
        if not both:
            return None
        above, below = both
        parts = (above[k].subs(where) / below[k].subs(where) for k in above if k in below)
        ratios = {sp.expand(q) if q.has(sp.exp) else factored(q) for q in parts}
        if len(ratios) != 1 or set(above) != set(below):
            return None
        (ratio,) = ratios
        if ratio.has(LI, LJ, ELL_I, ELL_J):
            return None
        return from_sympy(ratio).put({Letter(a.name): a for a in self.names.values()})

    def least_factor(self, left: Term, right: Term) -> Any:
        """The same where parameters that may be zero are."""
        return self._factor(left, right, dict.fromkeys(self._free, 0))

    @property
    def _law_of_A(self) -> tuple[Term, Term] | None:
        """The stationary and the long-run covariance as functions of A, where they are that."""
        found = [] if self.setting is None else self.known(Sigma, long_run(number(1)))
        if [set(parts) for parts in found] != [{DELTA}] * 2:
            return None
        sigma, summed = (function_of_A(parts[DELTA]) for parts in found)
        return None if sigma is None or summed is None else (sigma, summed)

    def scaled(self, left: Term, right: Term) -> Iterator[Term]:
        """What may bound a side instead: a multiple that is reached where what may be zero is that."""
        yield right
        factor = self.least_factor(left, right) if self._free else None
        yield from () if factor is None else (factor * right,)
        if not isinstance(right, Number):
            yield from (A**-1 * right, A * right)
            yield from (number(Fraction(k, 2)) * right for k in (1, 3, 4, 6, 8))

    def has_sign(self, left: Term, right: Term, wanted: tuple[int, ...], given: Any = ()) -> Answer:
        """Eigenvalue by eigenvalue: a function of one letter that is nowhere negative."""
        small, large = (right, left) if wanted[0] > 0 else (left, right)
        try:
            rest = self.entries(large - small)
        except NotInPairForm:
            return Silent(Silence.NO_FORMULA)
        if not set(rest) <= {DELTA} or 0 not in wanted:
            return Silent(Silence.NO_CERTIFICATE)
        value = written_under(rest.get(DELTA, sp.Integer(0)), self.given)
        for below, above, _ in given:
            if isinstance(below, Number) and isinstance(above, Letter):
                more = sp.Symbol(f"_more_{above}", positive=True)
                value = value.subs(self.reading.symbol(above), sp.Rational(below.value) + more)
        short = any((a, "<=", b) == extents.SHORT for a, b, _ in given)
        known = in_stable_steps(value, short) if short else self.never_negative(value)
        apart, added = value, list[Any]()
        for letter in self._free if known is None else ():  # what one that may be zero adds, by itself
            least = apart.subs(letter, 0)
            if least != apart and self.never_negative(factored(apart - least)):
                apart, added = least, [*added, letter]
        least_of = self.never_negative(apart) if added else None
        if least_of is not None:
            words = "where {} are 0, {}; what they add is nowhere negative"
            words = words if len(added) > 1 else "where {} is 0, {}; what it adds is nowhere negative"
            known = str(say(words, listed(added), least_of))
        if known is None:
            return Silent(Silence.NO_CERTIFICATE)
        name = Formula(r"(\text{larger} - \text{smaller})_{i}", "(larger - smaller)_i")
        words = "Functions of $A$ are compared eigenvalue by eigenvalue:"
        step = Step("At one eigenvalue", words, (Equation(name, factored(value)),))
        lemma = say("Larger minus smaller, at every eigenvalue{}: {}.", self.scope, known)
        return Proved(lemma, Derivation("An inequality along modes", (step,), ()))

    def never_negative(self, value: Any) -> str | None:
        """How that is known of a formula under the order of letters that is given."""
        counts = [*(self.reading.symbol(a) for a in self.names.values() if a.kind == "count"), S, N]
        for k, (small, large) in enumerate(self.spelling.ordered):
            if isinstance(small, Letter) and isinstance(large, Letter):
                low, high = map(self.reading.symbol, (small, large))
                value = value.subs(high, low + sp.Symbol(f"_more_{k}", positive=True))
                counts = [a for a in counts if a != high]
        counted = tuple(dict.fromkeys(counts))
        return nowhere_negative(value) or nowhere_negative(value, counted) or in_stable_steps(value)


def subject(about: About) -> Law | None:
    """What has words of time, or is about a sampler after some steps."""
    parts = (t for s in about.terms for t in s.subterms() if isinstance(t, Applied) and t.head == "**")
    powers = {a.name for t in parts for a in t.of[1].letters}
    own = {"N", "S"} | (about.problem - powers)  # a whole number of the sampler's own is no time
    steps = {a.name for a in about.own_letters if a.kind == "count"} - own
    of_steps = about.setting is not None and bool(steps) and "elsewhere" not in about.heads
    if "time" not in about.theories and not of_steps:
        return None
    known = (about.setting, about.time, about.kinds, about.sets, about.given, about.where)
    return Law(*known, about.terms, about.relations)


def _told(rest: Any) -> Derivation:
    name = Formula(r"(\text{left} - \text{right})_{ij}", "(left - right)_ij")
    words = "In the eigenbasis of $A$, $f(A) X g(A)$ has the entry $f(lambda_i) X_ij g(lambda_j)$:"
    step = Step("At a pair of modes", words, (Equation(name, rest),))
    return Derivation("Entries in the eigenbasis", (step,), ())
