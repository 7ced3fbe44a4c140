"""Hypotheses: is all that was used shown, and all that is shown used?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from verification.auditing.checks import _samples
from verification.auditing.entries import Judged
from verification.refuter.conditions import FullRank
from verification.refuter.parameters import Is
from verification.statements import Assumption, Equal, letters
from verification.statements.entry import words_of

# What is true of numbers of a kind beside that they are positive, or any numbers.
_NARROW = {
    "cosine": "{0} lies between 0 and 1",
    "cosquare": "{0} lies between 0 and 1",
    "fraction": "{0} lies between 0 and 1",
    "up to one": "{0} is at most 1",
    "unit": "{0} lies between 0 and 1, ends included",
    "nonnegative": "{0} is at least 0",
    "within one": "{0} lies between -1 and 1",
    "count": "{0} is a whole number",
    "square count": "{0} is a whole number",
    "diagonal": "{0} is diagonal",
    "antisymmetric": "{0} is antisymmetric",
}


_WORD = re.compile(r"\w+")


def look(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """Places are used under all that is shown as given, and under nothing that is not shown."""
    claim = judged.claim
    named = {*_WORD.findall(" ".join(judged.hypotheses))}
    named |= {"C"} if "B" in named else set()  # the noise is B B^T
    for condition in claim.conditions:
        if not named.issuperset(condition.letters):
            on = " and ".join(condition.letters)
            words = f"It is looked at only under a condition on {on}, which nothing given names."
            yield judged, words, "say of which letters it is", {"hypothesis": words_of(condition)}
    yield from ((judged, *told) for told in _narrower(judged))
    words_only = {h.words for h in claim.given if isinstance(h, Assumption)}
    for condition in (FullRank(("C",)), FullRank(("B",))):
        if condition.words in words_only:
            words = f"It is given in words that {condition.words}, and places need not obey it."
            yield judged, words, "give it as a condition", {"hypothesis": condition.words}


def _narrower(judged: Judged) -> Iterator[tuple[Any, ...]]:
    """Letters that places have of a narrower kind than they are declared, which nothing shows."""
    claim = judged.claim
    if not judged.is_stated:
        return
    declared = {a.name: a.kind for a in claim.statement.letters}
    told = " ".join((*judged.hypotheses, judged.words))
    for name, kind in claim.kinds:
        narrow = _NARROW.get(kind)
        if narrow is None or declared.get(name) == kind or name in _WORD.findall(told):
            continue
        is_so = narrow.format(name)
        words = f"It is looked at only where {is_so}, which is not shown as given."
        yield words, "declare the letter so, or state it as given", {"hypothesis": is_so}


def good() -> tuple[Judged, ...]:
    """What is used is shown."""
    x, y = letters("x y")
    return (_samples.judged(printed=Equal(x * y, y * x + 0 * x)),)


def bad() -> tuple[Judged, ...]:
    """A letter is looked at below 1, or at 1/2, and no words name it; a rank is given in words alone."""
    (one,) = good()
    x = sp.Symbol("x", positive=True)
    narrow = replace(one.claim, kinds=(("x", "cosine"),))
    unnamed = replace(one.claim, given=(Is(("x",), x, sp.Rational(1, 2), said="it is as usual"),))
    in_words = replace(one.claim, given=(Assumption(FullRank(("B",)).words),))
    return tuple(
        _samples.with_finding(each, one.verdict.finding) for each in (narrow, unnamed, in_words)
    )
