"""Statements about sequences for every number of steps.

Normal forms prove them (``verification.sequences.normal``: sums telescope). For one, two and three steps
they are written out: statements between numbers, which every other part of the language takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.derivation import Derivation, Equation, Formula, Step
from sgtheory.errors import DeclarationError
from sgtheory.printing import plain
from verification.sequences.mending import stand, written
from verification.sequences.normal import Forms, Undecided, difference, without_denominators
from verification.sequences.words import T, t
from verification.terms.arithmetics import RATIONAL, SYMBOLS
from verification.terms.arithmetics.symbols import symbol
from verification.terms.term import Applied, Letter, Number, Term, number, total
from verification.terms.walking import walk
from verification.terms.words import word
from verification.theories.answers import Answer, Proved, Silence, Silent
from verification.theories.sequences.words import ENTRIES

LENGTHS = (1, 2, 3)  # for which statements are written out
LEMMA = "Both sides have one normal form, for every number of steps."


def defines(relation: Any) -> bool:
    """Whether an equation says what entries of a sequence are: ``l[t] = ...``, or ``l[0] = ...``."""
    left = relation.left
    return relation.relation == "=" and isinstance(left, Applied) and left.head == "at"


@dataclass(frozen=True)
class Steps:
    """What is known of the sequences of a statement.

    ``count`` is the letter for the number of steps, ``rules`` say of a sequence what its entry at a
    running letter is, ``starts`` which entry another one is.
    """

    count: Letter | None
    rules: tuple[tuple[Letter, Letter, Term], ...] = ()
    starts: tuple[tuple[Term, Term], ...] = ()

    # -- for a given number of steps --------------------------------------------------------------

    def written_out(self, relation: Any) -> tuple[tuple[int, Any], ...]:
        """A relation for a few numbers of steps, without sums: its letters are single entries."""
        return tuple((n, relation.with_terms(lambda side, n=n: self.at(side, n))) for n in LENGTHS)

    def at(self, side: Term, steps: int) -> Term:
        """A side for so many steps."""
        return self._out(side, {} if self.count is None else {self.count: steps})

    def _out(self, side: Term, known: Mapping[Letter, Any]) -> Term:
        if isinstance(side, Letter):
            return number(known[side]) if side in known else side
        if not isinstance(side, Applied):
            return side
        if side.head == "sum":
            body, running, first, last = side.of
            assert isinstance(running, Letter)
            steps = range(math.ceil(_whole(first, known)), math.floor(_whole(last, known)) + 1)
            terms = [self._out(body, {**known, running: k}) for k in steps]
            return total(terms) if terms else number(0)
        if side.head == "at":
            return self._entry(side.of[0], _whole(side.of[1], known))
        return side.with_parts(tuple(self._out(part, known) for part in side.of))

    def _entry(self, name: Any, at: Fraction) -> Term:
        for sequence, running, rule in self.rules:
            if sequence == name:
                return self._out(rule, {running: at})
        for start, value in self.starts:
            if start == Applied("at", (name, number(at))):
                return self._out(value, {})
        return Letter(f"{name}[{at}]", ENTRIES[name.kind])

    # -- for every number of steps ----------------------------------------------------------------

    def vanishes(self, left: Term, right: Term) -> Answer:
        """Whether left minus right is zero for every number of steps and all sequences."""
        sides = [self._symbolic(left), self._symbolic(right)]
        names = {s for side in (left, right, *(r for *_, r in self.rules)) for s in side.subterms()}
        kinds = {s.name: ENTRIES[s.kind] for s in names if isinstance(s, Letter) and s.kind in ENTRIES}
        try:
            rest, forms = difference(sides[0], sides[1], dict(kinds))
        except Undecided:
            return Silent(Silence.NO_FORMULA)
        rest = sp.expand(rest.subs([self._started(forms, *pair) for pair in self.starts]))
        words = "Entries at the same steps are collected, and what is added up twice cancels:"
        shown = sp.Mul(self._read(rest, forms), *(1 / q for q in without_denominators(*sides)[2]))
        line = Equation(Formula(r"\text{left} - \text{right}", "left - right"), shown)
        told = Derivation("Normal forms", (Step("Left minus right", words, (line,)),), ())
        if rest == 0:
            return Proved(LEMMA, told, {"steps": "every"})
        return Silent(Silence.LEFT_OVER, plain(shown.subs(self._shown)), told)

    def mended(self, left: Term, right: Term, constant_in: Any = ()) -> Iterator[tuple[Term, Term]]:
        """The same with the sign of one term turned, which may be true where it is false."""
        terms = _added(right)
        for k in range(len(terms)):
            turned = [(-sign if j == k else sign, one) for j, (sign, one) in enumerate(terms)]
            whole = turned[0][1] if turned[0][0] > 0 else -turned[0][1]
            for sign, one in turned[1:]:
                whole = whole + one if sign > 0 else whole - one
            yield left, whole

    @property
    def _shown(self) -> dict[Any, Any]:
        return {} if self.count is None else {T: sp.Symbol(self.count.name, positive=True, integer=True)}

    def _symbolic(self, side: Term) -> Any:
        """A side with the sums and the entries that normal forms are made of."""
        found = self._in_symbols(side)
        rules = ((_base(s), self._in_symbols(r).subs(symbol_of(i), t)) for s, i, r in self.rules)
        return stand(found, tuple(rules))

    def _in_symbols(self, side: Term) -> Any:
        if isinstance(side, Letter):
            return T if side == self.count else symbol_of(side)
        if isinstance(side, Number):
            return SYMBOLS.number(side.value)
        assert isinstance(side, Applied)
        if side.head == "at":
            return _base(side.of[0])[self._in_symbols(side.of[1])]
        parts = [self._in_symbols(part) for part in side.of]
        if side.head == "sum":
            return sp.Sum(parts[0], tuple(parts[1:]))
        return word(side.head).value(SYMBOLS, *parts)

    def _started(self, forms: Forms, *pair: Term) -> tuple[Any, Any]:
        first, second = (forms.normal(self._in_symbols(one)) for one in pair)
        return first, second

    def _read(self, rest: Any, forms: Forms) -> Any:
        names = {name.strip("|") for name, *_ in forms.entries.values()}
        return written(rest, forms, {n: sp.IndexedBase(n, real=True) for n in names})


def symbol_of(letter: Letter) -> Any:
    """A letter as SymPy's symbol; one that runs over steps is whole."""
    if letter.kind == "index":
        return sp.Symbol(letter.name, integer=True)
    return symbol(letter)


