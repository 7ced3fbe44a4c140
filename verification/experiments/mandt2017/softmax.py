"""Softmax regression with a normal prior, Eq. 35: fits, constant SGD as variational EM, mean-field BBVI.

The declared model is written out for 64 coordinates at most; these are the same updates as array code.
Weights are (D, K); sums over examples are means, as everywhere here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.estimate.online import online_bias
from verification.experiments.mandt2017.bbvi import MeanField, bound_gradient

Array = Any

TRACKED = 1e-3  # the share of a new minibatch in the estimate of Tr C


def loss(theta: Array, X: Array, y: Array) -> float:
    """Mean of minus log likelihood.

    >>> bool(np.isclose(loss(np.zeros((2, 4)), np.ones((3, 2)), np.zeros(3, int)), np.log(4)))
    True
    """
    margins = X @ theta
    top = margins.max(1)
    whole = top + np.log(np.exp(margins - top[:, None]).sum(1))
    return float((whole - margins[np.arange(len(y)), y]).mean())


def residuals(theta: Array, X: Array, y: Array) -> Array:
    """Probabilities minus labels; an example's gradient is its row's outer product with them."""
    margins = X @ theta
    shares = np.exp(margins - margins.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    shares[np.arange(len(y)), y] -= 1
    return shares


def gradient(theta: Array, X: Array, y: Array) -> Array:
    """Of the loss."""
    return X.T @ residuals(theta, X, y) / len(y)


def fit(X: Array, y: Array, K: int, precision: float, start: Array = None) -> Array:
    """The weights that maximise Eq. 35 at a precision of the prior."""
    from scipy.optimize import minimize

    shape, N = (X.shape[1], K), len(y)

    def value(flat: Array) -> tuple[float, Array]:
        theta = flat.reshape(shape)
        slope = gradient(theta, X, y) + precision / N * theta
        return loss(theta, X, y) + precision / (2 * N) * flat @ flat, slope.ravel()

    begin = np.zeros(shape) if start is None else start
    done = minimize(value, begin.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return done.x.reshape(shape)


@dataclass(frozen=True)
class Chosen:
    """What variational EM found: the precision along the way, and the rate that was used."""

    precisions: tuple[float, ...]
    rate: float

    @property
    def precision(self) -> float:
        """The mean over the last tenth: the chain goes on moving."""
        return float(np.mean(self.precisions[-max(1, len(self.precisions) // 10) :]))


def best_rate(theta: Array, X: Array, y: Array, S: int) -> float:
    """Eq. 15, 2 S D / (N Tr C), with C from all examples' gradients at theta."""
    out = residuals(theta, X, y)
    squares = (X**2).sum(1) * (out**2).sum(1)
    mean = X.T @ out / len(y)
    return float(2 * S * theta.size / (len(y) * (squares.mean() - np.sum(mean**2))))


def stable_rate(theta: Array, X: Array, y: Array, precision: float, rounds: int = 50) -> float:
    """Constant steps from here on diverge even without noise: 2 over the largest curvature at theta.

    By power iteration, from below: the curvature is at least what is found.
    """
    shares = residuals(theta, X, y)
    shares[np.arange(len(y)), y] += 1
    v, size = np.ones_like(theta) + X.mean(0)[:, None] * np.arange(theta.shape[1]), 1.0
    for _ in range(rounds):
        v = v / np.linalg.norm(v)
        along = X @ v
        bent = shares * (along - (shares * along).sum(1, keepdims=True))
        v = X.T @ bent / len(y) + precision / len(y) * v
        size = float(np.linalg.norm(v))
    return 2 / size


def step(
    theta: Array, precision: float, noisy: Array, eps: float, rho: float, N: int
) -> tuple[Array, float]:
    """Eq. 22 with a minibatch's gradient, as the declared ``vem_sgd``: both lines see the old values."""
    pull = (np.sum(theta**2) - theta.size / precision) / 2
    return theta - eps * (noisy + precision / N * theta), precision - rho / N * float(pull)


def by_sgd(
    X: Array, y: Array, K: int, S: int, steps: int, start: float, rng: Any, keep: int = 200
) -> Chosen:
    """Variational EM by constant SGD from a fit, with Eq. 15's rate for the Tr C that Eq. 21 estimates.

    Its kappa is TRACKED, and its bias is divided out. rho_t falls as t^(-1/2), and is scaled by the
    curvature DK/(2 lambda^2) of the precision's loss.
    """
    N, theta, precision, kept = len(y), fit(X, y, K, start), start, []
    bias = float(online_bias(S))
    trace = 2 * S * theta.size / (N * best_rate(theta, X, y, S))
    for t in range(steps):
        rows = rng.integers(0, N, S)
        out = residuals(theta, X[rows], y[rows])
        noisy = X[rows].T @ out / S
        seen = np.sum((np.outer(X[rows[0]], out[0]) - noisy) ** 2) / bias
        trace = (1 - TRACKED) * trace + TRACKED * float(seen)
        eps = 2 * S * theta.size / (N * trace)
        rho = 0.1 * 2 * precision**2 / theta.size * N * (1 + t) ** -0.5
        theta, precision = step(theta, precision, noisy, eps, rho, N)
        if (t + 1) % (steps // keep) == 0:
            kept.append(precision)
    return Chosen(tuple(kept), eps)


def by_bbvi(
    X: Array, y: Array, K: int, S: int, steps: int, start: float, rng: Any, keep: int = 200
) -> Chosen:
    """Mean-field normal q by reparametrisation and Adam; the precision is the bound's best for each q.

    Of the bound only (DK/2) log(precision) - precision/2 E_q|theta|^2 has the precision in it.
    """
    N, shape = len(y), (X.shape[1], K)
    mean, precision = fit(X, y, K, start).ravel(), start
    log = np.full(mean.shape, -0.5 * np.log(start + N * (X**2).mean() / K))
    first, second = np.zeros((2, mean.size)), np.zeros((2, mean.size))
    kept = []
    for t in range(1, steps + 1):

        def slope(points: Array, rng: Any, prior: float = precision) -> Array:
            rows = rng.integers(0, N, S)
            each = [gradient(p.reshape(shape), X[rows], y[rows]).ravel() for p in points]
            return -N * np.array(each) - prior * points

        q = MeanField(mean, np.exp(log))
        g = np.stack(bound_gradient(slope, q, rng.standard_normal((1, mean.size)), rng))
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g**2
        size = 0.01 * min(1.0, 2 * (1 - t / steps) + 0.02)  # falls in the second half
        move = size * (first / (1 - 0.9**t)) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
        mean, log = mean + move[0], log + move[1]
        precision = float(mean.size / (np.sum(mean**2) + np.sum(np.exp(2 * log))))
        if t % (steps // keep) == 0:
            kept.append(precision)
    return Chosen(tuple(kept), 0.01)
