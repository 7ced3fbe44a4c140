"""What is not quadratic about a model: the error once more, with what a run meets.

The quadratic at the mode has the curvature and the gradient noise of one point. A chain goes about, and
what moves its mean and its covariance are averages over where it goes. With these in their place, and
the mean where the averaged gradient vanishes, a chain has the moments that the model has to second order
in what is not quadratic, as far as steps are short. How much that changes an error is what it is told to
be uncertain by.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sgtheory.advice.arms import Arm
from sgtheory.advice.caring import AVERAGED
from sgtheory.advice.posed import quadratic
from sgtheory.advice.records import Beyond, Option
from sgtheory.datamodels.newton import Loss
from sgtheory.numbers.observables import position
from sgtheory.onestep.full import Array, symmetric_root
from sgtheory.reader import exact
from sgtheory.reader.exact import Matrix

_NUMBERS = 2e9  # products that a look at a loss may take
_TURNS = 3
_SMALL = 0.5
_ROUNDED = 1e-12  # of a matrix, far more than roundings of its sums


def beyond(option: Option, arm: Arm) -> Beyond | None:
    """The same numbers on the quadratic that a run meets; None where a model is one, or it diverges."""
    posed, care = arm.posed, arm.care
    asked, numbers = posed.asked, option.numbers
    if not asked.model.nonlinear or asked.model.shape or care.what not in AVERAGED:
        return None
    loss = Loss.of(asked.model, asked.data, asked.numbers)
    mode, shift, chain = posed.centre, np.zeros(asked.D), option.chain
    draws = _draws(len(loss.X), asked.D)
    for _ in range(_TURNS):
        covariance = _covariance(chain)
        points = mode + shift + draws @ symmetric_root(covariance)
        A, C, gradient = _averages(loss, points)
        A = A + _by_skewness(loss, mode + shift, covariance)
        sizes = np.linalg.eigvalsh(A)
        if not sizes[0] > _ROUNDED * sizes[-1]:  # a chain that is so far out that nothing holds it
            return None
        met = quadratic(_exact(A), exact.semidefinite(_exact(C)), posed.problem.sizes)
        shift = shift - np.linalg.solve(np.array(met.matrices["A"], float), gradient)
        there = replace(arm, posed=replace(posed, problem=met, away=posed.away - shift))
        found = there.chain(there.at(numbers), follow=True)
        if found is None:
            return None
        chain = found
    at_mode, averaged = (
        bias**2 + variance
        for bias, variance in (
            care.parts(option.chain, option.schedule, posed.truth),
            care.parts(chain, option.schedule, posed.truth, shift),
        )
    )
    return Beyond(at_mode, averaged)


def _covariance(run: Any) -> Array:
    """The settled covariance of theta; of two runs, that of the one with longer steps."""
    chain = getattr(run, "coarse", run)
    found: Array = position(chain.modes, chain.settled)
    return (found + found.T) / 2


def _draws(N: int, D: int) -> Array:
    """Points as far out as normal draws are, at right angles: as many as a look may take.

    Of all directions their second moments are the identity; of some, in the mean over which these are.
    """
    pairs = int(np.clip(_NUMBERS / (2 * N * D**2), 1, D))
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(D, D)))[0]
    half = D**0.5 * turned[:pairs]
    return np.concatenate([half, -half])


def _by_skewness(loss: Loss, centre: Array, covariance: Array) -> Array:
    """What the skewness of a law adds to the curvature that moves its covariance.

    With T the third derivatives, a law of covariance S has the third cumulants -A^(-1) T S S, made
    symmetric: at equilibrium exactly to first order. They enter the covariance as T times these, halved.
    Where that is no small part of the curvature, it says nothing, and is left out. So it is where
    T is of so many dimensions that it would take gigabytes, or of so many examples that it takes long.
    """
    from scipy.linalg import solve_continuous_lyapunov

    (N, D), A = loss.X.shape, loss.curvature(centre)
    if (N + D) * D**3 > 5 * _NUMBERS or not np.linalg.eigvalsh(A)[0] > 0:
        return np.zeros_like(A)
    T = loss.third(centre)
    one = np.einsum("ia,abc,bl,cm->ilm", np.linalg.inv(A), T, covariance, covariance, optimize=True)
    skewness = -(one + one.transpose(1, 0, 2) + one.transpose(1, 2, 0)) / 3
    moved = np.einsum("klm,ilm->ki", T, skewness) / 2
    found: Array = solve_continuous_lyapunov(covariance, moved + moved.T)
    small = np.abs(np.linalg.eigvals(np.linalg.solve(A, found))).max() < _SMALL
    return found if small else np.zeros_like(A)


def _averages(loss: Loss, points: Array) -> tuple[Array, Array, Array]:
    """Curvature, gradient noise and gradient, in the mean over some points."""
    D = points.shape[1]
    A, C, gradient = np.zeros((D, D)), np.zeros((D, D)), np.zeros(D)
    for point in points:
        rows = loss.rows(point)
        mean = rows.mean(axis=0)
        A += loss.curvature(point) / len(points)
        C += ((rows - mean).T @ (rows - mean)) / (len(rows) * len(points))
        gradient += mean / len(points)
    return A, C, gradient


def _exact(m: Array) -> Matrix:
    return exact.matrix((m + m.T) / 2, "an average")
