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
from verification.theories.matrices.converse import condition_of
from verification.theories.time.given import WellSpecified

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
    entries = not setting.sampler.noises and not any(_is_of_matrices(t) for t in terms)
    for one in given:
        equation = getattr(one, "relation", "") == "="
        found = _condition(one.left, one.right, setting) if equation else None  # type: ignore[union-attr]
        kept = found is None or (isinstance(found, WellSpecified) and not entries)
        yield one if kept else found


def _is_of_matrices(side: Term) -> bool:
    """Whether it has words, such as a trace, that are not read entry by entry."""
    heads = {t.head for t in side.subterms() if isinstance(t, Applied)}
    return any(owners()[head] == "matrices" for head in heads)


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
