"""Numbers as they are written: their digits and their range are looked at before any arithmetic."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from sgtheory.errors import UnusableInput
from sgtheory.reader import limits

_WRITTEN = re.compile(
    r"\s*[-+]?(?=\.?\d)(?P<whole>[\d_]*)"
    r"(?:/(?P<below>[\d_]+)|(?:\.(?P<part>[\d_]*))?(?:[eE](?P<exponent>[-+]?\d+))?)\s*",
    re.ASCII,
)
_RANGE = "numbers are 0, or from 1e-100 to 1e100 in size"


def of_text(text: str, where: str) -> Fraction:
    """The exact number of a text: decimals, powers of ten, fractions.

    >>> of_text("-0.25e-1", "eps"), of_text("3/2", "eps")
    (Fraction(-1, 40), Fraction(3, 2))
    >>> of_text("1e999999", "eps")
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected a number in range for eps; got '1e999999'; numbers are 0, \
or from 1e-100 to 1e100 in size
    """
    if len(text) > 2 * limits.DIGITS + 20:
        raise _long(text, where)
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise not_finite(repr(text), where)
    whole, below, part, exponent = written.group("whole", "below", "part", "exponent")
    if len(whole) + len(part or "") > limits.DIGITS or len(below or "") > limits.DIGITS:
        raise _long(text, where)
    if exponent and (len(exponent) > 5 or abs(int(exponent)) > limits.EXPONENT):
        if not (whole + (part or "")).strip("0_"):
            return Fraction(0)
        raise _out(repr(text), where)
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):  # misplaced underscores; a zero below the line
        raise not_finite(repr(text), where) from None
    return in_range(value, where)


def of_float(value: float, where: str) -> Fraction:
    """The shortest decimal that names a float: 0.1 means one tenth."""
    if value - value != 0:
        raise not_finite(repr(value), where)
    # by way of a decimal, which is read in half the time
    return in_range(Fraction(Decimal(repr(float(value)))), where) if value else Fraction(0)


def in_range(value: Fraction, where: str) -> Fraction:
    """An exact number, if it is 0 or of a size that can be computed with.

    >>> in_range(Fraction(10) ** 101, "eps")
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected a number in range for eps; got about 1e101; numbers are 0, \
or from 1e-100 to 1e100 in size
    """
    above, below = value.numerator.bit_length(), value.denominator.bit_length()
    if max(above, below) > limits.BITS:
        got = f"one of about {max(above, below) * 3 // 10:,} digits"
        raise UnusableInput(f"at most {limits.DIGITS:,} digits for {where}", got, "round it")
    if abs(above - below) > 300 and above and not limits.LEAST <= abs(value) <= limits.MOST:
        raise _out(f"about 1e{round((above - below) * 0.30103)}", where)
    return value


def _out(got: str, where: str) -> UnusableInput:
    return UnusableInput(f"a number in range for {where}", got, _RANGE)


def _long(text: str, where: str) -> UnusableInput:
    got = f"{text[:20]!r} ... of {len(text):,} characters"
    return UnusableInput(f"a number of at most {limits.DIGITS:,} digits for {where}", got, "round it")


def too_many(where: str) -> UnusableInput:
    """What is said of very many numbers that have to be read as fractions."""
    most = f"at most {limits.FRACTIONS:,} numbers in {where} that no float is"
    return UnusableInput(most, "more", "round them to 17 digits")


def not_finite(got: str, where: str) -> UnusableInput:
    """What is said of a text that is no number, and of infinity."""
    return UnusableInput(f"a finite number for {where}", got, 'write 3, 0.5 or "3/2"')
