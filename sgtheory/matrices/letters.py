"""The alphabet: what may stand as one factor of a product of matrices.

A letter is a named D x D matrix with its assumptions. Two more things behave like letters: a sum
that is inverted as a whole, and the diagonal part of a product. A word is a product of powers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from sgtheory.errors import DeclarationError

_IMPLIED = {
    "symmetric": (),
    "positive_definite": ("symmetric", "invertible"),
    "invertible": (),
    "diagonal": ("symmetric",),
    "orthogonal": ("invertible",),
}


@dataclass(frozen=True)
class Letter:
    """A named matrix of any size D, and what is assumed of it.

    >>> Letter.of("H", "positive_definite").invertible
    True
    """

    name: str
    traits: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        return hash(self.name)

    @classmethod
    def of(cls, name: str, *traits: str) -> Letter:
        """A letter with the given assumptions and what they imply."""
        if not name.isidentifier() or name == "I":
            raise DeclarationError("a name such as A or Sigma_1", repr(name), "rename the matrix")
        strange = [t for t in traits if t not in _IMPLIED]
        if strange:
            raise DeclarationError(
                f"assumptions among {', '.join(_IMPLIED)}", f"{strange[0]!r} for {name}", "drop it"
            )
        if {"positive_definite", "orthogonal"} <= set(traits):
            raise DeclarationError(
                "a matrix that is not the identity",
                f"{name}, both positive definite and orthogonal",
                "write I for it",
            )
        return cls(name, frozenset(traits).union(*(_IMPLIED[t] for t in traits)))

    @property
    def text(self) -> str:
        """The name, by which letters are told apart."""
        return self.name

    @property
    def symmetric(self) -> bool:
        """Whether X^T = X."""
        return "symmetric" in self.traits

    @property
    def invertible(self) -> bool:
        """Whether X^-1 exists."""
        return "invertible" in self.traits

    @property
    def positive_definite(self) -> bool:
        """Whether x^T X x > 0 for all x other than 0."""
        return "positive_definite" in self.traits

    @property
    def diagonal(self) -> bool:
        """Whether all entries off the diagonal are 0."""
        return "diagonal" in self.traits

    @property
    def orthogonal(self) -> bool:
        """Whether X^T X = I."""
        return "orthogonal" in self.traits


@dataclass(frozen=True)
class Block:
    """A sum of words that is inverted as a whole; it stands in words with negative powers only."""

    terms: tuple[tuple[Word, Any], ...]

    diagonal = orthogonal = positive_definite = False
    invertible = True

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __hash__(self) -> int:  # words are looked up often, and a sum may hold sums
        return self._hash

    @cached_property
    def text(self) -> str:
        """The sum, written out."""
        return "(" + " + ".join(f"{c}*{word_text(w)}" for w, c in self.terms) + ")"

    @property
    def symmetric(self) -> bool:
        """Whether it is known to be: never by flag, transposing it transposes what is in it."""
        return False


@dataclass(frozen=True)
class DiagonalPart:
    """The diagonal of a word, as a matrix; ``positive_definite`` where the word is."""

    word: Word
    positive_definite: bool

    symmetric = diagonal = True
    orthogonal = False

    @property
    def text(self) -> str:
        """The word in brackets."""
        return f"diag({word_text(self.word)})"

    @property
    def invertible(self) -> bool:
        """The diagonal entries of a positive definite matrix are positive."""
        return self.positive_definite


Base = Letter | Block | DiagonalPart


class Factor(NamedTuple):
    """A power of a letter, or of its transpose. Half powers belong to positive definite letters."""

    base: Base
    power: Fraction
    transposed: bool = False

    def __hash__(self) -> int:  # the hash of a fraction costs more than all else in a look-up
        power = self.power
        return hash((self.base, power.numerator, power.denominator, self.transposed))


Word = tuple[Factor, ...]
ONE: Word = ()


def factor_text(f: Factor) -> str:
    """One factor on one line of text."""
    text = f.base.text + ("^T" if f.transposed else "")
    if f.power == 1:
        return text
    return f"{text}^({f.power})" if f.power.denominator > 1 else f"{text}^{f.power}"


def word_text(word: Word) -> str:
    """A word on one line of text; it names the word.

    >>> word_text((Factor(Letter("A"), Fraction(1)), Factor(Letter("B"), Fraction(-2), True)))
    'A B^T^-2'
    """
    return " ".join(factor_text(f) for f in word) or "I"


def place(f: Factor) -> tuple[int, str, bool]:
    """Where a factor stands among factors that commute with it."""
    kind = (Letter, DiagonalPart, Block).index(type(f.base))
    return kind, f.base.text, f.transposed


def word_place(word: Word) -> tuple[Any, ...]:
    """Where a word stands in a sum: short ones first, then by name."""
    spelled = tuple((*place(f), f.power < 0) for f in word for _ in range(math.ceil(abs(f.power))))
    return sum(abs(f.power) for f in word), spelled, tuple(f.power for f in word)


def words_of_scalar(c: Any) -> list[Word]:
    """The words of the traces and log determinants in a scalar."""
    return [] if c.is_number else [a.word for a in c.atoms() if hasattr(a, "word")]


@lru_cache(maxsize=50_000)
def subwords(word: Word) -> tuple[Word, ...]:
    """The word, and the words inside its inverted sums and diagonal parts, in scalars there too."""
    found = [word]
    for w in found:
        for f in w:
            if isinstance(f.base, DiagonalPart):
                found.append(f.base.word)
            elif isinstance(f.base, Block):
                found += [w for v, c in f.base.terms for w in (v, *words_of_scalar(c))]
    return tuple(found)


@lru_cache(maxsize=50_000)
def letters_of(word: Word) -> frozenset[Letter]:
    """Every letter of a word, those inside sums and diagonal parts included."""
    return frozenset(f.base for w in subwords(word) for f in w if isinstance(f.base, Letter))


def coefficients_of(word: Word) -> tuple[Any, ...]:
    """The coefficients that stand inside the sums of a word."""
    blocks = [f.base for w in subwords(word) for f in w if isinstance(f.base, Block)]
    return tuple(c for b in blocks for _, c in b.terms)
