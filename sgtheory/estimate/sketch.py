"""A model with more parameters than a whole curvature can have: the top of its spectrum, and the rest.

Curvature is met through products with vectors, differences of gradients. Lanczos' method finds its
largest eigenvalues, each with a bound; random signs (Hutchinson) tell trace and squares of what is left,
the trace with a standard error. The noise of gradients is known along the axes that were found, and by
its trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.estimate.arrays import as_matrix
from sgtheory.estimate.usermodel import Array, UserModel
from sgtheory.notation.display import Shown
from sgtheory.problem import Problem

_ENTRIES = 20_000_000  # of the gradients that are held at a time
_PRODUCTS, _ENOUGH = 8, 1e-6  # for each axis at most; of the largest eigenvalue, a bound that will do
_SHIFT = 1e-4  # of a point, for differences, in units of its parameters


@dataclass(repr=False, frozen=True)
class Sketch(Shown):
    """Curvature A and noise C of a large model at a point: along some axes, and what is left of them.

    ``eigenvalues`` of A are largest first; to each belongs a true one of the measured A within
    ``bounds``. ``noise`` is C along the axes. Of the ``D - top`` directions that are left, ``rest`` and
    ``rest_noise`` are the mean curvature and noise, with standard errors, and ``uneven`` is the root
    mean square of how far eigenvalues there differ from their mean, as a share of it. ``gradient`` is
    that of the mean loss at the point, in standard errors of a mean over all examples.
    """

    point: Array
    D: int
    N: int
    seen: int
    eigenvalues: Array
    bounds: Array
    axes: Array  # columns
    noise: Array
    rest: tuple[float, float]
    rest_noise: tuple[float, float]
    uneven: float
    smallest: float  # the smallest value that was met: below 0 where some direction falls away
    gradient: float

    @property
    def shares(self) -> tuple[float, float]:
        """What part of the traces of A and of C lies along the axes."""
        left = self.D - len(self.eigenvalues)
        found = []
        for top, (mean, _) in (
            (self.eigenvalues.sum(), self.rest),
            (np.trace(self.noise), self.rest_noise),
        ):
            found.append(float(top / (top + left * mean)))
        return found[0], found[1]

    @property
    def left_out(self) -> tuple[str, ...]:
        """What a problem made of this leaves out, in sentences."""
        top, (of_A, of_C) = len(self.eigenvalues), self.shares
        told = [
            f"{top} of {self.D:,} directions are known: they have {100 * of_A:.3g} % of the trace of A"
            f" and {100 * of_C:.3g} % of that of C.",
            f"The other {self.D - top:,} are taken as alike, with curvature {self.rest[0]:.3g} ±"
            f" {self.rest[1]:.1g} and noise {self.rest_noise[0]:.3g} ± {self.rest_noise[1]:.1g}; their"
            f" eigenvalues differ from that by {100 * self.uneven:.3g} % (root mean square). What C has"
            " between them and the axes is left out.",
        ]
        if self.seen < self.N:
            told.append(
                f"A and C are those of {self.seen:,} of {self.N:,} examples: errors of A do not count"
                " that choice."
            )
        if self.smallest < -2 * self.bounds.max():
            told.append(
                f"There is a direction with curvature {self.smallest:.3g}: the point is no minimum, and"
                " there is no law in that direction."
            )
        if self.gradient > 1:
            told.append(
                f"The gradient there is {self.gradient:.3g} standard errors of a mean over all examples:"
                " the point is not the mode."
            )
        return tuple(told)

    def problem(self, S: Any = 1, params: Mapping[str, Any] | None = None) -> Problem:
        """The quadratic along the axes, and one coordinate more that stands for each of the rest."""
        values = [*self.eigenvalues, self.rest[0]]
        if min(values) <= 0:
            got, remedy = f"{min(values):.3g}", "add a prior to every example's loss, or go on training"
            raise UnusableInput(
                "curvatures above 0 along the axes and in the mean of the rest", got, remedy
            )
        noise = np.zeros((len(values),) * 2)
        noise[:-1, :-1], noise[-1, -1] = self.noise, self.rest_noise[0]
        content = {"hessian": as_matrix(np.diag(values)), "noise": as_matrix(noise), "N": self.N, "S": S}
        return Problem.of({"model": "quadratic", **content, "params": dict(params or {})})

    def to_json(self) -> dict[str, Any]:
        """All but the axes, in numbers and lists."""
        names = ("D", "N", "seen", "rest", "rest_noise", "uneven", "smallest", "gradient")
        arrays = {name: getattr(self, name).tolist() for name in ("eigenvalues", "bounds", "noise")}
        return arrays | {name: getattr(self, name) for name in names} | {"left_out": list(self.left_out)}


def sketch(
    model: UserModel,
    point: Any = None,
    *,
    top: int = 20,
    probes: int = 20,
    seen: int | None = None,
    seed: int = 0,
) -> Sketch:
    """A and C at a point, the model's start unless one is given: ``top`` axes, and the rest by probes.

    A product with the curvature takes two gradients of all examples that are ``seen``. There is one for
    each probe, and a few for each axis: until bounds are 10^-6 of the largest eigenvalue, at most eight.

    >>> scales = np.linspace(1, 0.1, 300) ** 4
    >>> X = np.random.default_rng(0).normal(size=(400, 300)) * scales
    >>> def gradients(w, which):
    ...     return (X[which] @ w)[:, None] * X[which] + w
    >>> found = sketch(UserModel(gradients, 400, np.zeros(300)), top=5)
    >>> largest = np.linalg.eigvalsh(X.T @ X / 400 + np.eye(300))[::-1][:5]
    >>> bool(np.allclose(found.eigenvalues, largest, rtol=1e-5))
    True
    """
    if not 1 <= top < model.D - 1 or probes < 2:
        got = f"{top} of {model.D:,}, {probes} probes"
        raise UnusableInput(
            "some axes fewer than parameters, and two probes or more", got, "ask for fewer"
        )
    rng = np.random.default_rng(seed)
    there, some = at_point(model, point, seen, rng)
    product = products(model, there, some)
    values, bounds, axes, smallest = _lanczos(product, rng.normal(size=model.D), top)
    left = model.D - top
    traces, squares = np.empty((2, probes))
    for k in range(probes):
        sign = rng.choice([-1.0, 1.0], model.D)
        sign -= axes @ (axes.T @ sign)
        seen_by = product(sign)
        seen_by -= axes @ (axes.T @ seen_by)
        traces[k], squares[k] = sign @ seen_by / left, seen_by @ seen_by / left
    mean = float(traces.mean())
    uneven = float(np.sqrt(max(squares.mean() / mean**2 - 1, 0.0))) if mean else float("inf")
    noise, rest_noise, gradient = _noise(model, there, some, axes)
    rest = mean, float(traces.std(ddof=1) / np.sqrt(probes))
    sizes = (model.D, model.N, len(some))
    return Sketch(
        there, *sizes, values, bounds, axes, noise, rest, rest_noise, uneven, smallest, gradient
    )


def at_point(model: UserModel, point: Any, seen: int | None, rng: Any) -> tuple[Array, Array]:
    """The point, the model's start unless one is given, and which examples are seen there."""
    there = np.asarray(model.start if point is None else point, float)
    if there.shape != (model.D,) or not np.isfinite(there).all():
        raise UnusableInput(f"a point of {model.D:,} numbers", str(there.shape), "give the parameters")
    count = model.N if seen is None else min(int(seen), model.N)
    if count < 2:
        raise UnusableInput("two examples or more", str(count), "see more of them")
    some = np.sort(rng.choice(model.N, count, replace=False)) if count < model.N else np.arange(model.N)
    return there, some


