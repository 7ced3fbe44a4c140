"""Limits in texts: a letter on its way, what tends to what, and orders with the letter that vanishes."""

from __future__ import annotations

from typing import Any

from verification.statements import INFINITY, Order, growing, number, vanishing
from verification.terms.term import Applied, Letter, Number, Term
from verification.terms.ways import Way
from verification.texts.pieces import Left
from verification.texts.shapes import at
from verification.texts.unclear import Unclear


def way_of(letter: Any, to: Term, tree: Any) -> Way:
    """A letter on its way to 0 or to infinity."""
    end = "oo" if to == INFINITY else str(to)
    if end not in ("0", "oo") or not isinstance(letter, Letter):
        raise Unclear(
            "a letter that tends to 0 or to infinity", f"{letter} -> {to}", "put 1 - h for it", at(tree)
        )
    return growing(letter) if end == "oo" else vanishing(letter)


def tends(left: Term, right: Term, way: Way) -> Any:
    """A term with its limit: a number that is not zero, zero, or infinity."""
    if str(right) == "0":
        return Order(left, "o", number(1), way)
    if right == INFINITY:
        return Order(number(1) / left, "o", number(1), way)
    return Order(left, "~", right, way)


def relation_of(small: Left) -> tuple[str, ...]:
    """The sign of what is left out, unless it is O."""
    return () if small.relation == "O" else (small.relation,)


def falls(by: Term, letter: Letter) -> bool | None:
    """Whether a power of a letter vanishes with it; False where it does as the letter grows."""
    if by == letter:
        return True
    if (
        isinstance(by, Applied)
        and by.head == "**"
        and by.of[0] == letter
        and isinstance(by.of[1], Number)
    ):
        return by.of[1].value > 0
    if isinstance(by, Applied) and by.head == "sqrt":
        return falls(by.of[0], letter)
    if isinstance(by, Applied) and by.head == "/" and not by.of[0].letters:
        below = falls(by.of[1], letter)
        return None if below is None else not below
    return None
