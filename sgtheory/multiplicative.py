"""Real minibatches: noise that grows with the distance from the mode, exactly to second moments.

A minibatch's gradient is that of the whole data, plus a deviation of mean zero that is affine in the
point. Its covariance is a linear function of the second moments of the point, so mean and covariance
close. They are moved through one update after the other; an update meets fresh minibatches, so nothing
else is needed. The stationary covariance solves a linear equation: densely where its matrix fits, by
GMRES, preconditioned with the law without spread, where it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory import divergence, observables
from sgtheory.affine import ModeForm, at_mode, less_mode, linear_form, mode_form
from sgtheory.data import Examples
from sgtheory.declare import Noise, Spread, mode
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.full import Array, center, on_mode, product, scalar, start
from sgtheory.lawrecord import Blocks, NumericLaw, in_place, split
from sgtheory.modes import Modes, modes_of, period_of, solve
from sgtheory.problem import Values
from sgtheory.setting import Setting

# The dense operator acts on n (n + 1) / 2 second moments, n = states x D.
_DENSE_LIMIT = 900
_ONE_BY_ONE = 20_000  # steps that are taken one after the other


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and second moments about the mode of everything that a step has made so far, stacked."""

    mean: Array
    second: Array


@dataclass(frozen=True, eq=False)
class Minibatch:
    """A minibatch in an update: front @ (deviation at inner @ z + beside + weight * the mode)."""

    front: Array
    inner: Array
    weight: float
    beside: Array


@dataclass(frozen=True, eq=False)
class Update:
    """One update in numbers: z[target] = row @ z + added + minibatches + noise of covariance Q."""

    target: int
    row: Array
    added: Array  # by what pulls a chain away from the mode
    Q: Array
    minibatches: tuple[Minibatch, ...]


@dataclass(frozen=True, eq=False)
class Step:
    """All updates of a step, and the examples that its minibatches are drawn from."""

    updates: tuple[Update, ...]
    examples: Examples
    share: float  # f/S: the variance of a minibatch's mean in units of one example's
    states: int  # how many of the stacked vectors are carried to the next step
    width: int  # how many there are in all: states and locals

    @property
    def D(self) -> int:
        """The dimension of theta."""
        return len(self.examples.center)

    def deviation(self, batch: Minibatch, now: Moments, homogeneous: bool) -> Array:
        """The covariance of a minibatch's deviation at a random point inner @ z + beside."""
        inner, weight = batch.inner, 0.0 if homogeneous else batch.weight
        h, U, V = self.examples.floats
        assert U is not None
        assert V is not None
        moved = inner @ now.second @ inner.T
        across = inner @ now.mean
        if not homogeneous and batch.beside.any():
            mixed = np.outer(across, batch.beside)
            moved = moved + mixed + mixed.T + np.outer(batch.beside, batch.beside)
            across = across + batch.beside
        shared = self.examples.shared
        total = self.examples.spread(moved) - shared @ moved @ shared.T
        if weight and across.any():
            # the deviation of the noise at the mode goes with that of the curvature
            mixed = weight * ((V * (U @ across)[:, None]).T @ h / self.examples.N)
            offset = h.mean(axis=0)
            mixed -= weight * np.outer(shared @ across, offset)
            total += mixed + mixed.T
        if weight:
            total += weight**2 * self.examples.noise
        return self.share * total

    def __call__(self, now: Moments, homogeneous: bool = False) -> Moments:
        """One step; ``homogeneous`` leaves out what does not depend on where the chain is."""
        d, n = self.D, self.width * self.D
        mean, second = np.zeros(n), np.zeros((n, n))
        carried = self.states * d
        mean[:carried], second[:carried, :carried] = now.mean, now.second
        for update in self.updates:
            at = slice(update.target * d, (update.target + 1) * d)
            fresh = np.zeros((d, d)) if homogeneous else update.Q.copy()
            for batch in update.minibatches:
                own = self.deviation(batch, Moments(mean, second), homogeneous)
                fresh += batch.front @ own @ batch.front.T
            added = np.zeros(d) if homogeneous else update.added
            row = update.row @ second + np.outer(added, mean)
            mean[at] = update.row @ mean + added
            own = row @ update.row.T + np.outer(mean[at], added) + fresh
            second[at, :], second[:, at] = row, row.T
            # rounding must not leave an odd part: across states it would not be moved as a covariance is
            second[at, at] = (own + own.T) / 2
        return Moments(mean[:carried], second[:carried, :carried])


