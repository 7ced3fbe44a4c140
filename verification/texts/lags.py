"""Integrated autocorrelation times in texts: of the first coordinate of a position, or of its square."""

from __future__ import annotations

from typing import Any

from sgtheory.notation.matrixwords import Entry
from verification.laws import lagsums
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Term
from verification.texts.shapes import at, factors
from verification.texts.unclear import Unclear

_KNOWN = {"theta": lagsums.correlation_time, "theta^2": lagsums.correlation_time_of_square}


def correlation_time(group: Any, sampler: Any) -> Term:
    """What ``tau_int`` of something in brackets is, under the law of a sampler."""
    inside = group.children[0].children
    called = dict(getattr(sampler, "aliases", ()))
    said = factors(inside[0], called) if len(inside) == 1 else []
    made = _KNOWN.get(" ".join(said))
    if made is None or not sampler:
        told = "tau_int(theta) and tau_int(theta^2), of a sampler, can be said"
        raise Unclear("the position, or its square", " ".join(said) or "others", told, at(group))
    return from_sympy(made(lambda matrix: Entry(matrix, 0, 0)))
