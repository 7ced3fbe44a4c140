"""A best value of a number as lines of a script: the quantity there and at other values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from verification.relations.base import SAME
from verification.relations.compare import Compare
from verification.terms.term import Letter, Term, number

FAR, NEARBY = (Fraction(2), Fraction(1, 2)), (Fraction(1001, 1000), Fraction(999, 1000))
EITHER_SIGN = ("real", "nonnegative", "unit", "within one")  # kinds of numbers that need not be positive
STEPS = tuple(map(Fraction, ("1/4", "-1/4", "1/1000", "-1/1000", "1", "-1")))  # of either sign


def of_kind(letter: Letter) -> tuple[Compare, ...]:
    """What a letter of a kind obeys that has an end, besides that it is positive.

    >>> [one.text() for one in of_kind(Letter("b", "unit"))]
    ['0 <= b', 'b <= 1']
    """
    below = {"within one": -1, "unit": 0, "nonnegative": 0}.get(letter.kind)
    lower = () if below is None else (Compare(number(below), "<=", letter),)
    above = {"fraction": "<", "up to one": "<=", "unit": "<=", "within one": "<="}.get(letter.kind)
    return lower if above is None else (*lower, Compare(letter, above, number(1)))


def of_numbers(
    x: str,
    kind: str,
    text: Callable[[Term], str],
    of: tuple[Term, Term],
    within: Sequence[Any],
    sign: str,
) -> tuple[list[str], str]:
    """Lines that try the value and others, ``of`` being the value and the quantity; and what holds.

    Values that break what is given of the letter are left out; at a printed one it is false.
    """
    value, quantity = map(text, of)
    least = "min" if sign == "<" else "max"
    if kind == "count":
        return [
            f"_value, _of = {value}, lambda {x}: {quantity}",
            "_near = {max(int(_value), 1), max(int(_value) + (int(_value) != _value), 1)}",
            "_far = {m for n in _near for m in (n - 2, n - 1, n + 1, n + 2, 2 * n, n // 2)} - _near",
            f"left = {least}(_of(d(n)) for n in _near)",
            f"right = {least}(_of(d(n)) for n in _far if n >= 1)",
            SAME,
        ], f"left {sign} right and not same"
    either = kind in EITHER_SIGN
    tried = ", ".join(
        f"d({t.numerator}) / d({t.denominator})" for t in (STEPS if either else NEARBY + FAR)
    )
    given = " and ".join(_inside(one, text) for one in within if isinstance(one, Compare)) or "True"
    return [
        f"_value = {value}",
        *([] if either else ["if not _value > 0: raise ArithmeticError('no positive number')"]),
        "_others = []",
        f"for _t in ({tried}):",
        f"    {x} = _value + _t" if either else f"    {x} = _t * _value",
        f"    if {given}: _others.append({quantity})",
        f"{x} = _value",
        f"_within = {given}",
        f"left, right = ({quantity}, {least}(_others)) if _within and _others else ({x}, {x})",
        SAME,
    ], f"_within and left {sign} right and not same"


def _inside(one: Compare, text: Callable[[Term], str]) -> str:
    return f"({text(one.left)}) {one.relation} ({text(one.right)})"
