"""What is given of letters that a sampler's law has: conditions on its problem, no abbreviations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import sympy as sp

from sgtheory.setting import Setting
from verification.claims.base import Hypothesis
from verification.notation import N, S
from verification.relations.base import Relation
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.term import Applied, Letter, Term
from verification.terms.words import owners
from verification.theories.matrices.converse import condition_of, singular
from verification.theories.time.given import IsFormula, WellSpecified

_OF_THE_MODEL = frozenset(("A", "B", "C", "N", "S"))


def of_problem(setting: Setting) -> frozenset[str]:
    """The letters of a sampler's problem, by name."""
    return _OF_THE_MODEL | {p.name for p in setting.sampler.parameters}


def as_conditions(
    given: tuple[Hypothesis | Relation, ...], setting: Setting, terms: Iterable[Term] = ()
) -> Iterator[Any]:
    """What is given, with equations between letters of the problem as the conditions that they are.

    Others stay as they are: places are taken where they hold.
    """
    told = tuple(terms)
    entries = not setting.sampler.noises and not any(_has_words(t, "matrices") for t in told)
    in_time = any(_has_words(t, "time") for t in told)
    in_time = in_time or any(getattr(one, "theory", "") == "time" for one in given)
    for one in given:
        equation = getattr(one, "relation", "") == "="
        found = _condition(one.left, one.right, setting) if equation else singular(one)  # type: ignore[union-attr]
        matrix = equation and getattr(one.left, "kind", "") == "matrix"  # type: ignore[union-attr]
        if found is None and matrix and in_time:
            found = IsFormula((str(one.left),), one.right)  # type: ignore[union-attr]
        kept = found is None or (isinstance(found, WellSpecified) and not entries)
        yield one if kept else found


def _has_words(side: Term, theory: str) -> bool:
    """Whether it has a theory's words: a trace, one of matrices, is not read entry by entry."""
    heads = {t.head for t in side.subterms() if isinstance(t, Applied)}
    return any(owners()[head] == theory for head in heads)


def _condition(left: Term, right: Term, setting: Setting) -> Any:
    """On the matrices of the problem, or on its numbers; None where it is no equation of these kinds."""
    if not isinstance(left, Letter):
        return condition_of(left, right)
    if left.name not in of_problem(setting):
        return None
    if left.kind != "matrix":
        own = {s.name: s for s in (N, S, *setting.sampler.parameters)}
        sides = (in_symbols(side, named=True) for side in (left, right))
        return sp.Eq(*(e.xreplace({s: own.get(s.name, s) for s in e.free_symbols}) for e in sides))
    if isinstance(right, Letter) and {left.name, right.name} == {"A", "C"}:
        return WellSpecified()
    return condition_of(left, right)
