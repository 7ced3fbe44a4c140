"""Edits of what is multiplied, squared or averaged entry by entry: of steps that have no exact law."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from sgtheory.declare import Noise, Vector
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.variant import Variant, terms_of


def pointwise(variant: Variant) -> Iterator[Candidate]:
    """Factors of products that are missing, rooted or squared; noises; averages of squares.

    >>> from sgtheory import registry
    >>> found = pointwise(Variant.of(registry.sampler("psgld:no_gamma")))
    >>> [c.name for c in found if c.name.endswith("not multiplied by G")]
    ['f0 of theta is not multiplied by G']
    """
    for k, (target, expr) in enumerate(variant.updates):
        parts = terms_of(expr)
        for j, part in enumerate(parts):
            rest = sp.Add(*parts[:j], *parts[j + 1 :])
            for name, words, value, cost in (*_factors(target, part), *_louder(target, part)):
                yield Candidate(name, words, variant.with_update(k, rest + value), cost)
        for name, words, value in _moments(target, parts):
            yield Candidate(name, words, variant.with_update(k, value), 1.1)


def _factors(target: Any, part: Any) -> Iterator[tuple[str, str, Any, float]]:
    """A product of several vectors without one of them, or with its root or square in its place."""
    from sgtheory.notation.printing import plain

    vectors = [a for a in sp.Mul.make_args(part) if a.atoms(Vector)]
    for x in vectors if len(vectors) > 1 else ():
        if x.atoms(Noise):
            continue
        shown, others = plain(x), plain(sp.Mul(*(a for a in vectors if a != x)))
        what = f"the noise {others}" if part.atoms(Noise) else others
        words = f"In {target} {what} is not multiplied by {shown}."
        yield f"{others} of {target} is not multiplied by {shown}", words, part / x, 1.0
        for other in (sp.sqrt(x), x**2):
            words = f"In {target} {what} is multiplied by {plain(other)}, should be by {shown}."
            yield f"{others} of {target} has {plain(other)} for {shown}", words, part * other / x, 1.1


def _louder(target: Any, part: Any) -> Iterator[tuple[str, str, Any, float]]:
    """Noise of twice or half its variance."""
    from sgtheory.notation.printing import plain

    for times, said in ((sp.sqrt(2), "twice"), (1 / sp.sqrt(2), "half")) if part.atoms(Noise) else ():
        words = (
            f"The noise of {target} has {said} the variance that it should have: {plain(times * part)}."
        )
        yield f"noise of {target} has {said} its variance", words, times * part, 1.1


def _moments(target: Any, parts: tuple[Any, ...]) -> Iterator[tuple[str, str, Any]]:
    """A mean of squares: as the square of a mean, or as a sum."""
    from sgtheory.notation.printing import plain

    kept = [p / target for p in parts if p.has(target)]
    squares = [(p, a) for p in parts for a in sp.Mul.make_args(p) if a.is_Pow and a.exp == 2]
    if len(parts) != 2 or len(kept) != 1 or kept[0].atoms(Vector) or len(squares) != 1:
        return
    ((part, square),) = squares
    x = square.base
    if not x.atoms(Vector) or x.has(target):
        return
    front, shown = part / square, plain(x)
    words = f"{target} is the square of an average of {shown}, should be an average of its squares."
    yield f"{target} squares an average", words, (kept[0] * sp.sqrt(target) + front * x) ** 2
    words = f"{target} is a sum of the squares of {shown}, should be an average of them."
    yield f"{target} is a sum", words, target + square
