"""The law in numbers: mode pairs in floating point, certified by the residual of the full equation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.affine import LAMBDA, ModeForm, mode_form
from sgtheory.declare import Root
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.full import Array, full_step, matrix, precision, scalar, start, symmetric_root
from sgtheory.language import step_in
from sgtheory.problem import Problem, Values
from sgtheory.setting import Setting
from sgtheory.stability import stability

# Above this size the residual is computed in float64: numpy has no fast long double product.
_REFINE_LIMIT = 64


@dataclass(frozen=True)
class NumericLaw:
    """A law in numbers. ``covariance`` maps pairs of states, such as ``("theta", "v")``, to matrices."""

    sampler: str
    time: str
    states: tuple[str, ...]
    stable: bool
    spectral_radius: float
    mean: Mapping[str, Array]
    covariance: Mapping[tuple[str, str], Array] | None
    kl_to_posterior: float | None
    average: tuple[int, Array] | None
    at: int | None
    residual: float | None
    unstable_because: str

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.law/1; keys that do not apply are absent."""
        document: dict[str, Any] = {
            "schema": "sgtheory.law/1",
            "sampler": self.sampler,
            "time": self.time,
            "state": list(self.states),
            "stable": self.stable,
            "spectral_radius": self.spectral_radius,
        }
        if self.covariance is not None:
            document["mean"] = {k: v.tolist() for k, v in self.mean.items()}
            document["covariance"] = {f"{a},{b}": v.tolist() for (a, b), v in self.covariance.items()}
        if self.kl_to_posterior is not None:
            document["kl_to_posterior"] = self.kl_to_posterior
        if self.average is not None:
            window, covariance = self.average
            document["average"] = {"window": window, "covariance": covariance.tolist()}
        if self.at is not None:
            document["at"] = self.at
        if self.residual is not None:
            document["residual"] = self.residual
        if self.unstable_because:
            document["limit"] = self.unstable_because
        return document

    def require_stable(self) -> NumericLaw:
        """The law itself, or the error that names the limit."""
        if not self.stable:
            raise Unstable(self.unstable_because)
        return self

    def __repr__(self) -> str:
        word = "stable" if self.stable else "unstable"
        return f"<NumericLaw of {self.sampler}, {self.time} time, {word}>"


@dataclass(frozen=True)
class _Modes:
    """A mode form in numbers: one m x m matrix to an eigenvalue, one m x m block to a pair."""

    form: ModeForm
    eigenvalues: Array  # (D,)
    basis: Array  # columns map modes to coordinates of theta: H^(1/2) U
    inverse: Array
    M: Array  # (D, m, m)
    Q: Array  # (D, D, m, m)


def law(
    sampler: Any,
    problem: Problem,
    *,
    time: str = "discrete",
    average: int | None = None,
    at: int | None = None,
) -> NumericLaw:
    """The law of a sampler on a problem: in the limit, or after ``at`` steps from the start.

    >>> problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[3]],
    ...                       "N": 10, "S": 1, "params": {"eps": "1/2"}})
    >>> law("sgd", problem).covariance["theta", "theta"]
    array([[0.75]])
    """
    setting = Setting(registry.sampler(sampler), problem.model)
    values = problem.values(setting.sampler)
    modes = _modes(mode_form(setting, time), values)
    radius = _spectral_radius(modes)
    stable = bool(radius < 1 - 4 * np.finfo(float).eps)
    names = tuple(s.name for s in modes.form.states)
    because = "" if stable else _limit_in_words(modes, values)
    if not stable and at is None:
        return NumericLaw(
            setting.sampler.name, time, names, stable, radius, {}, None, None, None, None, None, because
        )
    blocks, residual = _stationary(modes, values) if stable else (None, None)
    window = None
    if average is not None and blocks is not None:
        window = (average, _average(modes, blocks, average))
    stacked_mean = np.zeros(len(names) * values.D)
    if at is not None:
        stacked_mean, blocks = _transient(modes, values, at)
        residual = None
    assert blocks is not None
    covariance = _split(_to_coordinates(modes, blocks), names, values.D)
    mean = dict(zip(names, np.split(stacked_mean, len(names)), strict=True))
    return NumericLaw(
        sampler=setting.sampler.name,
        time=time,
        states=names,
        stable=stable,
        spectral_radius=radius,
        mean=MappingProxyType(mean),
        covariance=MappingProxyType(covariance),
        kl_to_posterior=_kl(setting, values, covariance["theta", "theta"], mean["theta"]),
        average=window,
        at=at,
        residual=residual,
        unstable_because=because,
    )


