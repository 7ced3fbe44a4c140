"""An equation that is false, with the same terms and the factors that numbers ask for."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from sgtheory.notation.printing import tidy
from verification.refuter.places import Space
from verification.relations.base import Relation
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.iff import Iff
from verification.relations.joined import All
from verification.terms.arithmetics import RATIONAL
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Term, added, number
from verification.terms.walking import Unable, Undefined, able, walk
from verification.terms.words import theories_of
from verification.theories.answers import Silent
from verification.verdicts.verdict import Correction

_MORE, _MOST_TERMS, _TRIES = 3, 12, 40  # places than unknown factors; of terms; for each place


def other_factors(relations: Sequence[Relation], question: Any) -> Iterator[Relation]:
    """Of one equation, terms as they are printed; then those of its sums one by one.

    The factors are such that both sides agree at random places, of few steps where there are sequences.
    The left side is mended where that takes fewer changes: a definition is wrong more often than what
    it is held against.
    """
    if question.subject.solves or len(relations) != 1 or not isinstance(relations[0], Equal):
        return
    if relations[0].constant_in:
        return
    (one,) = relations
    mended = _mended(one, added(one.right), question)
    if mended is not None:
        terms = added(one.left)
        many = len(terms) > 1 and not question.subject.stepwise
        other = _mended(one.with_sides(one.right, one.left), terms, question) if many else None
        if other is not None and other[0] < mended[0]:
            yield one.with_sides(other[1], one.right)
        yield _with_right(one, mended[1])
    if question.subject.stepwise:
        apart = _mended(one, [(1, term) for term in _apart(one.right)], question)
        if apart is not None:
            yield _with_right(one, apart[1])


def _mended(one: Relation, terms: list[tuple[int, Term]], question: Any) -> tuple[int, Term] | None:
    """How many factors change of the terms of the right side, and what it is with those."""
    plain = [term for _, term in terms]
    factors = _solved(one, plain, question) if len(terms) <= _MOST_TERMS else None
    if factors is None:
        return None
    found = _with_factors(factors, plain)
    changed = sum(c != sign for c, (sign, _) in zip(factors, terms, strict=True))
    return None if found == one.right else (changed, found)


def other_roots(question: Any, condition: Relation) -> Iterator[Relation]:
    """Where else an equation holds: what is left over has other factors."""
    (first, *others) = question.statement.relations
    sides = () if others or first.relation != "=" else first.sides
    found = [Equal(*pair) for pair in question.known.roots(*sides)] if sides else []
    same = {*condition.sides}
    yield from (one for one in found if {*one.sides} != same and question.under(one).proved)


def with_left_over(relations: Sequence[Relation], question: Any) -> Iterator[Relation]:
    """With the one term added that is missing, or too much."""
    rest = _left_over(relations, question)
    if rest is not None and not rest.is_Add:
        (one,), missing = relations, from_sympy(rest)
        found = missing if one.right == number(0) else one.right + missing
        if found != one.left:  # which would say nothing
            yield _with_right(one, found)


def with_another_term(relations: Sequence[Relation], question: Any) -> Iterator[Relation]:
    """With the rest of a sum that breaks off; or one term of several on the right in another's place."""
    rest = _left_over(relations, question)
    if rest is None or not rest.is_Add:
        return
    (one,) = relations
    if _breaks_off(one.right, rest):
        yield one.with_sides(one.left, _with_rest(one.right, rest))
    if _breaks_off(one.left, -rest):
        yield one.with_sides(_with_rest(one.left, -rest), one.right)
    terms = added(one.right)
    for k, (sign, term) in enumerate(terms if len(terms) > 1 else ()):
        instead = able(partial(_beside, rest, sign, term), sp.Integer(0))
        if instead != 0 and not instead.is_Add:
            turned = -1 if instead.could_extract_minus_sign() else 1
            signed = [*terms[:k], (turned, from_sympy(turned * instead)), *terms[k + 1 :]]
            yield _with_right(one, _with_factors(*zip(*signed, strict=True)))


def _breaks_off(side: Term, rest: Any) -> bool:
    """Whether all that is missing is of the form of a term that is there, and takes none away."""
    terms = added(side)
    there = [able(partial(_beside, sp.Integer(0), *one), sp.Integer(0)) for one in terms]
    more = sp.Add.make_args(rest)
    alike = {*map(form_of, more)} <= {*map(form_of, there)}
    return len(terms) > 1 and alike and not any(-one in there for one in more)


