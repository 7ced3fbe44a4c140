"""Local learning coefficients at minima that are no quadratic: what localised SGLD estimates there.

The loss is a formula in w1, w2, ..., smallest at 0 where it vanishes. With one or two letters the law
of the chain at its step is that of its transition operator, with a stated error; with more of them it
is an ensemble, with a standard error. What endless draws of the localised posterior itself would give
is an integral, on nodes that become dense towards 0, where such losses have their valleys.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import normal
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.operator.stationary import settled
from sgtheory.operator.step import OneStep
from sgtheory.reader.formulas import formula

Array = Any

_MOST = 6  # letters
_OPERATOR = 2  # letters up to which the law is that of the operator
_PANELS, _ORDER = 40, 16  # of an integral along an axis: panels that double, and nodes in each
_FAR = 40.0  # the exponent beyond which nothing counts
_CHAINS, _WINDOW = 4_000, 400  # of an ensemble: chains, and the steps that are averaged once settled


@dataclass(repr=False, frozen=True)
class LocalCoefficient(Shown):
    """N beta times the mean loss: of the localised posterior, and of the chain at its step.

    ``localised`` is None where there are too many letters to integrate. ``error`` is how far
    ``settled`` may be off: by the grid of the operator, or a standard error of an ensemble.
    """

    loss: str
    localised: float | None
    settled: float
    error: float
    route: str  # "operator" or "ensemble"
    leaves: float | None = None  # the probability that a step runs away; the law is of those that stay

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return dict(vars(self))


def local_coefficient(
    loss: str,
    *,
    nbeta: float,
    eps: float,
    gamma: float = 0.0,
    noise: float = 0.0,
    accuracy: float = 1e-4,
    seed: int = 0,
) -> LocalCoefficient:
    """What ``local_sgld`` estimates on a loss in w1, w2, ... that is smallest, and 0, at the origin.

    A step is w <- w - eps/2 (nbeta (grad L + noise) + gamma w) + sqrt(eps) xi, the noise of minibatches
    being normal with variance ``noise`` in every coordinate.

    >>> found = local_coefficient("w1**4", nbeta=100, eps=1e-3)
    >>> round(found.localised, 5), round(found.settled, 3), found.error < 1e-4
    (0.25, 0.253, True)
    """
    _check(nbeta=nbeta, eps=eps, gamma=gamma, noise=noise)
    letters = {f"w{k + 1}": sp.Symbol(f"w{k + 1}", real=True) for k in range(_MOST)}
    remedy = 'write a polynomial such as "(w1*w2)**2"'
    expr = formula(loss, letters, "a loss", remedy)
    known = [s for s in letters.values() if expr.has(s)]
    at_zero = expr.subs(dict.fromkeys(known, 0))
    slopes = [sp.diff(expr, s) for s in known]
    if not known or at_zero != 0 or any(d.subs(dict.fromkeys(known, 0)) != 0 for d in slopes):
        raise UnusableInput("a loss in w1, w2, ... that is smallest, and 0, at the origin", loss, remedy)
    value = sp.lambdify(known, nbeta * expr, "numpy")
    pulls = [sp.lambdify(known, eps / 2 * (nbeta * d + gamma * s), "numpy")
             for s, d in zip(known, slopes, strict=True)]  # fmt: skip
    spread = math.sqrt(eps + (eps / 2 * nbeta) ** 2 * noise)

    def after(*numbers: Array) -> tuple[Array, ...]:
        w, xi = numbers[: len(known)], numbers[len(known) :]
        with np.errstate(all="ignore"):
            moved = [x - pull(*w) + spread * y for x, pull, y in zip(w, pulls, xi, strict=True)]
        return tuple(np.broadcast_arrays(*moved))

    localised = _integrated(value, len(known), gamma) if len(known) <= _OPERATOR else None
    if len(known) > _OPERATOR:
        mean, error = _ensemble(after, value, len(known), seed)
        return LocalCoefficient(loss, localised, mean, error, "ensemble")
    noises = tuple(normal(f"xi{k + 1}") for k in range(len(known)))
    step = OneStep(tuple(map(str, known)), noises, after, (np.zeros((1, 0)), np.ones(1)))
    law = settled(step, np.zeros(len(known)), f"local_sgld on {loss}", accuracy, seed)
    return LocalCoefficient(loss, localised, *law.expect(value), "operator", max(law.leaves, 0.0))


def _check(**numbers: float) -> None:
    for name, x in numbers.items():
        least = "above 0" if name in ("nbeta", "eps") else "from 0"
        if isinstance(x, bool) or not isinstance(x, int | float) or not 0 <= x < 1e12 or (
            x == 0 and name in ("nbeta", "eps")
        ):  # fmt: skip
            raise UnusableInput(f"{name} as a number {least}", repr(x), f"change {name}")


def _integrated(value: Callable[..., Array], letters: int, gamma: float) -> float:
    """The mean of nbeta L under exp(-nbeta L - gamma |w|^2/2)."""
    far = _reach(value, letters, gamma)
    x, weights = np.polynomial.legendre.leggauss(_ORDER)
    ends = np.r_[0.0, far * 2.0 ** np.arange(-_PANELS + 1, 1)]
    widths = np.diff(ends) / 2
    half = ((ends[:-1] + widths)[:, None] + widths[:, None] * x).ravel()
    shares = (widths[:, None] * weights).ravel()
    axis, share = np.r_[-half[::-1], half], np.r_[shares[::-1], shares]
    places = np.meshgrid(*[axis] * letters, indexing="ij")
    volume = np.ones(())
    for k in range(letters):
        volume = volume * share.reshape([-1 if j == k else 1 for j in range(letters)])
    heights = np.asarray(value(*places))
    density = volume * np.exp(-heights - gamma * sum(p * p for p in places) / 2)
    return float((density * heights).sum() / density.sum())


def _reach(value: Callable[..., Array], letters: int, gamma: float) -> float:
    """How far out along every axis something is left of the density."""
    if gamma > 0:
        return math.sqrt(2 * _FAR / gamma)
    for k in range(-60, 61):
        x = 2.0**k
        axes = x * np.eye(letters)
        if min(float(min(value(*a), value(*-a))) for a in axes) > _FAR:
            return x
    raise UnusableInput(
        "a loss that holds the chain, or a spring", "flat directions and gamma = 0", "give gamma"
    )


def _ensemble(
    after: Callable[..., tuple[Array, ...]],
    value: Callable[..., Array],
    letters: int,
    seed: int,
) -> tuple[float, float]:
    """The mean over chains and a stretch of steps, after twice as many steps as changed nothing."""
    source, w, before = np.random.default_rng(seed), (np.zeros(_CHAINS),) * letters, math.inf
    while True:
        means = np.zeros(_CHAINS)
        for _ in range(_WINDOW):
            w = after(*w, *source.standard_normal((letters, _CHAINS)))
            means += value(*w) / _WINDOW
        mean, error = float(means.mean()), float(means.std(ddof=1) / math.sqrt(_CHAINS))
        if not math.isfinite(mean) or mean > 1e12:
            raise UnusableInput("a chain that stays", "one that runs away", "take a smaller eps")
        if abs(mean - before) < 2 * error:
            return mean, error
        before = mean
