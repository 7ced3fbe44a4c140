"""Third and fourth moments of the stationary law, exactly: how far from Gaussian it is.

With Gaussian noise an affine chain is Gaussian. On real minibatches an update is y' = (R + X) y + g with
y = (z, 1), X the mean of one centred matrix per example of the minibatch, and g Gaussian. The mean of a
product of four coordinates of y' is then a polynomial of degree four in y: what R makes of it, plus the
cumulants of X y + g. So the moments up to the fourth obey a linear equation among themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from sgtheory import registry
from sgtheory.datamodels.data import Examples
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.numbers.forms import Index, multiply, places, powers, symbols
from sgtheory.numbers.modes import period_of
from sgtheory.onestep.affine import mode_form
from sgtheory.onestep.full import Array
from sgtheory.onestep.momentstep import Cycle, Update, cycle_of
from sgtheory.problem import ProblemLike, Values, as_problem
from sgtheory.setting import Setting

if TYPE_CHECKING:
    from sgtheory.numbers.lawrecord import NumericLaw

_LARGEST = 8  # coordinates of all states: they have 495 moments up to the fourth
_WORK = 2_000_000  # entries of the operators of all updates of a period
_ROWS = 1024  # examples at a time
_FLAT = 1e-14  # of the largest deviation: a coordinate that deviates by less does not move

_PAIRINGS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))
_STIRLING = {
    1: (1,),
    2: (1, 1),
    3: (1, 3, 1),
    4: (1, 7, 6, 1),
}  # ways to cut a set into 1, 2, ... blocks


@dataclass(repr=False, frozen=True, eq=False)
class Fourth(Shown):
    """Moments of the stationary law, about its mean.

    ``radius`` is the factor by which the fourth powers of a step's noise-free part shrink in the mean at
    each step: fourth moments exist where it is below one.
    """

    states: tuple[str, ...]
    covariance: Array  # of the stacked states
    radius: float
    moments: Mapping[Index, float] | None = field(default=None, repr=False)  # None: Gaussian

    def central(self, *coordinates: int) -> float:
        """The mean of a product of up to four coordinates, which are counted through all states."""
        if any(not 0 <= k < len(self.covariance) for k in coordinates) or len(coordinates) > 4:
            raise UnusableInput(
                f"up to four coordinates below {len(self.covariance)}", str(coordinates), "count from 0"
            )
        if self.moments is not None:
            return self.moments[tuple(sorted(coordinates))]
        if len(coordinates) % 2:
            return 0.0
        pairings = {0: ((),), 2: (((0, 1),),), 4: _PAIRINGS}[len(coordinates)]
        P = self.covariance
        return float(
            sum(math.prod(P[coordinates[a], coordinates[b]] for a, b in pairs) for pairs in pairings)
        )

    @property
    def skewness(self) -> Array:
        """Of every coordinate of theta; not a number where a coordinate does not move."""
        return self._beyond_gaussian(3, 0.0)

    @property
    def excess_kurtosis(self) -> Array:
        """Of every coordinate of theta: zero where the law is Gaussian."""
        return self._beyond_gaussian(4, 3.0)

    def _beyond_gaussian(self, order: int, normal: float) -> Array:
        d, deviations = len(self.covariance) // len(self.states), np.sqrt(np.diag(self.covariance))
        begin = self.states.index("theta") * d
        found = np.full(d, np.nan)
        for k in range(begin, begin + d):
            if deviations[k] > _FLAT * deviations.max():
                moment = self.central(*(k,) * order) / deviations[k] ** order
                found[k - begin] = 0.0 if self.moments is None else moment - normal
        return found

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``; null for a coordinate that does not move."""
        found: dict[str, Any] = {}
        for name in ("skewness", "excess_kurtosis"):
            found[name] = [x if np.isfinite(x) else None for x in getattr(self, name).tolist()]
        return {**found, "radius": self.radius}


def fourth_moments(sampler: Any, problem: ProblemLike) -> Fourth:
    """Skewness, excess kurtosis and all moments up to the fourth of a sampler's stationary law.

    The mean of two numbers, with minibatches of one: z' = (1 - eps) z +- eps with equal chances. So
    k4 (1 - (1 - eps)^4) = -2 eps^4 and k2 (1 - (1 - eps)^2) = eps^2 for the cumulants. At eps = 1/2 that
    is k2 = 1/3, k4 = -2/15 and k4/k2^2 = -6/5: the law is uniform between the two numbers.

    >>> coin = {"model": "gaussian_mean", "X": [[-1], [1]], "S": 1, "params": {"eps": "1/2"}}
    >>> found = fourth_moments("sgd", coin)
    >>> found.excess_kurtosis.round(12), found.radius
    (array([-1.2]), 0.0625)
    """
    from sgtheory.numbers.numeric import law

    problem = as_problem(problem)
    setting = Setting(registry.sampler(sampler, problem.params), problem.model)
    if setting.reshuffled:
        raise UnusableInput(
            "minibatches that are drawn independently",
            f"{setting.sampler.name}, whose minibatches share an epoch",
            "ask for sgd, or simulate",
        )
    gaussian = problem.model.example is None or not setting.sampler.gradients
    values = problem.values(setting.sampler)
    phases = 1 if gaussian else _check(setting, values)
    found = law(setting.sampler, problem).require_stable()
    covariance = _stacked(found)
    if gaussian:
        return Fourth(found.states, covariance, found.spectral_radius**4)
    cycle = cycle_of(setting, values, phases)
    if any(np.any(update.added) for step in cycle.steps for update in step.updates):
        raise UnusableInput(
            "a sampler that settles at the mode of the loss",
            f"{setting.sampler.name}, which something pulls away from it",
            "ask for its mean and covariance with law, or simulate",
        )
    operator = _operator(cycle, _Minibatch(values.examples, values.scalars["S"], problem.replacement))
    growth, moments = _stationary(operator, covariance)
    radius = growth ** (1 / phases)
    if moments is None:
        raise Unstable(
            f"{setting.sampler.name} has no fourth moments, though it has second ones:"
            f" fourth powers grow by {radius:.6g} a step"
        )
    return Fourth(found.states, covariance, radius, moments)