def products(model: UserModel, there: Array, some: Array) -> Callable[[Array], Array]:
    """The product of the curvature there with a vector, from two gradients of the examples seen."""
    step = _SHIFT * max(1.0, float(np.abs(there).max()))

    def product(vector: Array) -> Array:
        moved = step * vector / np.abs(vector).max()
        change = mean_gradient(model, there + moved, some) - mean_gradient(model, there - moved, some)
        return change * (np.abs(vector).max() / (2 * step))

    return product


def _parts(model: UserModel, some: Array) -> list[Array]:
    """Examples, a few at a time."""
    return list(np.array_split(some, -(-len(some) * model.D // _ENTRIES)))


def mean_gradient(model: UserModel, theta: Array, some: Array) -> Array:
    """That of the mean loss over some examples."""
    total = np.zeros(model.D)
    for part in _parts(model, some):
        total += np.asarray(model.gradients(theta, part), float).sum(axis=0)
    return total / len(some)


def _lanczos(
    product: Callable[[Array], Array], begin: Array, top: int
) -> tuple[Array, Array, Array, float]:
    """The largest eigenvalues with bounds and axes, and the smallest value met; kept orthogonal."""
    count = min(len(begin), _PRODUCTS * top + 20)
    basis = np.zeros((count, len(begin)))
    along, across = np.zeros(count), np.zeros(count)
    basis[0] = begin / np.linalg.norm(begin)
    for k in range(count):
        w = product(basis[k])
        along[k] = basis[k] @ w
        for _ in range(2):
            w = w - basis[: k + 1].T @ (basis[: k + 1] @ w)
        across[k] = np.linalg.norm(w)
        if k + 1 < count:
            if across[k] <= 1e-10 * np.abs(along).max():  # an invariant space: all of it is known
                count = k + 1
                break
            basis[k + 1] = w / across[k]
        if k + 1 >= 2 * top and (k + 1) % 5 == 0 and _settled(along[: k + 1], across[: k + 1], top):
            count = k + 1
            break
    if count < top:
        got, remedy = f"{count} before all others are alike", f"ask for top={count} or fewer"
        raise UnusableInput(f"{top} different directions of curvature", got, remedy)
    values, vectors = _of_three(along[:count], across[:count])
    chosen = np.argsort(-values)[:top]
    bounds = np.abs(across[count - 1] * vectors[-1, chosen])
    return values[chosen], bounds, basis[:count].T @ vectors[:, chosen], float(values[0])


def _of_three(along: Array, across: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors of a matrix with three diagonals."""
    beside = np.diag(across[:-1], 1)
    values, vectors = np.linalg.eigh(np.diag(along) + beside + beside.T)
    return values, vectors


def _settled(along: Array, across: Array, top: int) -> bool:
    values, vectors = _of_three(along, across)
    chosen = np.argsort(-values)[:top]
    return bool(np.abs(across[-1] * vectors[-1, chosen]).max() <= _ENOUGH * np.abs(values).max())


def _noise(
    model: UserModel, there: Array, some: Array, axes: Array
) -> tuple[Array, tuple[float, float], float]:
    """C along the axes, its mean in the rest with a standard error, and the size of the gradient."""
    mean, n, left = mean_gradient(model, there, some), len(some), model.D - axes.shape[1]
    inside, outside = [], []
    for part in _parts(model, some):
        away = np.asarray(model.gradients(there, part), float) - mean
        seen = away @ axes
        inside.append(seen)
        outside.append((np.einsum("nd,nd->n", away, away) - (seen**2).sum(axis=1)) / left)
    along, rest = np.concatenate(inside), np.concatenate(outside)
    noise = along.T @ along / n
    trace = float(np.trace(noise) + left * rest.mean())
    gradient = float(np.sqrt(mean @ mean / max(trace / model.N, 1e-300)))
    rest_error = float(rest.std(ddof=1) / np.sqrt(n) * np.sqrt(1 - n / model.N))
    return noise, (float(rest.mean()), rest_error), gradient