@dataclass(frozen=True, eq=False)
class Cycle:
    """The steps of a period, one after the other."""

    steps: tuple[Step, ...]

    def __call__(self, now: Moments, homogeneous: bool = False, begin: int = 0, n: int = 0) -> Moments:
        """``n`` steps from a clock; a whole period unless said."""
        for clock in range(begin, begin + (n or len(self.steps))):
            now = self.steps[clock % len(self.steps)](now, homogeneous)
        return now

    @property
    def size(self) -> int:
        """The length of the stacked states."""
        return self.steps[0].states * self.steps[0].D


def cycle_of(setting: Setting, values: Values, period: int) -> Cycle:
    """The declared steps of a period in numbers, update by update."""
    order: list[Any] = list(setting.state)
    order += [target for target, _ in setting.updates if target not in order]
    batches: dict[str, int] = {}
    sources: dict[Any, int] = {}
    forms = []
    moving = setting.sampler.moving
    begin = at_mode(moving)
    for place, (target, expr) in enumerate(setting.updates):
        form = linear_form(expr, begin)
        form = less_mode(form) if target in moving else form
        _once(form, place, batches, sources, setting)
        forms.append((target, form))
    share = float(values.scalars["f"] / values.scalars["S"])
    steps = []
    for clock in range(period):
        now = replace(values, scalars={**values.scalars, "t": Fraction(clock)})
        updates = tuple(_update(order, target, form, now) for target, form in forms)
        steps.append(Step(updates, values.examples, share, len(setting.state), len(order)))
    return Cycle(tuple(steps))


def _once(form: Any, place: int, batches: Any, sources: Any, setting: Setting) -> None:
    """A minibatch or a noise that two updates share would correlate them: that is refused."""
    for word, source in form:
        shared = [letter for letter in word if isinstance(letter, Spread)]
        for letter in shared:
            if batches.setdefault(str(letter), place) != place:
                raise NotAffine(f"two updates of {setting.sampler.name} use the minibatch {letter.draw}")
        if isinstance(source, Noise) and sources.setdefault(source, place) != place:
            raise NotAffine(f"two updates of {setting.sampler.name} use the noise {source}")


def _update(order: list[Any], target: Any, form: Mapping[Any, Any], values: Values) -> Update:
    d = values.D
    row = np.zeros((d, len(order) * d))
    injected: dict[Any, Array] = {}
    added = on_mode({key: c for key, c in form.items() if key[1] == mode}, values)
    batches: dict[int, list[tuple[Array, Array, float, Array]]] = {}
    for (word, source), coefficient in form.items():
        value = scalar(coefficient, values)
        split = [k for k, letter in enumerate(word) if isinstance(letter, Spread)]
        if split:
            front = value * product(word[: split[0]], values, float)
            inner, beside = np.zeros((d, len(order) * d)), np.zeros(d)
            end = product(word[split[0] + 1 :], values, float)
            if source == mode:
                beside = end @ center(values)
            else:
                at = order.index(source) * d
                inner[:, at : at + d] = end
            batches.setdefault(word[split[0]].draw, []).append((front, inner, 0.0, beside))
        elif isinstance(source, Noise) and str(word[-1:]) == "(B,)":
            front = product(word[:-1], values, float)
            share = float(values.scalars["f"] / values.scalars["S"])
            weight = value / share**0.5 if share else 0.0  # the whole data, without replacement
            batches.setdefault(int(source.name[1:]), []).append((front, row * 0, weight, added * 0))
        elif isinstance(source, Noise):
            front = value * product(word, values, float)
            injected[source] = injected.get(source, np.zeros((d, d))) + front
        elif source != mode:
            at = order.index(source) * d
            row[:, at : at + d] += value * product(word, values, float)
    Q = sum((m @ m.T for m in injected.values()), np.zeros((d, d)))
    merged = tuple(_merged(uses) for _, uses in sorted(batches.items()))
    return Update(order.index(target), row, added, Q, merged)


def _merged(uses: list[tuple[Array, Array, float, Array]]) -> Minibatch:
    """The several places of one minibatch in an update, with one matrix in front of all."""
    fronts = [front for front, _, weight, _ in uses if not weight] or [uses[0][0]]
    front = fronts[0]
    inner = sum((_ratio(f, front) * i for f, i, weight, _ in uses if not weight), uses[0][1] * 0)
    beside = sum((_ratio(f, front) * b for f, _, weight, b in uses if not weight), uses[0][3] * 0)
    weight = sum(_ratio(w * f, front) for f, _, w, _ in uses if w)
    return Minibatch(front, inner, float(weight), beside)