def _stacked(found: NumericLaw) -> Array:
    both = dict(found.covariance)
    both |= {(b, a): m.T for (a, b), m in found.covariance.items()}
    return np.block([[both[a, b] for b in found.states] for a in found.states])


def _check(setting: Setting, values: Values) -> int:
    """The length of a period, where the moments of one can be tabled."""
    size = len(setting.state) * values.D
    if size > _LARGEST:
        raise UnusableInput(
            f"at most {_LARGEST} coordinates in all states of {setting.sampler.name}",
            str(size),
            "keep fewer columns of the data",
        )
    phases = period_of(mode_form(setting), values) or 1
    targets = {target for target, _ in setting.updates} | set(setting.state)
    each = math.comb(len(targets) * values.D + 4, 4) ** 2
    if phases > 1 and phases * each > _WORK:
        raise UnusableInput(
            f"a period of at most {max(_WORK // each, 1)} steps in this dimension",
            str(phases),
            "shorten it, or keep fewer columns of the data",
        )
    return phases


@dataclass(frozen=True, eq=False)
class _Minibatch:
    """A minibatch's deviation X (y, 1) from the whole data, in moments: X has d rows, d + 1 columns."""

    examples: Examples
    S: Fraction
    replacement: bool

    @cached_property
    def cumulants(self) -> dict[int, Array]:
        """By order: a polynomial in (y, 1) to every product of rows."""
        two, three, four = self._of_one_example
        d, n = self._d, self._d + 1
        found = {2: self._weight(2) * two, 3: self._weight(3) * three, 4: self._weight(4) * four}
        apart = self._weight(2, 2) - self._weight(2) ** 2
        at = places(d, 2)
        for k, index in enumerate(symbols(d, 4)):
            for pairs in _PAIRINGS:
                one, other = (two[at[tuple(index[i] for i in pair)]] for pair in pairs)
                found[4][k] += apart * multiply(one, other, n, 2, 2)
        return found

    @property
    def _d(self) -> int:
        return len(self.examples.center)

    @cached_property
    def _of_one_example(self) -> tuple[Array, Array, Array]:
        """The second, third and fourth moments of a single example's matrix."""
        d, n, N = self._d, self._d + 1, self.examples.N
        rows, columns = (len(symbols(k, 2)) for k in (d, n))
        pairs, mixed = np.zeros((rows * columns, rows * columns)), np.zeros((rows * columns, d * n))
        total = np.zeros(rows * columns)
        for begin in range(0, N, _ROWS):
            X = self._centred(slice(begin, begin + _ROWS))
            squares = np.stack(
                [
                    (X[:, a, i] * X[:, b, j] + X[:, a, j] * X[:, b, i]) / (2 if i == j else 1)
                    for a, b in symbols(d, 2)
                    for i, j in symbols(n, 2)
                ],
                axis=1,
            )
            total += squares.sum(axis=0)
            pairs += squares.T @ squares
            mixed += squares.T @ X.reshape(len(X), -1)
        at = places(d, 2)
        whole, half = (
            pairs.reshape(rows, columns, rows, columns) / N,
            mixed.reshape(rows, columns, d, n) / N,
        )
        three = [multiply(half[at[i[:2]], :, i[2]], None, n, 2, 1) for i in symbols(d, 3)]
        four = [multiply(whole[at[i[:2]], :, at[i[2:]]], None, n, 2, 2) for i in symbols(d, 4)]
        return total.reshape(rows, columns) / N, np.array(three), np.array(four)

    def _centred(self, rows: slice) -> Array:
        """(V_n U_n^T - its mean, h_n - its mean) of some examples."""
        h, U, V = self.examples.floats
        X = np.zeros((*h[rows].shape, self._d + 1))
        X[:, :, -1] = h[rows] - h.mean(axis=0)
        if U is not None and V is not None:
            X[:, :, :-1] = V[rows][:, :, None] * U[rows][:, None, :] - self.examples.shared
        return X

    def _weight(self, *blocks: int) -> float:
        """What the mean of S examples makes of a product of moments of one: blocks are their orders.

        Different draws are different examples where none is put back: a sum over different examples is
        one over all, less those that coincide (inclusion and exclusion).
        """
        S, N, order = self.S, Fraction(self.examples.N), sum(blocks)
        if self.replacement:
            return float(_falling(S, len(blocks)) / S**order)
        total = Fraction(0)
        for cuts in product(*(range(1, size + 1) for size in blocks)):
            drawn, sign = _falling(S, sum(cuts)), 1
            for size, parts in zip(blocks, cuts, strict=True):
                sign *= _STIRLING[size][parts - 1] * (-1) ** (parts - 1) * math.factorial(parts - 1)
            if drawn:
                total += sign * drawn / _falling(N, sum(cuts)) * N ** len(blocks)
        return float(total / S**order)


