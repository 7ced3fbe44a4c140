"""Balls, by FLINT (Arb): numbers that are certain to lie within their radius of the true one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, wraps
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from verification.terms.arithmetics.matrices import with_matrices
from verification.terms.walking import Arithmetic, Unable, Undefined


@cache
def balls(digits: int) -> Arithmetic:
    """Balls that are worked out with so many decimal digits.

    >>> third = balls(30).number(Fraction(1, 3))
    >>> balls(30).sign(balls(30).subtract(balls(30).exp(third), third))
    1
    """

    def kept(of: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(of)
        def worked(*parts: Any) -> Any:
            before = ctx.dps
            ctx.dps = digits
            try:
                return of(*parts)
            finally:
                ctx.dps = before

        return worked

    operations = {name: kept(of) for name, of in _OPERATIONS.items()}
    return Arithmetic(f"balls of {digits} digits", kept(_number), operations, exact=False, sign=_sign)


def _number(x: Any) -> Any:
    if type(x) is Fraction:
        return arb(fmpq(x.numerator, x.denominator))
    if hasattr(x, "ball"):  # what only balls can say
        return x.ball(ctx.dps)
    if isinstance(x, tuple | list):  # rows
        return arb_mat(len(x), len(x[0]), [_number(entry) for row in x for entry in row])
    whole = Fraction(x)
    return arb(fmpq(whole.numerator, whole.denominator))


def _sign(x: Any) -> int | None:
    if hasattr(x, "nrows"):
        raise Unable("the sign of a matrix")
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0 if x.is_zero() else None


def _sign_of(x: Any) -> Any:
    found = _sign(x)
    if found is None:
        raise Unable("too few digits for a sign")
    return arb(found)


def _defined(x: Any, is_defined: Any, is_not: Any, why: str) -> None:
    """Certainly defined, certainly not, or beyond what the digits can tell."""
    if is_not(x):
        raise Undefined(why)
    if not is_defined(x):
        raise Unable(f"too few digits to exclude {why}")


def _over(a: Any, b: Any) -> Any:
    _defined(b, lambda x: x > 0 or x < 0, lambda x: x.is_zero(), "a division by zero")
    return a / b


def _log(a: Any) -> Any:
    _defined(a, lambda x: x > 0, lambda x: x <= 0, "the logarithm of what is not positive")
    return a.log()


def _root(a: Any) -> Any:
    _defined(a, lambda x: x >= 0, lambda x: x < 0, "the root of a negative number")
    return a.sqrt()


def _power(a: Any, b: Any) -> Any:
    if b.is_integer():
        if b <= 0 and not (a > 0 or a < 0):
            if a.is_zero() and b.is_zero():
                return arb(1)
            _defined(a, lambda x: x > 0 or x < 0, lambda x: x.is_zero(), "a division by zero")
        return a ** int(b.unique_fmpz())
    _defined(a, lambda x: x > 0, lambda x: x < 0, "a broken power of what is negative")
    return (b * a.log()).exp()


_OPERATIONS = with_matrices(
    {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "over": _over,
        "negative": lambda a: -a,
        "power": _power,
        "root": _root,
        "exp": lambda a: a.exp(),
        "log": _log,
        "erf": lambda a: a.erf(),
        "pi": arb.pi,
        "sine": lambda a: a.sin(),
        "cosine": lambda a: a.cos(),
        "sign_of": _sign_of,
        "largest": lambda a, b: a.max(b),
        "smallest": lambda a, b: a.min(b),
        "whole": lambda a: int(a.unique_fmpz()),
    },
    arb_mat,
)
