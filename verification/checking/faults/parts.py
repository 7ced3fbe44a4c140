"""Edits of some coordinates alone: groups that leave one out, or have one twice, and masks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Local
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.variant import Variant

_LEFT = "is never updated, as if it were in no group or masked"
# the matrix that a step's moves go through, and what is said of it
_MOVED = (
    ("all_but_the_last", f"the last coordinate {_LEFT}"),
    ("all_but_the_first", f"the first coordinate {_LEFT}"),
    ("all_but_the_last_of_several", f"the last coordinate, unless it is the only one, {_LEFT}"),
    ("all_but_the_first_of_several", f"the first coordinate, unless it is the only one, {_LEFT}"),
    ("first_half", "only the first half of the coordinates is updated"),
    ("second_half", "only the second half of the coordinates is updated"),
    ("last_of_half_twice", "the last coordinate of the first half is updated twice: groups overlap"),
    ("first_of_half_twice", "the first coordinate of the second half is updated twice: groups overlap"),
)


def parts(variant: Variant) -> Iterator[Candidate]:
    """Moves of all states, or of one, that reach some coordinates only, or reach one twice.

    >>> from sgtheory import registry
    >>> next(parts(Variant.of(registry.sampler("sgd")))).words
    'In theta the last coordinate is never updated, as if it were in no group or masked.'
    """
    written = [s for s in variant.states if any(target == s for target, _ in variant.updates)]
    groups = [tuple(written), *((s,) for s in written if len(written) > 1)]
    for states in groups:
        named = ", ".join(map(str, states))
        for kind, said in _MOVED:
            made = replace(variant, updates=tuple(_through(variant, states, kind)))
            yield Candidate(f"{kind} of {named}", f"In {named} {said}.", made, 1.2)


def _through(variant: Variant, states: tuple[Any, ...], kind: str) -> Iterator[tuple[Any, Any]]:
    """The step as it is, and then what it did to these states through the matrix."""
    before = {s: Local(f"{s.name}_before", real=True) for s in states}
    yield from ((old, s) for s, old in before.items())
    yield from variant.updates
    for s, old in before.items():
        yield s, old + Apply(sp.Symbol(kind), s - old)
