"""How much more sample variances scatter on real minibatches than those of a normal chain would.

What is expected of (a.x)^2 one step later is a quadratic in x again, so there is one quadratic
g(x) = x^T B x + l.x for which g(x) - E[g(x')|x] is (a.x)^2 up to a constant. A sum over many steps is
then one of differences of mean zero, and its variance for each step is E Var(g(x')|x): by the noise's
first four moments, those of the examples as they are. It is a polynomial of degree four in x, whose
mean over the settled law is taken as over a normal one, by nodes that are exact to that degree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from sgtheory.numbers.multiplicative import unpack
from sgtheory.onestep.full import Array
from sgtheory.onestep.momentstep import Cycle, Minibatch, Step

_WORK = 2e10  # examples times the fifth power of coordinates
_ROWS = 512  # examples at a time, so that a cache holds what is made of them


def is_known(cycle: Cycle, resting: Array) -> bool:
    """Whether steps are of one update with one minibatch, settle at the mode, and data are few."""
    (step, *more) = cycle.steps
    if more or len(step.updates) != 1 or step.width != 1 or resting.any() or not step.share:
        return False  # a minibatch of all examples has no noise
    return len(step.updates[0].minibatches) == 1 and step.examples.N * step.D**5 <= _WORK


def long_run(cycle: Cycle, affine: Array, covariance: Array, directions: Array) -> Array:
    """The variance for each step of long sums of squares along directions (rows).

    ``affine`` is what a step does to (1, mean, second moments), ``covariance`` the settled one.
    """
    (step,) = cycle.steps
    (update,) = step.updates
    (batch,) = update.minibatches
    d, above = step.D, np.triu_indices(step.D)
    asked = np.einsum("ia,ib->iab", directions, directions)[:, above[0], above[1]]
    right = np.hstack([np.zeros((len(asked), d)), asked * np.where(above[0] == above[1], 1, 2)])
    solved = np.linalg.solve(np.eye(len(affine) - 1) - affine[1:, 1:].T, right.T).T
    slopes = solved[:, :d]
    B = np.array([unpack(row, d) for row in solved[:, d:]])
    B = (B + np.einsum("iaa->ia", B)[:, :, None] * np.eye(d)) / 2  # off the diagonal a pair counts twice
    even = not (batch.weight or batch.beside.any() or slopes.any())
    weights, nodes = (np.array(x) for x in zip(*_nodes(d, even), strict=True))
    nodes = nodes @ np.linalg.cholesky(covariance).T
    one, third, fourth = _of_examples(step, batch, nodes, solved[:, d:])
    S, total = 1 / step.share, np.zeros(len(asked))
    for k, weight in enumerate(weights):
        whole = update.Q + one[k] / S
        front = 2 * B @ (update.row @ nodes[k]) + slopes
        found = np.einsum("ia,ab,ib->i", front, whole, front)
        found += 2 / S**2 * np.sum(front * third[k], axis=1)
        found += 2 * _twice(B @ whole) + (fourth[k] - _normal(B @ one[k])) / S**3
        total += weight * found
    return total


def _of_examples(step: Step, batch: Minibatch, nodes: Array, B: Array) -> tuple[Array, Array, Array]:
    """Of what single examples add at the nodes, e: the means of e e^T, of e (e^T B e), (e^T B e)^2."""
    h, U, V = step.examples.floats
    assert U is not None
    assert V is not None
    points = nodes @ batch.inner.T + batch.beside
    means, offset = points @ step.examples.shared.T, batch.weight * h.mean(axis=0)
    d, rows, columns = step.D, *np.triu_indices(step.D)
    one, third = np.zeros((len(nodes), d, d)), np.zeros((len(nodes), len(B), d))
    fourth = np.zeros((len(nodes), len(B)))
    for begin in range(0, len(h), _ROWS):
        some = slice(begin, begin + _ROWS)
        seen, along = points @ U[some].T, batch.front @ V[some].T
        still = batch.front @ (batch.weight * h[some] - offset).T
        for k, moved in enumerate(means @ batch.front.T):
            e = along * seen[k] + still - moved[:, None]
            squares = B @ (e[rows] * e[columns])
            one[k] += e @ e.T
            third[k] += squares @ e.T
            fourth[k] += np.einsum("in,in->i", squares, squares)
    return one / len(h), third / len(h), fourth / len(h)


def _twice(matrices: Array) -> Array:
    """tr(X X) of each."""
    return np.asarray(np.einsum("iab,iba->i", matrices, matrices))


def _normal(matrices: Array) -> Array:
    """E (e^T B e)^2 of normal e, from B times its covariance."""
    return np.asarray(np.einsum("iaa->i", matrices) ** 2 + 2 * _twice(matrices))


def _nodes(d: int, even: bool = False) -> Iterator[tuple[float, Array]]:
    """Nodes and weights that are exact for polynomials of degree five under a standard normal law.

    Of a function that is even, one of two opposite nodes counts for both.

    >>> [round(sum(w * (x[0] ** 4 + 10 * x[0] ** 2 * x[1] ** 2) for w, x in _nodes(3, even)), 12)
    ...  for even in (False, True)]
    [np.float64(13.0), np.float64(13.0)]
    """
    far, near = np.sqrt(d + 2), np.sqrt((d + 2) / 2)
    one, signs = np.eye(d), (1,) if even else (1, -1)
    yield 2 / (d + 2), np.zeros(d)
    for axis, sign in itertools.product(one, signs):
        yield (4 - d) / (d + 2) ** 2 / len(signs), sign * far * axis
    for i, j in itertools.combinations(range(d), 2):
        for first, second in itertools.product(signs, (1, -1)):
            yield 2 / (d + 2) ** 2 / len(signs), near * (first * one[i] + second * one[j])
