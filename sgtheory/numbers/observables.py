"""What a stationary chain shows beyond its covariance: averages, correlation times, temperatures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import S
from sgtheory.declaring.cost import gradients_per_step
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.numbers.modes import Modes, modes_of, push
from sgtheory.onestep.affine import has_spread, mode_form
from sgtheory.onestep.full import Array, scalar
from sgtheory.problem import Values


@dataclass(repr=False, frozen=True)
class Average(Shown):
    """The mean of theta over a window: its covariance, and that with the mean of the next window."""

    window: int
    covariance: Array
    neighbour: Array  # Cov(next window, this window)

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``."""
        return {
            "window": self.window,
            "covariance": self.covariance.tolist(),
            "neighbour": self.neighbour.tolist(),
        }


def all_of(modes: Modes, values: Values, blocks: Array, window: int | None) -> dict[str, Any]:
    """Everything that applies, under the names of NumericLaw's fields."""
    found: dict[str, Any] = {"temperature": temperatures(modes, values, blocks)}
    if modes.phases > 1:
        if window is not None:
            raise UnusableInput(
                "no window where steps are not alike", f"--average {window}", "leave it out"
            )
        return found
    if window is not None:
        found["average"] = average(modes, blocks, window)
    times = autocorrelation_time(modes, blocks)
    found["autocorrelation_time"] = times
    passes = gradients_per_pass(modes.form.setting, values)
    if passes:
        with np.errstate(divide="ignore"):  # where steps go to and fro, a time may be 0
            found["ess_per_pass"] = passes / times
    return found


def autocovariance(modes: Modes, blocks: Array, lag: int) -> Array:
    """Cov(theta(n + lag), theta(n)) of the stationary chain."""
    if modes.form.time == "continuous":
        from scipy.linalg import expm

        moved = expm(modes.M() * lag)
    else:
        moved = np.linalg.matrix_power(modes.M(), lag)
    return position(modes, moved[:, None] @ blocks)


def long_run(modes: Modes, blocks: Array) -> Array:
    """The sum of the autocovariances over all lags: n times the covariance of a long average."""
    if modes.form.time == "continuous":
        later = -np.linalg.inv(modes.M())[:, None] @ blocks
        return later + later.transpose(1, 0, 3, 2)
    later = np.linalg.inv(np.eye(modes.size[1]) - modes.M())[:, None] @ blocks
    return later + later.transpose(1, 0, 3, 2) - blocks


def autocorrelation_time(modes: Modes, blocks: Array) -> Array:
    """The integrated autocorrelation time of every coordinate of theta, in steps (1 if independent)."""
    total, now = np.diag(position(modes, long_run(modes, blocks))), np.diag(position(modes, blocks))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(total / now)


def gradients_per_pass(setting: Any, values: Values) -> float | None:
    """How many steps cost as many gradients of single examples as one pass over the data."""
    if "N" not in values.scalars:
        return None
    cost = gradients_per_step(setting.sampler)
    if S in cost.free_symbols and "S" not in values.scalars:
        return None
    return float(values.scalars["N"]) / scalar(cost, values) if cost != 0 else None


def temperatures(modes: Modes, values: Values, blocks: Array) -> dict[str, float]:
    """Kinetic temperature after every update of a step, and the configurational one.

    The kinetic temperature is the velocity's mean square in units of its variance at temperature 1; the
    configurational one is E[theta . grad U]/D with U = N L. At the target both are the temperature.
    """
    sampler, setting = modes.form.setting.sampler, modes.form.setting
    if not sampler.kinetic or "N" not in values.scalars:
        return {}
    found = {}
    names = [s.name for s in modes.form.states]
    d = values.D
    for velocity, unit in sampler.kinetic:
        k = names.index(velocity.name)
        seen = [(f"kinetic {velocity.name}", blocks)]
        plain = modes.form.time == "discrete" and modes.phases == 1 and not has_spread(setting)
        count = len(setting.updates) if plain else 0
        for read in range(1, count):
            if setting.updates[read - 1][0] in modes.form.states:
                part = modes_of(mode_form(setting.reading(read)), values)
                title = f"kinetic {velocity.name} after update {read} ({setting.updates[read - 1][0]})"
                seen.append((title, push(part.M(), blocks) + part.Q()))
        for title, law in seen:
            whole = modes.to_coordinates(law)[k * d : (k + 1) * d, k * d : (k + 1) * d]
            found[title] = float(np.trace(whole)) / d / scalar(sp.sympify(unit), values)
    theta = position(modes, blocks)
    energy = float(np.sum(values.arrays["A"] * theta)) * float(values.scalars["N"])
    return {**found, "configurational": energy / d}


def average(modes: Modes, blocks: Array, window: int) -> Average:
    """The covariance of the mean over ``window`` successive positions (or over that time)."""
    if window < 1:
        raise UnusableInput("a window of at least one step", str(window), "give --average 10")
    m = modes.size[1]
    if modes.form.time == "discrete":
        weighted = weighted_powers(modes.M(), window) - window * np.eye(m)
        total = window * blocks
        ramp = plain_powers(modes.M(), window)
        across = (modes.M() @ ramp @ ramp)[:, None] @ blocks
    else:
        first, weighted = _exponential_integrals(modes.M(), window)
        total = np.zeros_like(blocks)
        across = (first @ first)[:, None] @ blocks
    total = total + weighted[:, None] @ blocks + blocks @ weighted[None].transpose(0, 1, 3, 2)
    return Average(window, position(modes, total / window**2), position(modes, across / window**2))


def _exponential_integrals(F: Array, window: int) -> tuple[Array, Array]:
    """The integrals of e^(F s) and of (T - s) e^(F s) over a window, as blocks of one exponential."""
    from scipy.linalg import expm

    d, m, _ = F.shape
    jump = np.zeros((d, 3 * m, 3 * m))
    jump[:, :m, :m], jump[:, :m, m : 2 * m] = F, np.eye(m)
    jump[:, m : 2 * m, 2 * m :] = np.eye(m)
    whole = expm(jump * window)
    return whole[:, :m, m : 2 * m], whole[:, :m, 2 * m :]


def position(modes: Modes, blocks: Array) -> Array:
    """The block of theta, in coordinates."""
    k = [s.name for s in modes.form.states].index("theta")
    return modes.bases[k] @ blocks[:, :, k, k] @ modes.bases[k].T


def weighted_powers(M: Array, n: int) -> Array:
    """The sum of (n - k) M^k for k from 0 to n - 1, by doubling; nothing cancels."""
    return power_sums(M, n)[1]


def plain_powers(M: Array, n: int) -> Array:
    """The sum of M^k for k from 0 to n - 1, by doubling."""
    return power_sums(M, n)[0]


def power_sums(M: Array, n: int) -> tuple[Array, Array]:
    """The plain sum and the weighted one."""
    one = np.broadcast_to(np.eye(M.shape[1]), M.shape)
    length, power, plain, weighted = 1, M, one, one
    for bit in bin(n)[3:]:
        weighted = weighted + length * plain + power @ weighted
        plain = plain + power @ plain
        power, length = power @ power, 2 * length
        if bit == "1":
            plain, power, length = one + M @ plain, M @ power, length + 1
            weighted = weighted + plain
    return plain, weighted
