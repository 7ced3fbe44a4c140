"""The one gate to a refutation: all that a reader is told is given holds there, or nothing is refuted.

A place goes through it twice. ``admits`` asks in exact numbers whatever has a value there, before the
statement is looked at; what cannot be worked out counts as false. ``broken`` reads the numbers that are
shown again, knows nothing of how they were found, and works hypotheses out in decimals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from verification.refuter.conditions import Condition, imposed
from verification.refuter.kinds import scalar_is
from verification.refuter.places import NUMBERS, Place
from verification.relations.base import Relation
from verification.relations.bounded import Bounded
from verification.relations.compare import Compare
from verification.statements.scripts import decider
from verification.terms.arithmetics.rational import exactly
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import compared, nearly
from verification.terms.term import Applied, Letter, Term, number
from verification.terms.walking import able
from verification.terms.words import defines

Kinds = tuple[tuple[Term, str], ...]  # of what letters stand for

_BELOW_ONE = ("fraction", "below one")  # strictly
# spaces know all others
_BOUNDED = ("count", "nonnegative", "fraction", "up to one", "unit", "within one")
_ABOVE_ZERO = ("positive", "fraction", "up to one")


def admits(question: Any, place: Place) -> bool:
    """Whether what is given holds at a place, far out, and where letters take their second values."""
    there = map(question.subject.completed, _looked_at(question, place))
    return all(one is not None and _admitted(question, one) for one in there)


def _looked_at(question: Any, place: Place) -> Iterator[Place]:
    yield place
    for bound in (r for r in question.statement.relations if isinstance(r, Bounded)):
        yield from (place.but(**values) for values in bound.far_from(place.scalars))
    if question.moving:
        yield question.moved(place)


def _admitted(question: Any, place: Place) -> bool:
    if not all(c.holds(place) for c in question.conditions):
        return False
    if not (_are_of_their_kinds(question, place) and question.subject.is_possible(place)):
        return False
    return not (question.obeyed or question.formulas) or _obeyed(question, place)


def _are_of_their_kinds(question: Any, place: Place) -> bool:
    """Whether numbers are what their letters are declared to be, wherever places are made of more."""
    kinds = ((n, kind) for n, kind in question.told_kinds if n in place.scalars)
    return all(scalar_is(kind, place.scalars[name]) for name, kind in kinds)


def told_kinds(question: Any) -> tuple[tuple[str, str], ...]:
    """Letters of the statement and of what is given whose kinds not every place obeys."""
    told = (*question.statement.letters, *(a for one in question.given for a in one.letters))
    return tuple(dict.fromkeys((a.name, a.kind) for a in told if a.kind in _BOUNDED))


def _obeyed(question: Any, place: Place) -> bool:
    here = question.subject.opened((), place)
    ways = [(r.way, k) for r in question.statement.relations if r.limiting for k in r.points]
    for one in question.obeyed:
        own = [(w, k) for w, k in ways if not set(w.set_here).isdisjoint(one.letters)]
        points = [w.at(here, k) for w, k in own] if own else [here]
        if not all(p is not None and _is_so(question, one, p, place) for p in points):
            return False
    return all(is_of_kind(value, kind, here) for value, kind in question.formulas)


def _is_so(question: Any, one: Relation, here: Mapping[str, Any], place: Place) -> bool:
    """A hypothesis about a law is asked of the law there."""
    seen = one.at(here)
    if seen is None and here is not None and any(a.name not in here for a in one.letters):
        values = able(lambda: question.subject.solved(one.sides, place), None)
        seen = None if values is None else able(lambda: one.at(values), None)
    return seen is not None and seen.holds


def is_of_kind(value: Term, kind: str, here: Mapping[str, Any]) -> bool:
    """Whether a formula is a number of the kind of the letter that it stands for.

    >>> from verification.terms.term import letters
    >>> (x,) = letters("x")
    >>> [is_of_kind(x - 1, "positive", {"x": Fraction(n)}) for n in (1, 2)]
    [False, True]
    """
    if kind == "count":
        found = nearly(value, here)
        return found is not None and scalar_is(kind, found)
    if kind == "real" or kind not in ("nonnegative", "unit", "within one", *_ABOVE_ZERO, *_BELOW_ONE):
        return True
    ends = (compared(value, number(n), here) for n in (-1 if kind == "within one" else 0, 1))
    low, high = (None if end is None else end.sign or 0 for end in ends)
    if low is None or high is None:
        return False
    above = low > 0 or (low == 0 and kind not in _ABOVE_ZERO)
    below = high < 0 or (high == 0 and kind not in _BELOW_ONE)
    return above and (below or kind in ("positive", "nonnegative"))


def kinds_of(known: Mapping[Letter, Term]) -> Kinds:
    """What formulas that letters stand for have to be, where that is not plain.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> [str(value) for value, _ in kinds_of({x: y + 1, y: x - 1})]
    ['x - 1']
    """
    return tuple((value, a.kind) for a, value in known.items() if not _is_plain(value, a.kind))


def of_a_factor(equation: Relation) -> Relation:
    """What an equation of a product of positive letters says of its last letter; else as it is.

    >>> from verification.statements import Equal
    >>> from verification.terms.term import letters
    >>> h, a = letters("h a")
    >>> print(of_a_factor(Equal(h * a, number("1/2"))).text())
    a = 1/2/h
    """
    parts, found = [equation.left], list[Letter]()
    while parts:
        one = parts.pop(0)
        if isinstance(one, Applied) and one.head == "*":
            parts[:0] = one.of
        elif isinstance(one, Letter) and one.kind == "positive" and one not in found:
            found.append(one)
        else:
            return equation
    if len(found) < 2 or found[-1] in equation.right.letters:
        return equation
    value = equation.right
    for letter in found[:-1]:
        value = value / letter
    return equation.with_sides(found[-1], value)


def is_set_by_matrices(one: Relation) -> bool:
    """Whether it gives a letter as a number that is made of matrices: h = 1/lambda_max(A).

    >>> from verification.statements import Equal
    >>> h, A = Letter("h"), Letter("A", "matrix")
    >>> is_set_by_matrices(Equal(h, 1 / Applied("tr", (A,)))), is_set_by_matrices(Equal(h, number(2)))
    (True, False)
    """
    left, right = one.left, getattr(one, "right", None)
    if one.relation != "=" or not (isinstance(left, Letter) and isinstance(right, Term)):
        return False
    return left.kind in NUMBERS and any(a.kind == "matrix" for a in right.letters)


def sets_by_matrices(given: Iterable[Relation]) -> bool:
    """Whether a letter is given by matrices, so that few places obey what is given."""
    return any(map(is_set_by_matrices, given))


def with_bounds(given: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """What is given, and that a letter which matrices make is neither below nor above that."""
    made = [one for one in given if is_set_by_matrices(one)]
    return (*given, *(Compare(one.left, sign, one.right) for one in made for sign in ("<=", ">=")))


def as_given(question: Any, conditions: Iterable[Condition], drawn: Place) -> Place | None:
    """A place where conditions and equations for letters are imposed; None where one cannot be."""
    place = imposed(conditions, drawn)
    for one in question.given:
        if place is None or one.relation != "=" or not isinstance(one.left, Letter):
            continue
        here = question.subject.opened((), place)
        known = here is not None and {a.name for a in one.right.letters} <= {*here} - {one.left.name}
        if known and one.left.name in place.scalars:
            value = able(partial(exactly, one.right, here), None)
            place = place.but(**{one.left.name: value}) if isinstance(value, Fraction) else None
    return place


def of_entries(claim: Any) -> tuple[Relation, ...]:
    """What is given of entries of sequences and is no equation: ``l[t] <= 2``."""
    told = (r for h in claim.given for r in getattr(h, "relations", ()))
    return tuple(r for r in told if r.relation == "<=" and defines(r))


def _is_plain(value: Term, kind: str) -> bool:
    known = all(a.kind in NUMBERS for a in value.letters)
    expr = able(lambda: in_symbols(value), None) if known else None
    return kind == "real" or (kind == "positive" and expr is not None and bool(expr.is_positive))


def obeys_as_shown(question: Any, problem: Mapping[str, Any]) -> bool:
    """Whether no hypothesis is broken at numbers that are shown; letters on a way move beside them."""
    relations = question.statement.relations
    beside = {a.name for r in relations for a in (*r.chosen, *(r.way.set_here if r.limiting else ()))}
    found = broken(question.conditions, question.given, problem, frozenset(beside))
    return next(found, None) is None


def broken(
    conditions: Iterable[Condition],
    relations: Iterable[Relation],
    problem: Mapping[str, Any],
    beside: frozenset[str] = frozenset(),
) -> Iterator[Any]:
    """The hypotheses that do not hold at numbers that are shown.

    Nothing is known where they are no numbers; letters ``beside`` take other values than these.
    """
    place = place_of(problem)
    if place is None:
        return
    known = {*place.scalars, *place.matrices}
    for condition in conditions:
        asked = condition.reads <= known and not beside & set(condition.letters)
        if asked and able(partial(condition.holds, place), False) is False:
            yield condition
    for one in relations:
        names = {a.name for a in one.letters}
        if one.limiting or beside & names:
            continue
        if names <= set(place.scalars):
            said = able(partial(decider(one), place.scalars), None)
        else:  # of matrices in exact numbers; of a law it was asked where that was solved
            values: dict[str, Any] = {**place.scalars, **place.matrices, "D": Fraction(place.D)}
            seen = able(partial(one.at, values), None)
            said = None if seen is None else seen.holds
        if said is False:
            yield one


def place_of(problem: Mapping[str, Any]) -> Place | None:
    """The numbers that are shown, read again; None where they are no numbers."""
    names = {"hessian": "A", "noise": "C"}
    params = problem.get("params", {})
    flat = {names.get(k, k): v for k, v in problem.items() if k not in ("model", "params")} | params
    try:
        matrices = {k: _matrix(v) for k, v in flat.items() if isinstance(v, list)}
        scalars = {k: Fraction(str(v)) for k, v in flat.items() if not isinstance(v, list)}
    except (ValueError, TypeError):
        return None
    return Place(matrices, scalars)


def _matrix(rows: list[Any]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(str(x)) for x in row) for row in rows)
