"""Kinetic and configurational temperature of samplers with a velocity, against their step."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from sgtheory import law, registry
from sgtheory.onestep.full import Array
from sgtheory.problem import Problem
from sgtheory.setting import Setting as Run
from simulators.ensemble import simulate
from verification.experiments.ensembles import BATCHES, interval
from verification.experiments.job import Job
from verification.experiments.new.thermostat import Temperatures, temperatures
from verification.experiments.record import (
    LAPTOP,
    PAPER,
    Agreement,
    Amount,
    Experiment,
    Findings,
    Line,
    Plot,
    Setting,
)

FRICTION = 10
PROBLEM = {
    "model": "quadratic", "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]],
    "N": 100, "S": 50,
}  # fmt: skip
LINEAR = {"sghmc": "SGHMC", "underdamped:BAOAB": "BAOAB", "underdamped:OBABO": "OBABO"}
STEPS = (1e-3, 0.11)
KINETIC, CONFIGURATIONAL = "kinetic temperature", "configurational temperature"
RATIO = "configurational over kinetic temperature"
_THERMOSTAT = (4e-3, 0.025)
Pair = tuple[float, float]


def run(job: Job) -> Findings:
    """Exact curves of linear samplers, ensembles of all, and exact balances of the thermostat."""
    steps = [short(h) for h in np.geomspace(*STEPS, job.size("curve"))]
    at = [short(h) for h in np.geomspace(*_THERMOSTAT, job.size("thermostat"))]
    many = 2 * (len(LINEAR) * job.size("measured") + len(at))
    lines: dict[str, list[Line]] = {KINETIC: [], CONFIGURATIONAL: [], RATIO: []}
    agreements = []
    for k, (name, label) in enumerate(LINEAR.items()):
        curve = [(h, both) for h in steps if (both := stationary(name, h)) is not None]
        quick = [h for h, _ in curve if h > _THERMOSTAT[0]]
        chosen = [
            quick[j] for j in np.linspace(0, len(quick) - 2, job.size("measured")).round().astype(int)
        ]
        seen = job.part(name, partial(_measured, job, name, chosen, job.seed + 1000 * k, many))
        _add(lines, label, curve, chosen, seen)
        agreements += [
            Agreement(f"{label}, {what} at {h:g}", a, Amount(y, 1e-9 * y, "certified"))
            for h, amounts in zip(chosen, seen, strict=True)
            for what, a, y in zip(
                (KINETIC, CONFIGURATIONAL), amounts, after(name, h, job.size("steps")), strict=True
            )
        ]
    found = job.part("sgnht", partial(_thermostats, job, at, job.seed + 5000, many))
    _add_thermostat(lines, at, found)
    agreements += [a for h, t in zip(at, found, strict=True) for a in balances(h, t)]
    plots = tuple(
        Plot(what.replace(" ", "-"), f"The {what} by step, at temperature 1", "step h", what,
             (*drawn, Line("the posterior's", STEPS, (1.0, 1.0), kind="level")),
             log_x=True, log_y=True)
        for what, drawn in lines.items()
    )  # fmt: skip
    return Findings(plots, agreements=tuple(agreements), notes=_NOTES)


def short(step: float) -> float:
    """Rounded, so that it is a short number.

    >>> short(0.012345)
    0.0123
    """
    return float(f"{step:.3g}")


def problem(name: str, step: float) -> Problem:
    """The problem with one step and one friction in each sampler's own letters.

    SGHMC's velocity is h times the others', so that its learning rate is h^2 and its friction h times
    theirs.
    """
    h = Fraction(str(step))
    letters: Mapping[str, Mapping[str, Any]] = {
        "sghmc": {"eta": str(h**2), "alpha": str(FRICTION * h), "beta": 0, "tau": 1},
        "sgnht": {"eta": str(h), "a": FRICTION, "tau": 1},
    }
    params = letters.get(name, {"eps": str(h), "gamma": FRICTION, "tau": 1})
    return Problem.of({**PROBLEM, "params": dict(params)})


def stationary(name: str, step: float) -> Pair | None:
    """Kinetic and configurational temperature of the stationary law at the end of a step."""
    if name == "sghmc" and FRICTION * step > 1:
        return None
    found = law(name, problem(name, step))
    return (
        (found.temperature["kinetic v"], found.temperature["configurational"]) if found.stable else None
    )


def after(name: str, step: float, steps: int) -> Pair:
    """The same of the exact law after a number of steps from rest at the mode."""
    what = problem(name, step)
    found = law(name, what, at=steps)
    mean = {k: np.asarray(v) for k, v in found.mean.items()}
    return of_moments(name, what, {k: P + np.outer(mean[k[0]], mean[k[1]])
                                   for k, P in found.covariance.items()})  # fmt: skip


def of_moments(name: str, what: Problem, second: Mapping[tuple[str, str], Array]) -> Pair:
    """Temperatures from second moments about the mode."""
    values = what.values(registry.sampler(name, what.params))
    unit = float(values.scalars["eta"]) if name == "sghmc" else 1.0
    kinetic = float(np.trace(second["v", "v"])) / what.D / unit
    energy = float(np.sum(values.arrays["A"] * second["theta", "theta"]))
    return kinetic, float(values.scalars["N"]) * energy / what.D


def _measured(
    job: Job, name: str, steps: list[float], seed: int, many: int
) -> list[tuple[Amount, Amount]]:
    return [simulated(job, name, problem(name, h), seed + 100 * j, many) for j, h in enumerate(steps)]


def simulated(job: Job, name: str, what: Problem, seed: int, many: int) -> tuple[Amount, Amount]:
    """Both temperatures of ensembles with seeds of their own."""
    setting = Run(registry.sampler(name, what.params), what.model)
    values, pairs = what.values(setting.sampler), []
    for k in range(BATCHES):
        found = simulate(setting, values, chains=job.size("chains") // BATCHES, device=job.device,
                         steps=job.size("steps"), seed=(seed + k) % 2**32)  # fmt: skip
        second = {
            (a, a): found.covariance[f"{a},{a}"] + np.outer(found.mean[a], found.mean[a])
            for a in ("theta", "v")
        }
        pairs.append(of_moments(name, what, second))
    kinetic, configurational = zip(*pairs, strict=True)
    return interval(kinetic, many), interval(configurational, many)


def _thermostats(job: Job, steps: list[float], seed: int, many: int) -> list[Temperatures]:
    return [
        temperatures(problem("sgnht", h), chains=job.size("thermostats"), seed=seed + 100 * j,
                     steps=round(job.size("time") / h), device=job.device, intervals=many)
        for j, h in enumerate(steps)
    ]  # fmt: skip


def balances(step: float, found: Temperatures) -> tuple[Agreement, Agreement]:
    """What adds up to tau = 1 exactly."""
    return (
        Agreement(f"SGNHT at {step:g}, {KINETIC} less what the friction gained", found.steered,
                  Amount(1.0, 1e-9, "certified")),
        Agreement(f"SGNHT at {step:g}, {CONFIGURATIONAL} and the pull of the friction", found.balance,
                  Amount(1.0, 1e-9, "certified")),
    )  # fmt: skip


def _add(
    lines: dict[str, list[Line]], label: str, curve: list[tuple[float, Pair]], chosen: list[float],
    seen: list[tuple[Amount, Amount]],
) -> None:  # fmt: skip
    x = tuple(h for h, _ in curve)
    for k, what in enumerate((KINETIC, CONFIGURATIONAL)):
        y, found = tuple(both[k] for _, both in curve), [a[k] for a in seen]
        lines[what] += [
            Line(f"{label}, exact", x, y, kind="exact"),
            Line(f"{label}, measured", tuple(chosen), tuple(a.value for a in found),
                 tuple(a.error for a in found)),
        ]  # fmt: skip
    lines[RATIO].append(Line(f"{label}, exact", x, tuple(c / k for _, (k, c) in curve), kind="exact"))


def _add_thermostat(lines: dict[str, list[Line]], at: list[float], found: list[Temperatures]) -> None:
    """Its exact kinetic temperature; the others are measured only."""
    lines[KINETIC].append(Line("SGNHT, exact", _THERMOSTAT, (1.0, 1.0), kind="exact"))
    series = ((KINETIC, [t.kinetic for t in found]), (RATIO, [t.ratio for t in found]),
              (CONFIGURATIONAL, [t.configurational for t in found]))  # fmt: skip
    for what, amounts in series:
        y, error = tuple(a.value for a in amounts), tuple(a.error for a in amounts)
        lines[what].append(Line("SGNHT, measured", tuple(at), y, error))


_NOTES = (
    "Kinetic: the velocities' mean square, in units of its value at temperature 1. Configurational:"
    " the mean of theta.grad U/D with U = N L. At the posterior both are 1. Read at the end of a step;"
    " lines end where there is no stationary law.",
    "One step h and one friction in the letters of each: SGHMC has $eta = h^2$ and alpha = 10 h, the"
    " splittings eps = h and gamma = 10, SGNHT eta = h and a = 10.",
    "Ensembles of linear samplers begin at rest at the mode and are held against the exact law after"
    " as many steps.",
    "SGNHT has no normal law. In its stationary state the kinetic temperature is tau exactly, at every"
    " step; the configurational one is tau less the mean of xi theta.v/D, which is measured. Both"
    " balances are exact after any number of steps with what begins and ends of them, and that is what"
    " the table holds against 1. The friction finds its mean at about the rate 1/xi; averages are over"
    " the second half of the run.",
    f"SGNHT is shown up to h = {_THERMOSTAT[1]:g}: not far beyond it some chains of an ensemble become"
    " infinite, and there is nothing to average.",
)

EXPERIMENT = Experiment(
    name="new.temperatures",
    paper="",
    locator="",
    title="Kinetic and configurational temperature against the step",
    settings=(
        Setting("problem", "", "", "two dimensions, A and C not diagonal, N = 100, S = 50"),
        Setting("friction", "", "", "10, about critical"),
        Setting("noise of minibatches", "", "", "not corrected for (beta = 0)"),
    ),
    scales={
        LAPTOP: {"curve": 30, "measured": 4, "thermostat": 5, "chains": 32_768, "steps": 400,
                 "thermostats": 1_024, "time": 120},
        PAPER: {"curve": 80, "measured": 8, "thermostat": 12, "chains": 1_048_576, "steps": 4_000,
                "thermostats": 65_536, "time": 240},
    },
    changed="fewer chains, steps and points.",
    run=run,
)  # fmt: skip
