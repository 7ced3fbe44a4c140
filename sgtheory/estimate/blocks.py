"""A model of several tensors: curvature and noise of each as a Kronecker product of two factors.

A tensor of p rows and q columns has p q parameters, and its curvature (p q)^2 entries. L ⊗ R with a
p x p and a q x q factor has p^2 + q^2. The factors nearest to the noise in the Frobenius norm come from
gradients of examples by power iteration (Van Loan and Pitsianis); those of the curvature from its
products with random signs, whose mean squared misfit is the squared distance. What is between tensors,
and what no two factors can say, is left out, and how much that is is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.estimate.arrays import as_matrix
from sgtheory.estimate.sketch import at_point, mean_gradient, products
from sgtheory.estimate.usermodel import Array, UserModel
from sgtheory.notation.display import Shown
from sgtheory.problem import Problem

_ROUNDS, _SAME = 200, 1e-10  # of an alternation, and the change of its factors at which it ends
_MOST = 2_000  # axes of a problem


@dataclass(frozen=True)
class Factors:
    """A matrix as left ⊗ right; ``missing`` is the share of its squared entries that this leaves out."""

    left: Array
    right: Array
    missing: float

    def along(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """Both factors in other axes."""
        return rows.T @ self.left @ rows, columns.T @ self.right @ columns


@dataclass(frozen=True)
class Block:
    """A tensor of the model, as a matrix: its curvature and its noise."""

    shape: tuple[int, int]
    curvature: Factors
    noise: Factors


@dataclass(repr=False, frozen=True)
class Blocks(Shown):
    """Curvature A and noise C of a model at a point, a block of two factors for each of its tensors.

    ``between_curvature`` and ``between_noise`` are the shares of squared entries that lie between
    tensors.
    """

    point: Array
    N: int
    seen: int
    blocks: tuple[Block, ...]
    between_curvature: float
    between_noise: float

    @property
    def left_out(self) -> tuple[str, ...]:
        """What a problem made of this leaves out, in sentences."""
        told = [
            f"Of the squares of all entries {100 * self.between_curvature:.3g} % of A's and"
            f" {100 * self.between_noise:.3g} % of C's lie between tensors: they are left out."
        ]
        for k, block in enumerate(self.blocks, start=1):
            p, q = block.shape
            if min(p, q) > 1:  # of one row or column a factor is the whole matrix
                told.append(
                    f"Of the {p} x {q} parameters of tensor {k} two factors leave out"
                    f" {100 * block.curvature.missing:.3g} % of the squares of A's entries and"
                    f" {100 * block.noise.missing:.3g} % of those of C's."
                )
        if self.seen < self.N:
            told.append(f"A and C are those of {self.seen:,} of {self.N:,} examples.")
        return tuple(told)

    @property
    def eigenvalues(self) -> Array:
        """Those of A, largest first."""
        return np.sort(np.concatenate([_axes(block)[0].ravel() for block in self.blocks]))[::-1]

    def problem(
        self, S: Any = 1, params: Mapping[str, Any] | None = None, top: int | None = None
    ) -> Problem:
        """The quadratic along the ``top`` axes of largest curvature, all of them unless it is given.

        Along axes of A no other axis changes what a law says of these.
        """
        values = self.eigenvalues
        count = len(values) if top is None else min(top, len(values))
        if not 1 <= count <= _MOST:
            raise UnusableInput(f"1 to {_MOST:,} axes of a problem", f"{count:,}", "give top=500")
        if values[count - 1] <= 0:
            remedy = "ask for fewer with top=..., add a prior to every example's loss, or go on training"
            raise UnusableInput("curvatures above 0", f"{values[count - 1]:.3g}", remedy)
        axes = [_axes(block) for block in self.blocks]
        every = np.concatenate([found.ravel() for found, _, _ in axes])
        chosen = np.zeros(len(every), bool)
        first = np.argsort(-every, kind="stable")[:count]  # of those that are alike the first ones
        chosen[first] = True
        ends = np.cumsum([found.size for found, _, _ in axes])[:-1]
        noise, begin = np.zeros((count, count)), 0
        for block, (found, rows, columns), own in zip(
            self.blocks, axes, np.split(chosen, ends), strict=True
        ):
            a, b = np.nonzero(own.reshape(found.shape))
            left, right = block.noise.along(rows, columns)
            here = slice(begin, begin := begin + len(a))
            noise[here, here] = left[np.ix_(a, a)] * right[np.ix_(b, b)]
        curvature = every[chosen]
        content = {"hessian": as_matrix(np.diag(curvature)), "noise": as_matrix(noise)}
        return Problem.of(
            {"model": "quadratic", **content, "N": self.N, "S": S, "params": dict(params or {})}
        )

    def to_json(self) -> dict[str, Any]:
        """Factors as lists, and what they leave out."""

        def of(factors: Factors) -> dict[str, Any]:
            both = {"left": factors.left.tolist(), "right": factors.right.tolist()}
            return {**both, "missing": factors.missing}

        blocks = [
            {"shape": list(b.shape), "curvature": of(b.curvature), "noise": of(b.noise)}
            for b in self.blocks
        ]
        names = ("N", "seen", "between_curvature", "between_noise")
        return {
            "blocks": blocks,
            **{n: getattr(self, n) for n in names},
            "left_out": list(self.left_out),
        }


def blocks(
    model: UserModel,
    shapes: Sequence[Sequence[int]] = (),
    point: Any = None,
    *,
    probes: int = 20,
    seen: int | None = None,
    seed: int = 0,
) -> Blocks:
    """A and C at a point, the model's start unless one is given: two factors for each tensor.

    ``shapes`` are those of the tensors that the parameters are, in order; a model of PyTorch knows
    them. A tensor of more than two indices is a matrix with the first as its rows. For each there
    are ``probes`` products with the curvature, or more where a tensor is long and narrow, and half as
    many again to measure what is left out; a product takes two gradients of all examples that are seen.

    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(300, 3)), rng.normal(size=(300, 2))
    >>> def gradients(w, which):
    ...     off = x[which] @ w.reshape(2, 3).T - y[which]
    ...     return np.einsum("na,nb->nab", off, x[which]).reshape(-1, 6)
    >>> found = blocks(UserModel(gradients, 300, np.zeros(6)), [(2, 3)])
    >>> (one,) = found.blocks
    >>> A = np.kron(one.curvature.left, one.curvature.right)
    >>> bool(np.allclose(A, np.kron(np.eye(2), x.T @ x / 300)))
    True
    >>> one.curvature.missing < 1e-9, 0 < one.noise.missing < 0.1
    (True, True)
    """
    rng = np.random.default_rng(seed)
    there, some = at_point(model, point, seen, rng)
    matrices = [_matrix(shape) for shape in (shapes or model.shapes)]
    sizes = [p * q for p, q in matrices]
    if sum(sizes) != model.D or probes < 2:
        raise UnusableInput(
            f"shapes of tensors with {model.D:,} parameters in all, and two probes or more",
            f"{sum(sizes):,} parameters, {probes} probes",
            "give shapes=[(10, 784), (10,)] or the like",
        )
    ends = [0, *np.cumsum(sizes).tolist()]
    product = products(model, there, some)
    rows = np.asarray(model.gradients(there, some), float) - mean_gradient(model, there, some)
    found, inside, outside, within = [], 0.0, 0.0, 0.0
    for (begin, end), shape in zip(pairwise(ends), matrices, strict=True):
        here = slice(begin, end)
        noise, square = _of_noise(rows[:, here].reshape(-1, *shape))
        curvature, own, other = _of_curvature(product, model.D, here, shape, probes, rng)
        found.append(Block(shape, curvature, noise))
        inside, outside, within = inside + own, outside + other, within + square
    whole = _square(rows)
    between = max(1 - within / whole, 0.0) if whole else 0.0
    share = outside / (inside + outside) if inside else 0.0
    return Blocks(there, model.N, len(some), tuple(found), share, between)


def _matrix(shape: Sequence[int]) -> tuple[int, int]:
    """A tensor as rows and columns."""
    p, *rest = (int(n) for n in shape) if len(shape) > 1 else (1, *(int(n) for n in shape))
    return p, int(np.prod(rest, dtype=int))


def _axes(block: Block) -> tuple[Array, Array, Array]:
    """Eigenvalues of a block of A, a row for each axis of the left factor, and both sets of axes."""
    left, rows = np.linalg.eigh(block.curvature.left)
    right, columns = np.linalg.eigh(block.curvature.right)
    return np.outer(left, right), rows, columns


def _square(rows: Array) -> float:
    """The sum of squares of the entries of the rows' second moment."""
    n, D = rows.shape
    gram = rows @ rows.T if n < D else rows.T @ rows
    return float((gram**2).sum()) / n**2