def _ratio(one: Array, other: Array) -> float:
    """The number by which one matrix is a multiple of the other."""
    at = np.unravel_index(abs(other).argmax(), other.shape)
    ratio = float(one[at] / other[at])
    if not np.allclose(one, ratio * other, rtol=1e-12, atol=0):
        raise NotAffine("a minibatch enters one update behind two different matrices")
    return ratio


def growth(setting: Setting, values: Values) -> float:
    """What a step multiplies second moments by, in the long run."""
    _, modes, cycle = _prepared(setting, values, None)
    found, _ = _stationary(cycle, modes)
    return float(found ** (1 / modes.phases))


def _prepared(setting: Setting, values: Values, at: int | None) -> tuple[ModeForm, Modes, Cycle]:
    form = mode_form(setting)
    modes = modes_of(form, values, at)
    return form, modes, cycle_of(setting, values, modes.phases)


def law(setting: Setting, values: Values, average: int | None, at: int | None) -> NumericLaw:
    """The law of a sampler on real minibatches, in the limit or after some steps."""
    if setting.reshuffled:
        raise NotAffine(
            f"{setting.sampler.name} shares examples between steps: on real minibatches its second"
            " moments do not close; on the quadratic model with the same A and C they do"
        )
    form, modes, cycle = _prepared(setting, values, at)
    periodic = period_of(form, values) is not None
    names = tuple(s.name for s in setting.state)
    radius = float(np.abs(np.linalg.eigvals(modes.whole[0])).max() ** (1 / modes.phases))
    growth, solved = _stationary(cycle, modes) if periodic else (float("nan"), None)
    growth = growth ** (1 / modes.phases)
    stable = bool(growth < 1 - 4 * np.finfo(float).eps) or not periodic
    name = setting.sampler.name
    because = f"{name} is unstable in mean square"
    blank: dict[str, Any] = {
        "sampler": name,
        "time": "discrete",
        "states": names,
        "stable": stable,
        "spectral_radius": radius if periodic else float("nan"),
        "mean_square_radius": growth if periodic else None,
        "period": modes.phases if periodic and modes.phases > 1 else None,
        "unstable_because": "" if stable else because,
    }
    if not stable and at is None:
        return NumericLaw(**blank, covariance=Blocks({}, because))
    extras: dict[str, Any] = {}
    if at is not None:
        now = _after(cycle, setting, values, at)
    else:
        assert solved is not None
        now = Moments(_resting(cycle), solved)
        moved = cycle(now).second
        about = solved - np.outer(now.mean, now.mean)
        extras = observables.all_of(modes, values, modes.to_modes(about), average)
        extras["residual"] = float(np.abs(moved - solved).max() / (np.abs(solved).max() or 1.0))
    covariance = split(now.second - np.outer(now.mean, now.mean), names, values.D)
    sample = setting.sampler.sample.name
    means = dict(zip(names, np.split(now.mean, len(names)), strict=True))
    return NumericLaw(
        **blank,
        mean=MappingProxyType(in_place(setting, values, means)),
        covariance=Blocks(covariance),
        **divergence.of_law(setting, values, covariance[sample, sample], means[sample]),
        **extras,
        at=at,
    )


def _after(cycle: Cycle, setting: Setting, values: Values, steps: int) -> Moments:
    """Mean and second moments after a number of steps from the start."""
    mean, covariance = start(setting, values)
    now = Moments(mean, covariance + np.outer(mean, mean))
    n = cycle.size
    if steps <= _ONE_BY_ONE:
        return cycle(now, n=steps) if steps else now
    if 1 + n + n * (n + 1) // 2 > _DENSE_LIMIT:
        raise UnusableInput(
            f"at most {_ONE_BY_ONE:,} steps of {n} numbers on real minibatches",
            f"{steps:,}",
            "ask for the stationary law, without a step",
        )
    periods, rest = divmod(steps, len(cycle.steps))
    there = np.linalg.matrix_power(_affine(cycle), periods) @ np.r_[1.0, now.mean, pack(now.second)]
    now = Moments(there[1 : n + 1], unpack(there[n + 1 :], n))
    return cycle(now, n=rest) if rest else now


