"""A question about sequences as questions about the numbers of a few steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from verification.refuter.places import NUMBERS, Space
from verification.relations.base import Relation
from verification.terms.term import Letter, number
from verification.terms.words import loose
from verification.theories.subject import About, subject_of


def by_steps(question: Any, long: bool) -> Iterator[tuple[int, Any]]:
    """Each of its relations for a few numbers of steps, one first, then many, in its own letters.

    What is given is written out as they are, on every path.
    """
    relations, steps = question.statement.relations, question.subject
    written = sorted((p for r in relations for p in steps.written_out(r)), key=lambda p: p[0])
    many = ((0, m) for r in relations if long or not written for m in steps.lengthened(r))
    k = sum(n == 1 for n, _ in written)
    for n, one in chain(written[:k], many, written[k:]):
        most = question.space.most * (n**3 if long and n else 1)
        given = [w for r in (*question.given, *question.entries) for w in _written_for(question, r, n)]
        letters = (*one.letters, *(a for r in given for a in r.letters if a.kind in NUMBERS))
        alone = Space({}, {a.name: a.kind for a in letters}, most=most)
        subject = subject_of(About(one), below=steps.rank)
        own = {"given": (*given, *steps.ordered(alone)), "entries": ()}
        yield n, replace(question, statement=one, subject=subject, space=alone, **own)


def _written_for(question: Any, given: Relation, steps: int) -> tuple[Relation, ...]:
    """What is given, for a number of steps and on every path; of many steps as it stands."""
    free = (a for side in given.sides for a in loose(side))
    running = [a for a in free if isinstance(a, Letter) and a.kind == "index"]
    each = [given.put({a: number(k)}) for a in running[:1] for k in range(1, steps + 1)]
    told = (r for one in each or (given,) for r in question.subject.written_out(one))
    written = tuple(r for k, r in told if k == steps)
    kept = any(given is one for one in question.entries) and question.subject.is_read(given)
    return written or (() if kept else (given,))


def space(question: Any) -> Space:
    """The space of random places: of sequences with the letters that are given alone."""
    if not question.subject.stepwise:
        whole: Space = question.space
        return whole
    spaces = (one.space for n, one in by_steps(question, False) if n)
    more = {name: kind for one in spaces for name, kind in one.scalars.items()}
    return replace(question.space, scalars={**question.space.scalars, **more})
