"""A number in symbols: what limits are taken of."""

from __future__ import annotations

from typing import Any

from verification.laws.per_mode import General
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Term


def formula(side: Term, given: tuple[Any, ...] = (), way: Any = None) -> General:
    """A number is its own formula."""
    return General((in_symbols(side),), "formula", "for all values of its letters")


def constant(side: Term, given: tuple[Any, ...] = ()) -> Any:
    """What a letter is set to."""
    return in_symbols(side)


def positive(sides: tuple[Term, ...]) -> tuple[Any, ...]:
    """What has to be positive for numbers to exist: nothing."""
    return ()