def _of_noise(gradients: Array) -> tuple[Factors, float]:
    """The nearest product of two factors to the covariance of matrices, and that covariance's square."""
    n, p, q = gradients.shape
    square = _square(gradients.reshape(n, p * q))
    left, right = np.eye(p) / np.sqrt(p), np.eye(q)
    if square == 0:
        return Factors(left, 0 * right, 0.0), square
    for _ in range(_ROUNDS):
        new = np.einsum("nab,ac,ncd->bd", gradients, left, gradients, optimize=True) / n
        moved = np.linalg.norm(new - right)
        right = new
        left = np.einsum("nab,bd,ncd->ac", gradients, right, gradients, optimize=True) / n
        size = np.linalg.norm(left)
        left /= size
        if moved <= _SAME * np.linalg.norm(right):
            break
    kept = float((right**2).sum())
    return Factors(left, right, max(1 - kept / square, 0.0)), square


def _of_curvature(
    product: Callable[[Array], Array],
    D: int,
    here: slice,
    shape: tuple[int, int],
    probes: int,
    rng: Any,
) -> tuple[Factors, float, float]:
    """The factors that fit products with random signs; the squares of entries in and beside a block.

    What is left out is measured on products that no factor was fitted to.
    """
    count = max(probes, -(-2 * max(shape) // min(shape)))
    signs = rng.choice([-1.0, 1.0], (count + -(-count // 2), *shape))
    seen = np.empty_like(signs)
    beside = 0.0
    for k, one in enumerate(signs):
        vector = np.zeros(D)
        vector[here] = one.ravel()
        whole = product(vector)
        seen[k] = whole[here].reshape(shape)
        beside += float((whole**2).sum() - (seen[k] ** 2).sum()) / len(signs)
    left, right = _fitted(signs[:count], seen[:count])
    off, of = (float((y**2).sum()) for y in (seen[count:] - left @ signs[count:] @ right, seen[count:]))
    own = float((seen**2).sum()) / len(signs)
    return Factors(left, right, off / of if of else 0.0), own, beside


def _fitted(signs: Array, seen: Array) -> tuple[Array, Array]:
    """Symmetric L and R, L of norm one, with the least squares of seen - L signs R, in turn."""
    left, right = np.eye(signs.shape[1]), np.zeros((signs.shape[2],) * 2)
    for _ in range(_ROUNDS):
        left /= np.linalg.norm(left)
        moved = left @ signs
        new = _symmetric(
            np.linalg.lstsq(
                np.einsum("nab,nac->bc", moved, moved), np.einsum("nab,nac->bc", moved, seen), rcond=None
            )[0]
        )
        settled = np.linalg.norm(new - right) <= _SAME * np.linalg.norm(new)
        right = new
        if settled or not right.any():
            break
        moved = signs @ right
        left = _symmetric(
            np.linalg.lstsq(
                np.einsum("nab,ncb->ac", moved, moved), np.einsum("nab,ncb->ac", moved, seen), rcond=None
            )[0]
        )
    return left, right


def _symmetric(matrix: Array) -> Array:
    return (matrix + matrix.T) / 2
