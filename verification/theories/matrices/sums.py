"""Sums over the modes as traces, and how far two of them are apart as a step vanishes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.modepairs.pairs import LI
from sgtheory.notation.matrixwords import A, C, Trace
from sgtheory.notation.sentence import formula_of
from verification.laws.per_mode import General
from verification.notation import D
from verification.terms.term import Term
from verification.verdicts.verdict import Gap

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_VARIANCE = sp.Symbol("C_ii", positive=True)  # of the noise along a mode


def traced(summand: Any) -> Any:
    """The sum over all modes of lambda_i^k, or of lambda_i^k C_ii; None of what is none of these.

    >>> traced(2 * LI * _VARIANCE + LI) == 2 * Trace(A * C) + Trace(A)
    True
    """
    letters = (LI, _VARIANCE)
    if not sp.expand(summand).is_polynomial(*letters):
        return None
    total = sp.Integer(0)
    for (k, m), factor in sp.Poly(sp.expand(summand), *letters).terms():
        if m > 1:
            return None
        whole = A**k * C if m else A**k
        total += factor * (Trace(whole) if (k, m) != (0, 0) else D)
    return total


def gap(law: Law, left: Term, right: Term) -> Gap | None:
    """How far two sums over the modes are apart, relative to the right one, to leading order."""
    found = [law.formula(side, law.given) for side in (left, right)]
    step = None if law.setting is None else law.setting.sampler.step
    sums = [one for one in found if isinstance(one, General) and one.form == "sum"]
    if step is None or len(sums) != len(found) or any(len(one.parts) != 1 for one in sums):
        return None
    (first,), (second,) = (one.parts for one in sums)
    return _between(step, sp.cancel(first - second), second)


def gap_of_slope(step: Any, summand: Any) -> Gap | None:
    """How much of a sum over the modes changes with the step, to leading order."""
    first = leading(summand, step)
    return (
        None if first is None else _between(step, sp.cancel(summand - summand.subs(step, 0)), first[1])
    )


def _between(step: Any, rest: Any, whole: Any) -> Gap | None:
    above, below = leading(rest, step), leading(whole, step)
    if above is None or below is None or above[0] <= below[0]:
        return None
    sums = [traced(one[1]) for one in (above, below)]
    if None in sums:
        return None
    order = above[0] - below[0]
    return Gap(step.name, str(order), formula_of(sums[0] / sums[1] * step**order))