def _falling(n: Fraction, k: int) -> Fraction:
    return math.prod((n - i for i in range(k)), start=Fraction(1))


def _operator(cycle: Cycle, drawn: _Minibatch) -> Array:
    """Moments of degree four of (z, 1) after a period, as a matrix on those before."""
    first = cycle.steps[0]
    p = first.width * first.D + 1
    total = np.eye(len(symbols(p, 4)))
    for step in cycle.steps:
        for update in step.updates:
            total = _Moved(update, first.D, p, drawn).operator @ total
    last = p - 1
    kept = [
        k for k, index in enumerate(symbols(p, 4)) if all(i < cycle.size or i == last for i in index)
    ]
    return total[np.ix_(kept, kept)]  # what is local to a step is written before it is read


@dataclass(frozen=True, eq=False)
class _Moved:
    """One update in moments: the coordinates of one vector get R y + noise, all others stay."""

    update: Update
    D: int
    p: int  # the length of y: states, locals and 1
    drawn: _Minibatch

    @cached_property
    def operator(self) -> Array:
        """The mean of every product of four new coordinates, as a polynomial in the old ones."""
        known: dict[Index, Array] = {(): np.ones(1)}
        return np.array([self._mean(index, known) for index in symbols(self.p, 4)])

    def _mean(self, index: Index, known: dict[Index, Array]) -> Array:
        """By the first factor's companions in a cumulant: none, or up to three others."""
        if index in known:
            return known[index]
        first, rest = index[0], index[1:]
        total = multiply(self._rows[first], self._mean(rest, known), self.p, 1, len(rest))
        begin = self.update.target * self.D
        moved = [k for k, i in enumerate(rest) if begin <= i < begin + self.D]
        for size in range(1, len(moved) + 1) if begin <= first < begin + self.D else ():
            for chosen in combinations(moved, size):
                block = (first - begin, *(rest[k] - begin for k in chosen))
                others = tuple(i for k, i in enumerate(rest) if k not in chosen)
                cumulant = self._cumulants[len(block)][places(self.D, len(block))[block]]
                mean = self._mean(others, known)
                total = total + multiply(cumulant, mean, self.p, len(block), len(others))
        known[index] = total
        return total

    @cached_property
    def _rows(self) -> Array:
        """R: what is moved in the mean, all else as it was."""
        R, begin = np.eye(self.p), self.update.target * self.D
        R[begin : begin + self.D] = 0.0
        R[begin : begin + self.D, :-1] = self.update.row
        return R

    @cached_property
    def _cumulants(self) -> dict[int, Array]:
        """Of all noises of the update together, by order; those of the injected one end at two."""
        found = {k: np.zeros((len(symbols(self.D, k)), len(symbols(self.p, k)))) for k in (2, 3, 4)}
        for batch in self.update.minibatches:
            seen = np.zeros((self.D + 1, self.p))
            seen[:-1, :-1], seen[-1, -1] = batch.inner, batch.weight
            for k, total in found.items():
                total += powers(batch.front, k) @ self.drawn.cumulants[k] @ powers(seen, k)
        found[2][:, -1] += [self.update.Q[pair] for pair in symbols(self.D, 2)]
        return found


def _stationary(operator: Array, covariance: Array) -> tuple[float, dict[Index, float] | None]:
    """The growth of fourth powers over a period, and the fixed point where that is below one.

    Coordinates are measured in units of their deviations: else small ones would drown in rounding.
    """
    n = len(covariance)
    indices = symbols(n + 1, 4)
    deviations = np.sqrt(np.diag(covariance))
    moving = deviations > _FLAT * deviations.max()
    units = np.append(np.where(moving, deviations, 1.0), 1.0)
    unit = np.array([math.prod(units[i] for i in index) for index in indices])
    scaled = operator * unit / unit[:, None]
    pure = [k for k, index in enumerate(indices) if n not in index]
    growth = float(np.abs(np.linalg.eigvals(scaled[np.ix_(pure, pure)])).max())
    if growth >= 1 - 4 * np.finfo(float).eps:
        return growth, None
    inner, source = scaled[:-1, :-1], scaled[:-1, -1]  # the last product is 1
    solved = np.append(np.linalg.solve(np.eye(len(inner)) - inner, source), 1.0) * unit
    found = zip(indices, solved.tolist(), strict=True)
    return growth, {tuple(i for i in index if i < n): value for index, value in found}
