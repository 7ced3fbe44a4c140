"""What is said of a statement: closed records, from which sentences are made at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sgtheory.notation.derivation import Derivation, Formula
from sgtheory.notation.sentence import Sentence, say, sentence
from verification.terms.term import Applied, Term, added, with_signs


@dataclass(frozen=True)
class Chosen:
    """A question to a theory: is a quantity smallest, or largest, at a value of a letter?"""

    of: Any  # the quantity, a term
    letter: Any
    value: Any
    among: str = "all"  # of matrices: which ones
    largest: bool = False
    up_to_factor: bool = False
    given: tuple[tuple[Any, Any, bool], ...] = ()  # smaller, larger, whether they may be equal


@dataclass(frozen=True)
class AtModes:
    """What is true of two sides at a pair of modes, and the equation of matrices that says it."""

    told: Formula
    left: Any  # terms
    right: Any


class Silence(Enum):
    """Why nothing was said."""

    NO_FORMULA = "no formula for it is known in general"
    MAY_VANISH = "its first term may vanish, or not exist, somewhere"
    MAY_GROW = "what its terms are made of may grow with the number of examples"
    SIGN = "the sign of its derivative depends on the other letters"
    NO_LAW = "there is no stationary law"
    NO_CERTIFICATE = "no certificate was found"
    NO_THEORY = "no theory takes it in general"
    BETWEEN_BOUNDS = "what is known from both sides leaves it open"
    OUT_OF_TIME = "the search for a proof took too long"
    LEFT_OVER = "a difference is left over, of which nothing is known"


@dataclass(frozen=True)
class Proved:
    """A proof: the lemma that gives it, what it comes down to, and the steps to read."""

    lemma: str  # the theorem used, as a sentence
    derivation: Derivation | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)  # for documents
    scope: str = ""  # what it covers, where that is not all, such as "D = 1"

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs in the words, here and in the records below."""
        object.__setattr__(self, "lemma", sentence(self.lemma))


@dataclass(frozen=True)
class Disproved:
    """A proof that it is false somewhere, by the lemma; it is empty where numbers tell more."""

    lemma: str
    derivation: Derivation | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lemma", sentence(self.lemma))


@dataclass(frozen=True)
class Silent:
    """No answer, with the reason; what was found on the way stands beside it."""

    why: Silence
    left_over: Any = ""  # an expression, or words
    derivation: Derivation | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    only_if: Any = None  # a condition without which it is known to be false
    rest: Any = None  # what is left over, as an expression


Answer = Proved | Disproved | Silent


def scope_of(answers: Iterable[Answer]) -> str:
    """What proofs together cover, where that is not all.

    >>> scope_of((Proved("A lemma."), Proved("Another.", scope="D = 1")))
    'D = 1'
    """
    return "; ".join(dict.fromkeys(a.scope for a in answers if isinstance(a, Proved) and a.scope))


def differ(left: Term, right: Term, about: str = "") -> Sentence:
    """By what two sides differ, where they have most of their terms in common; else numbers tell it.

    >>> from verification.terms.term import letters
    >>> x, y, z = letters("x y z")
    >>> print(differ(x + y - x * z, x + y, " at each mode"))
    The left side minus the right is -x*z at each mode.
    >>> differ(x, y)
    ''
    """
    rest, others = added(left), added(right)
    ours = len(rest)
    for one in added(left):
        if one in others:
            rest.remove(one)
            others.remove(one)
    rest += [(-sign, one) for sign, one in others]
    if not 0 < len(rest) < ours:
        return sentence("")
    return say("The left side minus the right is {}{}.", with_signs(rest), about)


def called(left: Term) -> str:
    """What the left side of an order is called, which may be shown as an expansion of its first part."""
    return "the difference" if isinstance(left, Applied) and left.head == "-" else "the left side"
