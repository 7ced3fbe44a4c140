"""``Compare``: one term is smaller or larger than another, whatever their letters are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

from sgtheory.errors import DeclarationError
from sgtheory.notation.sentence import Sentence, say
from verification.refuter.conditions import Condition
from verification.refuter.parameters import Holds
from verification.relations.base import CLOSE, Relation
from verification.relations.equal import Equal
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.comparing import Compared
from verification.terms.term import Applied, Number, Term, number
from verification.theories.answers import Answer, Proved, Silent
from verification.verdicts.both import Both

_WANTED = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0), "!=": (-1, 1)}
_OF_MATRICES = {"<=": r"\preceq", ">=": r"\succeq", "<": r"\prec", ">": r"\succ", "!=": r"\ne"}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_OTHER = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NEARLY = 1 - Fraction(1, 2**60)  # a ratio that is 1 in the digits it is told in, and not itself


@dataclass(frozen=True, init=False, repr=False)
class Compare(Relation):
    """``left < right``, and so on; Python's signs between terms make it.

    Between matrices: the difference is positive definite, or semidefinite where they may be equal.

    >>> from verification.terms.term import letters
    >>> x, y = letters("x y")
    >>> (x <= x + y).text()
    'x <= x + y'
    """

    relation: str = "<"
    needed: bool = field(default=False, compare=False)  # whether what it says is the range of something

    def __init__(self, left: Any, relation: str, right: Any, needed: bool = False) -> None:
        """In the order in which it is read."""
        if relation not in _WANTED:
            raise DeclarationError("one of < <= > >= !=", repr(relation), "Equal is for =")
        object.__setattr__(self, "left", left)
        object.__setattr__(self, "right", right)
        object.__setattr__(self, "relation", relation)
        object.__setattr__(self, "needed", needed)
        self.__post_init__()

    def __bool__(self) -> bool:
        """A statement is no truth value: ``a < b < c`` would lose its first half."""
        raise TypeError("a comparison of terms is a statement, not a truth value; write two of them")

    def holds(self, found: Compared) -> bool | None:
        """By the sign of the difference; a strict one says nothing of what cannot be told apart."""
        wanted = _WANTED[self.relation]
        if isinstance(found.left, list) and self.relation != "!=":
            return found.is_definite(wanted[0], 0 not in wanted)
        if found.sign is None:
            return True if 0 in wanted else None
        return found.sign in wanted

    def prove(self, theory: Any, given: tuple[Relation, ...] = ()) -> Answer:
        """By the sign of the difference, where the theory knows it for all letters."""
        if self in given:
            return Proved("It is given.")
        pairs = [one.upward for one in given if hasattr(one, "upward")]
        for sign in (1, -1) if self.relation == "!=" and not self.between_matrices else ():
            apart: Answer = theory.has_sign(self.left, self.right, (sign,), pairs)
            if isinstance(apart, Proved):
                return apart
        answer: Answer = theory.has_sign(self.left, self.right, _WANTED[self.relation], pairs)
        if self.needed and isinstance(answer, Silent):
            return replace(answer, only_if=replace(self, needed=False))
        return answer

    @property
    def one_sided(self) -> bool:  # type: ignore[override]
        """How near numbers come to violating it can be said; of matrices, counts, what differs, not."""
        return not (self.between_matrices or self.counts) and self.relation != "!="

    @property
    def negated(self) -> Compare | None:
        """What holds of two numbers where this fails."""
        other = _NEGATED.get(self.relation)
        return None if other is None or self.between_matrices else replace(self, relation=other)

    @property
    def told_at(self) -> Sentence:  # type: ignore[override]
        """Two matrices may be in no order."""
        if not self.between_matrices:
            return super().told_at
        return Both(after=", whose difference is not as definite as it is said to be")

    def latex(self) -> str:
        """With the signs that are usual for matrices."""
        if not self.between_matrices:
            return super().latex()
        return f"{self.left.latex()} {_OF_MATRICES[self.relation]} {self.right.latex()}"

    def text(self) -> str:
        """On one line."""
        return super().text() + (" as matrices" if self.between_matrices else "")

    def script(self, text: Callable[[Term], str], point: Any) -> tuple[list[str], str]:
        """Of matrices, by the pivots of their difference."""
        if self.relation == "!=":
            return super().script(text, point)
        small, large, may_be_equal = self.upward
        if not self.between_matrices:
            lines, holds = super().script(text, point)
            ends = getattr(getattr(point, "place", None), "ends", lambda _: ())  # between two bounds
            return [*ends(large), *lines], holds
        sides = f"left, right = {text(self.left)}, {text(self.right)}"
        rest = "_minus(right, left)" if (small, large) == self.sides else "_minus(left, right)"
        return [sides], f"_definite({rest}, {not may_be_equal}, {CLOSE})"

    @property
    def upward(self) -> tuple[Term, Term, bool]:
        """The smaller term, the larger, and whether they may be equal: there are none of ``!=``."""
        if self.relation == "!=":
            raise AttributeError("neither side is said to be the smaller")
        sides = self.sides if self.relation in ("<", "<=") else self.sides[::-1]
        return (*sides, "=" in self.relation)

    def ratio(self, found: Compared) -> Fraction | None:
        """The smaller side over the larger, of positive ones: 1 where they are known to be equal."""
        small, large = found.left, found.right
        if self.relation in (">", ">="):
            small, large = large, small
        if not (small > 0 and large > 0):
            return None
        return _NEARLY if found.sign != 0 and small == large else small / large

    def instead(self, theory: Any, given: tuple[Any, ...] = ()) -> Iterator[Relation]:
        """With a larger side, the least bound of the left, or what that equals: as a theory knows."""
        if self.relation in ("<", "<="):
            yield from (replace(self, right=right) for right in theory.larger(self.right))
        known = {"<=": theory.least, ">=": theory.most}.get(self.relation)
        bound = None if known is None else known(self.left)
        if bound not in (None, self.right):
            yield replace(self, right=bound)
        if self.relation == "!=":
            yield from (Equal(a, b) for a, b in theory.mended(*self.sides) if a != b)
        for right in theory.scaled(self.left, self.right):
            yield replace(self, right=right)
        if self.relation != "!=":
            yield replace(self, relation=_OTHER[self.relation])

    @property
    def or_equal(self) -> Self:
        """Smaller or equal in the place of smaller."""
        return replace(self, relation={"<": "<=", ">": ">="}.get(self.relation, self.relation))

    def weaker(self, factor: Term) -> Self:
        """The right side times a factor, or over it: whichever admits more."""
        right = _times(factor, self.right) if self.relation in ("<", "<=") else self.right / factor
        return replace(self, right=right)

    def turned(self) -> Iterator[tuple[str, Self]]:
        """The sign the other way round."""
        other = _OTHER.get(self.relation)
        if other is None:
            return
        yield say("${}$ for ${}$", other, self.relation), replace(self, relation=other)


def _times(factor: Term, side: Term) -> Term:
    """A number times a side, as people write it: in the numerator of a quotient."""
    if isinstance(side, Applied) and side.head == "/":
        return _times(factor, side.of[0]) / side.of[1]
    if isinstance(side, Number) and isinstance(factor, Number):
        return number(factor.value * side.value)
    return factor * side


def as_conditions(given: tuple[Relation, ...]) -> Iterator[Condition]:
    """Relations between letters as conditions that a formula can be written under."""
    for one in given:
        if hasattr(one, "upward"):
            small, large, may_be_equal = one.upward
            lower, upper = in_symbols(small), in_symbols(large)
            names = tuple(sorted(s.name for s in (upper - lower).free_symbols))
            yield Holds(names, lower, upper, not may_be_equal)
