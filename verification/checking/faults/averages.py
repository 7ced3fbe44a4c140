"""Edits of averages: states that positions are gathered in, and that nothing else is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import Local, State, t
from verification.checking.faults.candidate import Candidate, scale
from verification.checking.faults.variant import Variant


def gathered(variant: Variant) -> list[tuple[int, State, Any]]:
    """Which updates make an average, of which position.

    >>> from sgtheory import registry
    >>> [(k, str(m), str(x)) for k, m, x in gathered(Variant.of(registry.sampler("iasg")))]
    [(1, 'm', 'theta')]
    """
    found = []
    for k, (m, expr) in enumerate(variant.updates):
        read = any(e.has(m) for other, e in variant.updates if other != m)
        of = [x for x in variant.positions if x != m and expr.has(x)]
        if m in variant.positions and not read and len(of) == 1:
            found.append((k, m, of[0]))
    return found


def averages(variant: Variant) -> Iterator[Candidate]:
    """Means of the wrong positions, or with the wrong weights."""
    for k, m, x in gathered(variant):
        before = Local(f"{x.name}_before", real=True)
        whole = t / (t + 1) * m + x / (t + 1)
        counted = sp.Piecewise(
            ((before + x) / 2, sp.Eq(t, 0)), ((t + 1) / (t + 2) * m + x / (t + 2), True)
        )
        late = (t + 1) / (t + 2) * m + x / (t + 2)
        for name, words, expr in (
            ("never emptied", f"{m} is the mean of all positions: its window is never emptied.", whole),
            ("with the start", f"{m} counts the position at the start as well.", counted),
            ("divided by one too many", f"{m} is divided by one too many: by t + 2.", late),
            ("the last position", f"{m} is the last position, not a mean of several.", sp.sympify(x)),
        ):
            yield Candidate(f"{m} {name}", words, _with(variant, k, expr, before, x), 1.1)
        words = f"{m} is copied back into {x} after each step, which goes on from the average."
        back = replace(variant, updates=(*variant.updates, (x, m)))
        yield Candidate(f"{m} fed back", words, back, 1.1)
        for length in sorted({a.args[1] for a in variant.updates[k][1].atoms(sp.Mod)}, key=str):
            part = sp.Piecewise((x / length, sp.Eq(sp.Mod(t, length), 0)), (m + x / length, True))
            words = f"{m} is the sum since the window began over {length}, however many it has."
            yield Candidate(f"{m} over {length}", words, _with(variant, k, part, before, x), 1.2)


def moving(variant: Variant) -> Iterator[Candidate]:
    """Exponential averages, whose weight is fitted."""
    s = scale()
    for k, m, x in gathered(variant):
        step = m + s * (x - m)
        before = Local(f"{x.name}_before", real=True)
        words = (
            f"{m} is an exponential (moving) average, in which each position has the weight {{0}}: it"
            " should be a mean with equal weights."
        )
        for begun in (sp.Piecewise((x, sp.Eq(t, 0)), (step, True)), step):
            made = _with(variant, k, begun, before, x)
            yield Candidate(f"{m} is an exponential average", words, made, 1.0, (s,), (0.5,))


def _with(variant: Variant, k: int, expr: Any, before: Local, x: Any) -> Variant:
    """Another update of the average; the position before the step is at hand."""
    made = variant.with_update(k, expr)
    return replace(made, updates=((before, x), *made.updates)) if expr.has(before) else made
