"""Terms: formulas as they are written. Nothing is simplified, evaluated or put in another order.

A number keeps the digits that are printed for it, ``x + x`` stays a sum of two terms, and two terms are
equal where they are written alike. What a term is worth is asked of an arithmetic (``walking.walk``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sgtheory.errors import UnusableInput

if TYPE_CHECKING:
    from verification.relations.compare import Compare

KINDS = (
    "positive",
    "nonnegative",
    "real",
    "count",
    "fraction",
    "up to one",
    "unit",
    "within one",
    "matrix",
    "dimension",
    "random",
    "centred",
    "sign",
    "variable",
    "function",
    "positive function",
)
MORE = "_more"  # ends the name of a letter that is a larger value of another one
# that are no whole ones
NUMBERS = ("positive", "nonnegative", "real", "fraction", "up to one", "unit", "within one")


class Term:
    """A formula as it is written; Python's operators write longer ones.

    >>> x, y = letters("x y")
    >>> str(x + x), str(2 * (x - y) / 3), str(-x**2)
    ('x + x', '2*(x - y)/3', '-x**2')
    """

    def __add__(self, other: Any) -> Term:
        return Applied("+", (self, term(other)))

    def __radd__(self, other: Any) -> Term:
        return term(other) + self

    def __sub__(self, other: Any) -> Term:
        return Applied("-", (self, term(other)))

    def __rsub__(self, other: Any) -> Term:
        return term(other) - self

    def __mul__(self, other: Any) -> Term:
        return Applied("*", (self, term(other)))

    def __rmul__(self, other: Any) -> Term:
        return term(other) * self

    def __truediv__(self, other: Any) -> Term:
        return Applied("/", (self, term(other)))

    def __rtruediv__(self, other: Any) -> Term:
        return term(other) / self

    def __pow__(self, other: Any) -> Term:
        return Applied("**", (self, term(other)))

    def __rpow__(self, other: Any) -> Term:
        return term(other) ** self

    def __neg__(self) -> Term:
        if isinstance(self, Applied) and self.head in ("*", "/"):  # the sign stands at the first factor
            return Applied(self.head, (-self.of[0], self.of[1]))
        return Applied("negative", (self,))

    def __lt__(self, other: Any) -> Compare:
        return _compared(self, other, "<")

    def __le__(self, other: Any) -> Compare:
        return _compared(self, other, "<=")

    def __gt__(self, other: Any) -> Compare:
        return _compared(self, other, ">")

    def __ge__(self, other: Any) -> Compare:
        return _compared(self, other, ">=")

    @property
    def parts(self) -> tuple[Term, ...]:
        """The terms that it is made of."""
        return ()

    def with_parts(self, parts: tuple[Term, ...]) -> Term:
        """The same with other parts."""
        return self

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Its letters, in the order in which they are first read."""
        return (self,) if isinstance(self, Letter) else ()

    def subterms(self) -> Iterator[Term]:
        """Itself, and every term inside, from left to right."""
        return iter((self,))

    def changed(
        self, change: Callable[[Term], Iterable[tuple[Any, Term]]]
    ) -> Iterator[tuple[Any, Term]]:
        """It, with one of its parts or all of it in each of the ways that are proposed, by name."""
        yield from change(self)
        for k, part in enumerate(self.parts):
            for name, wrong in part.changed(change):
                yield name, self.with_parts((*self.parts[:k], wrong, *self.parts[k + 1 :]))

    def put(self, values: dict[Letter, Any]) -> Term:
        """The same with terms in the place of letters.

        >>> x, y = letters("x y")
        >>> str((x * x).put({x: y + 1}))
        '(y + 1)*(y + 1)'
        """
        if isinstance(self, Letter):
            return term(values.get(self, self))
        return self.with_parts(tuple(part.put(values) for part in self.parts))

    def named(self, names: Mapping[Term, Letter]) -> Term:
        """The same with letters in the place of terms."""
        if self in names:
            return names[self]
        return self.with_parts(tuple(part.named(names) for part in self.parts))

    def under_word(self, word: Any, parts: tuple[Any, ...]) -> Term:
        """A word of SymPy's applied to it, and to other parts."""
        from verification.terms.from_sympy import of_terms

        return of_terms(word, parts)

    def latex(self) -> str:
        """As it is typeset."""
        from verification.terms.printing import in_latex

        return in_latex(self)

    def text(self) -> str:
        """On one line."""
        from verification.terms.printing import in_text

        return in_text(self)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True)
class Number(Term):
    """A whole number or a decimal, with the digits that are printed for it."""

    value: Fraction
    printed: str

    def __repr__(self) -> str:
        return f"number({self.printed!r})"


@dataclass(frozen=True)
class Name(Term):
    """What a law is called where it stands in a formula: it has no value.

    ``meant`` is the sampler whose law it is, where that is a declaration and no name of ours.
    """

    name: str
    meant: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"Name({self.name!r})"


@dataclass(frozen=True)
class Letter(Term):
    """A letter, and what it stands for: one of ``KINDS``."""

    name: str
    kind: str = "positive"

    def __repr__(self) -> str:
        return f"letter({self.name!r}, {self.kind!r})"


