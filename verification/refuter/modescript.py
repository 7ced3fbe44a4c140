"""Scripts about a chain along one direction: its law is asserted, sums over lags are taken."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.independent.fields import inverse
from verification.laws.modechain import (
    BESIDE,
    LONG_RUN,
    NEXT,
    START,
    VARIANCE,
    WINDOW,
    WINDOWS,
    ModeChain,
    Read,
    StepNumbers,
    T,
    one_step,
)
from verification.refuter.script import array, identifier, scalar_text

_HEAD = """import math
import numpy as np
from fractions import Fraction as F
rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])
"""
_NAMES = {
    VARIANCE: "variance",
    LONG_RUN: "long_run",
    WINDOW: "window",
    NEXT: "following",
    BESIDE: "beside",
    WINDOWS: "windows",
    START: "start",
}
_DISCRETE = {
    VARIANCE: "moments[0, 0]",
    LONG_RUN: "(sums @ moments + moments @ sums.T - moments)[0, 0]  # powers of the step, both ways",
    WINDOW: "sum(lag(abs(s - t)) for s in range(T) for t in range(T)) / T**2",
    NEXT: "sum(lag(abs(T + s - t)) for s in range(T) for t in range(T)) / T**2",
    WINDOWS: "sum(lag(abs(n * T + s - t)) for n in range(-40, 41) for s in range(T) for t in range(T))"
    " / T**2",
    BESIDE: "sum(lag(abs(1 + s - t)) for s in range(T) for t in range(T)) / T**2",
    START: "sum(np.linalg.matrix_power(step, t)[0, 0] for t in range(1, T + 1)) / T",
}
_CONTINUOUS = {
    VARIANCE: "moments[0, 0]",
    LONG_RUN: "(sums @ moments + moments @ sums.T)[0, 0]  # integrals of exp(step t)",
    WINDOW: "2 * moments[0, 0] * series(2) / T**2  # the double integral over s, t of autocovariances",
    NEXT: "moments[0, 0] * series(1)**2 / T**2",
    WINDOWS: "2 * moments[0, 0] * (series(2) - series(1) / step[0, 0]) / T**2",
    START: "series(1) / T",
}
_SERIES = (
    "series = lambda k: sum(step[0, 0]**n * F(T)**(n + k) / math.factorial(n + k) for n in range({}))"
)
_LAG = "lag = lambda k: (np.linalg.matrix_power(step, k) @ moments)[0, 0]"
_BALANCE = {
    "discrete": "step @ moments @ step.T + noise == moments",
    "continuous": "step @ moments + moments @ step.T + noise == 0 * noise",
}
_DECIDED = {
    "=": "abs(left - right) < F(1, 10**25)",
    ">=": "left >= right - F(1, 10**25)",
    "<=": "left <= right + F(1, 10**25)",
}


def mode_script(
    comment: str, chain: ModeChain, known: Mapping[str, Fraction], relation: tuple[Any, Any, str]
) -> str:
    """The relation at the numbers of a place."""
    law = one_step(chain, chain.problem(known))
    assert law is not None
    left, right, word = relation
    read = sorted(left.atoms(Read) | right.atoms(Read), key=str)
    lines = [f"# {comment}", f"# along one direction, with A = B B^T = {known['lambda_i']}"]
    lines += _law_lines(chain, law)
    lines += [f"{identifier(n)} = F('{x}')" for n, x in sorted(known.items()) if n != T.name]
    if T.name in known:
        terms = 60 + 4 * int(abs(law.step[0][0]) * known[T.name])
        lines += [
            f"T = {int(known[T.name])}",
            _LAG if chain.time == "discrete" else _SERIES.format(terms),
        ]
    texts = _DISCRETE if chain.time == "discrete" else _CONTINUOUS
    lines += [f"{_NAMES[q]} = {texts[q]}" for q in read]
    sides = [_written(side) for side in (left, right)]
    lines += [f"left, right = {sides[0]}, {sides[1]}", "print(float(left), float(right))"]
    lines.append(f"print(bool({_DECIDED[word]}))")
    return _HEAD + "\n".join(lines) + "\n"


def _law_lines(chain: ModeChain, law: StepNumbers) -> list[str]:
    """One step, its noise, the moments, and what sums all powers of the step."""
    discrete, size = chain.time == "discrete", len(law.step)
    away = [[int(discrete and i == j) - x for j, x in enumerate(row)] for i, row in enumerate(law.step)]
    states = ", ".join(s.name for s in chain.setting.state)
    once = "step" if discrete else "unit of time"
    summed = "sums - step @ sums" if discrete else "-step @ sums"
    return [
        f"step = {array(law.step)}  # what one {once} does to {states}",
        f"noise = {array(law.noise)}",
        f"moments = {array(law.moments)}  # stationary",
        f"assert ({_BALANCE[chain.time]}).all()",
        f"sums = {array(inverse(away))}",
        f"assert ({summed} == np.eye({size}, dtype=int)).all()",
    ]


def _written(side: Any) -> str:
    """Rational numbers as fractions, quantities under the script's names."""
    names = {q: sp.Symbol(n) for q, n in _NAMES.items()}
    return scalar_text(sp.sympify(side).xreplace(names))
