"""Runs on large sets for Figures 3 and 4: covertype, or what stands in for it, and skin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.onestep.momentstep import Moments, cycle_of
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.experiments import datasets
from verification.experiments.brosse2018.regression import (
    Labelled,
    linearised,
    mode_of,
    normal_problem,
    problem_of,
    trajectories,
)
from verification.experiments.datasets import Dataset
from verification.experiments.job import Job
from verification.experiments.record import Setting as Printed

Array = Any
SAMPLERS = ("sgd", "sgld", "sgldfp")
NAMES = {"sgd": "SGD", "sgld": "SGLD", "sgldfp": "SGLDFP"}
BATCH = 100
AT = "section 4, covertype data"
SETTINGS = (
    Printed("model", "Bayesian logistic regression, prior a standard normal", AT),
    Printed("data", "covertype, LIBSVM's binary scaled file", AT,
            "a stand-in, unless --data covtype=FILE"),
    Printed("sizes N of the training set", "10^3, 10^4, 10^5", AT),
    Printed("which examples, and how many for testing", "", AT, "at random, a sixth for testing"),
    Printed("minibatch size p", "", AT, "p = 100, which fits the axis of SGD in Figure 3"),
    Printed("step", "1/N", AT),
    Printed("start", "an estimator of the mode, by SGD and BFGS", AT, "the mode, by Newton's method"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Place:
    """The first N examples of a set, their mode, and the step 1/N."""

    data: Labelled
    mode: Array

    @classmethod
    def of(cls, data: Labelled) -> Place:
        """At its mode."""
        return cls(data, mode_of(data))

    @property
    def N(self) -> int:
        """How many examples."""
        return len(self.data.X)

    @property
    def params(self) -> Mapping[str, float]:
        """The step."""
        return {"gamma": 1 / self.N}

    def problem(self, batch: int = BATCH) -> Problem:
        """The logistic one, started at the mode."""
        return problem_of(self.data, batch, self.params, self.mode)

    def twin(self, batch: int = BATCH) -> tuple[Labelled, Problem]:
        """Linear regression with the same gradients and curvatures at the mode."""
        data = linearised(self.data, self.mode)
        return data, problem_of(data, batch, self.params, self.mode, "linear_regression")

    def normal(self, batch: int = BATCH) -> Problem:
        """The quadratic one, with noise of constant covariance."""
        return normal_problem(self.data, self.mode, batch, self.params)


def training(found: Dataset) -> Labelled:
    """Its training part."""
    return Labelled(found.X, found.y)


def skin(job: Job) -> Dataset:
    """Real pixels, colours in [0, 1] beside an intercept, in an order of ours."""
    found = datasets.skin(job.files)
    order = np.random.default_rng(3).permutation(len(found.X))
    X = np.column_stack([found.X / 255.0, np.ones(len(found.X))])
    return Dataset("skin", X[order], found.y[order], found.kind, f"{found.source}, with an intercept")


def run_from_mode(job: Job, sampler: str, problem: Problem, steps: int, every: int, place: int) -> Array:
    """States of the chains that this scale asks for, (chains, times, D)."""
    seed = job.seed + 1000 * SAMPLERS.index(sampler) + place
    chains = job.size("chains") * (4 if problem.D < 10 else 1)  # as many as cost alike
    return trajectories(
        sampler, problem, chains=chains, steps=steps, every=every, seed=seed, device=job.device
    )


def normal_gradient_variance(sampler: str, place: Place, normal: Problem, twin: Problem) -> float:
    """What ``gradient_variance`` is on average in the law with normal noise, gradients made linear."""
    covariance = law(sampler, normal).require_stable().covariance
    examples, batch = twin.examples, int(normal.sizes["S"])
    P = covariance["theta", "theta"]
    shared = examples.shared
    spread = examples.spread(P) - shared @ P @ shared.T
    if sampler != "sgldfp":
        spread = spread + examples.noise
    return float(place.N**2 / batch * np.trace(spread) / len(P))


def exact_gradient_variance(sampler: str, twin: Problem, steps: int) -> float:
    """The mean variance of a minibatch's gradient along linear chains, some steps from the mode."""
    setting = Setting(registry.sampler(sampler, twin.params), twin.model)
    cycle = cycle_of(setting, twin.values(setting.sampler), 1)
    D = cycle.size
    now = cycle(Moments(np.zeros(D), np.zeros((D, D))), n=steps)
    (step,) = cycle.steps
    (update,) = step.updates
    added = sum(
        np.trace(b.front @ step.deviation(b, now, homogeneous=False) @ b.front.T)
        for b in update.minibatches
    )
    return float(added / float(twin.params["gamma"]) ** 2 / D)


def by_size(job: Job, data: Dataset, make: Callable[[Place, int], Any]) -> list[Any]:
    """What a function finds at each N."""
    whole = training(data)
    return [make(Place.of(whole.first(n)), k) for k, n in enumerate(job.size("sizes"))]
