"""The one evaluator: a term, an arithmetic, and what its letters are worth in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sympy.polys.polyerrors import BasePolynomialError

from verification.terms.term import Applied, Letter, Name, Number, Term
from verification.terms.words import word


class Undefined(ArithmeticError):
    """A term has no value at a place: a division by zero, the logarithm of what is not positive."""


class Unable(ArithmeticError):
    """An arithmetic has no such operation, or not there: a root in rational numbers."""


class Unspelt(Unable, TypeError):
    """A word is spelt out in others before anything is worked out of it."""


# what SymPy finds no polynomial in, and what divides by zero whatever its letters are, too
CANNOT = (Unable, Undefined, BasePolynomialError, ZeroDivisionError)


def able(work_out: Callable[[], Any], otherwise: Any = None) -> Any:
    """What is worked out, as far as a theory and its arithmetic can."""
    try:
        return work_out()
    except CANNOT:
        return otherwise


def while_able(found: Iterable[Any]) -> Iterator[Any]:
    """As many of some values as can be worked out."""
    steps, end = iter(found), object()
    while (one := able(lambda: next(steps, end), end)) is not end:
        yield one


@dataclass(frozen=True)
class Arithmetic:
    """Operations by name, and a way from rational numbers into it.

    ``exact``: values are what they stand for. ``sign(x)`` is 1, 0, -1, or None where it cannot tell,
    ``near(x)`` a rational number or a ball near a value, or a matrix of these.
    """

    name: str
    number: Callable[[Any], Any]
    operations: Mapping[str, Callable[..., Any]]
    exact: bool
    sign: Callable[[Any], int | None] = lambda _: None
    near: Callable[[Any], Any] = lambda x: x

    def __post_init__(self) -> None:
        """Operations are found as attributes are: a million times for a hundred claims."""
        self.__dict__.update((n, of) for n, of in self.operations.items() if n not in self.__dict__)

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        try:
            return self.operations[operation]
        except KeyError:
            if operation.startswith("__"):
                raise AttributeError(operation) from None
            raise Unable(f"{self.name} has no {operation}") from None


def walk(term: Term, arithmetic: Arithmetic, values: Mapping[str, Any]) -> Any:
    """The value of a term; ``values`` has those of its letters, by name, in the arithmetic.

    >>> from verification.terms.arithmetics import RATIONAL
    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> walk(x / (y + 1), RATIONAL, {"x": RATIONAL.number(1), "y": RATIONAL.number(2)})
    1/3
    """
    return _walked(term, arithmetic, values, {})


def _walked(
    term: Term, arithmetic: Arithmetic, values: Mapping[str, Any], known: dict[Term, Any]
) -> Any:
    """The same; ``known`` has what parts are worth, which may occur many times."""
    if isinstance(term, Applied):
        if term not in known:
            known[term] = _applied(term, arithmetic, values, known)
        return known[term]
    if isinstance(term, Letter):
        if term.name not in values:
            raise Unable(f"{term.name} has no value")
        return values[term.name]
    if isinstance(term, Number):
        return arithmetic.number(term.value)
    assert isinstance(term, Name)
    return term.name


def _applied(
    term: Applied, arithmetic: Arithmetic, values: Mapping[str, Any], known: dict[Term, Any]
) -> Any:
    """What a word makes of its parts; where a letter runs, the body is worked out at each value."""
    head = word(term.head)
    if not head.binds:
        return head.value(arithmetic, *[_walked(part, arithmetic, values, known) for part in term.of])
    body, bound, *ends = term.of
    assert isinstance(bound, Letter)
    found = (_walked(end, arithmetic, values, known) for end in ends)

    def at(value: Any) -> Any:
        return walk(body, arithmetic, {**values, bound.name: value})

    return head.value(arithmetic, at, bound.name, *found)
