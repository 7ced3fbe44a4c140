"""Which of two terms is larger at a place: in rational numbers, or in balls of more and more digits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from flint import arb

from sgtheory.errors import DeclarationError
from sgtheory.independent.fields import as_fraction
from sgtheory.reader.exact import is_definite
from verification.terms.arithmetics import FLOWS, balls, exact
from verification.terms.arithmetics.matrices import entries
from verification.terms.arithmetics.series import value_about
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Arithmetic, Unable, Undefined, walk
from verification.terms.words import local, word

OTHER = "_other"  # the ending of a second value
_DIGITS = (30, 240)  # of what differs, and of what may be alike
_SHORT, _LONG = 100, 10**6
_HUGE = 10**1000
_SURE = 30  # bits of a size
_FINE_DIGITS = (60, 300, 1_200)  # of a size


@cache
def _tried(digits: tuple[int, ...]) -> tuple[tuple[Arithmetic, int | None], ...]:
    """Exact arithmetics, then balls of more and more digits."""
    return (*((one, None) for one in exact()), *((balls(n), n) for n in digits))


@dataclass(frozen=True)
class Compared:
    """Two numbers (or middles of balls), and the sign of their difference; None where they are alike.

    Of two matrices, which are rows: 0 where they are equal, 1 where an entry differs.
    """

    left: Any
    right: Any
    sign: int | None
    enclosed: Any = None  # the difference in balls, where it is not exact

    def is_definite(self, sign: int, strictly: bool) -> bool | None:
        """Whether the difference of matrices is positive (1) or negative (-1) definite, or semidefinite.

        In balls an eigenvalue that is zero has no sign, so that nothing is said.
        """
        if self.enclosed is not None:
            return _definite(self.enclosed * sign)
        pairs = (zip(a, b, strict=True) for a, b in zip(self.left, self.right, strict=True))
        rest = tuple(tuple(sign * (x - y) for x, y in pair) for pair in pairs)
        if any(len(row) != len(rest) for row in rest):
            return None  # no order of what is not square
        symmetric = all(rest[i][j] == rest[j][i] for i in range(len(rest)) for j in range(i))
        return symmetric and is_definite(rest, strictly)


def compared(
    left: Term,
    right: Term,
    place: Mapping[str, Any],
    since: Mapping[str, Any] | None = None,
    right_at: Mapping[str, Any] | None = None,
) -> Compared | None:
    """The two at a place, or how they change since another; None where either is undefined there.

    With ``right_at`` the right one is looked at in another place.

    >>> from verification.terms.term import letters, term
    >>> from verification.theories.scalars.words import exp, sqrt
    >>> (x,) = letters("x")
    >>> compared(exp(x), 1 + x, {"x": Fraction(1, 10)}).sign
    1
    >>> compared(sqrt(x) * sqrt(x), x, {"x": Fraction(2)}).sign is None  # alike to 240 digits
    True
    """
    own = getattr(place, "compared", None)
    if own is not None:  # data, over all minibatches
        known: Compared | None = own(left, right)
        return known
    for arithmetic, digits in _tried(_DIGITS):
        try:
            there = place if right_at is None else right_at
            a = _value(left, arithmetic, place, digits)
            b = _value(right, arithmetic, there, digits)
            if since is not None:
                before = (_value(side, arithmetic, since, digits) for side in (left, right))
                a, b = (arithmetic.subtract(x, y) for x, y in zip((a, b), before, strict=True))
        except Undefined:
            return None
        except Unable:
            continue
        if digits and not all(x.is_finite() for side in (a, b) for x in entries(side)):
            continue  # nothing is known of it: beyond all numbers, or of too few digits
        a, b = (arithmetic.add(x, arithmetic.subtract(y, y)) for x, y in ((a, b), (b, a)))
        rest = arithmetic.subtract(a, b)
        sign = _sign(rest, arithmetic)
        if sign is not None or digits == _DIGITS[-1]:
            left_end, right_end = (_middle(arithmetic.near(x)) for x in (a, b))
            return Compared(left_end, right_end, sign, None if digits is None else rest)
    return None


def _definite(x: Any) -> bool | None:
    """Whether all pivots of a symmetric matrix of balls are positive; False where one is negative."""
    rows = [[x[i, j] for j in range(x.ncols())] for i in range(x.nrows())]
    if any(not (rows[i][j] - rows[j][i]).contains(0) for i in range(len(rows)) for j in range(i)):
        return False
    for k, pivot in enumerate(rows):
        if not pivot[k] > 0:
            return False if pivot[k] < 0 else None
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / pivot[k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], pivot, strict=True)]
    return True


def moved(letters: Iterable[Letter]) -> tuple[str, ...]:
    """What takes a second value at a place where letters move; C is made from B."""
    return tuple("B" if a.name == "C" and a.kind == "matrix" else a.name for a in letters)


def seconds_of(place: Mapping[str, Any], letters: Iterable[Letter]) -> dict[str, Any]:
    """The second values of some letters at a place, by their names; a line where one has none."""
    names = moved(letters)
    without = [n for n in names if n + OTHER not in place]
    if without:
        got = f"{', '.join(without)} beside what is random or a sequence"
        raise DeclarationError("letters that can move alone", got, "state it of numbers")
    return {n: place[n + OTHER] for n in names}


def second(place: Mapping[str, Any], letters: Iterable[Letter]) -> Mapping[str, Any] | None:
    """A place with the second values of some letters, which it has under names that end so."""
    solve = getattr(place, "second", None)
    if solve is not None:
        there: Mapping[str, Any] | None = solve(letters)
        return there
    return {**place, **{n: place[n + OTHER] for n in moved(letters)}}


def _value(
    side: Term, arithmetic: Arithmetic, place: Mapping[str, Any], digits: int | None = None
) -> Any:
    if local(side) is not None:
        return value_about(side, arithmetic, place)
    given, integrates = _asked(side)
    if integrates:
        of_number = any(isinstance(t, Applied) and t.head == "exp" for t in side.subterms())
        if digits is None or (of_number and any(a.kind == "matrix" for a in side.letters)):
            raise Unable("an integral of exponentials")
        return walk(side, FLOWS, {n: FLOWS.number(place[n]) for n in given if n in place}).ball(digits)
    return walk(side, arithmetic, {n: arithmetic.number(place[n]) for n in given if n in place})


@lru_cache(maxsize=10_000)
def _asked(side: Term) -> tuple[tuple[str, ...], bool]:
    """The letters that a place gives, and whether a variable is integrated over."""
    given = tuple(one.name for one in side.letters if one.kind not in ("variable", "index"))
    binding = (t for t in side.subterms() if isinstance(t, Applied) and word(t.head).binds)
    return given, any(getattr(t.of[1], "kind", "") == "variable" for t in binding)


def nearly(side: Term, place: Mapping[str, Any]) -> Any:
    """A number, or rows, at a place: exactly, or to sixty digits; None where that is undefined.

    >>> from verification.terms.term import letters
    >>> (x,) = letters("x")
    >>> nearly(x**2, {"x": Fraction(2, 3)})
    Fraction(4, 9)
    """
    for arithmetic, digits in _tried(_DIGITS):
        try:
            return _middle(arithmetic.near(_value(side, arithmetic, place, digits)))
        except Undefined:
            return None
        except Unable:
            continue
    return None


def _sign(rest: Any, arithmetic: Arithmetic) -> int | None:
    """The sign of a number; of a matrix whether any entry is not zero."""
    if not hasattr(rest, "nrows"):
        return arithmetic.sign(rest)
    signs = {arithmetic.sign(x) for x in entries(rest)}
    return 1 if signs & {1, -1} else None if None in signs else 0


def _middle(x: Any) -> Any:
    """The number, or the middle of its ball; what no one would write out is cut to 10^1000 or zero."""
    if hasattr(x, "nrows"):
        return [[_middle(x[i, j]) for j in range(x.ncols())] for i in range(x.nrows())]
    if hasattr(x, "mid"):
        if not abs(x) < _HUGE:
            return Fraction(-_HUGE if x < 0 else _HUGE)
        if abs(x) * _HUGE < 1:
            return Fraction(0)
        x = x.mid().fmpq()
    return as_fraction(x)


def shown(x: Any) -> Any:
    """A number for people: short decimals and fractions as they are, else six digits; rows of them.

    >>> shown(Fraction(49, 50)), shown(Fraction(2, 3)), shown(Fraction(1, 3) ** 19)
    ('0.98', '2/3', '8.60392e-10')
    >>> shown(Fraction(10**30, 3)), shown(Fraction(-(10**400), 3)), shown(Fraction(1, 10**384))
    ('3.33333e+29', '-3.33333e+399', '1e-384')
    """
    if isinstance(x, list):
        return [[str(y) if y.denominator < _LONG else shown(y) for y in row] for row in x]
    if x.denominator == 1 and abs(x) < _LONG:
        return str(x)
    if _LONG % x.denominator == 0 and abs(x) < _LONG:
        return f"{float(x):.10g}"
    if x.denominator <= _SHORT and abs(x) < _LONG:
        return str(x)
    if not 1 < _LONG**50 * abs(x) < _LONG**100:  # beyond what a float holds
        return f"{(Decimal(x.numerator) / x.denominator).normalize(Context(6)):g}"
    return f"{float(x):.6g}"


def magnitude(side: Term, place: Mapping[str, Any]) -> Any:
    """The size of a number, or the norm of a matrix, as a ball; None where it is undefined or unknown.

    What is below all powers of a letter, so that digits no longer tell it from zero, is zero.

    >>> from verification.terms.term import letters, term
    >>> (x,) = letters("x")
    >>> magnitude(term(2) - 3 * x, {"x": Fraction(1)})
    1.00000000000000
    """
    own = getattr(place, "size", None)
    if own is not None:
        return own(side)
    for arithmetic, digits in _tried(_FINE_DIGITS):
        try:
            parts = entries(arithmetic.near(_value(side, arithmetic, place, digits)))
        except Undefined:
            return None
        except Unable:
            continue
        total = sum((x * x for x in parts), parts[0] - parts[0])
        size = total if digits else arb(total)
        if size == 0 or size.rel_accuracy_bits() >= _SURE:
            return size.sqrt()
        if digits == _FINE_DIGITS[-1] and size * _HUGE < 1:
            return arb(0)
    return None


def ordered(side: Term, first: Mapping[str, Any], second: Mapping[str, Any]) -> int | None:
    """1 where a number is larger at the second place than at the first; None where that is unknown."""
    for arithmetic, digits in _tried(_FINE_DIGITS):
        try:
            a, b = (_value(side, arithmetic, place, digits) for place in (first, second))
        except Undefined:
            return None
        except Unable:
            continue
        sign = arithmetic.sign(arithmetic.subtract(b, a))
        if sign is not None:
            return sign
    return 0 if side.letters else None


def briefly(x: Any) -> str:
    """A ball by six digits of its middle."""
    return str(x.str(6, radius=False))
