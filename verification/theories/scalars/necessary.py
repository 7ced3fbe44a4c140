"""Conditions on numbers that a relation between numbers cannot do without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from verification.refuter.parameters import written_under
from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.asymptotics import sign
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Letter, Term
from verification.theories import zeros
from verification.theories.answers import Proved


def holds_only_where(
    subject: Any, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
) -> bool:
    """Whether a relation holds only where one of some conditions does.

    An equation: what is left over vanishes nowhere else. An inequality: its larger side minus the
    smaller is that of the condition, times what is positive.
    """
    (first, *others) = relations
    if others or first.limiting:
        return False
    letters = tuple(a for one in (first, *conditions) for a in getattr(one, "letters", ()))
    kinds = {a.name: a.kind for a in letters if isinstance(a, Letter)}

    def ranging(formula: Any) -> Any:
        return written_under(zeros.in_range(formula, kinds), (*subject.given, *given))

    wanted = [_formula(c) for c in conditions]
    if first.relation != "=" and (None in wanted or not _is_reversed(subject, first, given)):
        return len(conditions) == 1 and _is_times_positive(first, conditions[0], ranging)
    rest = ranging(in_symbols(first.left) - in_symbols(first.right))
    return None not in wanted and zeros.only_where([rest], [[ranging(e)] for e in wanted])


def _formula(condition: Any) -> Any:
    """What vanishes where it holds."""
    if getattr(condition, "relation", "") == "=":
        return in_symbols(condition.left) - in_symbols(condition.right)
    return zeros.vanishing(condition)


def _is_reversed(subject: Any, relation: Any, given: Sequence[Any]) -> bool:
    """Whether an inequality holds the other way round, so that it says that both sides are equal."""
    if not hasattr(relation, "upward"):
        return False
    small, large, may_be_equal = relation.upward
    pairs = [(from_sympy(c.lower), from_sympy(c.upper), not c.strict) for c in given]
    return may_be_equal and isinstance(subject.has_sign(large, small, (-1, 0), pairs), Proved)


def _is_times_positive(relation: Any, condition: Any, ranging: Any) -> bool:
    if not (hasattr(relation, "upward") and hasattr(condition, "upward")):
        return False
    (small, large, equal), (less, more, too) = relation.upward, condition.upward
    room, wanted = (ranging(in_symbols(a) - in_symbols(b)) for a, b in ((large, small), (more, less)))
    return bool(equal == too and wanted != 0 and sign(sp.cancel(room / wanted)) == 1)


def roots(subject: Any, left: Term, right: Term, *first: Letter) -> Iterator[tuple[Term, Term]]:
    """The values of a letter at which both sides are equal, one for each factor of what is left over.

    Of several letters it is said of one that comes ``first``, where that can be.
    """
    letters = {symbol(a): a for a in (*left.letters, *right.letters)}
    for letter, value in zeros.roots(in_symbols(left) - in_symbols(right), map(symbol, first)):
        yield letters[letter], from_sympy(value)
