"""Errors of averages over linear normal chains as a script: by covariances of all pairs of times."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.notation.printing import plain
from verification.laws.averages import BIAS, DELTA, MSE, VARIANCE, Averages, eps_t

_BODY = """
def averaged(k):
    t = np.arange(1.0, LENGTH(k) + 1)
    eps = STEPS(t, float(k)) + 0 * t
    weight = WEIGHTS
    n, D, S = len(t), len(START), weight.sum()
    mean, cov = np.zeros((n, D)), np.zeros((n, n, D, D))
    m, P = np.array(START, float), np.zeros((D, D))
    for j, h in enumerate(eps):
        mean[j], cov[j, j] = m, P
        for_past = M(h).T
        if j + 1 < n:
            cov[: j + 1, j + 1] = cov[: j + 1, j] @ for_past
        m, P = M(h) @ m, M(h) @ P @ for_past + K(h) @ K(h).T
    y = mean @ w
    c = np.einsum("i,stij,j->st", w, cov, w)
    c = np.triu(c) + np.triu(c, 1).T
    if POWER == 1:
        expected, joint = y, c
    else:  # Isserlis, for squares
        expected, joint = y**2 + np.diag(c), 2 * c**2 + 4 * np.outer(y, y) * c
    bias = weight @ expected / S - MEAN
    variance = weight @ joint @ weight / S**2
    return eps, eps.sum(), n, bias, variance
"""


BOUNDED = "print(bool(growth.min() < 0.1))  # up to a constant: the ratio does not keep growing"
VANISHES = "print(bool(growth.max() < -0.1))  # it keeps falling"


def average_script(
    heading: str,
    family: Averages,
    sides: tuple[Any, Any],
    places: tuple[int, ...],
    decided: str = BOUNDED,
) -> str:
    """Left over right side for a few k: it grows, settles, or vanishes."""
    M, K, form, power = family.linear()
    left, right = sides
    of = {MSE: "bias**2 + variance", BIAS: "abs(bias)", VARIANCE: "variance"}
    left_text, right_text = (_side(e, of, family) for e in (left, right))
    lines = [
        f"# {heading}",
        f"# {family.words}",
        "import numpy as np",
        "from numpy import floor, sqrt",
        f"M = lambda h: np.array({_rows(M, family.h)}, float)",
        f"K = lambda h: np.array({_rows(K, family.h)}, float)",
        f"STEPS = lambda t, k: {plain(sp.sympify(family.steps))}",
        f"LENGTH = lambda k: int({plain(sp.sympify(family.length))})",
        f"START, w, POWER, MEAN = {list(family.start)}, np.array({[float(x) for x in form]}), {power},"
        f" {float(family.mean)!r}",
        _BODY.strip().replace("WEIGHTS", "1 + 0 * eps" if family.equal else "eps"),
        "ratios = []",
        f"for k in {list(places)}:",
        "    eps, S_T, T, bias, variance = averaged(k)",
        f"    left, right = {left_text}, {right_text}",
        "    ratios.append(left / right)",
        "growth = np.diff(np.log2(ratios))",
        "print(*ratios)",
        decided,
    ]
    return "\n".join(lines) + "\n"


def _rows(matrix: Any, h: Any) -> str:
    shown = matrix.subs(h, sp.Symbol("h"))
    return "[" + ", ".join("[" + ", ".join(str(e) for e in row) + "]" for row in shown.tolist()) + "]"


def _side(expr: Any, of: dict[Any, str], family: Averages) -> str:
    text = sp.sympify(expr)
    known: dict[Any, Any] = {letter: sp.Symbol(f"({words})") for letter, words in of.items()}
    for s in text.atoms(sp.Sum):
        inside = s.function.subs(DELTA, sp.sympify(family.delta)).subs(eps_t, sp.Symbol("eps"))
        known[s] = sp.Symbol(f"np.sum({inside} + 0 * eps)")
    return str(text.xreplace(known))