def _modes(form: ModeForm, values: Values) -> _Modes:
    curvature = values.arrays["A"]
    if form.gain is None or values.is_identity(str(form.gain)):
        eigenvalues, U = np.linalg.eigh(curvature)
        basis, back = U, U.T
    else:
        root = symmetric_root(matrix(form.gain, values))
        turned = root @ curvature @ root
        eigenvalues, U = np.linalg.eigh((turned + turned.T) / 2)
        basis, back = root @ U, U.T @ np.linalg.inv(root)
    m = len(form.states)
    M = _along(form.M, eigenvalues, values).reshape(values.D, m, m)
    Q = np.zeros((values.D, values.D, m, m))
    for noise in form.noises:
        c = _along(sp.Matrix(noise.coefficients), eigenvalues, values)
        shared = _coupling(noise.coupling, back, values)
        Q += shared[:, :, None, None] * c[:, None, :, None] * c[None, :, None, :]
    return _Modes(form, eigenvalues, basis, back, M, Q)


def _along(entries: Any, eigenvalues: Array, values: Values) -> Array:
    """A matrix of functions of lambda at every eigenvalue: (D, entries)."""
    columns = []
    for entry in entries:
        total = np.zeros_like(eigenvalues)
        for (power,), coefficient in sp.Poly(entry, LAMBDA).terms():
            total = total + scalar(coefficient, values) * eigenvalues**power
        columns.append(total)
    return np.stack(columns, axis=-1)


def _coupling(word: Any, back: Array, values: Values) -> Array:
    """(W W^T)_ij in mode coordinates, W the word in front of a noise."""
    front = back
    coloured = bool(word) and str(word[-1]) == "B"
    for factor in word[:-1] if coloured else word:
        if isinstance(factor, Root) or not values.is_identity(str(factor)):
            front = front @ matrix(factor, values)
    middle = front @ values.arrays["C"] if coloured else front
    return middle @ front.T


def _spectral_radius(modes: _Modes) -> float:
    eigenvalues = np.linalg.eigvals(modes.M)
    if modes.form.time == "continuous":
        return float(np.exp(eigenvalues.real.max()))
    return float(np.abs(eigenvalues).max())


def _limit_in_words(modes: _Modes, values: Values) -> str:
    region = stability(modes.form)
    largest = float(modes.eigenvalues.max())
    if region.limit is None:
        return f"{modes.form.setting.sampler.name} is unstable at these parameters"
    parameters = region.limit.free_symbols - {LAMBDA}
    known = {s: sp.Float(float(values.scalars[s.name])) for s in parameters}
    bound = float(region.limit.subs(known).subs(LAMBDA, largest))
    step = step_in(modes.form.M)
    of = "A" if modes.form.gain is None else "H^(1/2) A H^(1/2)"
    return (
        f"{modes.form.setting.sampler.name} needs {step} < {region.limit} = {bound:.6g}"
        f" (lambda = {largest:.6g}, the largest eigenvalue of {of});"
        f" {step} is {float(values.scalars[step.name]):.6g}"
    )


def _solve(modes: _Modes, Q: Array) -> Array:
    """The pair blocks of the stationary covariance for a given noise, all pairs at once."""
    M, (d, m, _) = modes.M, modes.M.shape
    one = np.eye(m)
    if modes.form.time == "discrete":
        system = np.eye(m * m) - np.einsum("iac,jbd->ijabcd", M, M).reshape(d, d, m * m, m * m)
    else:
        left = np.einsum("iac,bd->iabcd", M, one)[:, None]
        right = np.einsum("ac,jbd->jabcd", one, M)[None]
        system = -(left + right).reshape(d, d, m * m, m * m)
    return np.linalg.solve(system, Q.reshape(d, d, m * m, 1)).reshape(d, d, m, m)


def _stationary(modes: _Modes, values: Values) -> tuple[Array, float]:
    """The pair blocks, refined against the full equation; and the relative residual left."""
    blocks = _solve(modes, modes.Q)
    size = modes.M.shape[0] * modes.M.shape[1]
    dtype = np.longdouble if size <= _REFINE_LIMIT else float
    step = full_step(modes.form.setting, values, modes.form.time, dtype)
    stacked = _to_coordinates(modes, blocks).astype(dtype)
    for _ in range(2 if size <= _REFINE_LIMIT else 0):
        correction = _solve(modes, _to_modes(modes, _residual(modes, step, stacked).astype(float)))
        stacked = stacked + _to_coordinates(modes, correction)
    scale = float(np.abs(stacked).max()) or 1.0
    left = float(np.abs(_residual(modes, step, stacked.astype(float))).max()) / scale
    return _to_modes(modes, stacked.astype(float)), left


def _residual(modes: _Modes, step: Any, stacked: Array) -> Array:
    if modes.form.time == "discrete":
        return step.M @ stacked @ step.M.T + step.Q - stacked
    drift = step.M @ stacked
    return drift + drift.T + step.Q


def _to_coordinates(modes: _Modes, blocks: Array) -> Array:
    """From pair blocks to the stacked covariance of all states."""
    d, _, m, _ = blocks.shape
    grid = blocks.transpose(2, 3, 0, 1)
    turned = modes.basis @ grid @ modes.basis.T
    stacked = turned.transpose(0, 2, 1, 3).reshape(m * d, m * d)
    return (stacked + stacked.T) / 2


