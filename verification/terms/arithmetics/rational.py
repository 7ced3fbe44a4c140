"""Rational numbers, by FLINT: exact, with whole powers, and such roots as are rational."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat
from flint.utils.flint_exceptions import DomainError

from sgtheory.independent.fields import as_fraction
from verification.terms.arithmetics.matrices import LARGEST_POWER, with_matrices
from verification.terms.term import Term
from verification.terms.walking import Arithmetic, Unable, Undefined, walk


def _number(x: Any) -> Any:
    if type(x) is Fraction or type(x) is int:
        return fmpq(*x.as_integer_ratio())
    if hasattr(x, "ball"):
        raise Unable("a number that balls enclose")
    if isinstance(x, tuple | list):  # rows
        return fmpq_mat(len(x), len(x[0]), [_number(entry) for row in x for entry in row])
    whole = Fraction(x)
    return fmpq(whole.numerator, whole.denominator)


def _over(a: Any, b: Any) -> Any:
    if b == 0:
        raise Undefined("division by zero")
    return a / b


def _power(a: Any, b: Any) -> Any:
    if a == 0 and b <= 0:
        if b == 0:
            return fmpq(1)
        raise Undefined("division by zero")
    if b.q == 1:
        if abs(b.p) > LARGEST_POWER:
            raise Unable("a power with too many digits")
        return a ** int(b.p)
    if b.q == 2:
        return _root(a) ** int(b.p)
    raise Unable("a root that need not be rational")


def _root(a: Any) -> Any:
    if a < 0:
        raise Undefined("the root of a negative number")
    try:
        return a.sqrt()
    except DomainError as error:
        raise Unable("a root that is not rational") from error


def _exp(a: Any) -> Any:
    if a == 0:
        return fmpq(1)
    raise Unable("an exponential that is not rational")


def _log(a: Any) -> Any:
    if a <= 0:
        raise Undefined("the logarithm of what is not positive")
    if a == 1:
        return fmpq(0)
    raise Unable("a logarithm that is not rational")


def _erf(a: Any) -> Any:
    if a == 0:
        return a
    raise Unable("an error function that is not rational")


def _pi() -> Any:
    raise Unable("a number that is not rational")


RATIONAL = Arithmetic(
    "rational numbers",
    _number,
    with_matrices(
        {
            "add": lambda a, b: a + b,
            "subtract": lambda a, b: a - b,
            "multiply": lambda a, b: a * b,
            "over": _over,
            "negative": lambda a: -a,
            "power": _power,
            "root": _root,
            "exp": _exp,
            "erf": _erf,
            "log": _log,
            "pi": _pi,
            "largest": max,
            "smallest": min,
            "whole": int,
            "sign_of": lambda a: fmpq((a > 0) - (a < 0)),
        },
        fmpq_mat,
    ),
    exact=True,
    sign=lambda x: (x > 0) - (x < 0),
)
COMPARES = (0, RATIONAL)


def exactly(side: Term, known: Mapping[str, Any]) -> Any:
    """What a term is worth in fractions, or rows of them, where its letters are worth such.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> exactly(x / y, {"x": 1, "y": 3})
    Fraction(1, 3)
    """
    return fractions(
        walk(side, RATIONAL, {a.name: RATIONAL.number(known[a.name]) for a in side.letters})
    )


def fractions(x: Any) -> Any:
    """FLINT's number as a fraction, or its matrix as rows of them."""
    if hasattr(x, "nrows"):
        return tuple(tuple(map(fractions, row)) for row in x.table())
    if not hasattr(x, "p"):
        raise Unable(f"{type(x).__name__} is no fraction")
    return as_fraction(x)
