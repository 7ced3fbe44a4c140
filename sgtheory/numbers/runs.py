"""One run of finite length: what its averages are, from its start and after a burn-in, exactly.

With y the distance from where a chain's mean settles, E[y_t y_u^T] = M^(t-u) E[y_u y_u^T] for t > u. So
the mean square of a sum over n steps follows from E[y_u y_u^T] = P + Delta_u, P the settled covariance.
What the start leaves, Delta_u, enters by two sums: of Delta_u, and of M^(n-u+1) Delta_u.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.errors import Unstable
from sgtheory.numbers import lags, multiplicative
from sgtheory.numbers import squares as squares_of
from sgtheory.numbers.frame import Frame, nearly
from sgtheory.numbers.frame import settled as on_minibatches
from sgtheory.numbers.modes import Modes, push, solve
from sgtheory.numbers.observables import position, power_sums
from sgtheory.onestep.affine import has_spread
from sgtheory.onestep.full import Array, Means, scalar, start
from sgtheory.onestep.momentstep import Cycle, cycle_of
from sgtheory.problem import Values
from sgtheory.setting import Setting

_EXACT = 400  # numbers that a step moves, up to which real minibatches are followed from the start
_COUNTED = 128  # numbers that a chain keeps, up to which scatters count the start
_STRETCHES = 8  # binary digits of how many stretches a run is cut into


@dataclass(frozen=True)
class Schedule:
    """Which steps of a run are kept: after ``burn_in`` steps, ``kept`` of them, every so many."""

    burn_in: int
    kept: int
    every: int = 1

    @property
    def steps(self) -> int:
        """How long the run is.

        >>> Schedule(100, 50, 2).steps
        200
        """
        return self.burn_in + self.kept * self.every

    @property
    def finer(self) -> Schedule:
        """The same time in steps of half the length.

        >>> Schedule(100, 50, 2).finer
        Schedule(burn_in=200, kept=100, every=2)
        """
        return Schedule(2 * self.burn_in, 2 * self.kept, self.every)


@dataclass(frozen=True, eq=False)
class RunAverage:
    """The mean of theta over a run's kept steps: how far it is from the mode, and how it scatters.

    ``squares`` is the expected sample covariance of theta over those steps.
    """

    bias: Array
    covariance: Array
    squares: Array

    @property
    def mean_square(self) -> Array:
        """E[(average - mode)(average - mode)^T]."""
        return self.covariance + np.outer(self.bias, self.bias)


@dataclass(frozen=True, eq=False)
class Chain:
    """A stable sampler at its numbers, with the law that it settles to and where it starts.

    On real minibatches the noise of a step depends on where the chain is. ``follow`` says to count that
    from the first step on; without it the noise is all along what it is once the chain has settled.

    >>> from sgtheory import registry
    >>> from sgtheory.problem import Problem
    >>> problem = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 10, "S": 1,
    ...                       "params": {"eps": "1/2"}, "start": {"theta": [4]}})
    >>> sgd = registry.sampler("sgd")
    >>> chain = Chain.of(Setting(sgd, problem.model), problem.values(sgd))
    >>> chain.average(Schedule(0, 2)).bias, chain.average(Schedule(0, 2)).covariance
    (array([1.5]), array([[0.203125]]))
    """

    modes: Modes
    settled: Array  # pair blocks
    resting: Array  # (D, m): where the mean settles, in modes, from the mode of the loss
    mean: Array  # (D, m): of the start, in modes, from there
    second: Array  # pair blocks of the start's mean square, from there
    moments: _Followed | None = None
    from_start: bool = True  # whether scatters count the start
    by_examples: bool = False  # and the examples' fourth moments
    sharpness: float = float("nan")  # N over the temperature of what the sampler is after

    @classmethod
    def of(
        cls,
        setting: Setting,
        values: Values,
        follow: bool = False,
        roughly: bool = False,
        frame: Frame | None = None,
        places: Array | None = None,
    ) -> Chain:
        """The chain of a setting; an error where it does not settle.

        ``roughly`` is for a search: the noise of examples' curvatures is taken from a table, and only
        the modes at some ``places`` are looked at. A frame of the setting at other numbers saves time.
        """
        here = frame.at(values) if frame is not None else Frame.of(setting, values)
        modes = here.first
        if not np.abs(np.linalg.eigvals(modes.M())).max() < 1:
            raise Unstable(f"{setting.sampler.name} is unstable")
        driven = Means.of(setting, values, "discrete", 1)
        resting = driven.resting if driven is not None else np.zeros(modes.bases.shape[0] * values.D)
        mean, covariance = start(setting, values)
        sharpness = float(values.scalars.get("N", float("nan")))
        sharpness *= scalar(sp.sympify(setting.sampler.target[0]), values)
        cycle = None
        if has_spread(setting) and not (roughly and here.coarse.table is not None):
            cycle = cycle_of(setting, values, 1)
            settled = on_minibatches(here, cycle, resting)
        elif has_spread(setting):
            settled = nearly(here, places)
        else:
            some = modes if places is None else modes.only(places)
            settled = solve(some.M(), some.Q(), "discrete")
        followed = None
        if follow and cycle is not None and _moved(cycle.size) <= _EXACT:
            stacked = modes.to_coordinates(settled)
            followed = _Followed(modes, cycle, resting, stacked, mean, covariance)
        rest, away = _in_modes(modes, resting), _in_modes(modes, mean - resting)
        begun = modes.to_modes(covariance, places) if covariance.any() else np.zeros(1)
        if places is not None:
            if len(settled) > len(places):
                settled = settled[np.ix_(places, places)]
            modes, rest, away = modes.only(places), rest[places], away[places]
        second = begun + away[:, None, :, None] * away[None, :, None, :]
        return cls(modes, settled, rest, away, second, followed, not roughly, sharpness=sharpness)

    def average(self, schedule: Schedule) -> RunAverage:
        """The mean over a schedule's kept steps: its bias, and its covariance from run to run."""
        n, M = schedule.kept, np.linalg.matrix_power(self.modes.M(), schedule.every)
        one = np.eye(M.shape[1])
        plain, weighted = power_sums(M, n)
        weighted = weighted - n * one
        added, moved, later = self._left(schedule, M, M @ plain)
        inverse = np.linalg.inv(one - M)
        across = inverse[:, None] @ (added - later)
        total = n * self.settled + weighted[:, None] @ self.settled
        total = total + self.settled @ weighted[None].transpose(0, 1, 3, 2)
        total = total + across + across.transpose(1, 0, 3, 2) - added
        bias = self._to_theta(moved / n)
        mean_square = position(self.modes, total / n**2)
        squares = position(self.modes, self.settled + added / n) - mean_square
        covariance = mean_square - np.outer(bias, bias)
        return RunAverage(bias + self._to_theta(self.resting), (covariance + covariance.T) / 2, squares)

    def products(self, schedule: Schedule) -> Array:
        """The expected mean of (theta - mode)(theta - mode)^T over a schedule's kept steps."""
        found = self.average(schedule)
        return found.squares + found.mean_square

    @property
    def quick(self) -> Chain:
        """The same with settled noise from the first step on, in scatters without the start too."""
        return replace(self, moments=None, from_start=False)

    @property
    def counts_start(self) -> bool:
        """Whether scatters count the start."""
        return self.from_start and self.mean.size <= _COUNTED

    @property
    def followed(self) -> bool:
        """Whether real minibatches are followed from the start."""
        return self.moments is not None

    def at(self, steps: int) -> tuple[Array, Array]:
        """Mean, from the mode, and covariance of theta after a number of steps."""
        M = np.linalg.matrix_power(self.modes.M(), steps)
        mean = self._to_theta((M @ self.mean[:, :, None])[:, :, 0])
        second = self.settled + push(M, self.second - self.settled)
        covariance = position(self.modes, second) - np.outer(mean, mean)
        return mean + self._to_theta(self.resting), (covariance + covariance.T) / 2

    def _left(self, schedule: Schedule, M: Array, sums: Array) -> tuple[Array, Array, Array]:
        """What the start leaves: sums over kept steps of Delta_u, of the mean, of M^(n-u+1) Delta_u.

        ``sums`` are those of M^u.
        """
        if self.moments is not None:
            return self.moments.left(schedule)
        n, burnt = schedule.kept, np.linalg.matrix_power(self.modes.M(), schedule.burn_in)
        away = push(burnt, self.second - self.settled)
        through = np.linalg.matrix_power(M, n)
        limit = solve(M, push(M, away), "discrete")
        added = limit - push(through, limit)
        later = (M @ through)[:, None] @ away @ sums[None].transpose(0, 1, 3, 2)
        moved = (sums @ burnt @ self.mean[:, :, None])[:, :, 0]
        return added, moved, later

    def _to_theta(self, inner: Array) -> Array:
        k = [s.name for s in self.modes.form.states].index("theta")
        return self.modes.bases[k] @ inner[:, k]

    @cached_property
    def _spectrum(self) -> tuple[Array, Array, Array]:
        """Eigenvalues of all M, and what is left and right of them in an autocovariance of theta."""
        k = [s.name for s in self.modes.form.states].index("theta")
        eigenvalues, vectors = np.linalg.eig(self.modes.M())
        return eigenvalues, vectors[:, k], np.linalg.inv(vectors)

    def scatter(self, schedule: Schedule, directions: Array) -> Array:
        """The variance from run to run of the sample variances along some directions (rows).

        As of normal chains: exact where all noise is normal. For a search, and in many dimensions, as
        once they have settled.
        Of a sharpened chain, times what squares scatter more in the long run on real minibatches.
        """
        z, weights = self._autocovariances(directions, directions)
        more = self._beyond_normal(directions, z, weights)
        once, z, n = z, z**schedule.every, schedule.kept
        W, R = lags.pairs_of_lags(z, n)
        divided = weights / (1 - z)
        squares, rows = ((weights @ W) * weights).sum(axis=1), ((divided @ R) * divided).sum(axis=1)
        whole = weights @ (2 * lags.ramp(z, n) - n)
        found = (2 / n**2 * (squares - 2 / n * rows + whole**2 / n**2)).real
        if self.counts_start:
            begun = self._begun(directions, once**schedule.burn_in)
            whole_run = found + lags.from_start(z, n, weights, whole, *begun)
            found = np.where(
                whole_run > 0, whole_run, found
            )  # a chain that hardly moves is all rounding
        return np.asarray(more * found)

    def _begun(self, directions: Array, burnt: Array) -> tuple[Array, Array]:
        """What the start leaves along directions: matrices C and vectors b such that second moments are
        those of the settled chain and the sum of C_pq z_p^t z_q^u, and the mean that of b_p z_p^t."""
        k = [s.name for s in self.modes.form.states].index("theta")
        _, left, inverse = self._spectrum
        parts = ((directions @ self.modes.bases[k])[:, :, None] * left).reshape(len(directions), -1)
        parts = parts * burnt
        size = parts.shape[1]
        away = inverse[:, None] @ (self.second - self.settled) @ inverse[None].swapaxes(-1, -2)
        away = away.transpose(0, 2, 1, 3).reshape(size, size)
        mean = (inverse @ self.mean[:, :, None]).reshape(size)
        return parts[:, :, None] * away * parts[:, None, :], parts * mean

    @property
    def sharpened(self) -> Chain:
        """The same where squares scatter by the examples' fourth moments, if that is known."""
        followed = self.moments
        known = followed is not None and squares_of.is_known(followed.cycle, followed.resting)
        return replace(self, by_examples=known)

    def _beyond_normal(self, directions: Array, z: Array, weights: Array) -> Any:
        """The variance of long sums of squares over that of a normal chain's, for each direction."""
        followed = self.moments
        if followed is None or not self.by_examples:
            return 1.0
        x = z[:, None] * z[None]
        normal = 2 * ((weights @ ((1 + x) / (1 - x))) * weights).sum(axis=1).real
        how = (followed.cycle, followed.map, followed.settled)
        return squares_of.long_run(*how, directions) / normal

    def scatter_of_quadratic(self, schedule: Schedule, B: Array, centre: Array) -> float:
        """The variance from run to run of the mean of theta^T B theta, ``centre`` being the mode.

        The part that is linear about where the chain settles is exact from the start on; the other is
        as of normal chains that have settled.
        """
        weights, axes = np.linalg.eigh(B)
        some = np.abs(weights) > 1e-14 * np.abs(weights).max()
        weights, axes = weights[some], axes.T[some]
        r, n = len(weights), schedule.kept
        z, crossed = self._autocovariances(np.repeat(axes, r, axis=0), np.tile(axes, (r, 1)))
        W, _ = lags.pairs_of_lags(z**schedule.every, n)
        squares = ((crossed @ W) * crossed).sum(axis=1).real.reshape(r, r)
        slope = 2 * B @ (centre + self._to_theta(self.resting))
        linear = slope @ self.average(schedule).covariance @ slope
        return float(linear + 2 / n**2 * weights @ squares @ weights)

    def _autocovariances(self, later: Array, now: Array) -> tuple[Array, Array]:
        """z and w such that along two directions the autocovariance at lag k is the sum of w_ip z_p^k.

        Row i of ``later`` is the direction k steps after that of row i of ``now``.
        """
        k = [s.name for s in self.modes.form.states].index("theta")
        z, left, inverse = self._spectrum
        along = now @ self.modes.bases[k]  # of each direction, its part in each mode
        right = np.tensordot(along, self.settled[:, :, :, k], (1, 1))
        seen = (inverse @ right[..., None])[..., 0]
        weights = (later @ self.modes.bases[k])[:, :, None] * left[None] * seen
        return z.ravel(), weights.reshape(len(now), -1)


