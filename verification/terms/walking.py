"""The one evaluator: a term, an arithmetic, and what its letters are worth in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from sympy.polys.polyerrors import BasePolynomialError

from verification.terms.term import Applied, Letter, Number, Term
from verification.terms.words import Word, word


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
    known: list[Any] = []
    for what, of, bound in _steps(term):
        if isinstance(what, Word):
            parts = [known[k] for k in of]
            if bound is not None:
                body, name = bound
                parts = [partial(_at, body, name, arithmetic, values), name, *parts]
            known.append(what.value(arithmetic, *parts))
        elif isinstance(what, Number):
            known.append(arithmetic.number(what.value))
        elif isinstance(what, Letter) and what.name not in values:
            raise Unable(f"{what.name} has no value")
        else:
            known.append(values[what.name] if isinstance(what, Letter) else what.name)
    return known[-1]


def _at(body: Term, name: str, arithmetic: Arithmetic, values: Mapping[str, Any], value: Any) -> Any:
    """What a body is worth where the letter that runs in it has a value."""
    return walk(body, arithmetic, {**values, name: value})


@lru_cache(maxsize=10_000)  # a statement is looked at in hundreds of places
def _steps(term: Term) -> list[tuple[Any, tuple[int, ...], tuple[Term, str] | None]]:
    """Each part once, behind those that it is made of: its word, and which these are.

    Where a letter runs, the body is none of them, but stands beside, with the letter's name.
    """
    places: dict[Term, int] = {}
    found: list[tuple[Any, tuple[int, ...], tuple[Term, str] | None]] = []

    def placed(part: Term) -> int:
        if part not in places:
            step: Any = part, (), None
            if isinstance(part, Applied):
                head, of, bound = word(part.head), part.of, None
                if head.binds:
                    assert isinstance(of[1], Letter)
                    bound, of = (of[0], of[1].name), of[2:]
                step = head, tuple(map(placed, of)), bound
            places[part] = len(found)
            found.append(step)
        return places[part]

    placed(term)
    return found
