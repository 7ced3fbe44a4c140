"""Where a formula in one number is smallest, or largest."""

from __future__ import annotations

from collections.abc import Iterator

from verification.terms.arithmetics.symbols import in_symbols, symbol
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.theories import minima
from verification.theories.answers import Answer, Chosen


def is_best(chosen: Chosen) -> Answer:
    """By the derivative.

    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> is_best(Chosen(x / a + a / x, x, a)).lemma
    'Its derivative vanishes there, and it is strictly convex in the logarithm.'
    """
    formula, value = in_symbols(chosen.of), in_symbols(chosen.value)
    return minima.is_smallest(formula, value, symbol(chosen.letter), chosen.largest)


def best_instead(chosen: Chosen) -> Iterator[tuple[Term, Term]]:
    """Values at which the derivative vanishes; then other quantities.

    >>> from verification.terms.term import letters
    >>> x, a = letters("x a")
    >>> [str(value) for _, value in best_instead(Chosen(x / a + a / x, x, 2 * a))][0]
    'a'
    """
    for value in minima.other_values(in_symbols(chosen.of), symbol(chosen.letter)):
        yield chosen.of, from_sympy(value)
    yield from ((of, chosen.value) for of in minima.other_formulas(chosen))