def _affine(cycle: Cycle) -> Array:
    """One period on (1, mean, second moments), as a matrix: its powers are many periods at once."""
    n = cycle.size
    zero, none = np.zeros(n), np.zeros((n, n))
    first = cycle(Moments(zero, none))
    source = first.second
    scale = max(1.0, float(np.abs(source).max()) ** 0.5)  # so that no column is lost in the source
    found = np.zeros((1 + n + n * (n + 1) // 2,) * 2)
    found[0, 0], found[1 : n + 1, 0] = 1.0, first.mean
    found[n + 1 :, 0], found[n + 1 :, n + 1 :] = pack(source), dense(cycle)
    for k in range(n):
        moved = cycle(Moments(scale * np.eye(n)[k], none))
        found[1 : n + 1, k + 1] = (moved.mean - first.mean) / scale
        found[n + 1 :, k + 1] = pack(moved.second - source) / scale
    return found


def _stationary(cycle: Cycle, modes: Modes) -> tuple[float, Array | None]:
    """The spectral radius of the second-moment operator, and its fixed point where that is below one."""
    n = cycle.size
    source = cycle(Moments(_resting(cycle), np.zeros((n, n)))).second
    if n * (n + 1) // 2 <= _DENSE_LIMIT:
        operator = dense(cycle)
        radius = float(np.abs(np.linalg.eigvals(operator)).max())
        if radius >= 1:
            return radius, None
        packed = np.linalg.solve(np.eye(len(operator)) - operator, pack(source))
        return radius, unpack(packed, n)
    radius = _largest(cycle)
    return radius, _by_gmres(cycle, modes, source) if radius < 1 else None


def _resting(cycle: Cycle) -> Array:
    """Where the mean settles, from the mode: there, but for samplers that something pulls away."""
    n = cycle.size
    none = np.zeros((n, n))
    added = cycle(Moments(np.zeros(n), none)).mean
    if not added.any():
        return added
    M = np.column_stack([cycle(Moments(e, none), homogeneous=True).mean for e in np.eye(n)])
    return np.linalg.solve(np.eye(n) - M, added)


def dense(cycle: Cycle) -> Array:
    """The operator of one period on second moments, as a matrix on their upper triangle."""
    n = cycle.size
    rows, columns = np.triu_indices(n)
    found = np.empty((len(rows), len(rows)))
    zero = np.zeros(n)
    for k, (i, j) in enumerate(zip(rows, columns, strict=True)):
        unit = np.zeros((n, n))
        unit[i, j] = unit[j, i] = 1.0
        found[:, k] = pack(cycle(Moments(zero, unit), homogeneous=True).second)
    return found


def pack(m: Array) -> Array:
    """The upper triangle of a symmetric matrix."""
    return m[np.triu_indices(len(m))]


def unpack(packed: Array, n: int) -> Array:
    """The symmetric matrix of an upper triangle."""
    m = np.zeros((n, n))
    m[np.triu_indices(n)] = packed
    return m + np.triu(m, 1).T


def _operator(n: int, apply: Any) -> Any:
    """A linear map on symmetric n x n matrices, for SciPy."""
    from scipy.sparse.linalg import LinearOperator

    def flat(x: Array) -> Array:
        m = x.reshape(n, n)
        return np.asarray(apply((m + m.T) / 2).ravel())

    return LinearOperator((n * n, n * n), matvec=flat, dtype=float)


def _largest(cycle: Cycle) -> float:
    """The spectral radius. The operator keeps covariances positive: its largest eigenvalue is real."""
    from scipy.sparse.linalg import eigs

    n = cycle.size
    zero = np.zeros(n)
    step = _operator(n, lambda P: cycle(Moments(zero, P), homogeneous=True).second)
    (found,) = eigs(step, k=1, v0=np.eye(n).ravel(), return_eigenvectors=False, tol=1e-9)
    return float(abs(found))


def _by_gmres(cycle: Cycle, modes: Modes, source: Array) -> Array:
    """P - L(P) = Q by GMRES; the law of the same step without spread is the preconditioner."""
    from scipy.sparse.linalg import gmres

    n = cycle.size
    zero = np.zeros(n)
    left = _operator(n, lambda P: P - cycle(Moments(zero, P), homogeneous=True).second)
    M = modes.whole[0]
    near = _operator(n, lambda P: modes.to_coordinates(solve(M, modes.to_modes(P), "discrete")))
    found, failed = gmres(left, source.ravel(), M=near, rtol=1e-13, atol=0.0, restart=60, maxiter=20)
    P = found.reshape(n, n)
    if failed and np.abs(left @ found - source.ravel()).max() > 1e-10 * np.abs(source).max():
        raise ArithmeticError("the iteration for the stationary covariance did not converge")
    return np.asarray((P + P.T) / 2)
