"""Scripts about a chain along one direction: its law is asserted, sums over lags are taken."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.fields import inverse
from verification.modechain import (
    BESIDE,
    LONG_RUN,
    NEXT,
    START,
    VARIANCE,
    WINDOW,
    WINDOWS,
    ModeChain,
    Read,
    T,
    one_step,
)
from verification.refuter.script import array, scalar_text

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
    VARIANCE: "P[0, 0]",
    LONG_RUN: "(R @ P + P @ R.T - P)[0, 0]  # M^0 + M^1 + ... = R, and the same backwards",
    WINDOW: "sum(lag(abs(s - t)) for s in range(T) for t in range(T)) / T**2",
    NEXT: "sum(lag(abs(T + s - t)) for s in range(T) for t in range(T)) / T**2",
    WINDOWS: "sum(lag(abs(n * T + s - t)) for n in range(-40, 41) for s in range(T) for t in range(T))"
    " / T**2",
    BESIDE: "sum(lag(abs(1 + s - t)) for s in range(T) for t in range(T)) / T**2",
    START: "sum(np.linalg.matrix_power(M, t)[0, 0] for t in range(1, T + 1)) / T",
}
_CONTINUOUS = {
    VARIANCE: "P[0, 0]",
    LONG_RUN: "(R @ P + P @ R.T)[0, 0]  # the integral of exp(F t) is R",
    WINDOW: "2 * P[0, 0] * series(2) / T**2  # the double integral of P exp(M |s - t|)",
    NEXT: "P[0, 0] * series(1)**2 / T**2",
    WINDOWS: "2 * P[0, 0] * (series(2) - series(1) / M[0, 0]) / T**2",
    START: "series(1) / T",
}
_SERIES = "series = lambda k: sum(M[0, 0]**n * F(T)**(n + k) / math.factorial(n + k) for n in range({}))"


def mode_script(
    comment: str, chain: ModeChain, known: Mapping[str, Fraction], relation: tuple[Any, Any, str]
) -> str:
    """The relation at the numbers of a place."""
    law = one_step(chain, chain.problem(known))
    assert law is not None
    left, right, word = relation
    read = sorted(left.atoms(Read) | right.atoms(Read), key=str)
    discrete = chain.time == "discrete"
    size = len(law.step)
    one = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    away = [
        [int(discrete) * a - b for a, b in zip(p, q, strict=True)]
        for p, q in zip(one, law.step, strict=True)
    ]
    states = ", ".join(s.name for s in chain.setting.state)
    lines = [f"# {comment}", f"# along one direction, with A = B B^T = {known['lambda_i']}"]
    lines += [
        f"M = {array(law.step)}  # what one {'step' if discrete else 'unit of time'} does to {states}"
    ]
    lines += [f"Q = {array(law.noise)}  # its noise", f"P = {array(law.moments)}  # stationary moments"]
    balance = "M @ P @ M.T + Q == P" if discrete else "M @ P + P @ M.T + Q == 0 * P"
    lines += [f"assert ({balance}).all()", f"R = {array(inverse(away))}"]
    lines += [f"assert ({'R - M @ R' if discrete else '-M @ R'} == np.eye({size}, dtype=int)).all()"]
    lines += [f"{n} = F('{x}')" for n, x in sorted(known.items()) if n != T.name]
    if T.name in known:
        lines.append(f"T = {int(known[T.name])}")
        terms = 60 + 4 * int(abs(law.step[0][0]) * known[T.name])
        lines.append(
            "lag = lambda k: (np.linalg.matrix_power(M, k) @ P)[0, 0]"
            if discrete
            else _SERIES.format(terms)
        )
    lines += [f"{_NAMES[q]} = {(_DISCRETE if discrete else _CONTINUOUS)[q]}" for q in read]
    texts = [_written(side) for side in (left, right)]
    lines += [f"left, right = {texts[0]}, {texts[1]}", "print(float(left), float(right))"]
    decided = {
        "=": "abs(left - right) < F(1, 10**25)",
        ">=": "left >= right - F(1, 10**25)",
        "<=": "left <= right + F(1, 10**25)",
    }
    lines.append(f"print(bool({decided[word]}))")
    return _HEAD + "\n".join(lines) + "\n"


def _written(side: Any) -> str:
    """Rational numbers as fractions, quantities under the script's names."""
    names = {q: sp.Symbol(n) for q, n in _NAMES.items()}
    return scalar_text(sp.sympify(side).xreplace(names))
