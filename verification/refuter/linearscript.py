"""Scripts about one linear chain: its moments are asserted, its cost is summed over all lags."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sgtheory.independent.fields import Rows, inverse
from verification.laws.elimination import solve_stationary
from verification.refuter.script import array, scalar_text

_HEAD = """import numpy as np
from fractions import Fraction as F
rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])
"""


def linear_script(
    comment: str, step: Rows, noise: Rows, known: Mapping[str, Fraction], relation: tuple[Any, Any, str]
) -> str:
    """The relation between the cost G and the sizes, at the numbers of a chain."""
    size = len(step)
    away = [[Fraction(int(i == j)) - x for j, x in enumerate(row)] for i, row in enumerate(step)]
    left, right, word = relation
    lines = [
        f"# {comment}",
        f"M = {array(step)}  # one step of theta and a second state, along one direction",
        f"Q = {array(noise)}  # its noise, a part of it that of the gradients",
        f"P = {array(solve_stationary(step, noise, 'discrete'))}  # stationary moments",
        "assert (M @ P @ M.T + Q == P).all()",
        f"R = {array(inverse(away))}  # M^0 + M^1 + ...",
        f"assert (R - M @ R == np.eye({size}, dtype=int)).all()",
        f"N, S, curvature = F('{known['N']}'), F('{known['S']}'), F('{known['lambda_i']}')",
        "G = S * N * curvature * (R @ P + P @ R.T - P)[0, 0]  # the sum of theta's autocovariances",
        f"left, right = {scalar_text(left)}, {scalar_text(right)}",
        "print(left, right)",
        f"print(bool(left {'==' if word == '=' else word} right))",
    ]
    return _HEAD + "\n".join(lines) + "\n"
