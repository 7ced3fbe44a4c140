"""The gradients that a foreign sampler is handed: of the mean loss or of the summed one, with noise.

What is random in a call, ``draw``, and the gradient at some points given that, ``at``, stand apart:
``at`` is pure and takes the array module that it computes with, so that it can be compiled, mapped over
chains or run on tensors, while the random part stays NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sgtheory.errors import UnusableInput

Array = Any

_ALONE = 2**17  # products in a block: more are spread over threads, which costs far more than it saves
NOISE, MINIBATCHES, QUIET = "noise", "minibatches", "none"
MEAN, SUM = "mean", "sum"


class Refused(Exception):
    """Something that no sampler should do, by name."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__(words)
        self.name = name


class Source(Protocol):
    """Where stochastic gradients of the mean loss come from."""

    @property
    def mode(self) -> Array: ...  # noqa: D102

    def draw(self, rng: Any, shape: tuple[int, ...]) -> Array:
        """What is random in the gradients at so many points."""

    def at(self, theta: Array, drawn: Array, xp: Any = np) -> Array:
        """The gradients at points (..., D), given what was drawn."""

    def full(self, theta: Array, xp: Any = np) -> Array:
        """The gradients over all the data."""

    def slope(self, drawn: Array, xp: Any = np) -> Array:
        """Each coordinate of the gradient, derived in that coordinate."""


@dataclass(frozen=True, eq=False)
class Additive:
    """A (theta - mode) and Gaussian noise of covariance C/S, given by a factor of that.

    >>> source = Additive(2 * np.eye(1), np.zeros((1, 1)), np.array([1.0]))
    >>> source.at(np.array([[3.0]]), source.draw(np.random.default_rng(0), (1,)))
    array([[4.]])
    """

    A: Array
    root: Array
    mode: Array

    def draw(self, rng: Any, shape: tuple[int, ...]) -> Array:
        """The noise itself."""
        return product(rng.standard_normal((*shape, len(self.A))), self.root.T)

    def at(self, theta: Array, drawn: Array, xp: Any = np) -> Array:
        """Affine in the point."""
        return self.full(theta, xp) + xp.asarray(drawn)

    def full(self, theta: Array, xp: Any = np) -> Array:
        """A (theta - mode)."""
        return product(theta - xp.asarray(self.mode), xp.asarray(self.A.T))

    def slope(self, drawn: Array, xp: Any = np) -> Array:
        """The diagonal of A, whatever was drawn."""
        return xp.asarray(np.diag(self.A)) + 0 * xp.asarray(drawn)


