"""Temperatures of the Nose-Hoover thermostat, whose law is not normal, and what holds of them exactly.

One step is

    v' = (1 - eta xi) v - eta N g + noise,  theta' = theta + eta v',  xi' = xi + eta (|v'|^2/D - tau).

The last says, summed over n steps, that

    mean of |v'|^2/D - (xi at the end - xi at the beginning)/(eta n) = tau.

Of theta'.v' = theta.v' + eta |v'|^2 the first gives the mean of theta.v', the noises being
independent of theta: the mean of (1 - eta xi) theta.v - eta N theta.A theta. Summed over n steps and
divided by eta n D, with xi, theta and v those before each step,

    N theta.A theta/D + mean of xi theta.v/D + (theta.v at the end - at the beginning)/(eta n D)
      = mean of |v'|^2/D.

So in the mean, at every step size and after any number of steps, the configurational temperature, the
pull of the friction, and what the ends have to do with it add up to tau.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from simulators.ensemble import Ensemble, simulate
from simulators.record import Factor, Monomial, Recorded, Recording
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.record import Amount


@dataclass(frozen=True)
class Temperatures:
    """Averages over steps and chains; ``steered`` and ``balance`` are tau if all is right."""

    kinetic: Amount
    configurational: Amount
    ratio: Amount  # configurational over kinetic
    steered: Amount  # kinetic, less what the friction gained
    balance: Amount  # configurational, with the friction's pull and the ends


def squares(state: str, D: int) -> tuple[Monomial, ...]:
    """All products of two coordinates.

    >>> len(squares("theta", 3))
    6
    """
    return tuple((Factor(state, i), Factor(state, j)) for i in range(D) for j in range(i, D))


def pulls(D: int, *more: Factor) -> tuple[Monomial, ...]:
    """theta_i v_i, times something."""
    return tuple((*more, Factor("theta", i), Factor("v", i)) for i in range(D))


def temperatures(
    problem: Problem, *, chains: int, steps: int, seed: int, device: str, intervals: int
) -> Temperatures:
    """Of ensembles with seeds of their own, over the second half of their steps."""
    setting = Setting(registry.sampler("sgnht", problem.params), problem.model)
    values = problem.values(setting.sampler)
    D, begin = problem.D, steps // 2
    xi = Factor("xi", 0)
    before = Recording((*squares("theta", D), *pulls(D, xi)), begin, steps - 1)
    after = Recording(squares("v", D), begin + 1, steps)
    ends = [Recording(((xi,), *pulls(D)), at, at) for at in (begin, steps)]
    found = [
        _of(simulate(setting, values, chains=chains // BATCHES, steps=steps, seed=(seed + k) % 2**32,
                     device=device, centre=np.zeros(3 * D), record=(before, after, *ends)), values, D)
        for k in range(BATCHES)
    ]  # fmt: skip
    return Temperatures(*(interval(column, intervals) for column in zip(*found, strict=True)))


def _of(run: Ensemble, values: Any, D: int) -> tuple[float, ...]:
    """The numbers of one ensemble, in the order of ``Temperatures``."""
    before, after, first, last = run.recorded
    A, N, eta = values.arrays["A"], float(values.scalars["N"]), float(values.scalars["eta"])
    time = eta * before.recording.times
    xi = Factor("xi", 0)
    kinetic = sum(after[m] for m in squares("v", D) if m[0] == m[1]) / D
    energy = sum(
        (2 - (i == j)) * A[i, j] * before[Factor("theta", i), Factor("theta", j)]
        for i in range(D)
        for j in range(i, D)
    )
    configurational = N * float(energy) / D
    pull = sum(before[m] for m in pulls(D, xi)) / D
    gained = (last[(xi,)] - first[(xi,)]) / time
    turned = (_virial(last, D) - _virial(first, D)) / (time * D)
    balance = configurational + pull + turned - gained
    return kinetic, configurational, configurational / kinetic, kinetic - gained, balance


def _virial(found: Recorded, D: int) -> float:
    """The mean of theta.v."""
    return sum(found[m] for m in pulls(D))