def _with_rest(side: Term, rest: Any) -> Term:
    less = rest.could_extract_minus_sign()
    return side - from_sympy(-rest) if less else side + from_sympy(rest)


def form_of(product: Any) -> tuple[Any, ...]:
    """Its number, and the powers of what it multiplies, whatever that is called.

    >>> x, y, z = sp.symbols("x y z")
    >>> form_of(2 * x * y) == form_of(2 * z * x), form_of(x * y) == form_of(x * y**2)
    (True, False)
    """
    factor, rest = product.as_coeff_Mul()
    return factor, tuple(sorted(map(str, rest.as_powers_dict().values())))


def _left_over(relations: Sequence[Relation], question: Any) -> Any:
    """What one equation leaves over, where a theory knows it; else nothing."""
    if len(relations) != 1 or not isinstance(relations[0], Equal) or question.subject.solves:
        return None
    answer = question.answers[0]
    return answer.rest if isinstance(answer, Silent) else None


def _beside(rest: Any, sign: int, term: Term) -> Any:
    """What is left over together with a term."""
    return sp.expand(rest + sign * in_symbols(term))


def _with_right(one: Relation, right: Term) -> Relation:
    """The relation with another right side, which may be the left one."""
    return one.with_terms(lambda side: right if side is one.right else side)


def _apart(side: Term) -> list[Term]:
    """The terms, those of quotients and of sums over steps one by one; then with the running step."""
    found: list[Term] = []
    for _, one in added(side):
        found += _of(one)
    later = map(_with_running_step, found)
    return [*found, *(one for one in later if one not in found)]


def _of(one: Term) -> list[Term]:
    if isinstance(one, Applied) and one.head == "/":
        return [Applied("/", (part, one.of[1])) for _, above in added(one.of[0]) for part in _of(above)]
    if isinstance(one, Applied) and one.head == "sum":
        return [one.with_parts((part, *one.of[1:])) for _, part in added(one.of[0])]
    return [one]


def _with_running_step(one: Term, running: Term | None = None) -> Term:
    """Entries of the step before that a sum runs over, by those of its own."""
    if not isinstance(one, Applied):
        return one
    if one.head == "at" and running is not None and one.of[1] == running - 1:
        return one.with_parts((one.of[0], running))
    inside = one.of[1] if one.head == "sum" else running
    return one.with_parts(tuple(_with_running_step(part, inside) for part in one.of))


def _solved(one: Relation, terms: list[Term], question: Any) -> list[Any] | None:
    meant = [question.meant(_with_right(one, x)) for x in terms]
    ways: list[list[Any]] = []  # both sides, for each term, at each number of steps
    if not question.subject.stepwise:
        ways = [meant]
    else:
        for n, _ in question.subject.written_out(meant[0]):
            ways.append([m.with_terms(lambda s, n=n: question.subject.at(s, n)) for m in meant])
    letters = {a.name: a.kind for way in ways for m in way for a in m.letters}
    squares = {n: "square" if kind == "positive" else kind for n, kind in letters.items()}
    space, source = Space({}, squares), random.Random(question.seed)
    rows, values = [], []
    wanted = 2 * len(terms) + _MORE
    for k in range(_TRIES * wanted):
        place = space.random(source)
        way = ways[k % len(ways)]
        try:
            row = [_value(m.right, place) for m in way]
            values.append(_value(way[0].left, place))
        except (Undefined, Unable):
            continue
        rows.append(row)
        if len(rows) == wanted:
            break
    unknown = sp.symbols(f"c0:{len(terms)}")
    solved = sp.linsolve((sp.Matrix(rows), sp.Matrix(values)), *unknown) if rows else sp.S.EmptySet
    if solved == sp.S.EmptySet:
        return None
    free = dict.fromkeys(unknown, 0)
    return [sp.Rational(c.subs(free)) for c in next(iter(solved))]


def _value(side: Term, place: Any) -> Any:
    found = walk(side, RATIONAL, {a.name: RATIONAL.number(place.scalars[a.name]) for a in side.letters})
    return sp.Rational(int(found.p), int(found.q))


