"""Corruptions of printed rows, and the few places at which they are looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import sympy as sp

from verification.claims.base import Claim, Printed
from verification.miner.conditions import Condition, restrict
from verification.refuter.places import Place
from verification.refuter.search import seen
from verification.twins import corruptions
from verification.wiener import Forms, MatrixRoot, NoiseLetter, StateLetter

_RANDOM, _SMALL = 4, 60  # places


def corrupted_rows(row: Printed, forms: Forms, target: str) -> Iterator[tuple[str, Printed]]:
    """A row with one of its matrices corrupted, all others as they are."""
    letters = {s.name: s for s in row.right.free_symbols if isinstance(s, StateLetter | NoiseLetter)}
    clock = {s for s in row.right.free_symbols if s.name == "dt"}
    for (t, source), matrix in forms.drift.items():
        end = letters.get(source, StateLetter(source, commutative=False)) * sp.Mul(*clock)
        for name, wrong in corruptions(matrix) if t == target else ():
            yield f"{source}: {name}", replace(row, right=sp.expand(row.right + (wrong - matrix) * end))
    for (t, z), (matrix, M) in forms.noise.items():
        if t != target:
            continue
        for name, wrong in corruptions(matrix if M == 1 else M):
            right = sp.expand(row.right + (wrong - matrix) * z) if M == 1 else _rerooted(row, M, wrong)
            yield f"{z}: {name}", replace(row, right=right)


def _rerooted(row: Printed, M: Any, wrong: Any) -> Any:
    """The right side with another matrix under its root."""
    return row.right.replace(MatrixRoot, lambda inner: MatrixRoot(wrong if inner == M else inner))


def caught(claim: Claim, time: str, small: int = _SMALL, drawn: int = _RANDOM) -> bool:
    """Whether a statement fails at one of a few places: random ones first, then small ones."""
    source, look, space = random.Random(claim.heading), claim.look(time), claim.space()
    random_places = (restricted(space.random(source, 2), claim.conditions) for _ in range(drawn))
    small_places = islice((p for p in space.small() if all(c.holds(p) for c in claim.conditions)), small)
    found = (seen(look, place) for place in chain(random_places, small_places))
    return any(sides is not None and not sides.holds for sides in found)


def restricted(place: Place, conditions: tuple[Condition, ...]) -> Place:
    """A place with all conditions imposed on it."""
    for condition in conditions:
        place = restrict(place, condition)
    return place


def has_square_roots_only(expr: Any) -> bool:
    """Exact places have square roots; a root of a root has no value there."""
    return all(p.exp.q <= 2 for p in expr.atoms(sp.Pow) if p.exp.is_Rational)