@cache
def _base(letter: Any) -> Any:
    assumed = {"positive": True} if ENTRIES[letter.kind] == "positive" else {"real": True}
    return sp.IndexedBase(letter.name, **assumed)


def _whole(step: Term, known: Mapping[Letter, Any]) -> Fraction:
    """The number of a step."""
    free = [a for a in step.letters if a not in known]
    if free:
        raise DeclarationError("a step over which a sum runs", str(free[0]), "sum over it, with over()")
    values = {a.name: RATIONAL.number(known[a]) for a in step.letters}
    found = walk(step, RATIONAL, values)
    return Fraction(int(found.p), int(found.q))


def _added(side: Term, sign: int = 1) -> list[tuple[int, Term]]:
    """The terms that a side is the sum of, with their signs."""
    if isinstance(side, Applied) and side.head in ("+", "-"):
        first, second = side.of
        return [*_added(first, sign), *_added(second, sign if side.head == "+" else -sign)]
    if isinstance(side, Applied) and side.head == "negative":
        return _added(side.of[0], -sign)
    return [(sign, side)]


def steps_of(sides: tuple[Term, ...], given: tuple[Any, ...]) -> Steps | None:
    """What is known of the sequences in some terms; None where there are none."""
    defined = [r for r in given if defines(r)]
    every = [s for side in (*sides, *(r.right for r in defined)) for s in side.subterms()]
    words = [s for s in every if isinstance(s, Applied) and s.head in ("at", "sum")]
    if not words:
        return None
    places = (p for s in words for p in (s.of[2:] if s.head == "sum" else s.of[1:]))
    counts = tuple(dict.fromkeys(a for p in places for a in p.letters if a.kind != "index"))
    if len(counts) > 1:
        told = " and ".join(map(str, counts))
        raise DeclarationError("one letter for the number of steps", told, "state them one by one")
    rules = [(r.left.of[0], r.left.of[1], r.right) for r in defined if r.left.of[1].letters]
    starts = [(r.left, r.right) for r in defined if not r.left.of[1].letters]
    return Steps(next(iter(counts), None), tuple(rules), tuple(starts))