@dataclass(frozen=True)
class Applied(Term):
    """A word (``head``) and the terms that it is applied to."""

    head: str
    of: tuple[Term, ...]

    def __hash__(self) -> int:
        """Worked out once: terms are deep."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.head, self.of))

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Its letters, in the order in which they are first read; looked for once."""
        return self._letters

    @cached_property
    def _letters(self) -> tuple[Letter, ...]:
        return tuple(dict.fromkeys(a for part in self.of for a in part.letters))

    def subterms(self) -> Iterator[Term]:
        """Itself, and every term inside, from left to right; looked for once."""
        return iter(self._subterms)

    @cached_property
    def _subterms(self) -> tuple[Term, ...]:
        return (self, *(t for part in self.of for t in part.subterms()))

    def __reduce__(self) -> Any:
        """Another process has other hashes."""
        return Applied, (self.head, self.of)

    @property
    def parts(self) -> tuple[Term, ...]:
        """What the word is applied to."""
        return self.of

    def with_parts(self, parts: tuple[Term, ...]) -> Term:
        """The word applied to others."""
        return Applied(self.head, parts)

    def __repr__(self) -> str:
        return self.text()


INFINITY, MINUS_INFINITY = Name("oo"), Name("-oo")


def letter(name: str, kind: str = "positive") -> Letter:
    """A letter of a kind.

    >>> letter("lambda")
    letter('lambda', 'positive')
    """
    if kind not in KINDS:
        raise UnusableInput(f"a kind of numbers: {', '.join(KINDS)}", repr(kind), "choose one of them")
    return Letter(name, kind)


def letters(names: str, kind: str = "positive") -> tuple[Letter, ...]:
    """Several letters of one kind, their names with spaces between."""
    return tuple(letter(name, kind) for name in names.split())


def number(printed: str | int | Fraction) -> Term:
    """A number as it is printed: ``number("0.99")`` is shown as 0.99; a fraction is a quotient.

    >>> number("0.99"), number("1/2")
    (number('0.99'), 1/2)
    """
    text = str(printed)
    above, over, below = text.partition("/")
    if over:
        return number(above) / number(below)
    if text.startswith("-"):
        return -number(text[1:])
    return Number(Fraction(text), text)


def term(value: Any) -> Term:
    """What can stand in a formula, as a term.

    >>> term(3), term("0.5")
    (number('3'), number('0.5'))
    """
    if isinstance(value, Term):
        return value
    if isinstance(value, int | str | Fraction) and not isinstance(value, bool):
        return number(value)
    modules = (made.__module__ or "sympy" for made in type(value).__mro__)  # none of applied functions
    if any(name.partition(".")[0] == "sympy" for name in modules):
        from verification.terms.from_sympy import from_sympy

        return from_sympy(value)
    raise UnusableInput(
        "a term, an expression of SymPy, a whole number or digits in quotes",
        repr(value),
        'write "0.1" for 0.1',
    )


def total(terms: Any) -> Term:
    """A sum as it is written out.

    >>> str(total(letters("a b c")))
    'a + b + c'
    """
    first, *rest = map(term, terms)
    for one in rest:
        first = first + one
    return first


def product(factors: Any) -> Term:
    """A product as it is written out."""
    first, *rest = map(term, factors)
    for one in rest:
        first = first * one
    return first


def added(side: Term, sign: int = 1) -> list[tuple[int, Term]]:
    """The terms that a side is the sum of, with their signs."""
    if isinstance(side, Applied) and side.head in ("+", "-"):
        first, second = side.of
        return [*added(first, sign), *added(second, sign if side.head == "+" else -sign)]
    if isinstance(side, Applied) and side.head == "negative":
        return added(side.of[0], -sign)
    return [(sign, side)]


def with_signs(terms: Iterable[tuple[int, Term]]) -> Term:
    """The sum of terms with their signs, as it is written out.

    >>> x, y, z = letters("x y z")
    >>> str(with_signs(added(x - (y - z))))
    'x - y + z'
    """
    (sign, first), *rest = terms
    found = first if sign > 0 else -first
    for sign, one in rest:
        found = found + one if sign > 0 else found - one
    return found


def _compared(left: Term, right: Any, relation: str) -> Compare:
    from verification.relations.compare import Compare

    return Compare(left, relation, right)


def seconds(left: Term, right: Term) -> frozenset[str]:
    """The letters by which one side is the other at a larger value of a letter, by name.

    >>> x, y, more = letters("x y x_more")
    >>> [sorted(seconds(a, b)) for a, b in ((x + y, x), (1 / more, 1 / x), (x + y, y * x))]
    [['y'], ['x_more'], []]
    """
    larger = [t for t in left.subterms() if isinstance(t, Applied) and t.head == "+"]
    shifts = {t: t.of for t in larger if all(isinstance(one, Letter) for one in t.of)}
    found = {str(b) for t, (a, b) in shifts.items() if _is_at(left, {t: a}, right)}
    of_kind = {Letter(f"{a.name}{MORE}", a.kind): a for a in right.letters}
    return frozenset(found | {a.name for a, b in of_kind.items() if _is_at(left, {a: b}, right)})


def _is_at(left: Term, names: Mapping[Term, Any], right: Term) -> bool:
    """Whether a side is the other where letters stand for terms, or says so of a law."""
    there = left.named(names)
    if isinstance(there, Applied) and there.head == "elsewhere" and there.of[0] == right:
        return there.of[2::2] == there.of[3::2]
    return there == right
