"""Figure 1: Santa and RMSprop on a double well, with a decreasing step and annealing."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from simulators.ensemble import simulate
from simulators.record import Histogram
from simulators.trace import trace
from verification.experiments.chen2016santa.schedules import (
    equilibrium_share,
    on_the_well,
    potential,
    stationary_points,
)
from verification.experiments.ensembles import share
from verification.experiments.job import Job
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
    Shape,
    shape,
)

NEAR = 0.5  # of a mode
POWER = sp.Rational(3, 10)
PRINTINGS = {
    "santa_sss:algorithm2": "Algorithm 2",
    "santa_sss:algorithm4": "Algorithms 4, 5",
    "santa_euler:algorithm1": "Algorithm 1",
    "santa_euler:algorithm6": "Algorithms 6, 7",
}
STEPS = {"$eta = h^2$": (2, "1/100"), "eta = h": (1, "1/10")}  # footnote 5, or h is the learning rate
OTHERS = [(C, sigma) for C in ("1", "30") for sigma in ("99/100", "999/1000")]
RMSPROP = {"eps": "1/10", "lambda": "1/100000", "alpha": "99/100"}


def run(job: Job) -> Findings:
    """Every reading of Santa over many seeds; RMSprop, which has no noise here, once."""
    found, shown = {}, {}
    for name, words in PRINTINGS.items():
        for reading in STEPS:
            for C, sigma in OTHERS:
                part = (name, reading, C, sigma)
                label = f"{words}, {reading}, C = {C}, sigma = {float(sp.Rational(sigma)):g}"
                ended, path = job.part(" ".join(part), partial(ends, job, *part))
                found[label], shown[label] = ended, path
    rms = job.part("rmsprop", partial(rmsprop, job))
    best = max(found, key=lambda label: found[label][0].value)
    plots = (_well(), _paths(best, shown[best], rms), _shares(best, shown[best], job))
    return Findings(
        (*plots, _by_reading(found)),
        shapes=_shapes(found, best, shown[best], rms),
        notes=(
            f"Share of {job.size('chains'):,} runs that end within {NEAR} of the global mode, at most:"
            f" {found[best][0].value:.3f} ({best}).",
            *(f"{label}: global mode {a.value:.3f}, local mode {b.value:.3f}, elsewhere or diverged"
              f" {max(0.0, 1 - a.value - b.value):.3f}." for label, (a, b) in found.items()),
            _barrier(),
            "No run of RMSprop can differ from another: the gradient has no noise.",
        ),
    )  # fmt: skip


def reading_of(job: Job, name: str, reading: str, C: str, sigma: str) -> tuple[Any, Any]:
    """Santa as one place prints it, with one meaning of h and two settings that are not printed."""
    twice, first = STEPS[reading]
    params = {"eta": first, "gamma": 2, "burnin": job.size("steps") // 2, "C0": C, "sigma": sigma}
    return on_the_well(name, "eta", twice * POWER, params)


def ends(job: Job, *reading: str) -> tuple[tuple[Amount, Amount], Any]:
    """The shares of runs that end in either mode, and (times, share left of the barrier, some paths)."""
    setting, values = reading_of(job, *reading)
    left, barrier, right = stationary_points()
    last, chains = job.size("steps"), job.size("chains")
    times = np.unique(np.geomspace(1, last, job.size("times")).astype(int))
    modes = [Histogram("theta", 0, m - NEAR, m + NEAR, 1, last, last) for m in (left, right)]
    sides = [Histogram("theta", 0, barrier - 100, barrier, 1, int(k), int(k)) for k in times]
    made = simulate(
        setting, values, chains=chains, steps=last, seed=job.seed, device=job.device,
        record=(*modes, *sides),
    )  # fmt: skip
    many = 2 * len(PRINTINGS) * len(STEPS) * len(OTHERS)
    inside = [round(float(r.mean[1]) * chains) for r in made.recorded]
    a, b = (share(k, chains, many) for k in inside[:2])
    paths = trace(setting, values, chains=job.size("paths"), steps=last, seed=job.seed, device="cpu")
    return (a, b), (times, np.array(inside[2:]) / chains, paths.states["theta"][:, :, 0])


def rmsprop(job: Job) -> Any:
    """Its only path."""
    setting, values = on_the_well("rmsprop", "eps", POWER, RMSPROP)
    return trace(setting, values, chains=1, steps=job.size("steps"), device="cpu").states["theta"][
        0, :, 0
    ]


def arrival(path: Any, at: float) -> float:
    """After how many steps a path is within reach of a place; inf if it never is.

    >>> arrival(np.array([4.0, 3.0, 2.2]), 2.0)
    2.0
    """
    there = np.flatnonzero(abs(path - at) < NEAR)
    return float(there[0]) if len(there) else float("inf")


def _shapes(found: Any, best: str, shown: Any, rms: Any) -> tuple[Shape, ...]:
    left, _, right = stationary_points()
    shares = [a for a, _ in found.values()]
    first = float(np.median([arrival(p, right) for p in shown[2]]))
    return (
        shape(
            "RMSprop stays at the local mode",
            f"it ends at {rms[-1]:.3f}",
            lambda x: abs(x - right) < NEAR,
            rms[-1],
            left,
            "its path put at the other mode",
        ),
        shape(
            "a run of Santa can end in the global mode",
            f"a share of {found[best][0].value:.3f} does in the best of {len(shares)} readings",
            lambda x: any(a.value - a.error > 0 for a in x),
            shares,
            [Amount(0.0, a.error) for a in shares],
            "no run does",
        ),
        shape(
            "most runs of Santa end in the global mode under some reading of its settings",
            f"{found[best][0].value:.3f} at most",
            lambda x: any(a.value + a.error > 0.5 for a in x),
            shares,
            [Amount(0.1 * a.value, a.error) for a in shares],
            "a tenth of every share",
        ),
        shape(
            "RMSprop is slower at the beginning",
            f"it is at the local mode after {arrival(rms, right):.0f} steps, the middle one of Santa's"
            f" runs {'after ' + format(first, '.0f') if first < np.inf else 'never'} ({best})",
            lambda pair: pair[0] > pair[1],
            (arrival(rms, right), first),
            (first, arrival(rms, right) + first),
            "the two exchanged",
        ),
    )


def _barrier() -> str:
    _, barrier, right = stationary_points()
    height = float(potential(barrier) - potential(right))
    return (
        f"From the local mode the barrier is {height:.3f} high: {height * 10**2:.0f} temperatures at the"
        f" tenth iteration, {height * 100**2:,.0f} at the hundredth."
    )


def _well() -> Plot:
    x = np.linspace(-4.8, 4.2, 181)
    line = Line("U", tuple(x), tuple(potential(x)), kind="exact")
    return Plot("well", "The double well", "theta", "U", (line,))


def _paths(best: str, shown: Any, rms: Any) -> Plot:
    left = stationary_points()[0]
    steps = np.arange(len(rms))
    keep = np.unique(np.geomspace(1, len(rms), 200).astype(int)) - 1

    def line(label: str, path: Any) -> Line:
        inside = [k for k in keep if abs(path[k]) < 8]
        return Line(label, tuple(float(steps[k] + 1) for k in inside), tuple(path[inside]))

    ends_left = [p for p in shown[2] if abs(p[-1] - left) < NEAR][:1]
    some = [p for p in shown[2] if np.all(abs(p) < 8) and abs(p[-1] - left) > NEAR][:3]
    lines = [line("RMSprop", rms)]
    lines += [line("Santa, a run that ends in the global mode", p) for p in ends_left]
    lines += [line(f"Santa, run {k + 1}", p) for k, p in enumerate(some)]
    title = f"Paths: {best}, and RMSprop"
    return Plot("paths", title, "iteration", "theta", tuple(lines), log_x=True)


def _shares(best: str, shown: Any, job: Job) -> Plot:
    times, left_of = shown[:2]
    error = [share(round(p * job.size("chains")), job.size("chains"), len(times)).error for p in left_of]
    x = tuple(float(k) for k in times)
    lines = (
        Line("at rest at this temperature, exact", x, tuple(equilibrium_share(k**2) for k in x),
             kind="exact"),
        Line("Santa, measured", x, tuple(left_of), tuple(error)),
    )  # fmt: skip
    title = f"Share of runs left of the barrier: {best}"
    return Plot("shares", title, "iteration", "share", lines, log_x=True)


def _by_reading(found: Any) -> Plot:
    numbers = tuple(float(k + 1) for k in range(len(found)))
    lines = tuple(
        Line(name, numbers, tuple(v[k].value for v in found.values()),
             tuple(v[k].error for v in found.values()))
        for k, name in enumerate(("global mode", "local mode"))
    )  # fmt: skip
    title = "Where runs of Santa end, by reading (in the order of the notes)"
    return Plot("readings", title, "reading", "share of runs", lines)


EXPERIMENT = Experiment(
    name="chen2016santa.figure1",
    paper="chen2016santa",
    locator="Figure 1",
    claims=("fig1",),
    title="Santa and RMSprop on a double well",
    settings=(
        Setting("potential", "(x+4)(x+1)(x-1)(x-3)/14 + 0.5", "section 5.1"),
        Setting(
            "step", "$h_t = t^(-3/10)/10$", "section 5.1", "$eta = h^2$ (footnote 5), and $eta = h$"
        ),
        Setting("annealing", "$beta_t = t^2$", "section 5.1"),
        Setting("start", "$theta_0 = 4$", "section 5.1"),
        Setting("exploration", "the first half of iterations", "section 5.1"),
        Setting("scheme", "", "section 5.1", "each of four that the paper prints"),
        Setting("iterations", "", "Figure 1", "1,000"),
        Setting("runs", "", "Figure 1", "many, each with a seed of its own"),
        Setting("C of Santa", "", "section 5.1", "1 and 30"),
        Setting("sigma of Santa", "", "section 5.1", "0.99 and 0.999"),
        Setting("lambda of Santa", "", "section 5.1", "1e-5"),
        Setting("settings of RMSprop", "", "section 5.1", "step $h_t$, $alpha$ 0.99, $lambda$ 1e-5"),
        Setting("noise of gradients", "", "section 5.1", "none"),
    ),
    scales={
        LAPTOP: {"chains": 4_096, "steps": 1_000, "paths": 256, "times": 20},
        PAPER: {"chains": 65_536, "steps": 1_000, "paths": 256, "times": 20},
    },
    changed="fewer runs.",
    run=run,
)
