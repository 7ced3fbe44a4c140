"""Moments of the four samplers on one-dimensional linear regression as a script, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_SCRIPT = """# {heading}
from fractions import Fraction as F
X, y = {X}, {y}  # of each kind as many examples; unit variances, a standard normal prior, mode 0
mean = lambda values: sum(values, F(0)) / len(values)
def quantity(N, eta):
    gamma, each = eta / N, F(N, len(X))
    whole = 1 + each * sum(x * x for x in X)
    assert sum(a * b for a, b in zip(X, y)) == 0
    # theta <- a theta + b + noise of variance heat, for each example that may be drawn
    a = {a}
    b = {b}
    heat = {heat} * gamma
    m = mean(b) / (1 - mean(a))
    second = (mean([u * u for u in b]) + 2 * mean([u * v for u, v in zip(a, b)]) * m + heat) / (
        1 - mean([u * u for u in a]))
    moved = [N * x * x - mean([N * z * z for z in X]) for x in X]
    fixed = {fixed}
    gradient = mean([u * u * second + 2 * u * v * m + v * v for u, v in zip(moved, fixed)])
{spread}    return {value}  # the posterior's mean is the mode
near, far = ({small} for N, eta in {places})
print(float(near), float(far))
print(bool({decide}))
"""
_SPREAD = """    n, lag = int(N / eta), 1 - gamma * whole  # n steps; autocovariances lag^k
    left = lag**n if n * (1 - lag) < 700 else 0  # else below exp(-700)
    lags = lag * (n * (1 - lag) - (1 - left)) / (1 - lag) ** 2
    spread = second * (n + 2 * lags) / n**2
"""
_A = {
    "lmc": "[1 - gamma * whole for x in X]",
    "sgldfp": "[1 - gamma * (1 + N * x * x) for x in X]",
}
_VALUE = {
    "covariance": "second - m**2",
    "gradient": "gradient",
    "spread": "spread",
    "run": "spread + m**2",
}
_DECIDE = {
    "Theta": "near and far and abs(near) <= {far} * abs(far) <= {far} ** 2 * abs(near)",
    "O": "abs(far) <= {far} * abs(near)",
    "o": "{far} * abs(far) < abs(near)",
    "Omega": "far and abs(near) <= {far} * abs(far)",
}


def size_script(
    heading: str,
    X: Sequence[int],
    y: Sequence[int],
    law: str,
    what: str,
    relation: str,
    places: Sequence[tuple[int, Fraction]],
    regime: str,
    power: int,
    far: int,
) -> str:
    """Whether a quantity over the printed size is of one size at two places."""
    drawn = law in ("sgld", "sgd")
    scale = f"* F(N)**{power}" if regime == "N" else f"/ eta**{power}"
    shown = ", ".join(f"({N}, F({eta.numerator}, {eta.denominator}))" for N, eta in places)
    return _SCRIPT.format(
        heading=heading,
        X=list(X),
        y=list(y),
        a=_A.get(law, _A["sgldfp"]),
        b="[gamma * N * x * z for x, z in zip(X, y)]" if drawn else "[F(0) for x in X]",
        heat="0" if law == "sgd" else "2",
        fixed="[-N * x * z for x, z in zip(X, y)]" if drawn else "[F(0) for x in X]",
        spread=_SPREAD if what in ("run", "spread") else "",
        value=_VALUE.get(what, "m"),
        small=f"quantity(N, eta) {scale}",
        places=f"({shown})",
        decide=_DECIDE[relation].replace("{far}", str(far)),
    )
