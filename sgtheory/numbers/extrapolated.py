"""Richardson and Romberg's extrapolation: two runs of one sampler, at a step and at half of it."""

from __future__ import annotations

from dataclasses import dataclass

from sgtheory.numbers.runs import Chain, RunAverage, Schedule
from sgtheory.onestep.full import Array

FINE, COARSE = 2.0, -1.0  # what is proportional to the step in a bias goes, and constants stay
RUNS = 3  # times the steps of the coarse run: the fine one has twice as many


@dataclass(frozen=True, eq=False)
class Extrapolated:
    """Two independent runs: the answer is twice that of the finer one less that of the coarser one.

    A schedule is that of the coarse run; the fine one has twice as many steps, of half the length. They
    share no noise and no minibatch, so the two variances add up, four times that of the finer run.

    >>> from sgtheory import registry
    >>> from sgtheory.problem import Problem
    >>> from sgtheory.setting import Setting
    >>> problem = {"hessian": [[1]], "noise": [[0]], "N": 10, "S": 1, "start": {"theta": [0]}}
    >>> lmc = registry.sampler("lmc")
    >>> at = [Problem.of(problem | {"params": {"gamma": h}}) for h in ("1/50", "1/100")]
    >>> chains = [Chain.of(Setting(lmc, p.model), p.values(lmc)) for p in at]
    >>> late = Schedule(10**5, 10**5)
    >>> [float(c.average(late).squares[0, 0].round(4)) for c in (*chains, Extrapolated(*chains))]
    [0.1111, 0.1052, 0.0994]
    """

    coarse: Chain
    fine: Chain

    def average(self, schedule: Schedule) -> RunAverage:
        """The mean over the kept steps, extrapolated; so are the sample covariances."""
        one, other = self.coarse.average(schedule), self.fine.average(schedule.finer)
        return RunAverage(
            COARSE * one.bias + FINE * other.bias,
            COARSE**2 * one.covariance + FINE**2 * other.covariance,
            COARSE * one.squares + FINE * other.squares,
        )

    def products(self, schedule: Schedule) -> Array:
        """The expected mean of (theta - mode)(theta - mode)^T, extrapolated."""
        return COARSE * self.coarse.products(schedule) + FINE * self.fine.products(schedule.finer)

    def scatter(self, schedule: Schedule, directions: Array) -> Array:
        """The variance of extrapolated sample variances along some directions."""
        one = self.coarse.scatter(schedule, directions)
        return COARSE**2 * one + FINE**2 * self.fine.scatter(schedule.finer, directions)

    def scatter_of_quadratic(self, schedule: Schedule, B: Array, centre: Array) -> float:
        """The variance of the extrapolated mean of theta^T B theta."""
        one = self.coarse.scatter_of_quadratic(schedule, B, centre)
        other = self.fine.scatter_of_quadratic(schedule.finer, B, centre)
        return COARSE**2 * one + FINE**2 * other

    @property
    def quick(self) -> Extrapolated:
        """The same with settled noise from the first step on."""
        return Extrapolated(self.coarse.quick, self.fine.quick)

    @property
    def sharpened(self) -> Extrapolated:
        """The same with what is known of fourth moments."""
        return Extrapolated(self.coarse.sharpened, self.fine.sharpened)

    @property
    def by_examples(self) -> bool:
        """Whether scatters count the examples' fourth moments."""
        return self.coarse.by_examples

    @property
    def counts_start(self) -> bool:
        """Whether scatters count the start."""
        return self.coarse.counts_start

    @property
    def followed(self) -> bool:
        """Whether real minibatches are followed from the start."""
        return self.coarse.followed


Run = Chain | Extrapolated
