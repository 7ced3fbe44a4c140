"""A model of the user's own: its mode found, A and C estimated, and how far from quadratic it is.

All that is asked for are gradients of single examples. ``torch_model`` and ``jax_model`` make them of a
PyTorch module with a loss and of a log density in JAX; NumPy will do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.estimate.arrays import as_matrix
from sgtheory.notation.display import Shown
from sgtheory.problem import Problem

Array = np.ndarray[Any, Any]
Gradients = Callable[[Array, Array], Array]

_MOST = 600  # parameters for which the whole curvature is made
_NEWTON, _HALVINGS = 200, 30
_SETTLED = 1e-9  # of a gradient, in units of the noise of its mean
_DRAWS = 8  # of the quadratic's posterior, at which the curvature is looked at
_SHIFT = 1e-4  # of a point, for differences, in units of the parameters


@dataclass(frozen=True)
class UserModel:
    """``gradients(theta, which)`` are those of single examples' losses, a row for each of ``which``.

    The posterior is exp(-sum of all losses): a prior is a share of every example's loss. ``shapes`` are
    those of the tensors that the parameters are, in order, where they are known.
    """

    gradients: Gradients
    N: int
    start: Array
    shapes: tuple[tuple[int, ...], ...] = ()

    @property
    def D(self) -> int:
        """How many parameters there are."""
        return len(self.start)

    def only(self, some: Array) -> UserModel:
        """The model of some of its examples."""

        def gradients(theta: Array, which: Array) -> Array:
            return self.gradients(theta, some[which])

        return UserModel(gradients, len(some), self.start, self.shapes)

    def mean_gradient(self, theta: Array) -> Array:
        """That of the mean loss over all examples."""
        return np.asarray(self.gradients(theta, np.arange(self.N)), float).mean(axis=0)

    def curvature(self, theta: Array) -> Array:
        """The Hessian of the mean loss, from central differences of gradients."""
        step = _SHIFT * max(1.0, float(np.abs(theta).max()))
        rows = [
            (self.mean_gradient(theta + step * e) - self.mean_gradient(theta - step * e)) / (2 * step)
            for e in np.eye(self.D)
        ]
        return (np.array(rows) + np.array(rows).T) / 2


@dataclass(repr=False, frozen=True)
class Measured(Shown):
    """The mode of a model, A and C there with their standard errors, and what a quadratic leaves out.

    Errors are those of A and C as estimates for all examples, from those that were seen: zero where all
    were. ``shift`` is how far the posterior's mean lies from the mode, to first order in 1/N, from third
    derivatives; ``change`` is by how much the curvature along each principal axis differs at draws of
    the quadratic's posterior, as a root mean square: both are small where a quadratic will do.
    """

    mode: Array
    A: Array
    C: Array
    A_error: float  # relative, in the Frobenius norm
    C_error: float
    shift: Array  # along the principal axes, narrowest first, in posterior standard deviations
    change: Array
    N: int
    seen: int

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """Posterior standard deviations, narrowest first, and the principal axes as columns."""
        eigenvalues, vectors = np.linalg.eigh(self.A)
        return 1 / np.sqrt(self.N * eigenvalues[::-1]), vectors[:, ::-1]

    def problem(self, S: Any = 1, params: Mapping[str, Any] | None = None) -> Problem:
        """The quadratic about the mode: what ``law``, ``advise`` and ``audit_run`` ask for."""
        return Problem.of(
            {
                "model": "quadratic",
                "hessian": as_matrix(self.A),
                "noise": as_matrix(self.C),
                "N": self.N,
                "S": S,
                **({} if params is None else {"params": dict(params)}),
            }
        )

    def to_json(self) -> dict[str, Any]:
        """Numbers and lists."""
        names = ("mode", "A", "C", "shift", "change")
        found: dict[str, Any] = {name: getattr(self, name).tolist() for name in names}
        scalars = ("A_error", "C_error", "N", "seen")
        return found | {name: getattr(self, name) for name in scalars}


def measure(model: UserModel, seen: int | None = None, seed: int = 0) -> Measured:
    """Find the mode from the model's start, and measure A, C and the third and fourth derivatives.

    ``seen`` is on how many examples A and C are measured, all of them unless it is given.

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = X @ [1.0, -2.0] + 0.1
    >>> def gradients(w, which):
    ...     return (X[which] @ w - y[which])[:, None] * X[which]
    >>> model = UserModel(gradients, 200, np.zeros(2))
    >>> found = measure(model)
    >>> bool(np.allclose(found.A, X.T @ X / 200)), bool(np.allclose(found.change, 0, atol=1e-6))
    (True, True)
    """
    if model.D > _MOST:
        got, remedy = f"{model.D:,}", "sketch it: sgtheory.estimate.sketch(model)"
        raise UnusableInput(f"at most {_MOST} parameters, for a whole curvature", got, remedy)
    mode, A = _mode(model)
    count = model.N if seen is None else min(int(seen), model.N)
    if count < 2:
        raise UnusableInput("two examples or more to measure C on", str(count), "see more of them")
    some, rng = np.arange(model.N), np.random.default_rng(seed)
    if count < model.N:
        some = np.sort(rng.choice(model.N, count, replace=False))
    rows = np.asarray(model.gradients(mode, some), float)
    away = rows - rows.mean(axis=0)
    C = away.T @ away / count
    left = 1 - count / model.N  # of the variance, where so many of all are seen
    # the mean square of g g^T - C, entry by entry, is the mean of |g|^4 less |C|^2
    fourth = float((np.einsum("nd,nd->n", away, away) ** 2).mean() - (C**2).sum())
    C_error = float(np.sqrt(max(fourth, 0.0) / count * left) / max(np.linalg.norm(C), 1e-300))
    A_error = _error_of_curvature(model, mode, A, some) * np.sqrt(left) if left else 0.0
    shift, change = _beyond(model, mode, A, rng)
    return Measured(mode, A, C, float(A_error), C_error, shift, change, model.N, count)


def _mode(model: UserModel) -> tuple[Array, Array]:
    """Newton's method with its curvature made positive, and steps that make the gradient smaller."""
    theta = np.asarray(model.start, float)
    gradient = model.mean_gradient(theta)
    for _ in range(_NEWTON):
        A = model.curvature(theta)
        eigenvalues, vectors = np.linalg.eigh(A)
        size = np.maximum(np.abs(eigenvalues), 1e-8 * np.abs(eigenvalues).max())
        step = -vectors @ ((vectors.T @ gradient) / size)
        rows = np.asarray(model.gradients(theta, np.arange(model.N)), float)
        noise = np.sqrt(rows.var(axis=0).sum() / model.N)
        if np.linalg.norm(gradient) <= _SETTLED * max(noise, 1e-300) or np.abs(step).max() < 1e-12:
            break
        for halved in range(_HALVINGS):
            there = theta + step / 2**halved
            new = model.mean_gradient(there)
            # downhill along the step: the loss falls where the gradient still points against it
            if np.isfinite(new).all() and (
                new @ step <= 0 or np.linalg.norm(new) < np.linalg.norm(gradient)
            ):
                break
        else:
            break
        theta, gradient = there, new
    if not eigenvalues[0] > 0:
        raise UnusableInput(
            "a mode where the curvature is positive in every direction",
            f"an eigenvalue {eigenvalues[0]:.3g}",
            "add a prior to every example's loss, or start elsewhere",
        )
    return theta, A


