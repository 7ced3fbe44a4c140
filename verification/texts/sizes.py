"""Powers and sums that were read: what would have thousands of digits, factors or terms is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sgtheory.reader import limits
from verification.terms.term import Applied, Number, Term
from verification.texts.unclear import Unclear

DIGITS = 1000  # of a power of a number, about
TERMS = 1000  # of a sum from one number to another
_WORTH: Mapping[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "negative": operator.neg, "**": operator.pow,
}  # fmt: skip


def raised(base: Term, power: Term, at: int) -> Term:
    """A power, if its exponent is a letter's or of a stated size."""
    size, most = _worth(power), limits.POWER if base.letters else DIGITS
    if size is not None and not -most <= size <= most:
        raise Unclear(f"an exponent of at most {most}", "a larger one", "use a letter for it", at)
    return base**power


def summed(body: Term, running: Term, first: Term, last: Term, at: int) -> Term:
    """A sum, if its ends are letters' or of a stated distance."""
    size = _worth(last - first)
    if size is not None and size >= TERMS:
        raise Unclear(f"a sum of at most {TERMS} terms", "a longer one", "use a letter for its end", at)
    return Applied("sum", (body, running, first, last))


def _worth(found: Term) -> Any:
    """What numbers alone are worth, whose own powers have been read before; else None."""
    if isinstance(found, Number):
        return Fraction(found.value)
    if not isinstance(found, Applied) or found.head not in _WORTH:
        return None
    parts = [_worth(part) for part in found.of]
    try:
        return None if None in parts else _WORTH[found.head](*parts)
    except ArithmeticError:
        return None
