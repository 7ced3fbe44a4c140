"""The modes of a sampler on a problem, and what the spread of examples' curvatures does along them.

Exactly, that spread maps D x D matrices to such, and a product meets all examples. Nearly, it is known
from its action on second moments that are diagonal in modes, a D x D table: noise that two modes share
is taken to have the shape that it has for second moments in proportion to the posterior's. So a search
sees the law in D^2 operations, and the exact one is found from it in a few products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from sgtheory.datamodels.data import Examples
from sgtheory.declare import Noise, Spread
from sgtheory.errors import Unstable
from sgtheory.numbers.modes import Modes, modes_of, solve
from sgtheory.onestep.affine import CURVATURE, mode_form, one_step
from sgtheory.onestep.full import Array, scalar
from sgtheory.onestep.momentstep import Cycle, Moments
from sgtheory.problem import Values
from sgtheory.setting import Setting

_MOST = 80  # products with all examples until the exact law is found
RESIDUAL = 1e-9  # of it, in units of its own standard deviations
_ROWS = 1024  # examples at a time
_ROUNDED = 1e-7  # of an eigenvalue of correlations
_LEAST = 1e-4  # of the deviation that a mode would have with the noise of the others: a unit's least


@dataclass(frozen=True, eq=False)
class Table:
    """The noise of modes (D, D) that second moments of modes make, for one example's gradient."""

    alone: Array  # of mode j from the second moment of mode k
    shared: Array  # of pairs of modes, nothing along the diagonal, at the reference
    size: Array  # of second moments: 1 at the reference

    @classmethod
    def of(cls, examples: Examples, basis: Array, reference: Array) -> Table:
        """For modes that are the columns of a basis, and second moments to which shapes belong."""
        _, U, V = examples.floats
        assert U is not None
        assert V is not None
        alone, shared = np.zeros((2, len(reference), len(reference)))
        for begin in range(0, examples.N, _ROWS):
            u, v = U[begin : begin + _ROWS] @ basis, V[begin : begin + _ROWS] @ basis
            squares = u**2
            alone += (v**2).T @ squares
            shared += (v * (squares @ reference)[:, None]).T @ v
        mean = basis.T @ examples.shared @ basis
        alone = np.maximum(alone / examples.N - mean**2, 0.0)
        shared = shared / examples.N - (mean * reference) @ mean.T
        np.fill_diagonal(shared, 0.0)
        size = alone.sum(axis=0)
        return cls(alone, shared, size / (size @ reference or 1.0))

    def __call__(self, second: Array, places: Array) -> Array:
        """Of the modes at some places, from the second moments of all."""
        found = (self.size @ second) * self.shared[np.ix_(places, places)]
        np.fill_diagonal(found, self.alone[places] @ second)
        return found


@dataclass(frozen=True, eq=False)
class Frame:
    """What is the same for all numbers of a sampler that change no matrix."""

    setting: Setting
    values: Values
    first: Modes

    @classmethod
    def of(cls, setting: Setting, values: Values) -> Frame:
        """The frame of a sampler at its numbers, with one eigenbasis for all."""
        return cls(setting, values, modes_of(mode_form(setting), values))

    def at(self, values: Values) -> Frame:
        """The frame at other numbers."""
        if values.arrays is not self.values.arrays or values.examples is not self.values.examples:
            return Frame.of(self.setting, values)
        found = Frame(self.setting, values, self.first.at(values))
        if "table" in vars(self):
            vars(found)["table"] = self.table
        return found

    @cached_property
    def table(self) -> Table:
        """What curvatures do to the second moments of modes."""
        place = [s.name for s in self.first.form.states].index("theta")
        eigenvalues = self.first.eigenvalues
        reference = 1 / np.maximum(eigenvalues, 1e-12 * eigenvalues.max())
        return Table.of(self.values.examples, self.first.bases[place], reference)

    @cached_property
    def coarse(self) -> Coarse:
        """The law nearly."""
        entering = _entering(self.setting, self.values, self.first.eigenvalues)
        share = float(self.values.scalars["f"] / self.values.scalars["S"])
        return Coarse(self.first.M(), entering, share, self.table if entering else None)


