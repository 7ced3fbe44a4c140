"""Real minibatches: noise that grows with the distance from the mode, exactly to second moments.

Mean and second moments close under a step. The stationary covariance solves a linear equation: densely
where its matrix fits, by GMRES, preconditioned with the law without spread, where it does not.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.datamodels.data import upper
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.numbers import divergence, observables
from sgtheory.numbers.lawrecord import Blocks, NumericLaw, in_place, split
from sgtheory.numbers.modes import Modes, modes_of, period_of, solve
from sgtheory.onestep.affine import ModeForm, mode_form
from sgtheory.onestep.full import Array, start
from sgtheory.onestep.momentstep import Cycle, Moments, cycle_of
from sgtheory.problem import Values
from sgtheory.setting import Setting

# The dense operator acts on n (n + 1) / 2 second moments, n = states x D.
_DENSE_LIMIT = 900
_ONE_BY_ONE = 20_000  # steps that are taken one after the other


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
        now = Moments(resting(cycle), solved)
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
    there = np.linalg.matrix_power(affine(cycle), periods) @ np.r_[1.0, now.mean, pack(now.second)]
    now = Moments(there[1 : n + 1], unpack(there[n + 1 :], n))
    return cycle(now, n=rest) if rest else now


def affine(cycle: Cycle) -> Array:
    """One period on (1, mean, second moments), as a matrix: its powers are many periods at once."""
    n = cycle.size
    first = cycle(Moments(np.zeros(n), np.zeros((n, n))))
    scale = max(1.0, float(np.abs(first.second).max()) ** 0.5)  # no column is lost in the source
    found = np.zeros((1 + n + n * (n + 1) // 2,) * 2)
    found[0, 0], found[1 : n + 1, 0] = 1.0, first.mean
    found[n + 1 :, 0], found[n + 1 :, n + 1 :] = pack(first.second), dense(cycle)
    moved = cycle(Moments(scale * np.eye(n), np.zeros((n, n, n))))
    found[1 : n + 1, 1 : n + 1] = (moved.mean - first.mean).T / scale
    found[n + 1 :, 1 : n + 1] = pack(moved.second - first.second).T / scale
    return found


def _stationary(cycle: Cycle, modes: Modes) -> tuple[float, Array | None]:
    """The spectral radius of the second-moment operator, and its fixed point where that is below one."""
    n = cycle.size
    if n * (n + 1) // 2 <= _DENSE_LIMIT:
        operator = dense(cycle)
        radius = float(np.abs(np.linalg.eigvals(operator)).max())
        if radius >= 1:
            return radius, None
        packed = np.linalg.solve(np.eye(len(operator)) - operator, pack(_source(cycle)))
        return radius, unpack(packed, n)
    radius = _largest(cycle)
    return radius, _by_gmres(cycle, modes, _source(cycle)) if radius < 1 else None


def _source(cycle: Cycle) -> Array:
    """What a period adds to second moments of a chain whose mean has settled."""
    return cycle(Moments(resting(cycle), np.zeros((cycle.size,) * 2))).second


def resting(cycle: Cycle) -> Array:
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
    units = unpack(np.eye(n * (n + 1) // 2), n)
    moved = cycle(Moments(np.zeros((len(units), n)), units), homogeneous=True)
    return np.ascontiguousarray(pack(moved.second).T)


def pack(m: Array) -> Array:
    """The upper triangle of a symmetric matrix, or of many."""
    rows, columns = upper(m.shape[-1])
    return np.asarray(m[..., rows, columns])


def unpack(packed: Array, n: int) -> Array:
    """The symmetric matrix of an upper triangle, or of many."""
    rows, columns = upper(n)
    m = np.zeros((*packed.shape[:-1], n, n))
    m[..., rows, columns] = m[..., columns, rows] = packed
    return m


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