def _in_modes(modes: Modes, stacked: Array) -> Array:
    d, m = modes.size
    return (modes.inverses @ stacked.reshape(m, d, 1))[:, :, 0].T


def _moved(n: int) -> int:
    return int(1 + n + n * (n + 1) // 2)


@dataclass(frozen=True, eq=False)
class _Followed:
    """Mean and second moments of a chain on real minibatches, moved together from its start."""

    modes: Modes
    cycle: Cycle
    resting: Array
    settled: Array
    mean: Array
    covariance: Array

    def left(self, schedule: Schedule) -> tuple[Array, Array, Array]:
        """As ``Chain._left``: by doubling the operator that sums what is left, step by step."""
        n, K = self.cycle.size, self.map
        second = self.covariance + np.outer(self.mean, self.mean)
        begun = np.r_[1.0, self.mean, multiplicative.pack(second)]
        begun = _moved_on(K, begun, schedule.burn_in)
        K = np.linalg.matrix_power(K, schedule.every)
        M = K[1 : n + 1, 1 : n + 1]
        total, carried = _sums(K, M, self.away, begun, schedule.kept)
        added = (self.away @ total).reshape(n, n)
        mean = total[1 : n + 1] - schedule.kept * self.resting
        found, later = self.modes.to_modes(added), self.modes.to_modes(M @ carried)
        return found, _in_modes(self.modes, mean), later

    @cached_property
    def map(self) -> Array:
        """One step on (1, mean, second moments about the mode)."""
        return multiplicative.affine(self.cycle)

    @cached_property
    def away(self) -> Array:
        """Delta from those, as a matrix."""
        r, n = self.resting, self.cycle.size
        units = np.eye(_moved(n))
        shift = r[:, None] * units[:, None, 1 : n + 1]
        found = multiplicative.unpack(units[:, n + 1 :], n) - shift - shift.swapaxes(1, 2)
        found[0] += np.outer(r, r) - self.settled
        return np.ascontiguousarray(found.reshape(len(units), -1).T)


def _moved_on(K: Array, begun: Array, n: int) -> Array:
    """K^n on a vector: long stretches of steps as matrices, of which a few hundred at most are taken."""
    doublings = max(n.bit_length() - _STRETCHES, 0)
    for bit in range(doublings):
        begun = K @ begun if n >> bit & 1 else begun
        K = K @ K
    for _ in range(n >> doublings):
        begun = K @ begun
    return begun


def _sums(K: Array, M: Array, away: Array, begun: Array, n: int) -> tuple[Array, Array]:
    """The sum of K^u begun, and that of M^(n-u) away K^u begun, a matrix, for u from 1 to n.

    Sums over stretches of steps are doubled as matrices that act on where a stretch begins.
    """
    size, total, later = len(M), np.zeros(len(K)), np.zeros_like(M)
    plain, carried = K, away @ K  # of a stretch, and K and M become its powers
    doublings = max(n.bit_length() - _STRETCHES, 0)
    for bit in range(doublings + 1):
        for _ in range(n >> bit if bit == doublings else n >> bit & 1):
            total = total + plain @ begun
            later = M @ later + (carried @ begun).reshape(size, size)
            begun = K @ begun
        if bit < doublings:
            front = (M @ carried.reshape(size, -1)).reshape(carried.shape)
            plain, carried = plain + plain @ K, front + carried @ K
            K, M = K @ K, M @ M
    return total, later
