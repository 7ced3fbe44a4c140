"""Exact numbers with logarithms as they are shown."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any


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
