"""Section 7.2's runs of IASG and SGLD, shared by Figures 4 and 5, and the exact theory of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.estimate.gradients import of_problem
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting as Run
from verification.experiments.job import Job
from verification.experiments.mandt2017.artificial import SETTINGS as DATA
from verification.experiments.mandt2017.artificial import Artificial, artificial
from verification.experiments.mandt2017.nuts import available, nuts
from verification.experiments.mandt2017.paths import Path, scheduled
from verification.experiments.record import Setting

S, RATE = 10, "3/1000"
FIRST_RATE = 1e-3  # of SGLD; eps_t = FIRST_RATE / sqrt(OFFSET + t)
OFFSET = 1000
LEFT_OUT = 10  # passes
IASG, UPDATE, MEAN = "IASG", "SGLD by section 5.1", "SGLD on the mean loss"
SAMPLERS = (IASG, UPDATE, MEAN)
STARTS = ("mode", "random")
SETTINGS = (
    *DATA,
    Setting("minibatch", "10", "section 7.2, second experiment", "drawn with replacement"),
    Setting("window of IASG", "1,000 steps", "section 7.2, second experiment"),
    Setting("learning rate of IASG", "0.003", "section 7.2, second experiment"),
    Setting("learning rate of SGLD", "$eps_0/sqrt(1000 + t)$, $eps_0 = 0.001$", "section 7.2"),
    Setting(
        "what SGLD's rate multiplies", "", "", "both the sum's gradient (section 5.1) and the mean's"
    ),
    Setting("random start", "", "", "one draw from the prior, the same for all chains"),
    Setting("passes", "10,000", "section 7.2, 10^3 D effective passes"),
    Setting("left out at the beginning", "10 iterations", "section 7.2", "10 passes"),
    Setting("chains", "100", "section 7.2"),
    Setting("SGLD's estimate", "", "", "from the state after each pass, all with one weight"),
)


@dataclass(frozen=True, eq=False)
class Runs:
    """The data, the random start, and what each sampler gave: (chains, passes, D), from the mode."""

    made: Artificial
    random: Any
    samples: dict[tuple[str, str], Any]

    def variances(self, sampler: str, start: str, coordinate: int, n: int) -> Any:
        """Of one coordinate: each chain's estimate from the first n passes, without the ten first."""
        return self.samples[sampler, start][:, LEFT_OUT:n, coordinate].var(1, ddof=1)


def problem(made: Artificial, sampler: str, start: Any = None, first: float = FIRST_RATE) -> Problem:
    """The problem with a sampler's parameters. On the mean loss SGLD's steps are an N-th."""
    if sampler == IASG:
        return made.problem(S, {"eps": RATE}, start)
    scale = len(made.X) if sampler == MEAN else 1
    return made.problem(S, {"eps": f"{first / scale:.17g}", "b": OFFSET, "c": "1/2"}, start)


def data(job: Job) -> tuple[Artificial, Any]:
    """The data and the random start, the same in both figures."""
    shared = replace(job, experiment="mandt2017.section7_2")
    made = artificial(shared.rng("data"), job.size("N"), job.size("D"))
    return made, shared.rng("start").standard_normal(job.size("D"))


def runs(job: Job) -> Runs:
    """All runs; each is kept, for either figure."""
    names = ("N", "D", "passes", "chains")
    sizes = {name: job.size(name) for name in names}
    shared = replace(job, experiment="mandt2017.section7_2", sizes=sizes)
    made, random = data(job)
    found = {}
    for k, (sampler, start) in enumerate((a, b) for a in SAMPLERS for b in STARTS):
        begin = None if start == "mode" else random
        make = partial(_samples, shared, problem(made, sampler, begin), sampler, job.seed + k)
        found[sampler, start] = shared.part(f"{sampler}, {start}", make) - made.mode
    return Runs(made, random, found)


def _samples(job: Job, what: Problem, sampler: str, seed: int) -> Any:
    from simulators.trace import trace

    name, state = ("iasg", "m") if sampler == IASG else ("sgld_decreasing", "theta")
    setting = Run(registry.sampler(name, what.params), what.model)
    every = job.size("N") // S
    found = trace(
        setting, what.values(setting.sampler), chains=job.size("chains"), device=job.device,
        steps=every * job.size("passes"), every=every, seed=seed % 2**32,
    )  # fmt: skip
    return found.states[state][:, 1:]


