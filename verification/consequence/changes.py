"""What has to be changed in a formula so that it is true: factors, signs, a term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy as sp

from sgtheory.notation.sentence import Sentence, joined, say
from verification.relations.base import Relation
from verification.relations.best import Best
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.trends import Moves
from verification.statements.factors import form_of
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Number, Term, added, total
from verification.terms.walking import able

_NOT_FACTORS = ("matrix", "function", "positive function", "variable")


@dataclass(frozen=True)
class Change:
    """One term of a formula, and what has to stand in its place; None where one is missing."""

    printed: Term | None
    true: Term | None
    factor: Any = None  # by which the printed one has to be multiplied, where that is all
    index: bool = False  # whether only indices of entries are other ones, by a number

    @property
    def words(self) -> Sentence:
        """In a sentence.

        >>> from verification.terms.term import letters
        >>> x, y = letters("x y")
        >>> print(Change(x, -x, sp.Integer(-1)).words)
        The sign of x is wrong.
        >>> print(Change(None, -y).words)
        The term -y is missing.
        """
        if self.printed is None:
            several = self.true is not None and len(added(self.true)) > 1
            return say(f"The term{'s {} are' if several else ' {} is'} missing.", self.true)
        if self.true is None:
            return say("The term {} is too much.", self.printed)
        if self.factor is None:
            return say("{} should be {}.", self.printed, self.true)
        if self.factor == -1:
            return say("The sign of {} is wrong.", self.printed)
        return say("{} should be multiplied by {}.", self.printed, from_sympy(self.factor))


@dataclass(frozen=True)
class WholeSide:
    """A side all of whose terms have to be multiplied by one number."""

    side: str
    factor: Any

    @property
    def words(self) -> Sentence:
        """In a sentence.

        >>> print(WholeSide("right", sp.Integer(-1)).words)
        The sign of the whole right side is wrong.
        """
        if self.factor == -1:
            return say(f"The sign of the whole {self.side} side is wrong.")
        return say(f"The whole {self.side} side should be multiplied by {{}}.", from_sympy(self.factor))


@dataclass(frozen=True)
class OnBothSides:
    """A letter that is set to something made of itself."""

    letter: Term

    @property
    def words(self) -> Sentence:
        """In a sentence."""
        return say("{} stands on both sides, and has to be another value on one of them.", self.letter)


@dataclass(frozen=True)
class OtherWay:
    """A direction that is the opposite of the printed one."""

    words = say("The opposite direction is true.")


@dataclass(frozen=True)
class _Product:
    """A term taken apart: its factor of numbers and letters, and what it multiplies."""

    whole: Term
    factor: Any
    rest: tuple[Any, ...]


def changes(printed: Any, true: Any) -> tuple[Any, ...] | None:
    """What makes one statement of another; None where they are not of one shape.

    >>> from verification.terms.term import letters
    >>> x, y, z = letters("x y z")
    >>> print(changes(Equal(z, x + y / 2), Equal(z, x - y))[0].words)
    y/2 should be multiplied by -2.
    >>> changes(Equal(z, x), x <= z) is None
    True
    """
    ours, others = _updates(printed, true) or (printed.relations, true.relations)
    if len(ours) != len(others):
        return None
    found: list[Any] = []
    for one, other in zip(ours, others, strict=True):
        told = _of_relations(one, other)
        if told is None:
            return None
        found += told
    return tuple(found)


def _updates(printed: Any, true: Any) -> tuple[list[Relation], ...]:
    """Of two schemes for one equation, what each sets its letters to, in turn; nothing of all else."""
    both: tuple[Any, ...] = tuple(getattr(statement, "form", None) for statement in (printed, true))
    forms = [form for form in both if hasattr(form, "steps")]
    if len(forms) < 2 or forms[0].process != forms[1].process:
        return ()
    steps = [[u for _, step in f.steps for u in getattr(step, "updates", step)] for f in forms]
    if len({tuple(target for target, _ in each) for each in steps}) > 1:
        return ()
    sides = [[(from_sympy(target), from_sympy(value)) for target, value in each] for each in steps]
    return tuple([Equal(*pair) for pair in each if pair[0] != pair[1]] for each in sides)


def between(printed: Any, true: Any) -> tuple[Any, ...]:
    """What one relation has on its sides in the place of what another has; nothing is asked of it."""
    ((one,), (other,)) = (statement.relations for statement in (printed, true))
    sides = zip(one.sides, other.sides, strict=True)
    found = [change for a, b in sides for change in _of_side("", a, b)]
    return tuple(c if _is_number(c) else replace(c, factor=None) for c in found)


def _of_relations(one: Relation, other: Relation) -> list[Any] | None:
    if type(one) is not type(other) or not isinstance(one, Equal | Best | Compare | Moves):
        return None
    sides = tuple(zip(one.sides, other.sides, strict=True)) if _alike(one, other) else ()
    if not sides or any(_is_zero(a) and a != b for a, b in sides):
        return None  # what does not vanish has no factor that was missed
    if one.relation != other.relation:
        opposite = {one.relation[0], other.relation[0]} == {"<", ">"} or isinstance(one, Moves)
        nothing = any(_is_zero(side) for side in one.sides)  # what is above zero was not turned round
        return [OtherWay()] if opposite and not nothing and all(a == b for a, b in sides) else None
    if isinstance(one, Moves):
        return None
    names = ("left", "right") if isinstance(one, Equal) else [""] * len(sides)
    each = zip(names, sides, strict=True)
    found: list[Any] = [c for name, (a, b) in each for c in _of_side(name, a, b)]
    bound = isinstance(one, Compare) and any(not _is_number(c) for c in found)
    return None if bound else found


def _alike(one: Relation, other: Relation) -> bool:
    return len(one.sides) == len(other.sides) and one.constant_in == other.constant_in


def _is_zero(side: Term) -> bool:
    return bool(able(lambda: in_symbols(side) == 0, False))


def _is_number(change: Any) -> bool:
    return change.factor is not None and bool(change.factor.is_number)


def _of_side(name: str, printed: Term, true: Term) -> list[Change | WholeSide]:
    """What is to be changed on one side: all of it alike, or term by term."""
    if name and isinstance(true, Applied) and true.head == "*" and true.of[1:] == (printed,):
        (factor, rest), sums = _apart(true.of[0]), len(added(printed)) > 1
        if sums and not rest:
            return [WholeSide(name, factor)]
    found: list[Any] = [*_of_sides(printed, true)]
    factors = {one.factor for one in found}
    if name and 1 < len(found) == len(added(printed)) and len(factors) == 1 and None not in factors:
        return [WholeSide(name, *factors)]
    return found


def _of_sides(printed: Term, true: Term) -> tuple[Change, ...]:
    """Terms of two sums that are not the same, each with the one that belongs to it.

    Where that is no slip, terms of quotients and of sums over an index are looked at one by one.
    """
    found = tuple(_paired(_products(added(printed)), _products(added(true))))
    if is_slight(found):
        return found
    spread = tuple(_paired(_products(_spread(printed)), _products(_spread(true))))
    return spread if is_slight(spread) else found


def _spread(side: Term) -> list[tuple[int, Term]]:
    """Its terms with their signs, those of quotients and of sums over an index one by one."""
    found = []
    for sign, one in added(side):
        inside = [(1, one)]
        if isinstance(one, Applied) and one.head in ("/", "sum"):
            inside = [(s, one.with_parts((part, *one.of[1:]))) for s, part in _spread(one.of[0])]
        found += [(sign * s, part) for s, part in inside]
    return found


def _paired(ours: list[_Product], others: list[_Product]) -> Iterator[Change]:
    kept = []
    for one in list(ours):
        same = next((b for b in others if b.rest == one.rest and _ratio(b, one) == 1), None)
        if same is not None:
            ours.remove(one)
            others.remove(same)
            kept.append(one)
    for one in list(ours):
        same = next((b for b in others if b.rest == one.rest), None)
        if same is not None:
            ours.remove(one)
            others.remove(same)
            yield Change(one.whole, same.whole, _ratio(same, one))
    for one in list(ours):
        same = next((b for b in others if _unshifted(b) == _unshifted(one)), None)
        if same is not None:
            ours.remove(one)
            others.remove(same)
            yield Change(one.whole, same.whole, index=True)
    if not ours and len(others) > 1 and able(partial(_go_on, kept, others), False):
        missing = sp.Add(*(in_symbols(one.whole) for one in others))
        yield Change(None, from_sympy(missing))  # of a sum that breaks off
        return
    while ours or others:
        yield Change(ours.pop(0).whole if ours else None, others.pop(0).whole if others else None)


def _go_on(kept: list[_Product], missing: list[_Product]) -> bool:
    """Whether all that is missing is of the form of one term that is there."""
    there, more = ({form_of(in_symbols(one.whole)) for one in terms} for terms in (kept, missing))
    return len(more) == 1 and more <= there


def _ratio(above: _Product, below: _Product) -> Any:
    return sp.cancel(above.factor / below.factor)


def _unshifted(one: _Product) -> list[tuple[Term, int]]:
    return [(_without_numbers(term), power) for term, power in one.rest]


def _without_numbers(side: Term) -> Term:
    """The same with entries at the letters of their indices alone."""
    if not isinstance(side, Applied):
        return side
    if side.head == "at":
        sequence, index = side.of
        named = [sign * one for sign, one in added(index) if not isinstance(one, Number)]
        return Applied("at", (sequence, total(named))) if named else side
    return side.with_parts(tuple(map(_without_numbers, side.of)))


def _products(terms: list[tuple[int, Term]]) -> list[_Product]:
    found = []
    for sign, one in terms:
        factor, rest = _apart(one)
        ordered = tuple(rest) if any(_has_matrix(t) for t, _ in rest) else tuple(sorted(rest, key=str))
        whole = one if sign > 0 else -one
        if factor != 0:
            found.append(_Product(whole, sign * factor, ordered))
    return found


def _has_matrix(side: Term) -> bool:
    return any(a.kind == "matrix" for a in side.letters)


def _apart(side: Term, power: int = 1) -> tuple[Any, list[tuple[Term, int]]]:
    """The numbers and letters that it is a product of, and what else, each with its power."""
    if isinstance(side, Number) or (isinstance(side, Letter) and side.kind not in _NOT_FACTORS):
        return in_symbols(side) ** power, []
    if isinstance(side, Applied):
        if side.head in ("*", "/"):
            first, second = side.of
            return _together(_apart(first, power), _apart(second, -power if side.head == "/" else power))
        if side.head == "negative":
            factor, rest = _apart(side.of[0], power)
            return -factor, rest
        if side.head == "**" and isinstance(side.of[1], Number) and _factors_alone(side.of[0]):
            return in_symbols(side) ** power, []
        if side.head in ("+", "-") and _factors_alone(side):
            return _sum(side) ** power, []
    return sp.Integer(1), [(side, power)]


def _factors_alone(side: Term) -> bool:
    """Whether it is made of numbers and letters by sums and products alone."""
    if not isinstance(side, Applied):
        return isinstance(side, Number) or (isinstance(side, Letter) and side.kind not in _NOT_FACTORS)
    return side.head in ("+", "-", "*", "/", "negative", "**") and all(map(_factors_alone, side.of))


def _sum(side: Term) -> Any:
    return sp.Add(*(sign * _apart(one)[0] for sign, one in added(side)))


def _together(*parts: tuple[Any, list[tuple[Term, int]]]) -> tuple[Any, list[tuple[Term, int]]]:
    factors: Iterable[Any] = (factor for factor, _ in parts)
    return sp.Mul(*factors), [one for _, rest in parts for one in rest]


def is_slight(found: tuple[Any, ...] | None) -> bool:
    """Whether factors, signs, indices and one term at most are all that has to be changed."""
    if not found:
        return False
    terms = (one for one in found if isinstance(one, Change) and one.factor is None)
    return sum(not one.index for one in terms) <= 1


def told(found: tuple[Any, ...]) -> Sentence:
    """All of them in sentences."""
    return joined(*dict.fromkeys(one.words for one in found))