@dataclass(frozen=True, eq=False)
class Coarse:
    """A step's second moments with noise from a table; without one, as where curvatures are alike.

    Each minibatch is a pair: how its gradient enters the states along a mode (D, m), and at which
    combination of the states it is taken (m).
    """

    M: Array
    entering: tuple[tuple[Array, Array], ...]
    share: float
    table: Table | None

    def solve(self, Q: Array) -> Array:
        """Pair blocks that a step leaves as they are, for additive noise in pair blocks."""
        if self.table is None:
            return solve(self.M, Q, "discrete")
        diagonal = np.arange(len(self.M))
        return solve(self.M, Q + self.added(self.seen(Q[diagonal, diagonal])), "discrete")

    def seen(self, noise: Array) -> Array:
        """The settled second moments where gradients are taken, (minibatches, D), for additive noise
        of every mode, (D, m, m)."""
        found = self._inverse @ self._seen(_alone(self.M, noise)).ravel()
        return np.asarray(found.reshape(len(self.entering), -1))

    def added(self, seen: Array, places: Array | None = None) -> Array:
        """The noise in pair blocks that second moments make, of all modes or of those at places."""
        assert self.table is not None
        some = np.arange(len(self.M)) if places is None else places
        total = np.zeros((len(some), len(some), *self.M.shape[1:]))
        for (front, _), second in zip(self.entering, seen, strict=True):
            columns = front[some][:, None, :, None] * front[some][None, :, None, :]
            total += (self.share * self.table(second, some))[:, :, None, None] * columns
        return total

    def _seen(self, blocks: Array) -> Array:
        """The second moments of the points where gradients are taken: (minibatches, D)."""
        return np.stack([(blocks @ point) @ point for _, point in self.entering])

    @cached_property
    def _inverse(self) -> Array:
        """From second moments that additive noise makes to those that all noise makes."""
        assert self.table is not None
        d, count = len(self.M), len(self.entering)
        whole = np.eye(count * d).reshape(count, d, count, d)
        for k, (front, _) in enumerate(self.entering):
            made = self._seen(_alone(self.M, front[:, :, None] * front[:, None, :]))
            whole[:, :, k] -= self.share * made[:, :, None] * self.table.alone[None]
        return np.linalg.inv(whole.reshape(count * d, count * d))


def _alone(M: Array, Q: Array) -> Array:
    """The settled second moments of modes, each by itself: (D, m, m)."""
    d, m, _ = M.shape
    system = np.eye(m * m) - np.einsum("iac,ibd->iabcd", M, M).reshape(d, m * m, m * m)
    return np.linalg.solve(system, Q.reshape(d, m * m, 1)).reshape(d, m, m)


def _entering(setting: Setting, values: Values, eigenvalues: Array) -> tuple[Any, ...]:
    """The minibatches of a step; none where one enters in a way that has no table."""
    found, names = [], list(setting.state)
    for terms in _places(setting) or ():
        fronts = np.zeros((len(names), len(names), len(eigenvalues)))
        for target, source, power, coefficient in terms:
            value = scalar(coefficient, values)
            fronts[names.index(target), names.index(source)] += value * eigenvalues**power
        a, s, _ = np.unravel_index(np.abs(fronts).argmax(), fronts.shape)
        point = fronts[a, :, 0] / fronts[a, s, 0]
        front = fronts[:, s]
        if not np.allclose(fronts, front[:, None] * point[None, :, None], rtol=1e-9, atol=0):
            return ()
        found.append((front.T, point))
    return tuple(found)


@cache
def _places(setting: Setting) -> tuple[tuple[Any, ...], ...] | None:
    """For every minibatch of a step (state, source, power of the curvature in front, coefficient)."""
    gain = mode_form(setting).gain
    unit = (CURVATURE,) if gain is None else (gain, CURVATURE)
    found: dict[int, list[Any]] = {}
    for target, form in one_step(setting).items():
        for (word, source), coefficient in form.items():
            split = [k for k, letter in enumerate(word) if isinstance(letter, Spread)]
            if not split:
                continue
            front, power = word[: split[0]], 0
            while front[: len(unit)] == unit:
                front, power = front[len(unit) :], power + 1
            plain = front == (() if gain is None else (gain,)) and word[split[0] + 1 :] == ()
            if not plain or isinstance(source, Noise) or source not in setting.state:
                return None
            found.setdefault(word[split[0]].draw, []).append((target, source, power, coefficient))
    return tuple(tuple(terms) for _, terms in sorted(found.items()))


