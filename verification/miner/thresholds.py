"""Conditions on scalars under which a bound holds: a product or a ratio below a simple number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import sympy as sp

from sgtheory.matrixwords import A, LargestEigenvalue
from verification.claims.base import Printed
from verification.refuter.search import seen

_NUMBERS = tuple(map(sp.Rational, ("4", "2", "1", "1/2", "1/4")))  # weakest first


def threshold(claim: Any, time: str) -> tuple[Printed, Any] | None:
    """The weakest such condition under which a bound is proved, with its proof.

    Conditions are tried on small exact places first: most are refuted there at once.
    """
    found: list[tuple[Printed, Any]] = []
    for monomial in _monomials(claim):
        for number in _NUMBERS:
            condition = Printed(monomial, number, "<=")
            narrower = replace(claim, where=(*claim.where, condition))
            if narrower.failure(time, 200) is not None:
                continue
            proof = narrower.prove(time)
            if proof.holds:
                found.append((condition, proof))
                break  # smaller numbers are stronger conditions
    return max(
        found, key=lambda f: _admitted(replace(claim, where=(*claim.where, f[0])), time), default=None
    )


def _admitted(claim: Any, time: str) -> int:
    """At how many small places the narrower claim still says something."""
    look = claim.look(time)
    return sum(
        seen(look, place) is not None
        for place, _ in zip(claim.space().small(), range(400), strict=False)
    )


def _monomials(claim: Any) -> Iterator[Any]:
    """Letters, products and ratios of two, and the step times the largest curvature."""
    letters = sorted((s for s in claim.symbols() if s.is_commutative and s.name != "D"), key=str)
    if claim.of:
        yield from (s * LargestEigenvalue(A) for s in letters if s.name in ("eps", "gamma"))
    yield from letters
    yield from _ratio_of_terms(claim)
    for x, y in combinations(letters, 2):
        yield from (x * y, x / y, y / x)


def _ratio_of_terms(claim: Any) -> Iterator[Any]:
    """Where a bound says that one product of letters is below another: their ratio."""
    (printed,) = claim.printed
    rest = sp.expand(sp.sympify(printed.left) - sp.sympify(printed.right))
    terms = sp.Add.make_args(rest)
    if len(terms) == 2 and all(t.is_commutative for t in terms):
        signs = [t.could_extract_minus_sign() for t in terms]
        if signs[0] != signs[1]:
            up = printed.relation in ("<=", "<")  # then what is added is to be small
            small, large = (terms[k] for k in (signs.index(not up), signs.index(up)))
            yield (small / large).as_coeff_Mul()[1]
