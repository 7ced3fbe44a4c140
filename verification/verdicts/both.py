"""What both sides of a statement are called where numbers show that it is false."""

from __future__ import annotations

from typing import Any, Self

from sgtheory.notation.sentence import Sentence, joined, say, sentence

_SIDES, _AND = "left and right side", ", and "
_ROUNDED = 6  # digits to which numbers are shown: shorter ones that read alike are equal


class Both(Sentence):
    """Names of both sides, or none of their own; where they are looked at, or of what they are.

    >>> print(Both())
    left and right side
    >>> print(Both("its value", "its value"))
    its value, and its value
    """

    left: Sentence
    right: Sentence
    before: Sentence
    after: Sentence

    def __new__(cls, left: str = "", right: str = "", before: str = "", after: str = "") -> Self:
        """A sentence of these pieces."""
        left, right, before, after = map(sentence, (left, right, before, after))
        named = (*left.pieces, _AND, *right.pieces) if left else (_SIDES,)
        made = super().__new__(cls, *before.pieces, *named, *after.pieces)
        made.left, made.right, made.before, made.after = left, right, before, after
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.left, self.right, self.before, self.after)

    @property
    def alone(self) -> bool:
        """Whether they have no names, and nothing stands before them."""
        return not (self.left or self.before)


def also(told: str, words: str) -> Sentence:
    """What is shown, with more words behind it.

    >>> print(also(Both("its value", "its value"), "when h = 1 instead"))
    its value, and its value when h = 1 instead
    """
    if not isinstance(told, Both):
        return joined(told, words)
    after = say("{} {}", told.after, words) if words else told.after
    return Both(told.left, told.right, told.before, after)


def of(told: str, thing: Any) -> Sentence:
    """What is shown, of which statement."""
    if not isinstance(told, Both) or told.left:
        return say("{}, of {}", told, thing)
    return Both(before=told.before, after=say("{}, of {}", told.after, thing))


def are(told: str, left: Any, right: Any, otherwise: str = "{}: {}; {}") -> Sentence:
    """What both sides are: first what the one is, and then what the other, where they are told apart.

    >>> print(are(Both("the drift of the sampler", "what is stated"), 1, 2))
    the drift of the sampler is 1, and what is stated is 2
    >>> print(are(Both(before="over all minibatches, ", after=" at the start"), 1, 2))
    over all minibatches, the left side is 1 and the right side 2 at the start
    >>> print(are(Both(), 0, 0))
    both sides are 0
    """
    if not isinstance(told, Both):
        return say(otherwise, told, left, right)
    if told.left:
        names = told.before, told.left, left, told.right, told.after, right
        return say("{}{} is {}, and {}{} is {}", *names)
    if str(left) == str(right) and len(str(left)) < _ROUNDED:
        return say("{}both sides are {}{}", told.before, left, told.after)
    return say("{}the left side is {} and the right side {}{}", told.before, left, right, told.after)