def _to_modes(modes: _Modes, stacked: Array) -> Array:
    d, m = modes.M.shape[:2]
    grid = stacked.reshape(m, d, m, d).transpose(0, 2, 1, 3)
    return (modes.inverse @ grid @ modes.inverse.T).transpose(2, 3, 0, 1)


def _transient(modes: _Modes, values: Values, steps: int) -> tuple[Array, Array]:
    """Mean and pair blocks after a number of steps (or a time), from the start."""
    mean, covariance = start(modes.form.setting, values)
    if modes.form.time == "discrete":
        M, Q = _power(modes, steps)
    else:
        from scipy.linalg import expm

        M = expm(modes.M * steps)
        limit = _solve(modes, modes.Q)
        Q = limit - _push(M, limit)
    d, m = modes.M.shape[:2]
    inner = modes.inverse @ mean.reshape(m, d, 1)
    moved = np.einsum("iab,bi->ai", M, inner[:, :, 0])
    return (modes.basis @ moved[:, :, None]).reshape(-1), Q + _push(M, _to_modes(modes, covariance))


def _push(M: Array, blocks: Array) -> Array:
    """M_i P_ij M_j^T for all pairs."""
    return M[:, None] @ blocks @ M[None].transpose(0, 1, 3, 2)


def _power(modes: _Modes, steps: int) -> tuple[Array, Array]:
    """M^n and the noise gathered over n steps, by doubling."""
    M, Q = modes.M, modes.Q
    total_m, total_q = np.broadcast_to(np.eye(M.shape[1]), M.shape), np.zeros_like(Q)
    while steps:
        if steps & 1:
            total_m, total_q = M @ total_m, Q + _push(M, total_q)
        M, Q = M @ M, Q + _push(M, Q)
        steps >>= 1
    return total_m, total_q


def _average(modes: _Modes, blocks: Array, window: int) -> Array:
    """The covariance of the mean of ``window`` successive positions (or over that time)."""
    if window < 1:
        raise UnusableInput("a window of at least one step", str(window), "give --average 10")
    d, m = modes.M.shape[:2]
    if modes.form.time == "discrete":
        weighted = _weighted_powers(modes.M, window) - window * np.eye(m)
        total = window * blocks
    else:
        from scipy.linalg import expm

        # the upper right block of this exponential is the integral of (T - s) e^(F s)
        jump = np.zeros((d, 3 * m, 3 * m))
        jump[:, :m, :m], jump[:, :m, m : 2 * m] = modes.M, np.eye(m)
        jump[:, m : 2 * m, 2 * m :] = np.eye(m)
        weighted = expm(jump * window)[:, :m, 2 * m :]
        total = np.zeros_like(blocks)
    total = total + weighted[:, None] @ blocks + blocks @ weighted[None].transpose(0, 1, 3, 2)
    names = [s.name for s in modes.form.states]
    position = names.index("theta")
    stacked = _to_coordinates(modes, total / window**2)
    return stacked[position * d : (position + 1) * d, position * d : (position + 1) * d]


def _weighted_powers(M: Array, n: int) -> Array:
    """The sum of (n - k) M^k for k from 0 to n - 1, by doubling; nothing cancels."""
    one = np.broadcast_to(np.eye(M.shape[1]), M.shape)
    length, power, plain, weighted = 1, M, one, one
    for bit in bin(n)[3:]:
        weighted = weighted + length * plain + power @ weighted
        plain = plain + power @ plain
        power, length = power @ power, 2 * length
        if bit == "1":
            plain, power, length = one + M @ plain, M @ power, length + 1
            weighted = weighted + plain
    return weighted


def _split(stacked: Array, names: tuple[str, ...], d: int) -> dict[tuple[str, str], Array]:
    return {
        (a, b): stacked[i * d : (i + 1) * d, j * d : (j + 1) * d]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    }


def _kl(setting: Setting, values: Values, covariance: Array, mean: Array) -> float | None:
    """KL(law || posterior) of two Gaussians; None where the law is degenerate or N is not known."""
    if "N" not in values.scalars:
        return None
    inverse = precision(setting, values)
    variances = np.diag(covariance)
    if not np.all(variances > 0):
        return None
    try:
        factor = np.linalg.cholesky(covariance / np.sqrt(np.outer(variances, variances)))
    except np.linalg.LinAlgError:
        return None
    pivots = np.diag(factor) ** 2
    if not np.all(pivots > values.D * 8 * np.finfo(float).eps):  # degenerate, up to rounding
        return None
    product = inverse @ covariance
    logdet = float(np.linalg.slogdet(product)[1])
    return float(np.trace(product) - logdet - values.D + mean @ inverse @ mean) / 2
