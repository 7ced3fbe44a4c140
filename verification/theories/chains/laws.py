"""What is known of chains on a line that need not be linear: of their laws, and of means under these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import say
from verification.refuter.conditions import Condition, OneDimensional
from verification.refuter.parameters import Holds
from verification.refuter.places import NUMBERS, Place, Space
from verification.terms.arithmetics.symbols import symbol
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Unable
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.chains import existence, means, moments, orders
from verification.theories.chains.identities import (
    EVEN,
    IF_EVEN,
    Symmetric,
    balance,
    derived,
    even,
    symmetric,
)
from verification.theories.chains.means import POTENTIAL, TESTED, Means
from verification.theories.chains.reading import (
    Differs,
    Laws,
    Reading,
    Settled,
    linear,
    means_in,
    open_functions,
)
from verification.theories.chains.words import Found, found
from verification.theories.subject import ITS_WORDS, About, Subject

_MOST = 6
_LEFT = (sp.Rational(1, 2), -sp.Rational(1, 2), sp.Integer(0), sp.Rational(1, 3), -sp.Rational(1, 3))
_ONE = (
    "One step has a positive density everywhere, so there is at most one law; far places are led back"
    " (Foster and Lyapunov), so there is one"
)
_NONE = (
    "Far out a step leads further out by a factor, so that a chain runs away from there with positive"
    " probability; normal noise reaches these places from everywhere, so there is no stationary law"
)
_NEARER = (
    "Two chains with the same noise come nearer by a factor at every step, so there is one law, that of"
    " a sum of all noises that were"
)
_APART = (
    "Two chains with the same noise come no nearer, and what a noise does is never forgotten, so there"
    " is no stationary law"
)
_BOUNDED = (
    "A step moves by no more than noise does, and on average inwards from far out (Foster and Lyapunov);"
    " it moves continuously with its place, so that there is a law"
)
_MANY = (
    "A step goes up or down by one number, so that a chain stays on the points that it can reach: each"
    " such set of points has a law of its own"
)


@dataclass(frozen=True)
class Line(Subject):
    """Chains that a statement speaks of, and functions that it gives."""

    sides: tuple[Term, ...]
    relations: tuple[Any, ...] = ()
    definitions: tuple[tuple[str, Any], ...] = ()
    given: tuple[Condition, ...] = ()
    supposed: tuple[tuple[Any, Any], ...] = ()  # letters that are formulas in others
    bounds: tuple[tuple[Any, Any, bool], ...] = ()  # what is smaller than what, or perhaps as large

    rank, solves, orders = ITS_WORDS, True, orders
    climbs, decided_alike, most_looks, few_twins = False, True, 6, 4
    also = frozenset({"operators", "sequences"})
    letters_taken = frozenset({"function", "positive function", "variable", "dimension", "count"})

    @property
    def ways(self) -> tuple[Way, ...]:
        """On which it is about a limit."""
        return tuple(r.way for r in self.relations if r.limiting)

    @cached_property
    def defined(self) -> Mapping[str, Any]:
        """Functions that are given."""
        return dict(self.definitions)

    @cached_property
    def reading(self) -> Reading:
        """With functions left open, as far as they are."""
        return self.readings[0]

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """With functions left open, and with those that are given put in."""
        known = dict(self.supposed)
        known |= {symbol(a): sp.Integer(1) for a in self.dimension if self.is_single}
        found = [Reading({}, known)] + ([Reading(self.defined, known)] if self.defined else [])
        for one in found:
            for side in self.sides:
                one.of(side)
        return tuple(found)

    @cached_property
    def is_lawless(self) -> bool:
        """Whether a chain is spoken of that settles nowhere, whatever its letters are."""
        return any(existence.which(s) == "none" for s in self.readings[-1].steps.values())

    @cached_property
    def _opened(self) -> tuple[set[str], set[str]]:
        """The names of open functions: potentials, and others."""
        reading = Reading(self.defined)
        exprs = [reading.of(side) for side in self.sides]
        inside = [s.after for s in reading.steps.values()]
        inside += [a.args[0] for e in exprs for a in e.atoms(sp.Function) if type(a).__name__ == "Under"]
        bound = {f.func.__name__ for e in inside for f in open_functions(e)}
        every = {f.func.__name__ for e in (*exprs, *inside) for f in open_functions(e)}
        return bound, every - bound

    @property
    def potentials(self) -> tuple[str, ...]:
        """Open functions that a step or a density has."""
        return tuple(sorted(self._opened[0]))

    @property
    def tested(self) -> tuple[str, ...]:
        """Open functions of which there are means."""
        return tuple(sorted(self._opened[1]))

    @property
    def hidden(self) -> tuple[str, ...]:
        """Numbers that functions are made of."""
        return (*(POTENTIAL if self.potentials else ()), *(TESTED if self.tested else ()))

    def letter(self, way: Way) -> Any:
        """What vanishes, as a symbol."""
        return symbol(way.letter)

    # -- places ------------------------------------------------------------------------------------

    def places(self, about: About) -> Space:
        """Numbers in steps and sides, and those that open functions are made of."""
        letters = (*about.letters, *(a for side in self.sides for a in side.letters))
        own = {a.name: a.kind for a in letters if a.kind in (*NUMBERS, "count")}
        own |= {a.name: "count" for a in self.dimension if not self.is_single}
        own |= {**(POTENTIAL if self.potentials else {}), **(TESTED if self.tested else {})}
        outside = {a.name for a in about.set_here}
        scalars = {**about.positive(), **own, **dict(about.kinds)}
        return Space({}, {n: k for n, k in scalars.items() if n not in outside}, most=_MOST)

    def chosen_to_fit(self, place: Place) -> Iterator[Place]:
        """Where a step that is linear in its place leaves of it what a few laws ask for."""
        numbers = {n: sp.Rational(x.numerator, x.denominator) for n, x in place.scalars.items()}
        for step in self.readings[-1].steps.values():
            slope = (moments.affine(step) or (sp.Integer(0),))[0]
            for letter in sorted(slope.free_symbols, key=str):
                there = slope.subs({s: numbers[s.name] for s in slope.free_symbols - {letter}})
                for wanted in _LEFT:
                    for value in sp.solve(there - wanted, letter)[:1]:
                        if value.is_Rational:
                            yield place.but(**{letter.name: Fraction(int(value.p), int(value.q))})

    def opened(self, sides: tuple[Term, ...], place: Place) -> Means:
        """The numbers of a place; a dimension is how many coordinates with one law are added up."""
        return Means({**{a.name: 1 for a in self.dimension}, **place.scalars}, place, self)

    @property
    def dimension(self) -> set[Letter]:
        """The letter for it, where it is met."""
        return {a for side in self.sides for a in side.letters if a.kind == "dimension"}

    @property
    def is_single(self) -> bool:
        """Whether one dimension is given."""
        return any(isinstance(p, OneDimensional) for c in self.given for p in c.parts)

    def spelt(self, side: Term) -> Term:
        """Means are letters, which a place and a script work out."""
        return side.named({one: found(one) for one in means_in(side)})

    def meant(self, side: Term) -> Term:
        """With means in the place of such letters again."""
        return side.put({a: a.of for a in side.letters if isinstance(a, Found)})

    def stronger(self) -> Iterator[tuple[Condition, tuple[Condition, ...]]]:
        """That noises whose laws are not are as likely to be so much above their means as below."""
        steps = self.readings[-1].steps.values()
        skew = dict.fromkeys(str(w) for s in steps for w, law in s.drawn if not law.is_even)
        if skew and not any(isinstance(c, Symmetric) for c in self.given):
            more = Symmetric(tuple(skew))
            yield more, (*self.given, more)

    def problem(self, place: Place) -> dict[str, str]:
        """A place as it is shown: with functions written out."""
        known = {n: sp.Rational(x.numerator, x.denominator) for n, x in place.scalars.items()}
        x = sp.Symbol("x", real=True)
        shown = {n: str(v) for n, v in place.scalars.items() if n not in self.hidden}
        shown |= {f"{n}(x)": str(sp.nsimplify(means.potential(x, known))) for n in self.potentials}
        return shown | {f"{n}(x)": str(sp.nsimplify(means.tested(x, known))) for n in self.tested}

    def supposing(self, known: Any) -> Any:
        """Where an equation between numbers holds besides, solved for a letter."""
        if getattr(known, "relation", "") != "=" or means_in(known.left) or means_in(known.right):
            return self
        try:
            rest = Reading(self.defined).of(known.left) - Reading(self.defined).of(known.right)
            pairs = ((s, sp.solve(rest, s)) for s in sorted(rest.free_symbols, key=str))
            found = next(((s, one[0]) for s, one in pairs if len(one) == 1), None)
        except (UnusableInput, Unable, NotImplementedError):
            return self
        return self if found is None else replace(self, supposed=(*self.supposed, found))

    def under_all(self, given: tuple[Any, ...]) -> Line:
        """With inequalities between numbers that are given."""
        pairs = (one.upward for one in given if hasattr(one, "upward"))
        return replace(self, bounds=(*self.bounds, *pairs))

    @cached_property
    def given_positive(self) -> tuple[tuple[Any, bool], ...]:
        """What is positive by what is given, or perhaps zero."""
        told = (p for c in self.given for p in c.parts if isinstance(p, Holds))
        known = [(p.upper - p.lower, not p.strict) for p in told]
        for small, large, may_be_equal in self.bounds:
            if not (means_in(small) or means_in(large)):
                known.append((Reading().of(large) - Reading().of(small), may_be_equal))
        return tuple(known)

    def lattice(self, statement: Any, space: Space) -> tuple[Condition, ...]:
        """That steps which are linear in their place contract."""
        found = (moments.affine(step) for step in self.readings[-1].steps.values())
        rests = [sp.expand(1 - one[0]) for one in found if one is not None]
        pairs = [(r, sp.Integer(2)) for r in rests if not (2 - r).is_positive]
        pairs += [(sp.Integer(0), r) for r in rests if not r.is_positive]
        named = [(sorted(s.name for s in (high - low).free_symbols), low, high) for low, high in pairs]
        return tuple(
            Holds(tuple(names), low, high, True)
            for names, low, high in named
            if names and set(names) <= set(space.scalars)
        )

    # -- what is asked -----------------------------------------------------------------------------

    def vanishes(self, left: Term, right: Term) -> Answer:
        """By what a step leaves as it is; how many laws there are."""
        if any(getattr(side, "head", "") == "settled laws" for side in (left, right)):
            return self.has_sign(left, right, (0,))
        if self.is_lawless:
            return Silent(Silence.NO_LAW)
        for reading in self.readings:
            try:
                expr = reading.of(left) - reading.of(right)
            except (UnusableInput, Unable):
                continue
            supposed = any(isinstance(c, Symmetric) for c in self.given)
            steps = {n: (symmetric(s) or s) if supposed else s for n, s in reading.steps.items()}
            if even(expr, steps, supposed) == 0:
                return Proved(IF_EVEN if supposed else EVEN)
            if supposed:
                continue
            kept = balance(expr, reading.steps)
            if kept is not None and kept.number == 0:
                powers = [f"E[x^{k}]" for k, _ in kept.powers]
                lemma = say(
                    "A step leaves {} as it is, under every stationary law that has it.",
                    " and ".join(powers),
                )
                return Proved(lemma, derived(kept))
            answer = _by_moments(expr, reading)
            if answer is not None:
                return answer
        return Silent(Silence.NO_FORMULA)

    def has_sign(self, left: Term, right: Term, wanted: Any, given: Any = ()) -> Answer:
        """Of how many laws there are."""
        self = replace(self, bounds=(*self.bounds, *given))
        for count, other, flip in ((left, right, 1), (right, left, -1)):
            if isinstance(count, Applied) and count.head == "settled laws" and str(other).isdigit():
                found = self.count(count)
                if found is None:
                    return Silent(Silence.NO_FORMULA)
                least, most = {
                    "one": (1, 1),
                    "none": (0, 0),
                    "many": (sp.oo, sp.oo),
                    "some": (1, sp.oo),
                }[found]
                signs = {int(sp.sign(n - int(str(other)))) * flip for n in (least, most)}
                signs |= {0} if least < int(str(other)) < most else set()
                if signs <= set(wanted) or signs.isdisjoint(wanted):
                    return self.told(found, signs <= set(wanted))
        return Silent(Silence.NO_FORMULA)

    def gap(self, left: Term, right: Term, moving: tuple[Any, ...] = ()) -> Any:
        """As a step vanishes, of means."""
        counts = any(t.head == "settled laws" for side in (left, right) for t in means_in(side))
        return None if moving or counts else orders.gap(self, left, right)

    def count(self, laws: Term, small: bool = False) -> str | None:
        """How many laws there are, for all letters, or at all small steps."""
        reading = self.readings[-1]
        atom = reading.of(laws)
        assert isinstance(atom, Laws)
        step = reading.steps[str(atom.args[0])]
        vanishing = self.letter(self.ways[0]) if small else None
        found = existence.which(step, vanishing, self.given_positive)
        return None if found == existence.OPEN else found

    def told(self, found: str, holds: bool) -> Answer:
        """What decides."""
        said = {"one": _ONE, "none": _NONE, "many": _MANY, "some": _BOUNDED}
        steps = self.readings[-1].steps.values()
        if all(linear(one) is None and moments.affine(one) is None for one in steps):
            said |= {"one": f"{_BOUNDED}; about every place it has a density, so that there is one"}
        elif not all(one.is_normal for one in steps):
            said |= {"one": _NEARER, "none": _APART}
        lemma = said[found] + "."
        return Proved(lemma) if holds else Disproved(lemma)

    def mended(self, left: Term, right: Term, constant: Any = ()) -> Iterator[tuple[Term, Term]]:
        """How many laws there are; what a step leaves as it is says of a mean."""
        if isinstance(left, Applied) and left.head == "settled laws":
            found = self.count(left)
            if found in ("one", "none"):
                yield left, from_sympy(sp.Integer(found == "one"))
            return
        for reading in self.readings:
            try:
                kept = balance(reading.of(left), reading.steps)
            except (UnusableInput, Unable):
                continue
            if kept is not None:
                number, own = from_sympy(sp.factor(kept.number)), {a.name: a for a in self.dimension}
                yield left, number.put({a: own[a.name] for a in number.letters if a.name in own})
        if isinstance(left, Applied) and left.head == "settled" and not self.is_lawless:
            yield from ((left, right) for right in orders.as_known(left, self.readings[-1]))


def _by_moments(expr: Any, reading: Reading) -> Answer | None:
    """Of steps that are linear in their place: by all of their moments, or by all cumulants."""
    steps = reading.steps
    try:
        unlike = {
            a: moments.unlike(reading.steps[str(a.args[0])], str(a.args[1])) for a in expr.atoms(Differs)
        }
        if unlike:
            alike = all(one.is_alike() for one in unlike.values()) and expr in unlike
            return Proved("All cumulants are the same") if alike else None
        means_ = sorted(expr.atoms(Settled), key=str)
        put = {a: moments.closed(a.args[1], steps[str(a.args[0])]) for a in means_}
        rest = sp.simplify(expr.xreplace(put))
    except (UnusableInput, sp.PolynomialError):
        return None
    if not put or rest != 0:
        return None
    told = tuple(Equation(Formula(sp.latex(a.args[1]), str(a.args[1])), x) for a, x in put.items())
    words = say("A step is linear in its place, so that its moments solve one equation after the other:")
    shown = Derivation("Moments", (Step("In closed form", words, told),), ())
    return Proved("The moments of the law are known in closed form, where they exist.", shown)


def subject(about: About) -> Line | None:
    """What has means or laws of a chain on a line in it."""
    if "chains" not in about.theories:
        return None
    known = []
    for one in about.relations:
        left = getattr(one, "left", None)
        if one.relation == "=" and isinstance(left, Applied) and left.head == "of" and len(left.of) == 2:
            x = sp.Symbol(str(left.of[1]), real=True)
            known.append((str(left.of[0]), sp.Lambda(x, Reading({}).of(one.right))))
    return Line(about.terms, about.statement.relations, tuple(known), about.given)
