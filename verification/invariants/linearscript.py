"""The variance of a sampler on two examples of linear regression, in fractions."""

from __future__ import annotations

from typing import Any

from verification.invariants.lawscript import in_one_dimension

_SCRIPT = """# {heading}
from fractions import Fraction as F
X, y, gamma, N, p = [1, 2], [2, -1], F(1, 16), 2, 1  # unit variances, a standard normal prior, mode 0
mean = lambda values: sum(values, F(0)) / len(values)
eta, U2 = N * gamma, 1 + sum(x * x for x in X)
g, h = [-x * z for x, z in zip(X, y)], [F(x * x) for x in X]
M, V22 = N * mean([(v - mean(g)) ** 2 for v in g]), N**2 * mean([(v - mean(h)) ** 2 for v in h])
L, H, G = F(2 * U2), 2 * U2 - gamma * U2**2, 2 * U2 - gamma * (U2**2 + V22)
# theta <- a theta + b + noise, for each example that may be drawn
a = {a}
b = {b}
exact = {exact}
printed = {printed}
print(printed, exact)
print(bool(printed == exact))
"""
_BALANCED = "(mean([v * v for v in b]) + {heat} * gamma) / (1 - mean([v * v for v in a]))"


def linear_regression_script(heading: str, law: str, formula: Any) -> str:
    """Whether a printed variance is the one that a step leaves as it is."""
    drawn = law in ("sgld", "sgd")
    heat = "0" if law == "sgd" else "2"
    return _SCRIPT.format(
        heading=heading,
        a="[1 - gamma * U2]" if law == "lmc" else "[1 - gamma * (1 + N * v) for v in h]",
        b="[-gamma * N * v for v in g]" if drawn else "[F(0)]",
        exact="F(1, U2)" if law == "posterior" else _BALANCED.format(heat=heat),
        printed=in_one_dimension(formula),
    )
