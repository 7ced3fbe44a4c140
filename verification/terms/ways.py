"""A letter on its way to a limit: which letter, where it goes, and what moves with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sgtheory.errors import DeclarationError
from verification.terms.arithmetics.rational import exactly
from verification.terms.term import Letter, Term, term
from verification.terms.walking import Undefined

LENGTHS = (2, 6, 18)  # numbers of steps at which sums over all of them are looked at
BASE = 16  # whose square root, and that, are whole numbers: the letter may stand under roots


@dataclass(frozen=True)
class Way:
    """``letter`` tends to 0 (or "oo"); letters in ``where`` are set as terms in it and in others."""

    letter: Letter
    to: str = "0"
    where: tuple[tuple[Letter, Term], ...] = ()

    def __post_init__(self) -> None:
        """Expressions of SymPy become terms."""
        letter = term(self.letter)
        if not isinstance(letter, Letter) or self.to not in ("0", "oo"):
            raise DeclarationError("a letter that tends to 0 or oo", f"{letter} -> {self.to}", "name it")
        object.__setattr__(self, "letter", letter)
        object.__setattr__(self, "where", tuple((term(a), term(b)) for a, b in self.where))

    @property
    def sign(self) -> int:
        """The power of a small number that the letter is."""
        return -1 if self.to == "oo" else 1

    @property
    def set_here(self) -> tuple[Letter, ...]:
        """The letters that a place need not have."""
        return (self.letter, *(a for a, _ in self.where))

    @property
    def terms(self) -> tuple[Term, ...]:
        """Every term that it is made of."""
        return tuple(t for pair in ((self.letter,), *self.where) for t in pair)

    @property
    def letters(self) -> tuple[Letter, ...]:
        """The letters in what is set."""
        return tuple(a for _, value in self.where for a in value.letters)

    def point(self, k: int) -> Fraction:
        """The value of the letter at the k-th point, ``16^-k`` or ``16^k``."""
        return Fraction(BASE) ** (-k * self.sign)

    def at(self, place: Mapping[str, Any], k: int) -> Mapping[str, Any] | None:
        """A place with the letter at a point; where laws are solved, with what moves with it too.

        None where that is undefined.

        >>> from verification.terms.term import letters
        >>> (x,) = letters("x")
        >>> print(*Way(x, "oo").at({}, 1).values())
        16
        """
        further = getattr(place, "further", None)
        if further is not None:  # data, of which there are more
            more: Mapping[str, Any] | None = further(self, k)
            return more
        known: dict[str, Any] = {**place, self.letter.name: self.point(k)}
        solve = getattr(place, "moved", None)
        if solve is None:
            return known
        for letter, value in self.where:
            try:
                known[letter.name] = exactly(value, known)
            except Undefined:
                return None
        moved: Mapping[str, Any] | None = solve({a.name: known[a.name] for a in self.set_here})
        return moved

    def along(self, side: Term, place: Mapping[str, Any]) -> Term:
        """A term with what moves put in, unless the place itself sets it."""
        return side if hasattr(place, "moved") else side.put(dict(self.where))

    def text(self) -> str:
        """Such as ``x -> 0``."""
        also = "".join(f", {a} = {b}" for a, b in self.where)
        return f"{self.letter} -> {'infinity' if self.to == 'oo' else self.to}{also}"

    def latex(self) -> str:
        """As it is typeset."""
        also = "".join(rf",\ {a.latex()} = {b.latex()}" for a, b in self.where)
        end = r"\infty" if self.to == "oo" else "0"
        return rf"{self.letter.latex()} \to {end}{also}"


def grows(found: Sequence[Any]) -> bool:
    """Whether numbers at lengths that are multiples of one another grow by no less each time.

    So does a logarithm; what has a limit comes nearer by less.

    >>> grows([1, 2, 3]), grows([1, 2, 2.5])
    (True, False)
    """
    steps = [b - a for a, b in pairwise(found)]
    return bool(found[0] > 0 and steps[0] > 0 and all(a <= b for a, b in pairwise(steps)))


def vanishing(letter: Any, *where: tuple[Any, Any]) -> Way:
    """A letter that tends to 0."""
    return Way(letter, "0", where)


def growing(letter: Any, *where: tuple[Any, Any]) -> Way:
    """A letter that grows beyond all bounds."""
    return Way(letter, "oo", where)
