"""What one draw makes of the next, in numbers, and what is left of a run when that is taken away.

A state y moves by y' = M y + b + noise of covariance Q, and its position is seen. What a position is
off from its prediction by all earlier ones, an innovation, depends on nothing before. So of a run of
a linear sampler with normal noise innovations are independent normal numbers of known covariance,
wherever the run began and however slowly it moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sgtheory.errors import Unstable, UnusableInput
from verification.checking.faults.variant import Numbers, Variant, abbreviated, one_step

Array = Any

_KEPT = 1e-10  # of the largest variance: directions that vary less do not vary
_STILL = 1e-12  # by which the filter's gain still changes when it is taken to be at rest
_LAGS = 1e-9  # correlations below this are none


@dataclass(frozen=True, eq=False)
class Step:
    """One step, or those between two draws; the position is D numbers of the state from ``at`` on."""

    M: Array
    Q: Array
    b: Array
    at: int
    D: int
    extra: Array = 0.0  # of the noise: what the examples' curvatures add, in Q too

    @classmethod
    def of(cls, variant: Variant, numbers: Numbers, shown: str = "theta", extra: Array = 0.0) -> Step:
        """Of updates at their numbers."""
        M, B, b = one_step(variant, abbreviated(variant, numbers))
        D = numbers.case.D
        at = [s.name for s in variant.states].index(shown) * D
        return cls(M, B @ B.T + extra, b, at, D, extra)

    def every(self, steps: int) -> Step:
        """So many steps as one."""
        M, Q, b = np.eye(len(self.M)), np.zeros_like(self.Q), np.zeros_like(self.b)
        one, noise, add, left = self.M, self.Q, self.b, steps
        while left:
            if left & 1:
                M, Q, b = one @ M, noise + one @ Q @ one.T, add + one @ b
            one, noise, add = one @ one, noise + one @ noise @ one.T, add + one @ add
            left >>= 1
        return replace(self, M=M, Q=Q, b=b)

    @property
    def seen(self) -> slice:
        """Where the position is in the state."""
        return slice(self.at, self.at + self.D)

    @cached_property
    def rest(self) -> Array:
        """Where the mean settles."""
        return np.linalg.solve(np.eye(len(self.M)) - self.M, self.b)

    @cached_property
    def settled(self) -> Array:
        """The covariance that a chain settles to; an error where it does not."""
        if not np.abs(np.linalg.eigvals(self.M)).max() < 1:
            raise Unstable("the sampler at these parameters")
        total = summed(self.M, self.Q)
        return (total + total.T) / 2

    def correlations(self, most: int) -> Array:
        """The settled autocovariances of every coordinate, (D, lags), from 0 until they vanish."""
        z, vectors = np.linalg.eig(self.M)
        left = vectors[self.seen]
        right = np.linalg.solve(vectors, self.settled[:, self.seen].astype(complex))
        weights = left * right.T
        slowest = float(np.abs(z).max())
        lags = most if slowest <= 0 else min(most, 2 + int(np.log(_LAGS) / np.log(max(slowest, 1e-300))))
        return np.asarray((weights @ z[:, None] ** np.arange(max(lags, 1))).real)


@dataclass(frozen=True, eq=False)
class Innovations:
    """A run as its step foretells it: ``whitened`` (draws, chains, D) are independent standard numbers.

    ``pulled`` is how far the step was expected to move each position, in the same units, and
    ``places`` (draws, chains, D) where it was expected to be before, from where chains rest.
    ``first`` are the first positions, whitened by the settled law.
    """

    whitened: Array
    raw: Array  # in the position's own units
    pulled: Array
    places: Array
    first: Array
    covariance: Array  # of an innovation, once the filter is at rest
    logarithm: float  # of the likelihood of all draws but the first


def summed(M: Array, Y: Array) -> Array:
    """The sum of M^t Y M^t^T over all t."""
    while np.abs(M).max() > 1e-18:
        Y, M = Y + M @ Y @ M.T, M @ M
    return Y


def whitening(covariance: Array) -> Array:
    """A matrix that makes the directions that vary independent standard numbers; a row to each."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    kept = values > _KEPT * max(float(values.max(initial=0.0)), 1e-300)
    return (vectors[:, kept] / np.sqrt(values[kept])).T