def _with_factors(factors: Sequence[Any], terms: Sequence[Term]) -> Term:
    found: Term | None = None
    for factor, one in zip(factors, terms, strict=True):
        if factor == 0:
            continue
        part = one if abs(factor) == 1 else _times(Fraction(int(abs(factor).p), int(factor.q)), one)
        if found is None:
            found = part if factor > 0 else -part
        else:
            found = found + part if factor > 0 else found - part
    return number(0) if found is None else found


def _times(factor: Fraction, one: Term) -> Term:
    if factor.numerator == 1:
        if isinstance(one, Applied) and one.head == "/":
            return one.of[0] / (number(factor.denominator) * one.of[1])
        return one / number(factor.denominator)
    return number(factor) * one


def gathered(side: Term) -> Term:
    """A quotient of polynomials of letters as one, in factors, where that is shorter.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> print(gathered(x / (x * y + x)), "|", gathered(y * x), "|", gathered(x**y))
    1/(y + 1) | y*x | x**y
    """
    expr = able(lambda: in_symbols(side), None) if theories_of((side,)) <= {"scalars"} else None
    if expr is None or not expr.is_rational_function():
        return side
    own = {a.name: a for a in side.letters}
    found = from_sympy(tidy(sp.factor(expr)))
    found = found.put({a: own.get(a.name, a) for a in found.letters})
    return found if len(str(found)) < len(str(side)) else side


def is_of_own_size(corrected: Correction) -> bool:
    """Whether a bound says no more than that something is of its own size."""
    return any(_is_bound(r) and _of_own_size(r) for one in corrected.printed for r in one.relations)


def repeats(corrected: Correction, statement: Any) -> bool:
    """Whether it says no more than that a term is of its own size, or the same again."""
    found = [r for one in corrected.printed for r in one.relations]
    sides = [one.sides for one in statement.relations if isinstance(one, Compare)]
    lent = any(map(_lent, found, statement.relations))
    return lent or any(r.left == r.right or r.sides in sides for r in found)


def _lent(true: Relation, printed: Relation) -> bool:
    """Whether what a bound lacks is a term of what it bounds."""
    if not (_is_bound(true) and _is_bound(printed)):
        return False
    left, right, before = (
        {t.as_coeff_Mul()[1] for t in sp.Add.make_args(sp.expand(in_symbols(side)))}
        for side in (*true.sides, printed.right)
    )
    return bool(left & (right - before))


def says_nothing(one: Any) -> bool:
    """Whether it is so of any letters at sight: both sides read alike or vanish, or a letter is itself.

    >>> from verification.relations.iff import Iff
    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> says_nothing(Equal(x, 2 * x / 2)), says_nothing(Equal(x, x * y))
    (True, False)
    >>> says_nothing(Equal(0, 0 * (x - y))), says_nothing(Iff(x < y, x < y)), says_nothing(x - y <= 0)
    (True, True, False)
    """
    if isinstance(one, All):  # relations of a form are what it comes to, not what it says
        return one.form is None and all(map(says_nothing, one.relations))
    if isinstance(one, Iff):
        return {r.text() for r in one.statement.relations} == {r.text() for r in one.when.relations}
    if not isinstance(one, Equal) or str(one.left) == str(one.right):
        return isinstance(one, Equal)
    if all(map(_vanishes, one.sides)):
        return True
    if not isinstance(one.left, Letter):
        return False
    return bool(able(lambda: sp.expand(in_symbols(one.right) - in_symbols(one.left)) == 0, False))


def _vanishes(side: Term) -> bool:
    """Whether it is a product that has the factor zero, of whatever else."""
    if not (isinstance(side, Applied) and side.head in ("*", "/")):
        return side == number(0)
    return any(map(_vanishes, side.parts if side.head == "*" else side.parts[:1]))


def _is_bound(r: Relation) -> bool:
    return r.relation == "O" and not r.limiting and theories_of(r.sides) <= {"scalars"}


def _of_own_size(r: Relation) -> bool:
    """Whether both sides of a bound are one up to a number."""
    return bool(r.left == r.right) or bool(
        sp.simplify(in_symbols(r.left) / in_symbols(r.right)).is_number
    )
