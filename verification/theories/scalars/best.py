"""Where a formula in one number is smallest, or largest, among the values that what is given leaves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.printing import latex, tidy
from sgtheory.notation.sentence import say
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.asymptotics import taken_and_added
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.theories import minima
from verification.theories.answers import Answer, Chosen, Proved, Silence, Silent
from verification.theories.scalars.roots import without_roots
from verification.theories.scalars.signs import has_sign
from verification.theories.signs import Bound, strongest
from verification.verdicts.verdict import Correction

_FALLS_AND_RISES = (
    "Wherever what is given holds it falls strictly up to there and rises strictly from there on."
)
_CONVEX = "Its derivative vanishes there, and it is strictly convex wherever what is given holds."
_WHOLE = "It is convex, and at a whole number beside the value no neighbour is better."
_NO_VALUE = Silent(Silence.NO_CERTIFICATE)
_MOST_CANDIDATES = 6
_LOOKS, _STEPS, _ROUNDING = 60, (0.3, 0.01, -0.01, -0.3), 1e-9
_DIGITS = 40  # in which whole numbers are compared


def is_best(chosen: Chosen) -> Answer:
    """By the derivative: its sign on both sides, as far as what is given of the letter goes.

    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> is_best(Chosen(x / a + a / x, x, a)).lemma
    'Its derivative vanishes there, and it is strictly convex in the logarithm.'
    >>> within = ((a * x, 2 + 0 * x, False),)
    >>> is_best(Chosen(1 / (x * (2 - a * x)), x, 1 / a, given=within)).lemma[:41]
    'Its derivative vanishes there, and it is '
    """
    found = _Search(chosen)
    if found.of.has(sp.Max):
        return found.where_pieces_meet()
    if chosen.letter.kind == "count" and found.of.free_symbols == {found.x} and not found.own:
        return found.among_whole_numbers()
    if not found.own:
        answer = minima.is_smallest(found.of, found.value, found.x, found.chosen.largest)
        if not isinstance(answer, Silent):
            return answer
    return found.answer()


def best_instead(chosen: Chosen) -> Iterator[tuple[Term, Term]]:
    """Values at which the derivative vanishes, and ends that are given; then other quantities.

    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> [str(value) for _, value in best_instead(Chosen(x / a + a / x, x, 2 * a))][0]
    'a'
    """
    found = _Search(chosen)
    if found.of.has(sp.Max):
        yield from ((chosen.of, found.term(value)) for value in minima.meetings(found.of, found.x))
        return
    for value in found.candidates() if found.own else minima.other_values(found.of, found.x):
        yield chosen.of, found.term(value)
    if not found.own:
        yield from ((of, chosen.value) for of in minima.other_formulas(chosen))


def no_best(chosen: Chosen) -> Correction | None:
    """That no value is best, where the quantity falls, or rises, as far as what is given goes.

    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> no_best(Chosen(2 / (a * x) - 1, x, 1 / a, given=((a * x, 2 + 0 * x, False),))).said
    '(2 - a*x)/(a*x) falls strictly with x, so that no value of it is best'
    """
    found = _Search(chosen)
    how = found.runs()
    if not how:
        return None
    of = found.term(tidy(sp.factor(sp.together(found.of))))
    change = rf"\partial_{{{chosen.letter.latex()}}} \left( {of.latex()} \right)"
    sign = ">" if how == "rises" else "<"
    line = Formula(f"{change} {sign} 0", f"d({of})/d{chosen.letter} {sign} 0")
    words = say("wherever what is given holds, so that no value of {} is best", chosen.letter)
    said = f"{of} {how} strictly with {chosen.letter}, so that no value of it is best"
    return Correction((line,), "proved", words, said=said)


@dataclass(frozen=True)
class _Search:
    """A quantity that is to be smallest, and what is given: pairs of which the first is less."""

    chosen: Chosen
    letters: dict[str, Letter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        terms = (
            self.chosen.of,
            self.chosen.value,
            *(t for a, b, _ in self.chosen.given for t in (a, b)),
        )
        self.letters.update({a.name: a for t in terms for a in t.letters})

    @cached_property
    def x(self) -> Any:
        """The letter that is chosen."""
        return symbol(self.chosen.letter)

    @cached_property
    def of(self) -> Any:
        """The quantity as it is written, a size as the larger of two numbers."""
        return minima.in_pieces(in_symbols(self.chosen.of))

    @cached_property
    def value(self) -> Any:
        """The value that is to be best."""
        return in_symbols(self.chosen.value)

    @cached_property
    def bounds(self) -> list[Bound]:
        """All that is given; that a positive letter is positive goes without saying."""
        found = [(in_symbols(a), in_symbols(b), equal) for a, b, equal in self.chosen.given]
        return [*found, *([(sp.Integer(0), self.x, False)] if self.x.is_positive else [])]

    @cached_property
    def own(self) -> list[Bound]:
        """What is given of the letter, besides that it is positive."""
        plain = (sp.Integer(0), self.x)
        return [b for b in self.bounds if (b[1] - b[0]).has(self.x) and b[:2] != plain]

    @cached_property
    def others(self) -> list[Bound]:
        """What is given of other letters alone."""
        return [b for b in self.bounds if not (b[1] - b[0]).has(self.x)]

    def term(self, expr: Any) -> Term:
        """A formula in the letters of the statement, which are of their kinds."""
        found = from_sympy(_joined(sp.sympify(expr)))
        return found.put({a: self.letters[a.name] for a in found.letters if a.name in self.letters})

    def is_less(self, small: Any, large: Any, may_be_equal: bool, bounds: Sequence[Bound]) -> bool:
        """Whether one number is less than another wherever some bounds hold."""
        room, *pairs = without_roots([large - small, *(b - a for a, b, _ in bounds)])
        known = [(self.term(0), self.term(p), e) for p, (*_, e) in zip(pairs, bounds, strict=False)]
        known += [(self.term(0), self.term(p), False) for p in pairs[len(bounds) :]]
        answer = has_sign(self.term(0), self.term(room), (-1, 0) if may_be_equal else (-1,), known)
        return isinstance(answer, Proved)

    def answer(self) -> Answer:
        """Whether the value is among those that are given, and it falls up to there and rises on."""
        counts = self.chosen.letter.kind == "count"
        if counts or not all(map(self._is_half_line, self.bounds)) or not self._is_plausible():
            return _NO_VALUE
        ends = dict.fromkeys((*_plainest(a, b), equal) for a, b, equal in self._at(self.value))
        outside = [b for b in ends if not self.is_less(*b, self.others)]
        quantity = -self.of if self.chosen.largest else self.of
        slope = sp.factor(sp.together(sp.diff(quantity, self.x)))
        lemma = _CONVEX if self._is_convex(slope) else self._falls_and_rises(slope)
        if not lemma:
            return _NO_VALUE
        if outside:
            return Silent(Silence.NO_CERTIFICATE, only_if=tuple(map(self._told, strongest(outside))))
        return Proved(lemma, self._derivation(slope))

    def where_pieces_meet(self) -> Answer:
        """Of the largest of some numbers: by those of which one rises and one falls."""
        at = self._at(self.value)
        if self.chosen.largest or not all(self.is_less(*b, self.others) for b in at):
            return _NO_VALUE

        def less(small: Any, large: Any, may_be_equal: bool, here: bool) -> bool:
            known = [*self.others, *at] if here else self.bounds
            return self.is_less(small, large, may_be_equal, known)

        return minima.where_pieces_meet(self.of, self.value, self.x, less)

    def among_whole_numbers(self) -> Answer:
        """Of a convex quantity in this letter alone, by neighbours: a value is rounded up or down."""
        quantity = -self.of if self.chosen.largest else self.of
        rises = sp.factor(sp.together(sp.diff(quantity, self.x, 2)))
        if not self.value.is_number or not self.is_less(sp.Integer(0), rises, False, self.bounds):
            return _NO_VALUE

        def is_no_worse(here: Any, there: Any) -> bool:
            more = (quantity.subs(self.x, there) - quantity.subs(self.x, here)).evalf(_DIGITS)
            return bool(there < 1 or more > sp.Float(10) ** (5 - _DIGITS))

        beside = {sp.Max(1, end(self.value)) for end in (sp.floor, sp.ceiling)}
        best = any(all(is_no_worse(n, n + step) for step in (-1, 1)) for n in beside)
        return Proved(_WHOLE, self._derivation(sp.diff(quantity, self.x))) if best else _NO_VALUE

    def _is_convex(self, slope: Any) -> bool:
        """Whether the slope vanishes at the value and rises wherever what is given holds."""
        (there, *_) = without_roots([slope.subs(self.x, self.value)])
        if sp.cancel(there) != 0:
            return False
        rises = sp.factor(sp.diff(slope, self.x))
        return self.is_less(sp.Integer(0), rises, False, self.bounds) and self._has_no_pole(
            [(self.x, self.bounds)]
        )

    def _falls_and_rises(self, slope: Any) -> str:
        inside = [*self.others, *self._at(self.value)]
        sides = list(self._sides(inside))
        moves = (
            self.is_less(sp.Integer(0), side * slope.subs(self.x, there), False, bounds)
            for side, there, bounds in sides
        )
        regions = [(self.value, inside), *(one[1:] for one in sides)]
        return _FALLS_AND_RISES if all(moves) and self._has_no_pole(regions) else ""

    def runs(self) -> str:
        """Whether it falls or rises all the way to an end at which nothing is given to be equal."""
        if self.of.has(sp.Max):
            return ""
        slope = sp.factor(sp.together(sp.diff(self.of, self.x)))
        for sign, how in ((1, "rises"), (-1, "falls")):
            if self.is_less(sp.Integer(0), sign * slope, False, self.bounds):
                best_at_the_end = sign * (-1 if self.chosen.largest else 1)  # 1: where x is smallest
                rooms = ((sp.diff(b - a, self.x), equal) for a, b, equal in self.bounds)
                closed = (equal and bool((best_at_the_end * s).is_positive) for s, equal in rooms)
                return "" if any(closed) else how
        return ""

    def _sides(self, inside: list[Bound]) -> Iterator[tuple[int, Any, list[Bound]]]:
        """Above the value and below it, where what is given leaves any values there: with all bounds."""
        more = sp.Symbol("more", positive=True)
        for side in (1, -1):
            there = self.value + side * more
            if not any(self.is_less(b, a, not equal, inside) for a, b, equal in self._at(there)):
                yield side, there, [*self._at(there), *inside]

    def _is_plausible(self) -> bool:
        """Whether nothing smaller is seen at some places, in floats: false proofs are long."""
        rooms, letters = [b - a for a, b, _ in self.bounds], set(self.of.free_symbols)
        letters |= {s for e in (self.value, *rooms) for s in e.free_symbols}
        others = sorted(letters - {self.x}, key=str)
        asked = sp.lambdify([self.x, *others], [self.of, *rooms], "math", dummify=True)
        value, source = sp.lambdify(others, self.value, "math", dummify=True), random.Random(1)
        sign = -1 if self.chosen.largest else 1
        for _ in range(_LOOKS):
            there = [10 ** source.uniform(-1, 1) for _ in others]
            with suppress(ArithmeticError, ValueError, TypeError):
                best = value(*there)
                least, *given = asked(best, *there)
                for x in (best + step * (1 + abs(best)) for step in _STEPS if min(given) >= 0):
                    with suppress(ArithmeticError, ValueError, TypeError):
                        other, *given = asked(x, *there)
                        if min(given) > 0 and sign * (other - least) < -_ROUNDING * abs(least):
                            return False
        return True

    def _at(self, value: Any) -> list[Bound]:
        own = [b for b in self.bounds if (b[1] - b[0]).has(self.x)]
        return [(a.subs(self.x, value), b.subs(self.x, value), equal) for a, b, equal in own]

    def _is_half_line(self, bound: Bound) -> bool:
        """Whether it leaves all values on one side of a number: what is given is then an interval."""
        top, bottom = sp.fraction(sp.together(bound[1] - bound[0]))
        linear = top.is_polynomial(self.x) and sp.degree(top, self.x) <= 1
        return bool(linear and sp.factor(bottom).is_positive) or not top.has(self.x)

    def _has_no_pole(self, regions: list[tuple[Any, list[Bound]]]) -> bool:
        """Whether no denominator vanishes, and no root or logarithm ends, where what is given holds."""
        powers = sp.together(self.of).atoms(sp.Pow)
        ending = {p.base for p in powers if not p.exp.is_Integer} | {
            one.args[0] for one in self.of.atoms(sp.log)
        }
        bases = [p.base for p in powers if not (p.exp.is_Integer and p.exp.is_positive)]
        factors = {f for e in (*bases, *ending) for f in sp.Mul.make_args(sp.factor(e)) if f.has(self.x)}
        signs = {f: (1,) if f in ending else (1, -1) for f in factors if not f.is_positive}
        return all(
            any(
                all(
                    self.is_less(sp.Integer(0), sign * f.subs(self.x, there), False, b)
                    for there, b in regions
                )
                for sign in allowed
            )
            for f, allowed in signs.items()
        )

    def _told(self, bound: Bound) -> Any:
        small, large = map(self.term, bound[:2])
        return small <= large if bound[2] else small < large

    def candidates(self) -> Iterator[Any]:
        """Where the slope vanishes; and values at which what is given ends."""
        top = sp.fraction(sp.together(sp.diff(self.of, self.x)))[0]
        ends = [b - a for a, b, equal in self.bounds if equal and (b - a).has(self.x)]
        found: list[Any] = []
        for one in (*(f for f, _ in sp.factor_list(top)[1]), *ends) if top.is_polynomial(self.x) else ():
            if one.has(self.x) and sp.degree(sp.fraction(sp.together(one))[0], self.x) <= 2:
                found += sp.solve(one, self.x)
        for v in map(_without_factors, found[:_MOST_CANDIDATES]):
            if v.is_real is not False and v != self.value:
                yield v

    def _derivation(self, slope: Any) -> Derivation:
        change = Formula(rf"dF/d {latex(self.x)}", f"dF/d{self.x}")
        told = (
            Step("The formula", "As a function of the letter:", (Equation(Formula("F", "F"), self.of),)),
            Step(
                "Its derivative",
                "Of one sign below the value, where what is given leaves any, and of the other above:",
                (Equation(change, -slope if self.chosen.largest else slope),),
            ),
        )
        return Derivation("A best value", told, ())


def _without_factors(expr: Any) -> Any:
    """A quotient cancelled, roots of letters being letters too.

    >>> a, c = sp.symbols("a c", positive=True)
    >>> _without_factors((a - sp.sqrt(a * c)) / (a - c))
    sqrt(a)/(sqrt(a) + sqrt(c))
    """
    rooted = {
        p.base for p in expr.atoms(sp.Pow) if p.base.is_Symbol and p.exp.is_Rational and p.exp.q == 2
    }
    squares = {s: sp.Symbol(f"root of {s}", positive=True) for s in rooted if s.is_positive}
    found = sp.factor(sp.cancel(expr.subs({s: r**2 for s, r in squares.items()})))
    if found.could_extract_minus_sign():
        less = next((f for f in sp.Mul.make_args(found) if f.is_Add), found)
        found = (-found / less) * sp.Add(*(-t for t in sp.Add.make_args(less)))
    return found.subs({r: sp.sqrt(s) for s, r in squares.items()})


def _joined(expr: Any) -> Any:
    """A product of square roots as the root of a product, which SymPy takes apart."""

    def of_product(found: Any) -> Any:
        rooted = [f.base for f in found.args if f.is_Pow and f.exp == sp.Rational(1, 2)]
        if len(rooted) < 2:
            return found
        rest = [f for f in found.args if not (f.is_Pow and f.exp == sp.Rational(1, 2))]
        root = sp.Pow(sp.Mul(*rooted), sp.Rational(1, 2), evaluate=False)
        return sp.Mul(*rest, root, evaluate=False) if rest else root

    return expr.replace(lambda e: e.is_Mul, of_product)


def _plainest(small: Any, large: Any) -> tuple[Any, Any]:
    """Two numbers of which one is to be less, with no minus sign, and of two products without roots.

    >>> a, h = sp.symbols("a h", positive=True)
    >>> _plainest(sp.Integer(-1), sp.sqrt(a * h) - 2)
    (1, a*h)
    """
    less, more = map(sp.factor, taken_and_added(large - small))
    if less == 0 or less.is_Add or more.is_Add or not (less.is_positive and more.is_positive):
        return less, more
    factors = [f.as_base_exp() for f in sp.Mul.make_args(more / less)]
    power = sp.ilcm(1, 1, *(e.q for _, e in factors if e.is_Rational))
    more, less = sp.fraction(sp.Mul(*(b ** (e * power) for b, e in factors)))
    return less, more