def innovations(step: Step, positions: Array) -> Innovations:
    """Of positions (chains, draws, D), by the Kalman filter; the first draw is taken as settled."""
    x = np.moveaxis(positions, 1, 0)
    rest, P, H = step.rest, step.settled, step.seen
    first = (x[0] - rest[H]) @ whitening(P[H, H]).T
    if len(step.M) == step.D:
        return _seen_whole(step, x, first)
    n, chains, D = x.shape
    mean = np.broadcast_to(rest, (chains, len(rest)))
    mean, P = _updated(mean, P, x[0] - mean[:, H], H)
    found = np.empty((3, n - 1, chains, D))
    total, S, at_rest, known = 0.0, P[H, H], False, None
    for k in range(1, n):
        ahead = mean @ step.M.T + step.b
        if not at_rest:
            before = P
            P = step.M @ P @ step.M.T + step.Q
            S = (P[H, H] + P[H, H].T) / 2
            white = np.linalg.inv(_lower(S))
            gain = P[:, H] @ white.T @ white
            height = float(np.log(np.diag(white)).sum())
            P = _known(P, gain, H)
            at_rest = bool(np.abs(P - before).max() <= _STILL * np.abs(P).max())
            known = white, gain, height
        assert known is not None
        white, gain, height = known
        off = x[k] - ahead[:, H]
        found[0, k - 1] = off @ white.T
        found[1, k - 1] = (ahead - mean)[:, H] @ white.T
        found[2, k - 1] = mean[:, H] - rest[H]
        mean = ahead + off @ gain.T
        total += height * chains
    total -= float((found[0] ** 2).sum()) / 2
    lower = _lower(S)
    values, vectors = np.linalg.eigh(S)
    turn = (vectors / np.sqrt(values)) @ vectors.T @ lower  # to the root that keeps coordinates apart
    whitened, pulled = found[0] @ turn.T, found[1] @ turn.T
    return Innovations(whitened, found[0] @ lower.T, pulled, found[2], first, S, total)


def _lower(S: Array) -> Array:
    """The triangular root of the covariance of an innovation."""
    try:
        return np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        raise without_noise() from None


def without_noise() -> UnusableInput:
    """What is said where a direction has no noise, so that nothing about it is left to chance."""
    wanted, got = (
        "a sampler whose noise reaches every coordinate",
        "one with directions that none reaches",
    )
    return UnusableInput(wanted, got, "give a noise of full rank, or audit the coordinates that move")


def _updated(mean: Array, P: Array, off: Array, H: slice) -> tuple[Array, Array]:
    """What a first look at the position says of the whole state."""
    gain = P[:, H] @ np.linalg.pinv(P[H, H], hermitian=True)
    return mean + off @ gain.T, _known(P, gain, H)


def _known(P: Array, gain: Array, H: slice) -> Array:
    """What is left of a covariance once the position is seen, in the form that stays positive."""
    left = np.eye(len(P))
    left[:, H] -= gain
    found = left @ P @ left.T
    return (found + found.T) / 2


def _seen_whole(step: Step, x: Array, first: Array) -> Innovations:
    """Of a sampler whose state is its position: nothing is hidden, and nothing to be filtered."""
    values, vectors = np.linalg.eigh(step.Q)
    kept = values > _KEPT * max(float(values.max(initial=0.0)), 1e-300)
    root = np.where(kept, np.sqrt(np.where(kept, values, 1.0)), np.inf)
    white = (vectors / root) @ vectors.T
    places = x[:-1] - step.rest
    pulled = places @ (step.M - np.eye(step.D)).T
    raw = x[1:] - x[:-1] - pulled
    whitened = raw @ white.T
    heights = float(np.log(values[kept]).sum()) / 2 if kept.any() else 0.0
    total = -heights * whitened[..., 0].size - float((whitened**2).sum()) / 2
    return Innovations(whitened, raw, pulled @ white.T, places, first, step.Q, total)
