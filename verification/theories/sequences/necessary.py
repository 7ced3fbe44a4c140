"""Means and numbers at which an equation between means holds, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term, number
from verification.theories import zeros
from verification.theories.sequences.normal import difference
from verification.theories.sequences.words import mean

if TYPE_CHECKING:
    from verification.theories.sequences.steps import Steps


def holds_only_where(
    law: Steps, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
) -> bool:
    """Whether an equation without sequences holds only where one of some others does."""
    if law.count is not None or any(one.relation != "=" for one in (*relations, *conditions)):
        return False
    rest = [_left_over(law, r.left, r.right) for r in relations]
    return zeros.only_where(rest, [[_left_over(law, c.left, c.right)] for c in conditions])


def roots(law: Steps, left: Term, right: Term) -> Iterator[tuple[Term, Term]]:
    """The values of a number or a mean at which both sides are equal; what is drawn has no value."""
    if law.count is not None:
        return
    terms = [mean(a) if a.kind == "random" else a for a in law.letters if a.kind in ("random", "real")]
    known = {_left_over(law, one, number(0)): one for one in terms}
    put = {a: one for s, one in known.items() for a in from_sympy(s).letters}
    for letter, value in zeros.roots(_left_over(law, left, right)):
        if {letter, *value.free_symbols} <= known.keys():
            yield known[letter], from_sympy(value).put(put)


def _left_over(law: Steps, left: Term, right: Term) -> Any:
    rest, forms = difference(law.symbolic(left), law.symbolic(right), law.kinds)
    return forms.written(rest)