def product(rows: Array, matrix: Array) -> Array:
    """Many rows times a small matrix, where NumPy has them in blocks that one thread does at once.

    >>> x = np.arange(400_000.0).reshape(-1, 2)
    >>> bool((product(x, 2 * np.eye(2)) == 2 * x).all())
    True
    """
    some = max(_ALONE // matrix.size, 1) if isinstance(rows, np.ndarray) and rows.ndim == 2 else 0
    if not 0 < some < len(rows):
        return rows @ matrix
    found = np.empty((len(rows), matrix.shape[1]))
    for k in range(0, len(rows), some):
        np.matmul(rows[k : k + some], matrix, out=found[k : k + some])
    return found


@dataclass(frozen=True, eq=False)
class Minibatches:
    """The mean over S of N examples, example n with gradient h_n + V_n (U_n.x) + shared x at mode + x.

    >>> rows = np.array([[-1.0], [1.0]])
    >>> coin = Minibatches(rows, rows * 0, rows * 0, np.eye(1), np.zeros(1), S=2, replacement=False)
    >>> coin.at(np.array([[3.0]]), coin.draw(np.random.default_rng(0), (1,)))
    array([[3.]])
    """

    at_mode: Array  # h_n, (N, D)
    U: Array
    V: Array
    shared: Array
    mode: Array
    S: int
    replacement: bool = True

    def draw(self, rng: Any, shape: tuple[int, ...]) -> Array:
        """The numbers of the examples, (..., S); without replacement by Floyd's algorithm."""
        N = len(self.at_mode)
        if self.replacement:
            return rng.integers(0, N, (*shape, self.S))
        chosen = np.empty((*shape, self.S), np.int64)
        for s in range(self.S):
            last = N - self.S + s
            new = rng.integers(0, last + 1, shape)
            taken = (chosen[..., :s] == new[..., None]).any(axis=-1)
            chosen[..., s] = np.where(taken, last, new)
        return chosen

    def at(self, theta: Array, drawn: Array, xp: Any = np) -> Array:
        """The mean of the gradients of the examples that were drawn."""
        away = theta - xp.asarray(self.mode)
        h, U, V = (xp.asarray(x)[drawn] for x in (self.at_mode, self.U, self.V))
        along = (U * away[..., None, :]).sum(-1)
        return (h + V * along[..., None]).mean(-2) + away @ xp.asarray(self.shared.T)

    def full(self, theta: Array, xp: Any = np) -> Array:
        """The mean over all examples."""
        A = self.V.T @ self.U / len(self.U) + self.shared
        return (theta - xp.asarray(self.mode)) @ xp.asarray(A.T)

    def slope(self, drawn: Array, xp: Any = np) -> Array:
        """The mean over the examples that were drawn."""
        return xp.asarray(self.U * self.V)[drawn].mean(-2) + xp.asarray(np.diag(self.shared))


@dataclass(frozen=True, eq=False)
class Gradient:
    """What foreign code calls: ``gradient(theta)``, with fresh noise or a fresh minibatch each time.

    For one minibatch at two points: ``batch = gradient.draw(theta)``, then ``gradient(theta, batch)``
    and ``gradient(other, batch)``. ``gradient.full(theta)`` is that over all the data,
    ``gradient.slope(batch)`` each coordinate of the gradient, derived in that coordinate. ``factor`` is
    1 for the mean loss L and N for the summed one, N L.
    """

    source: Source
    rng: Any
    factor: float = 1.0

    def __call__(self, theta: Array, batch: Array = None) -> Array:
        """The gradient at each point."""
        theta = self._points(theta)
        drawn = self.draw(theta) if batch is None else batch
        return self._scaled(self.source.at(theta, drawn))

    def draw(self, theta: Array) -> Array:
        """A minibatch for each point, to be handed to more than one call."""
        return self.source.draw(self.rng, self._points(theta).shape[:-1])

    def full(self, theta: Array) -> Array:
        """The gradient over all the data at each point."""
        return self._scaled(self.source.full(self._points(theta)))

    def slope(self, batch: Array) -> Array:
        """The diagonal of the curvature that a minibatch sees."""
        return self._scaled(self.source.slope(batch))

    def prior(self, theta: Array) -> float:
        """The part that no example has a share in: the problems of a check have none."""
        return 0.0

    def _scaled(self, found: Array) -> Array:
        return found if self.factor == 1 else self.factor * found

    def _points(self, theta: Array) -> Array:
        theta, D = np.asarray(theta, float), len(self.source.mode)
        if theta.shape[-1:] != (D,):
            raise Refused("shape", f"the gradient was asked for at an array of shape {theta.shape}")
        return theta


def gradient_of(case: Any, rng: Any, loss: str = "") -> Gradient:
    """The gradient of a case; ``loss`` says of which loss, where the case leaves that open."""
    chosen = case.loss or loss or MEAN
    if chosen not in (MEAN, SUM):
        raise UnusableInput("loss mean or sum", repr(chosen), "choose the one that the step expects")
    factor = float(case.problem.sizes["N"]) if chosen == SUM else 1.0
    return Gradient(source_of(case), rng, factor)


def source_of(case: Any) -> Source:
    """Where the gradients of a case come from.

    >>> from verification.checking.cases import cases
    >>> case = cases("sgd", dimensions=(2,))[0]
    >>> source_of(case).full(np.array([case.mode])).tolist()
    [[0.0, 0.0]]
    """
    if case.gradient == MINIBATCHES:
        return _minibatches(case.problem)
    if case.gradient not in (NOISE, QUIET):
        raise UnusableInput(
            f"gradient {NOISE}, {MINIBATCHES} or {QUIET}", repr(case.gradient), "choose one of them"
        )
    noise = case.noise_root if case.gradient == NOISE else np.zeros((case.D, case.D))
    return Additive(case.A, noise, np.array(case.mode))


def _minibatches(problem: Any) -> Minibatches:
    examples = problem.examples
    h, U, V = examples.floats
    A = np.asarray(examples.curvature, float)
    if U is None or V is None:  # all examples have the same curvature
        U = V = np.zeros_like(h)
    shared = A - V.T @ U / len(h)
    mode, size = np.asarray(examples.center, float), int(problem.sizes["S"])
    return Minibatches(h, U, V, shared, mode, size, problem.replacement)
