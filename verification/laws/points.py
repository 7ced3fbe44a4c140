"""Random points modulo the prime at which equations between scalars hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import sympy as sp

from sgtheory.independent.fields import Mod, evaluate, square_root
from sgtheory.independent.running import Point
from verification.miner.conditions import Condition
from verification.miner.scalars import Equal
from verification.miner.stated import Is

_DRAWS = 100  # until the equations have solutions with roots there


def obeying(under: tuple[Condition, ...], draw: Callable[[], Point]) -> Point:
    """A point at which equations between scalars hold; half of all values have the root they need."""
    put = [c for c in under if isinstance(c, Equal | Is)]
    point = draw()
    for _ in range(_DRAWS if put else 0):
        known = {s.name: s for s in point.roots}
        roots = dict(point.roots)
        try:
            for c in put:
                for name in c.letters[:1] if isinstance(c, Equal) else (c.letter.name,):
                    if name in known:
                        value = sp.sympify(c.written(known[name]))
                        spelt = {s: known[s.name] for s in value.free_symbols if s.name in known}
                        roots[known[name]] = square_root(evaluate(value.xreplace(spelt), roots), Mod)
        except (KeyError, TypeError):
            point = draw()
            continue
        return dataclasses.replace(point, roots=roots)
    return point
