"""The sign of a difference of numbers, wherever what is given holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import sympy as sp

from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.term import Letter, Term
from verification.theories.answers import Answer, Silence, Silent
from verification.theories.signs import Case, certified, range_of

_MOST_REAL = 4  # letters of both signs: each doubles the cases


def has_sign(
    left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[tuple[Term, Term, bool]] = ()
) -> Answer:
    """Whether left minus right has one of the wanted signs where in each given pair the first is less.

    With the pairs stands whether the two may be equal.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> has_sign(2 * x * y, x**2 + y**2, (-1, 0)).lemma
    'The larger side minus the smaller is nowhere negative.'
    >>> has_sign(x, y, (-1, 0), [(x, y, True)]).lemma
    'The larger side minus the smaller is nowhere negative.'
    >>> has_sign(x, y, (-1,), [(x, y, True)]).why.value, has_sign(x, y, (-1,), [(x, y, False)]).lemma
    ('no certificate was found', 'The larger side minus the smaller is positive.')
    """
    terms = (left, right, *(t for a, b, _ in given for t in (a, b)))
    letters = tuple(dict.fromkeys(a for t in terms for a in t.letters))
    if 0 not in wanted and any(a.kind == "unit" for a in letters):  # zero is beyond the new letters
        return Silent(Silence.NO_CERTIFICATE)
    difference = in_symbols(right) - in_symbols(left)
    if wanted[0] > 0:
        difference = -difference
    pairs = [(in_symbols(a), in_symbols(b)) for a, b, _ in given]
    cases = (
        Case(difference.subs(s), tuple((a.subs(s), b.subs(s)) for a, b in pairs), s)
        for s in _signs(letters)
    )
    ranges = {symbol(a): range_of(a) for a in letters if a.kind not in ("positive", "real")}
    return certified(cases, ranges, _closed(letters, given), 0 not in wanted)


def _signs(letters: Sequence[Letter]) -> Iterator[dict[Any, Any]]:
    """Letters of both signs as positive ones, with either sign; none where there are too many."""
    both = [symbol(a) for a in letters if a.kind == "real"]
    if len(both) > _MOST_REAL:
        return
    for chosen in product((1, -1), repeat=len(both)):
        yield {
            s: sign * sp.Symbol(f"size_{s}", positive=True) for s, sign in zip(both, chosen, strict=True)
        }


def _closed(letters: Sequence[Letter], given: Sequence[tuple[Term, Term, bool]]) -> set[Any]:
    """The new letters that may also be zero: at the ends of what is given."""
    ends = {f"t_{k + 1}" for k, (_, _, may_be_equal) in enumerate(given) if may_be_equal}
    ends |= {f"t_{a.name}" for a in letters if a.kind in ("count", "up to one", "unit")}
    ends |= {f"size_{a.name}" for a in letters if a.kind == "real"}
    return {sp.Symbol(name, positive=True) for name in ends}
