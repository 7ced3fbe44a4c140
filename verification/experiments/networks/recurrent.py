"""Recurrent networks of gated units, and the gradient by backpropagation through time.

Units are those of Cho et al. 2014: with the last state h and the input x,
``r, z = logistic(W x + U h + b)``, ``c = tanh(W x + U (r h) + b)``, and the new state is
``z h + (1 - z) c``. Each of the 88 keys is on with the probability ``logistic(V h + c)``, given all
frames before; before the first frame the state is 0. All runs go side by side, parameters are (runs, D).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
KEYS = 88


def shapes(units: int, keys: int = KEYS) -> tuple[tuple[int, int], ...]:
    """Of W and its offset (gates r, z, candidate), U of gates and of the candidate, V and its offset."""
    H = units
    return (keys, 3 * H), (1, 3 * H), (H, 2 * H), (H, H), (H, keys), (1, keys)


def size(units: int, keys: int = KEYS) -> int:
    """How many parameters there are.

    >>> size(200)
    191088
    """
    return sum(a * b for a, b in shapes(units, keys))


def matrices(theta: Array, units: int, keys: int = KEYS) -> list[Array]:
    """Views of parameters (runs, D) as matrices (runs, from, to)."""
    found, at = [], 0
    for a, b in shapes(units, keys):
        found.append(theta[:, at : at + a * b].reshape(len(theta), a, b))
        at += a * b
    return found


def begin(rng: Any, runs: int, units: int, dtype: Any = np.float32) -> Array:
    """Weights of variance 1/inputs, offsets 0."""
    theta = np.zeros((runs, size(units)), dtype)
    for W in matrices(theta, units):
        if W.shape[1] > 1:
            W[...] = rng.standard_normal(W.shape) * (1 / W.shape[1]) ** 0.5
    return theta


def padded(sequences: Sequence[Array], dtype: Any = np.float32) -> tuple[Array, Array]:
    """Sequences with zeros after their ends, (sequences, longest, keys), and where they are, as 0 and 1.

    >>> X, inside = padded([np.ones((2, 88)), np.ones((1, 88))])
    >>> X.shape, inside.tolist()
    ((2, 2, 88), [[1.0, 1.0], [1.0, 0.0]])
    """
    longest = max(len(s) for s in sequences)
    X = np.zeros((len(sequences), longest, sequences[0].shape[1]), dtype)
    inside = np.zeros((len(sequences), longest), dtype)
    for k, s in enumerate(sequences):
        X[k, : len(s)], inside[k, : len(s)] = s, 1
    return X, inside


@dataclass(frozen=True, eq=False)
class _Passed:
    """What a pass forward leaves: states before each frame, gates, candidates, and scores."""

    h: Array  # (T, runs, rows, H)
    gates: Array
    c: Array
    scores: Array


def _logistic(x: Array, xp: Any) -> Array:
    return 0.5 * (1 + xp.tanh(0.5 * x))


def _forward(parts: list[Array], X: Array, xp: Any) -> _Passed:
    """X is (T, runs, rows, keys); the last frame is only predicted."""
    W, b, U, Uc, V, c0 = parts
    T, runs, rows, H = len(X), len(W), X.shape[2], Uc.shape[-1]
    seen = xp.matmul(X, W) + b
    h = xp.zeros((T, runs, rows, H), seen.dtype)
    gates = xp.zeros((T, runs, rows, 2 * H), seen.dtype)
    c = xp.zeros_like(h)
    for k in range(T - 1):
        now = h[k]
        gates[k] = _logistic(seen[k, ..., : 2 * H] + xp.matmul(now, U), xp)
        r, z = gates[k, ..., :H], gates[k, ..., H:]
        c[k] = xp.tanh(seen[k, ..., 2 * H :] + xp.matmul(r * now, Uc))
        h[k + 1] = z * (now - c[k]) + c[k]
    return _Passed(h, gates, c, xp.matmul(h, V) + c0)


def loss(theta: Array, X: Array, inside: Array, units: int, xp: Any = np) -> Array:
    """Minus the log likelihood of each sequence, (runs, rows), summed over its frames and keys.

    ``X`` is (T, runs, rows, keys), ``inside`` (T, runs, rows); 1 for runs serves them all.
    """
    scores = _forward(matrices(theta, units, X.shape[-1]), X, xp).scores
    each = (xp.logaddexp(0, scores) - X * scores).sum(axis=-1)
    return (each * inside).sum(axis=0)


def slope(theta: Array, X: Array, inside: Array, units: int, xp: Any = np) -> Array:
    """The gradient of that, summed over rows, (runs, D), by backpropagation through time."""
    H, keys = units, X.shape[-1]
    parts = matrices(theta, H, keys)
    _, _, U, Uc, V, _ = parts
    there = _forward(parts, X, xp)
    behind = (_logistic(there.scores, xp) - X) * inside[..., None]
    into = xp.matmul(behind, xp.swapaxes(V, -1, -2))  # of each state, by the frame it predicts
    back = xp.zeros_like(into[0])
    pulled = xp.zeros((*there.c.shape[:-1], 3 * H), there.c.dtype)  # of the arguments of r, z, c
    UT, UcT = xp.swapaxes(U, -1, -2), xp.swapaxes(Uc, -1, -2)
    for k in range(len(X) - 2, -1, -1):
        back = back + into[k + 1]
        h, c = there.h[k], there.c[k]
        r, z = there.gates[k, ..., :H], there.gates[k, ..., H:]
        of_c = back * (1 - z) * (1 - c * c)
        of_rh = xp.matmul(of_c, UcT)
        pulled[k, ..., :H] = of_rh * h * r * (1 - r)
        pulled[k, ..., H : 2 * H] = back * (h - c) * z * (1 - z)
        pulled[k, ..., 2 * H :] = of_c
        back = back * z + of_rh * r + xp.matmul(pulled[k, ..., : 2 * H], UT)
    return _gathered(theta, there, X, behind, pulled, H, xp)


def _gathered(
    theta: Array, there: _Passed, X: Array, behind: Array, pulled: Array, H: int, xp: Any
) -> Array:
    """Sums over frames and rows, one product for each matrix."""
    found = xp.empty_like(theta)
    runs = len(theta)

    def flat(x: Array) -> Array:
        wide = xp.broadcast_to(x, (x.shape[0], runs, *x.shape[2:]))
        return xp.moveaxis(wide, 1, 0).reshape(runs, -1, x.shape[-1])

    def product(left: Array, right: Array) -> Array:
        return xp.matmul(xp.swapaxes(flat(left), -1, -2), flat(right))

    W, b, U, Uc, V, c0 = matrices(found, H, X.shape[-1])
    W[...] = product(X, pulled)
    b[...] = flat(pulled).sum(axis=1, keepdims=True)
    U[...] = product(there.h, pulled[..., : 2 * H])
    Uc[...] = product(there.gates[..., :H] * there.h, pulled[..., 2 * H :])
    V[...] = product(there.h, behind)
    c0[...] = flat(behind).sum(axis=1, keepdims=True)
    return found


@dataclass(frozen=True, eq=False)
class Sequences:
    """Gradients for declared steps: of one sequence's loss for each run, no longer than ``longest``."""

    X: Array  # (N, T, keys), padded
    inside: Array
    units: int
    longest: float
    rng: Any
    xp: Any = np

    def draw(self, theta: Array) -> Array:
        """A sequence for each run."""
        return self.rng.integers(0, len(self.X), len(theta))

    def __call__(self, theta: Array, batch: Array = None) -> Array:
        """The gradient, shortened to ``longest``."""
        xp = self.xp
        chosen = xp.asarray(self.draw(theta) if batch is None else batch)
        inside = xp.swapaxes(self.inside[chosen], 0, 1)[..., None]
        T = int(inside.sum(axis=0).max())  # frames beyond the longest of them say nothing
        X = xp.swapaxes(self.X[chosen], 0, 1)[:, :, None]
        return shortened(slope(theta, X[:T], inside[:T], self.units, xp), self.longest, xp)


def shortened(vectors: Array, longest: float, xp: Any = np) -> Array:
    """Each vector, scaled to the norm ``longest`` where it is longer.

    >>> shortened(np.array([[3.0, 4.0], [0.3, 0.4]]), 2.5).tolist()
    [[1.5, 2.0], [0.3, 0.4]]
    """
    norms = xp.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return vectors * xp.minimum(1.0, longest / xp.maximum(norms, 1e-30))
