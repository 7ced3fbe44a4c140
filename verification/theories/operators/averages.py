"""Means of letters alone under normal densities: they are formulas, of which limits are taken."""

from __future__ import annotations

from typing import Any, ClassVar

from verification.terms.term import Applied
from verification.theories import limits
from verification.theories.operators import calculus
from verification.theories.operators.calculus import Calculus
from verification.theories.operators.words import WORDS, log_integral, mean_under
from verification.theories.subject import About

_OTHERS = {word.name for word in WORDS} - {log_integral.name, mean_under.name}


class Averages(Calculus):
    """No function is left open."""

    orders: ClassVar[Any] = limits
    formula = staticmethod(limits.in_letters)


def subject(about: About) -> Calculus | None:
    """Statements with functions or their means; averages where none is left open."""
    found = calculus.subject(about)
    if found is None or found.functions:
        return found
    heads = {t.head for side in found.terms for t in side.subterms() if isinstance(t, Applied)}
    averaged = not heads.isdisjoint((log_integral.name, mean_under.name)) and heads.isdisjoint(_OTHERS)
    return Averages(found.terms, found.states, found.given) if averaged else found
