"""How large biases, covariances, gradient noise and averages of runs are."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from verification.invariants import letters
from verification.invariants.balance import Examples, balanced, examples
from verification.invariants.laws import Logistic, moments
from verification.invariants.words import N, gamma

_DATA = ((2.0, 2.0, 1.0), (1.0, 1.0, 0.0))
_NOTHING = 700
SPECIAL = {  # X and y of regressions with the mode 0
    "u3": ((1, 2), (2, -1)),
    "v11": ((1, 2), (0, 0)),
    "v22": ((1, 1), (1, -1)),
}
GENERIC = ((1, 2), (2, -1))


@cache
def without(letter: str) -> Examples:
    """Generic data with the third derivatives zero, or the gradients at the mode."""
    order, data = {"u3": 2, "v11": 0, "v22": 1}[letter], examples(1, 3)

    def zeroed(one: Any) -> Any:
        return tuple(x * 0 + (order == 1) if k == order else x for k, x in enumerate(one))

    return Examples(zeroed(data.prior), tuple(map(zeroed, data.kinds)))


@cache
def regression(letter: str) -> Examples:
    """Linear regression with unit variances about its mode 0: gradients are x (x theta - y)."""
    X, y = SPECIAL.get(letter, GENERIC)

    def array(x: int, rank: int) -> Any:
        return np.array([Fraction(x)], object).reshape((1,) * rank)

    kinds = tuple((array(-a * b, 1), array(a * a, 2), array(0, 3)) for a, b in zip(X, y, strict=True))
    return Examples((array(0, 1), array(1, 2), array(0, 3)), kinds)


def in_letters(law: str, what: str) -> Any:
    """The leading order, so divided that it is of the first order in what vanishes."""
    if what == "covariance":
        return letters.truth(law, "second")
    mean = letters.truth(law, "mean")
    if what == "bias":
        return mean - letters.truth(letters.POSTERIOR, "mean")
    if what == "off" or letters.small_in(law) == "eta":
        return mean
    V22, U2 = sp.Symbol("V22", real=True), sp.Symbol("U2", positive=True, real=True)
    drawn = V22 * letters.truth(law, "second") if letters.form(law).multiplicative else sp.Integer(0)
    if what == "gradient":
        return drawn / N**2
    # an average over n = 1/gamma steps has the variance q/(n (gamma U2)^2), q that of a step's noise
    spread = (2 + gamma * drawn) / U2**2
    return N * (spread + mean**2 if what == "run" else spread)


@cache
def quantity(law: str, what: str, data: Examples, N: int, eta: Fraction) -> Fraction:
    """In fractions: exact for linear regression, else the first term."""
    first, squares = balanced(law, data, N, 1, eta / N)
    mean, second = Fraction(first[0]), Fraction(squares[0, 0])
    U2, U3 = data.total(2, N)[0, 0], data.total(3, N)[0, 0, 0]
    if what == "covariance":
        return second
    if what in ("off", "bias"):
        return mean + (U3 / (2 * U2**2) if what == "bias" else 0)
    if what == "gradient":
        noisy, count = law in ("sgld", "sgd"), len(data.kinds)
        pairs = [
            (r[0, 0], g[0] if noisy else 0) for r, g in zip(data.away(2), data.away(1), strict=True)
        ]
        drawn = sum((r * r * second + 2 * r * g * mean + g * g for r, g in pairs), Fraction(0))
        return Fraction(N**2 * drawn / count)
    spread = averaged(second, 1 - eta / N * U2, int(N / eta))
    return spread + (mean**2 if what == "run" else 0)


def averaged(second: Fraction, a: Fraction, n: int) -> Fraction:
    """The variance of a mean over n steps of a stationary chain with autocovariances second a^k.

    >>> averaged(Fraction(1), Fraction(1, 2), 2)  # (1 + 1/2)/2
    Fraction(3, 4)
    """
    left = a**n if n * (1 - a) < _NOTHING else Fraction(0)  # else below exp(-700)
    lags = a * (n * (1 - a) - (1 - left)) / (1 - a) ** 2  # the sum of (n - k) a^k
    return second * (n + 2 * lags) / n**2


def on_logistic(law: str, what: str, N: int, eta: float) -> float:
    """To rounding, on one-dimensional logistic regression with minibatches of one."""
    data = Logistic(*_DATA, N)
    found = moments(law, data, eta / N)
    spread = found.summed * eta / N
    return {
        "covariance": found.second - found.mean**2,
        "off": found.mean,
        "bias": found.mean - moments(letters.POSTERIOR, data, 0.0).mean,
        "gradient": found.gradient,
        "spread": spread,
        "run": spread + found.mean**2,
    }[what]