def by_nuts(job: Job, found: Runs) -> dict[str, tuple[Any, Any]] | None:
    """NUTS: draws measured from the mode, and gradients, by start; None without blackjax."""
    if not available():
        return None
    sizes = {name: job.size(name) for name in ("N", "D", "chains", "warm", "draws")}
    shared = replace(job, experiment="mandt2017.section7_2", sizes=sizes)
    draws, used = shared.part("NUTS", partial(_nuts, shared, found.made, found.random))
    half = len(draws) // 2
    return {"mode": (draws[:half], used[:half]), "random": (draws[half:], used[half:])}


def _nuts(job: Job, made: Artificial, random: Any) -> tuple[Any, Any]:
    count = job.size("chains")
    starts = np.zeros((2 * count, len(made.mode)))
    starts[count:] = random - made.mode
    return nuts(made.precision, starts, job.size("warm"), job.size("draws"), job.seed)


def quadratic(made: Artificial, sampler: str, start: Any = None, first: float = FIRST_RATE) -> Problem:
    """The same with constant noise, and the start measured from the mode."""
    real = problem(made, sampler, None, first)
    begin = np.zeros(len(made.mode)) if start is None else start - made.mode
    content = of_problem(real).problem(S, real.params).to_json()
    return Problem.of({**content, "start": {"theta": list(map(float, begin))}})


def path(made: Artificial, sampler: str, start: Any, passes: int, first: float = FIRST_RATE) -> Path:
    """The law of SGLD after each pass."""
    every = len(made.X) // S
    return scheduled(quadratic(made, sampler, start, first), every, passes)


def rate(sampler: str, made: Artificial, step: int) -> float:
    """SGLD's own step after so many steps."""
    scale = len(made.X) if sampler == MEAN else 1
    return FIRST_RATE / scale / math.sqrt(OFFSET + step)


def settled(made: Artificial, eps: float, *, real: bool = True) -> Any:
    """The covariance of SGLD with a constant step; real minibatches, or their noise at the mode."""
    what = made.problem(S, {"eps": f"{eps:.17g}"})
    found = law("sgld", what if real else of_problem(what).problem(S, what.params))
    covariance = found.require_stable().covariance
    return covariance["theta", "theta"]


def excess(made: Artificial, passes: int, nodes: int = 9) -> tuple[Any, Any]:
    """What minibatches add to section 5.1's variances beside their noise at the mode, and its error.

    The mean of it over the passes up to each: arrays (passes - 10, D). The chain follows its step so
    closely that the law of a constant step is taken, at a few and by curves between. The error is what
    half of the nodes change, and the lag: the share by which the excess, and the variance that it
    multiplies and that is at most proportional to the step, change while the chain relaxes.
    """
    from scipy.interpolate import CubicSpline

    every, N = len(made.X) // S, len(made.X)
    steps = every * np.arange(LEFT_OUT + 1, passes + 1)
    rates = np.array([rate(UPDATE, made, int(k)) for k in steps])
    places = np.geomspace(rates[-1], rates[0], nodes)
    gaps = [np.diag(settled(made, e) - settled(made, e, real=False)) for e in places]
    known = np.array(gaps) / places[:, None]
    curve, coarse = (CubicSpline(np.log(places[::k]), known[::k]) for k in (1, 2))
    found, other = (c(np.log(rates)) * rates[:, None] for c in (curve, coarse))
    power = 1 + curve(np.log(rates), 1) / curve(np.log(rates))  # of the step, in the excess
    relaxed = rates * N * np.linalg.eigvalsh(made.precision / N).min()
    lag = (abs(power) + 1) / (2.0 * (OFFSET + steps) * relaxed)[:, None]
    error = abs(found - other) + lag * abs(found)
    count = np.arange(1, len(steps) + 1)[:, None]
    return np.cumsum(found, 0) / count, np.cumsum(error, 0) / count


def mean_loss_bound(made: Artificial, way: Path) -> float:
    """What minibatches at most add to a variance on the mean loss beside their noise at the mode."""
    examples, every = problem(made, MEAN).examples, len(made.X) // S
    total = np.zeros(len(made.mode))
    for k in range(len(way.means)):
        eps = rate(MEAN, made, every * k)
        m = way.basis @ way.means[k]
        second = way.basis @ way.covariances[k] @ way.basis.T + np.outer(m, m)
        total += every * (eps * len(made.X) / 2) ** 2 * np.diag(examples.spread(second)) / S
    return float(total.max())
