"""Local learning coefficients, as chains estimate them: N beta times the mean excess of the loss.

On a quadratic loss its expectation is exact for a chain of any length from any start, on real
minibatches too. With z the place of theta in modes, from the mode, the loss is the sum of
lambda_i z_i^2/2 over the eigenvalues of the curvature; the variance of its mean over the draws is that
of a normal chain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.numbers.runs import Chain, Schedule
from sgtheory.onestep.full import Array, precision
from sgtheory.problem import ProblemLike, as_problem
from sgtheory.setting import Setting


@dataclass(repr=False, frozen=True)
class Coefficient(Shown):
    """What the estimate is of, what it is on average, and how it scatters from chain to chain.

    ``localised`` is what endless draws of the law would give that the sampler is after, ``settled`` what
    endless draws of the sampler itself give; ``expected`` is of the draws of a chain from its start.
    """

    draws: int
    burn_in: int
    truth: float
    localised: float
    settled: float
    expected: float
    scatter: float

    @property
    def parts(self) -> dict[str, float]:
        """What makes the expected estimate differ from the truth, in the order in which it comes."""
        return {
            "the spring and weight decay": self.localised - self.truth,
            "the step and its minibatches": self.settled - self.localised,
            "draws before it has settled": self.expected - self.settled,
        }

    def to_json(self) -> dict[str, Any]:
        """As it stands in ``law --json``."""
        names = ("draws", "burn_in", "truth", "localised", "settled", "expected", "scatter")
        return {name: getattr(self, name) for name in names}


def learning_coefficient(
    sampler: Any, problem: ProblemLike, *, draws: int, burn_in: int = 0
) -> Coefficient:
    """The estimate N beta (mean loss of ``draws`` steps - loss at the mode) of one chain.

    The chain begins where the problem says, or at the mode. The loss is that of all data after each
    step. Of a quadratic loss in D dimensions the true coefficient is D/2.

    >>> problem = {"hessian": [[2]], "noise": [[0]], "N": 50, "S": 1,
    ...            "params": {"eps": "1/100", "beta": "1/4", "gamma": 0}, "start": {"theta": [0]}}
    >>> found = learning_coefficient("local_sgld", problem, draws=1000)
    >>> found.truth, round(found.settled, 4), round(found.expected, 4), round(found.scatter, 4)
    (0.5, 0.5333, 0.5316, 0.0652)
    """
    if draws < 1 or burn_in < 0:
        raise UnusableInput(
            "at least one draw, after 0 steps or more", f"{draws} after {burn_in}", "count them"
        )
    read = as_problem(problem)
    setting = Setting(registry.sampler(sampler, read.params), read.model)
    values = read.values(setting.sampler)
    if "N" not in values.scalars:
        raise UnusableInput("N, which the coefficient depends on", "none", 'add "N": 100 to the problem')
    chain = Chain.of(setting, values, follow=True)
    run = chain.average(Schedule(burn_in, draws))
    quiet = replace(chain, mean=0 * chain.mean, second=chain.settled, moments=None)
    mean, covariance = quiet.at(0)
    after = np.linalg.inv(precision(setting, values))
    return Coefficient(
        draws=draws,
        burn_in=burn_in,
        truth=values.D / 2,
        localised=excess(chain, after),
        settled=excess(chain, covariance + np.outer(mean, mean)),
        expected=excess(chain, run.squares + run.mean_square),
        scatter=float(np.sqrt(variance_of_excess(chain, Schedule(burn_in, draws)))),
    )


def excess(chain: Chain, second: Array) -> float:
    """N beta times the mean of the loss above its minimum, theta having a mean square from the mode."""
    theta = [s.name for s in chain.modes.form.states].index("theta")
    inverse = chain.modes.inverses[theta]
    return chain.sharpness * float(chain.modes.eigenvalues @ np.diag(inverse @ second @ inverse.T)) / 2


def variance_of_excess(chain: Chain, schedule: Schedule) -> float:
    """The variance of N beta times the mean excess loss over a schedule's draws, as of a normal chain.

    With z_s = rest + mean_s + noise, Cov(loss_t, loss_s) is the sum over pairs of modes of
    lambda_i lambda_j (C_ij^2/2 + C_ij m_i m_j), C = Cov(z_t, z_s). Every factor is a sum of powers of
    eigenvalues of a step, so that all sums over t and s are geometric.
    """
    theta = [s.name for s in chain.modes.form.states].index("theta")
    z, vectors = np.linalg.eig(chain.modes.M())
    inverse, seen = np.linalg.inv(vectors), vectors[:, theta]  # (D, p) each
    m, one = z.shape[1], np.ones_like(z[:, :1])
    away = chain.second - chain.mean[:, None, :, None] * chain.mean[None, :, None, :] - chain.settled
    # C_ij(t, s) = sum over p, r of lag^(t-s) rate^s weight
    settled = inverse[:, None] @ chain.settled[:, :, :, theta, None]
    moved = inverse[:, None] @ away @ inverse[None].transpose(0, 1, 3, 2) * seen[None, :, None, :]
    weight = seen[:, None, :, None] * np.concatenate([settled, moved], axis=3)
    rate = np.concatenate(
        [
            np.broadcast_to(one[:, None, None], (*weight.shape[:3], 1)),
            z[:, None, :, None] * z[None, :, None, :],
        ],
        axis=3,
    )
    lag = np.broadcast_to(z[:, None, :, None], weight.shape)
    flat = (*weight.shape[:2], m * (m + 1))
    weight, rate, lag = (x.reshape(flat) for x in (weight, rate, lag))
    # m_i(t) = sum over a of pace^t share
    share = np.concatenate(
        [chain.resting[:, theta, None], seen * (inverse @ chain.mean[:, :, None])[:, :, 0]], 1
    )
    pace = np.concatenate([one, z], axis=1)
    eigenvalues = chain.modes.eigenvalues
    total = 0.0
    for q in range(flat[2]):
        for p in range(flat[2]):
            found = _sums(lag[..., p] * lag[..., q], rate[..., p] * rate[..., q], schedule)
            total = total + weight[..., p] * weight[..., q] * found / 2
        for a in range(m + 1):
            for b in range(m + 1):
                later = lag[..., q] * pace[:, None, a]
                rates = rate[..., q] * pace[:, None, a] * pace[None, :, b]
                found = _sums(later, rates, schedule)
                total = total + weight[..., q] * share[:, None, a] * share[None, :, b] * found
    whole = np.sum(np.outer(eigenvalues, eigenvalues) * total).real
    return chain.sharpness**2 * max(float(whole), 0.0) / schedule.kept**2


def _sums(lag: Array, rate: Array, schedule: Schedule) -> Array:
    """Over all pairs of draws t >= s, twice but where t = s: the sum of lag^(t-s) rate^s."""
    n, first = schedule.kept, rate**schedule.burn_in
    x, y = lag**schedule.every, rate**schedule.every
    powers = _geometric(y, n)
    # sum over s of y^s (1 - x^(n-s+1))/(1 - x)
    crossed = y * _divided(x, y, n)
    return first * (2 * (powers - x * crossed) / (1 - x) - powers)


def _geometric(y: Array, n: int) -> Array:
    """The sum of y^s for s from 1 to n."""
    near = np.abs(1 - y) < 1e-12
    return np.where(near, n, y * (1 - y**n) / np.where(near, 1, 1 - y))


def _divided(x: Array, y: Array, n: int) -> Array:
    """(x^n - y^n)/(x - y), the sum of x^(n-1-k) y^k."""
    near = np.abs(x - y) <= 1e-9 * np.maximum(np.abs(x), np.abs(y))
    return np.where(near, n * y ** (n - 1), (x**n - y**n) / np.where(near, 1, x - y))
