"""Matrices, their traces and determinants, and second moments of the laws of linear chains."""

from __future__ import annotations

from typing import Any

from verification.laws.quantities import times_of
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Letter
from verification.theories.matrices import increments, wordlaw
from verification.theories.matrices.converse import condition_of, full_rank, one_dimensional, singular
from verification.theories.matrices.laws import Law
from verification.theories.matrices.solving import Solved
from verification.theories.subject import ITS_MATRICES, About

__all__ = ["Law", "Solved", "condition", "of_a_law", "subject"]


def condition(relation: Any, about: About) -> Any:
    """Of matrices of a problem, or of products of them."""
    left, found = relation.left, one_dimensional(relation)
    if found is not None or about.setting is None:
        return None if found is None else (ITS_MATRICES, found)
    if relation.relation != "=":
        found = singular(relation) or full_rank(relation)
    elif not isinstance(left, Letter) or (left.kind == "matrix" and left.name in about.problem):
        found = condition_of(left, relation.right)
    else:
        return None
    return None if found is None else (ITS_MATRICES, found)


def of_a_law(about: About) -> str:
    """A moment, or what is added to one."""
    own = (a for a in about.own_letters if a.kind == "matrix" and a.name not in dict(about.kinds))
    letters = [a for a in own if times_of((in_symbols(a),), "") or increments.are_about((a,))]
    return str(letters[0]) if letters else ""


def subject(about: About) -> Law | wordlaw.WordLaw | None:
    """What has matrices in it, or is about a sampler: its law, or what it adds to moments."""
    known = (about.kinds, about.sets, about.given, about.where)
    in_words = wordlaw.subject(about)
    if in_words is not None:
        return in_words
    if about.setting is not None and increments.are_about(about.own_letters):
        gain = any(a.name == "H" for a in about.own_letters)
        return Law(None, about.time, *known, runs=about.setting, gain=gain, small=about.small)
    if about.setting is None and not any(a.kind in ("matrix", "dimension") for a in about.own_letters):
        return None
    return Law(about.setting, about.time, *known, small=about.small)
