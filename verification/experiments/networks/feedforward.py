"""Feed-forward networks: rectified linear units, a softmax, and the gradient by backpropagation.

All runs are trained side by side: parameters are (runs, D), and a stack of matrix products serves them
all. The array module is NumPy or CuPy; nothing else differs between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Array = Any


def layers(theta: Array, widths: tuple[int, ...]) -> list[tuple[Array, Array]]:
    """Views of parameters (runs, D): matrices (runs, from, to) and offsets (runs, 1, to).

    >>> [(W.shape, b.shape) for W, b in layers(np.zeros((2, 17)), (2, 3, 2))]
    [((2, 2, 3), (2, 1, 3)), ((2, 3, 2), (2, 1, 2))]
    """
    found, at, runs = [], 0, len(theta)
    for a, b in pairwise(widths):
        W = theta[:, at : at + a * b].reshape(runs, a, b)
        found.append((W, theta[:, at + a * b : at + a * b + b].reshape(runs, 1, b)))
        at += a * b + b
    return found


def size(widths: tuple[int, ...]) -> int:
    """How many parameters there are.

    >>> size((784, 400, 400, 10))
    478410
    """
    return sum((a + 1) * b for a, b in pairwise(widths))


def log_probabilities(theta: Array, X: Array, widths: tuple[int, ...], xp: Any = np) -> Array:
    """Of every class, (runs, examples, classes), for examples ([runs,] examples, inputs)."""
    return _forward(theta, X, widths, xp)[1]


def _forward(theta: Array, X: Array, widths: tuple[int, ...], xp: Any) -> tuple[list[Array], Array]:
    seen = [X]
    parts = layers(theta, widths)
    for W, b in parts[:-1]:
        seen.append(xp.maximum(xp.matmul(seen[-1], W) + b, 0))
    W, b = parts[-1]
    scores = xp.matmul(seen[-1], W) + b
    scores = scores - scores.max(axis=-1, keepdims=True)
    return seen, scores - xp.log(xp.exp(scores).sum(axis=-1, keepdims=True))


def loss(theta: Array, X: Array, y: Array, widths: tuple[int, ...], xp: Any = np) -> Array:
    """The mean of minus the log probability of the labels, (runs,); X (runs, examples, inputs)."""
    logs = log_probabilities(theta, X, widths, xp)
    return -xp.take_along_axis(logs, y[..., None], axis=-1)[..., 0].mean(axis=-1)


def slope(theta: Array, X: Array, y: Array, widths: tuple[int, ...], xp: Any = np) -> Array:
    """The gradient of that mean, (runs, D), by backpropagation."""
    seen, logs = _forward(theta, X, widths, xp)
    found = xp.empty_like(theta)
    places = layers(found, widths)
    behind = xp.exp(logs)
    behind -= y[..., None] == xp.arange(widths[-1])
    behind /= X.shape[-2]
    for k in reversed(range(len(places))):
        W, b = places[k]
        W[...] = xp.matmul(xp.swapaxes(seen[k], -1, -2), behind)
        b[...] = behind.sum(axis=-2, keepdims=True)
        if k:
            behind = xp.matmul(behind, xp.swapaxes(layers(theta, widths)[k][0], -1, -2))
            behind *= seen[k] > 0
    return found


def begin(rng: Any, runs: int, widths: tuple[int, ...], dtype: Any = np.float32) -> Array:
    """Weights of variance 2/inputs, which keeps the size of what passes through; offsets 0."""
    theta = np.zeros((runs, size(widths)), dtype)
    for W, _ in layers(theta, widths):
        W[...] = rng.standard_normal(W.shape) * (2 / W.shape[1]) ** 0.5
    return theta


@dataclass(frozen=True, eq=False)
class Posterior:
    """Gradients for declared steps: of minus the log posterior over N, on a minibatch for each run.

    Every weight has a normal prior of variance ``variance``. ``rng`` draws minibatches, on the host.
    """

    X: Array  # (N, inputs)
    y: Array
    widths: tuple[int, ...]
    batch: int
    variance: float
    rng: Any
    xp: Any = np

    def draw(self, theta: Array) -> Array:
        """The numbers of examples, (runs, batch), each run without replacement."""
        N = len(self.X)
        chosen = [
            self.rng.choice(N, self.batch, replace=False, shuffle=False) for _ in range(len(theta))
        ]
        return self.xp.asarray(np.stack(chosen))

    def __call__(self, theta: Array, batch: Array = None) -> Array:
        """The gradient, prior and all."""
        chosen = self.draw(theta) if batch is None else batch
        found = slope(theta, self.X[chosen], self.y[chosen], self.widths, self.xp)
        found += self.prior(theta)
        return found

    def prior(self, theta: Array) -> Array:
        """The prior's part of it."""
        return theta * (1 / (self.variance * len(self.X)))