def nearly(frame: Frame, places: Array | None = None) -> Array:
    """Pair blocks of the settled covariance, of all modes or some, with the noise from the table."""
    modes, coarse = frame.first, frame.coarse
    # second moments of noise in every direction are positive exactly where the chain is stable
    if not (coarse.seen(_noise(modes, modes.eigenvalues)) > 0).all():
        raise Unstable(f"{frame.setting.sampler.name} is unstable in mean square")
    seen = coarse.seen(_noise(modes))
    some = modes if places is None else modes.only(places)
    return solve(some.M(), some.Q() + coarse.added(seen, places), "discrete")


def _noise(modes: Modes, sizes: Array | None = None) -> Array:
    """What a step adds to each mode by itself, (D, m, m), or what it would for noises of some sizes."""
    total = np.zeros(modes.M().shape)
    for shared, c in modes.columns:
        own = shared.diagonal() if sizes is None else sizes
        total += own[:, None, None] * c[0][:, :, None] * c[0][:, None, :]
    return total


def settled(frame: Frame, cycle: Cycle, resting: Array) -> Array:
    """The pair blocks of the settled covariance on real minibatches, to a residual that is stated.

    What a step does to covariances keeps them positive, so a solution is negative somewhere only where
    the chain is unstable in mean square, and where it is positive in all directions the chain is stable.
    Of a direction without noise rounding says neither: noise in every direction is then asked about.
    """
    modes, coarse, at_rest = frame.first, frame.coarse, np.outer(resting, resting)
    name, zero = frame.setting.sampler.name, np.zeros(cycle.size)
    everywhere = _noise(modes, modes.eigenvalues)
    scale = np.sqrt(np.einsum("iaa->ia", _alone(coarse.M, everywhere)))

    def at_once(second: Array) -> Array:
        return coarse.solve(modes.to_modes(second))

    def left(blocks: Array) -> Array:
        second = modes.to_coordinates(blocks)
        return at_once(second - cycle(Moments(zero, second), homogeneous=True).second)

    found, least = _solved(name, left, at_once(cycle(Moments(resting, at_rest)).second - at_rest), scale)
    if not least > _ROUNDED * cycle.size:
        alone = np.zeros(found.shape)
        alone[np.arange(len(alone)), np.arange(len(alone))] = everywhere
        _, least = _solved(name, left, coarse.solve(alone), scale)
    if not least >= -_ROUNDED * cycle.size:
        raise Unstable(f"{name} is unstable in mean square")
    return modes.to_modes(modes.to_coordinates(found))


def _solved(
    name: str, left: Callable[[Array], Array], right: Array, scale: Array
) -> tuple[Array, float]:
    """The solution, and the least eigenvalue of its correlations.

    What is left of the equation is made least over the directions that were tried, each the law that
    the coarse noise gives for what was left before. All is counted in deviations, and where a mode has
    hardly any noise, in a small part of what it would have with the noise of the others.
    """
    spread = np.sqrt(np.abs(np.einsum("iiaa->ia", right)))
    of_all = np.divide(spread, scale, out=np.zeros(scale.shape), where=scale > 0).max()
    spread = np.maximum(spread, _LEAST * of_all * scale)
    unit = spread[:, None, :, None] * spread[None, :, None, :]
    unit = np.where(unit > 0, unit, 1.0)
    if not np.isfinite(unit).all():
        raise Unstable(f"{name} is unstable in mean square")
    found, rest = right / unit, (right - left(right)) / unit
    tried: list[tuple[Array, Array]] = []
    for _ in range(_MOST):
        if np.abs(rest).max() <= RESIDUAL * max(np.abs(found).max(), 1e-300):
            break
        direction, seen = rest, left(rest * unit) / unit
        for one, other in tried:
            share = np.vdot(other, seen)
            direction, seen = direction - share * one, seen - share * other
        length = np.linalg.norm(seen)
        if not length > 0:
            break
        tried.append((direction / length, seen / length))
        share = np.vdot(tried[-1][1], rest)
        found, rest = found + share * tried[-1][0], rest - share * tried[-1][1]
    else:
        raise Unstable(f"{name} is unstable in mean square, or nearly so")
    flat = found.transpose(0, 2, 1, 3).reshape((scale.size,) * 2)
    return found * unit, float(np.linalg.eigvalsh((flat + flat.T) / 2).min())
