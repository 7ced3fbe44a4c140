"""What is shown of equalities: exact numbers with logarithms, and first terms of gaps."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.derivation import Formula
from sgtheory.printing import latex, plain
from verification.asymptotics import Undecided, first_terms
from verification.prover.balance import Balance, in_one_dimension
from verification.verdict import Gap


def shown(values: tuple[Any, ...], matrix: bool) -> Any:
    """A number, or the rows of a matrix."""
    if not matrix:
        return _text(values[0])
    size = round(len(values) ** 0.5)
    return [[_text(v) for v in values[k * size : (k + 1) * size]] for k in range(size)]


def _text(a: Any) -> str:
    """A number plus a multiple of one logarithm."""
    parts = math.lcm(*(c.denominator for c, _ in a.logs))
    inside = math.prod((b ** int(c * parts) for c, b in a.logs), start=Fraction(1))
    if inside == 1:
        return str(a.rational)
    sign, inside = ("-", 1 / inside) if inside < 1 else ("+", inside)
    log = f"log({inside})" + ("" if parts == 1 else f"/{parts}")
    return f"{a.rational} {sign} {log}" if a.rational else log if sign == "+" else f"-{log}"


def gap_of(sides: tuple[Any, ...], step: Any, up_to_constant: bool, about: Balance) -> Gap | None:
    """How far two sides are apart as the step vanishes, in one dimension.

    In all others the discrete law tends to the process's as fast.
    """
    values = in_one_dimension(sides, about)
    if values is None:
        return None
    left, right = values
    try:
        if up_to_constant:
            terms = first_terms(left - right, step, count=2)
            term = next((t for t in terms if t.power > 0), None)
        else:
            term = first_terms(sp.cancel((left - right) / right), step, count=1)[0]
    except (Undecided, ZeroDivisionError):
        return None
    if term is None or not 0 < term.power < math.inf:
        return None
    written = sp.factor(term.written(step))
    words = "gap beyond the constant" if up_to_constant else "relative gap"
    return Gap(step.name, str(term.power), Formula(latex(written), plain(written)), words)