def _error_of_curvature(model: UserModel, mode: Array, A: Array, some: Array) -> float:
    """The relative standard error of the curvature of some examples: from ten parts of them."""
    parts = np.array_split(some, min(10, len(some)))
    found = [model.only(part).curvature(mode) for part in parts]
    spread = np.var(found, axis=0, ddof=1).sum() / len(parts)
    return float(np.sqrt(spread) / np.linalg.norm(A))


def _beyond(model: UserModel, mode: Array, A: Array, rng: Any) -> tuple[Array, Array]:
    """The shift of the mean, and the change of curvature at draws of the quadratic's posterior.

    With T the third derivatives, the mean is off by -A^(-1) (T : Sigma)/2 to first order.
    """
    eigenvalues, vectors = np.linalg.eigh(A)
    eigenvalues, vectors = eigenvalues[::-1], vectors[:, ::-1]
    deviations = 1 / np.sqrt(model.N * eigenvalues)
    middle, bent = model.mean_gradient(mode), np.zeros(model.D)
    for deviation, axis in zip(deviations, vectors.T, strict=True):
        ahead = model.mean_gradient(mode + deviation * axis)
        behind = model.mean_gradient(mode - deviation * axis)
        bent += ahead + behind - 2 * middle
    shift = -vectors.T @ bent / 2 / eigenvalues / deviations
    changes = []
    for draw in rng.normal(size=(_DRAWS, model.D)):
        there = model.curvature(mode + vectors @ (deviations * draw))
        changes.append(np.diag(vectors.T @ there @ vectors) / eigenvalues - 1)
    return shift, np.sqrt(np.mean(np.square(changes), axis=0))


def torch_model(module: Any, loss: Callable[..., Any], *data: Any, ridge: float = 0.0) -> UserModel:
    """A PyTorch module with a loss: ``loss(module(x), y)`` of one example, for data x and y.

    ``ridge`` is the precision of a normal prior on every parameter.
    """
    import torch
    from torch.func import functional_call, grad, vmap

    names = [name for name, _ in module.named_parameters()]
    shapes = [p.shape for _, p in module.named_parameters()]
    sizes = [int(np.prod(shape)) for shape in shapes]
    N = len(data[0])
    flat = torch.cat([p.detach().reshape(-1) for _, p in module.named_parameters()]).double()
    tensors = [torch.as_tensor(np.asarray(d)) for d in data]
    tensors = [t.double() if t.is_floating_point() else t for t in tensors]
    module = module.double()

    def one(theta: Any, x: Any, *rest: Any) -> Any:
        parts = torch.split(theta, sizes)
        named = {n: part.reshape(s) for n, part, s in zip(names, parts, shapes, strict=True)}
        out = functional_call(module, named, (x.unsqueeze(0),))
        return loss(out.squeeze(0), *rest) + ridge / (2 * N) * (theta**2).sum()

    each = vmap(grad(one), in_dims=(None, *(0 for _ in tensors)))

    def gradients(theta: Array, which: Array) -> Array:
        rows = torch.as_tensor(which)
        return np.asarray(
            each(torch.as_tensor(theta), *(t[rows] for t in tensors)).detach().numpy(), float
        )

    return UserModel(gradients, N, flat.numpy(), tuple(map(tuple, shapes)))


def jax_model(
    log_density: Callable[..., Any],
    start: Any,
    *data: Any,
    log_prior: Callable[[Any], Any] | None = None,
) -> UserModel:
    """A JAX log density of one example, ``log_density(theta, x, y)``, for arrays of data x and y."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    N, arrays = len(data[0]), [jnp.asarray(d) for d in data]

    def one(theta: Any, *example: Any) -> Any:
        prior = 0.0 if log_prior is None else log_prior(theta) / N
        return -log_density(theta, *example) - prior

    each = jax.jit(jax.vmap(jax.grad(one), in_axes=(None, *(0 for _ in arrays))))

    def gradients(theta: Array, which: Array) -> Array:
        return np.asarray(each(jnp.asarray(theta), *(a[which] for a in arrays)), float)

    return UserModel(gradients, N, np.asarray(start, float))
