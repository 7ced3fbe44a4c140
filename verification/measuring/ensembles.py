"""Measuring: an ensemble of the real algorithm against its exact law and what is printed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.declare import MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.numbers.lawrecord import NumericLaw
from sgtheory.numbers.numeric import law, law_or_none
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.refuter.parameters import Is, OnScalars
from verification.refuter.places import Place
from verification.statistics import Comparison, compare, effect_of, kinds, plan
from verification.statistics.equivalence import equivalent
from verification.statistics.planning import POWER, Planned
from verification.statistics.terms import fourth_order
from verification.verdicts.verdict import Evidence, Finding, NoAnswer, differ

_MOST_STEPS = 4_000
SCALED = "covariance scaled by twice the detectable error"  # a twin
# Of a parameter that the usual problem does not name, the moderate ones first.
_TRIED = tuple(map(Fraction, ("1/4", "1/2", "1/10", "1", "1/40", "2")))

# Non-commuting, well away from isotropy; used where a claim has no counterexample of its own.
USUAL: dict[str, Any] = {
    "model": "quadratic",
    "hessian": [["1", "0"], ["0", "2"]],
    "noise": [["1", "1"], ["1", "2"]],
    "N": "4",
    "S": "1",
    "params": {"eps": "1/4", "mu": "1/2", "E": [["1/2", "0"], ["1/4", "1/2"]]},
}


@dataclass(frozen=True)
class Plan:
    """What is to be resolved, and with which share of the run's false-alarm budget.

    ``budget`` names the relative error of a variance that is to be found; chains follow from it.
    """

    budget: str
    device: str
    seed: int
    false_alarm: float
    run_seed: int = 0  # of the whole run, from which ``seed`` is made


def measure(claim: Any, finding: Finding, run: Plan) -> Evidence:
    """Run the sampler of a claim and compare, entry by entry."""
    problem = Problem.of(_problem_of(claim, finding))
    steps = enough_steps(law(claim.of, problem))
    exact = law(claim.of, problem, at=steps)
    planned = planned_for(exact, run)
    ensemble = ensemble_of(claim.of, problem, steps, planned.chains, run)
    comparison = against(ensemble, exact, run.false_alarm, planned)
    if not comparison.agrees:
        worst = f"it is not ({comparison.worst.name}, p = {comparison.worst.p_value:.2g})"
        said = f"the ensemble of {claim.of} is drawn from it"
        raise differ(claim.id, "the exact law", said, "the ensemble", worst)
    twin = not against(ensemble, exact, run.false_alarm, error=2 * comparison.resolution).agrees
    return Evidence(
        "ensemble",
        f"{ensemble.chains:,} chains of {claim.of} after {steps} steps agree with the exact law of the"
        f" algorithm in all {len(comparison.tests)} tests; a relative error of"
        f" {comparison.resolution:.2g} would have been seen with probability 0.99, false-alarm"
        f" probability ${comparison.false_alarm:.1g}$. (What is measured is the law at that step, not"
        " the statement.)",
        {
            "chains": ensemble.chains,
            **how_it_ran(ensemble, problem),
            "dtype": ensemble.dtype,
            "kernel": ensemble.source,
            **comparison.to_json(),
            "confirmed_within": _confirmed_within(ensemble, exact, run.false_alarm),
            "twin": {"what": SCALED, "rejected": twin},
            "points": _points(claim, problem, ensemble, exact),
        },
    )


def how_it_ran(ensemble: Any, problem: Problem) -> dict[str, Any]:
    """What its bits follow from, and what became of them."""
    told = {name: getattr(ensemble, name) for name in ("steps", "seed", "device", "digest")}
    return {**told, "problem": problem.to_json()}


def ensemble_of(
    of: str, problem: Problem, steps: int, chains: int, run: Plan, *states: str, window: int = 0
) -> Any:
    """One for all claims on a sampler that are measured on one problem: errors add, as budgeted.

    Of some states fourth moments are recorded; with a ``window`` averages over it are states too.
    """
    content = json.dumps(problem.to_json())
    return _simulated(of, content, (steps, chains), (run.run_seed, run.device), states, window)


@cache
def _simulated(
    of: str, content: str, size: tuple[int, int], how: tuple[int, str], states: Any, window: int
) -> Any:
    from simulators.average import Average
    from simulators.ensemble import simulate
    from simulators.record import Recording

    problem, (steps, chains) = Problem.of(json.loads(content)), size
    setting = Setting(registry.sampler(of, problem.params), problem.model)
    more: dict[str, Any] = {"average": Average(window=window)} if window else {}
    if states:
        more["record"] = (Recording(fourth_order(states, problem.D), first=steps, last=steps),)
    more |= {"steps": steps, "chains": chains, "seed": how[0], "device": how[1]}
    return simulate(setting, problem.values(of), **more)


def _problem_of(claim: Any, finding: Finding) -> dict[str, Any]:
    """The counterexample where there is one, else a usual problem with the claim's own parameters."""
    if finding.counterexample is not None and "hessian" in finding.counterexample.problem:
        content, sampler = dict(finding.counterexample.problem), claim.setting.sampler
        own = {p.name for p in sampler.parameters} | {letter for letter, _ in sampler.aliases}
        params = content.get("params", {})  # a statement may have letters of its own besides
        content["params"] = {n: x for n, x in params.items() if n in own}
        if _has_something(claim.of, content):
            return content
    return usual(claim)


def _has_something(of: str, content: Mapping[str, Any]) -> bool:
    """Whether there is a law, and noise: else there is nothing to be measured."""
    try:
        exact = law_or_none(of, Problem.of(content))
    except UnusableInput:  # a root of what is negative there
        return False
    return exact is not None and bool(stack(exact)[2].any())


def usual(claim: Any) -> dict[str, Any]:
    """The usual problem; parameters that it does not name are the first of a few with a law."""
    sampler = claim.setting.sampler
    numbers = [p for p in sampler.parameters if not isinstance(p, MatrixName)]
    scalar, free = {p.name for p in numbers}, [p.name for p in numbers if sampler.default(p) is None]
    other = {letter for letter, _ in sampler.aliases} - scalar  # which would say its own value of one
    named = USUAL["params"].items()
    params = {n: x for n, x in named if (isinstance(x, str) or n not in scalar) and n not in other}
    missing = [n for n in free if n not in params]
    known = {n: Fraction(x) for n, x in (*params.items(), ("N", 4), ("S", 1)) if not isinstance(x, list)}
    given = [c for c in claim.conditions if isinstance(c, OnScalars)]

    def admits(scalars: Mapping[str, Fraction]) -> bool:
        place = Place({}, scalars)
        return all(c.holds(place) for c in given)

    if not missing and admits(known):
        return {**USUAL, "params": params}
    missing = missing or free
    for values in product(_TRIED, repeat=len(missing)):
        place = Place({}, {**known, **dict(zip(missing, values, strict=True))})
        for equation in (c for c in given if isinstance(c, Is)):
            place = equation.imposed(place)
        scalars = place.scalars
        if not admits(scalars) or min(scalars.values()) <= 0 or scalars["S"].denominator > 1:
            continue
        own = {n: str(scalars[n]) for n in (*missing, *free)}
        sizes = {"N": str(max(scalars["N"], 4 * scalars["S"])), "S": str(scalars["S"])}
        content = {**USUAL, **sizes, "params": {**params, **own}}
        if _has_something(claim.of, content):
            return content
    asked = f"values of {', '.join(missing)} at which {sampler.name} has a law"
    raise NoAnswer(claim.id, f"none of the {asked} that were tried")


def enough_steps(stationary: NumericLaw, left: float = 1e-4) -> int:
    """Steps after which so much of a squared transient is left: by default less than is resolved.

    That is for ensembles that are held against the law at the same finite step. Where the stationary
    law itself is meant, and a start far from the mode, less has to be left.
    """
    rate = -math.log(max(stationary.require_stable().spectral_radius, 1e-3))
    return min(max(8, math.ceil(-math.log(left) / (2 * rate))), _MOST_STEPS)


def planned_for(exact: NumericLaw, run: Plan) -> Planned:
    """The chains with which every test finds what the budget asks for."""
    _, mean, covariance = stack(exact)
    return plan(effect_of(run.budget), run.false_alarm, POWER, kinds(mean, covariance))


def against(
    ensemble: Any, exact: NumericLaw, false_alarm: float, planned: Planned | None = None, error: Any = 0
) -> Comparison:
    """All exact tests of an ensemble against a law at the same finite step.

    With an ``error`` the law's covariance is made wrong by that share: a twin that must be rejected.
    """
    names, mean, covariance = stack(exact)
    sample, how = sample_of(ensemble, exact), {"dtype": ensemble.dtype, "steps": ensemble.steps}
    law_of = (mean, covariance * (1 + error))
    return compare(*sample, *law_of, ensemble.chains, false_alarm, names, planned=planned, **how)


def sample_of(ensemble: Any, exact: NumericLaw) -> tuple[Any, Any]:
    """The sample mean and covariance of all states, stacked as those of the law."""
    mean = np.concatenate([ensemble.mean[s] for s in exact.states])
    rows = [[_block(ensemble.covariance, a, b) for b in exact.states] for a in exact.states]
    return mean, np.block(rows)


def _confirmed_within(ensemble: Any, exact: NumericLaw, false_confirmation: float) -> float:
    """The smallest margin within which every entry is confirmed, in standard deviations."""
    names, mean, covariance = stack(exact)
    sample = sample_of(ensemble, exact)
    found = equivalent(*sample, mean, covariance, ensemble.chains, 1.0, false_confirmation, names)
    return found.smallest_margin


def stack(exact: NumericLaw) -> tuple[tuple[str, ...], Any, Any]:
    """Names, mean and covariance of all states, stacked."""
    keyed = {f"{a},{b}": value for (a, b), value in exact.covariance.items()}
    covariance = np.block([[_block(keyed, a, b) for b in exact.states] for a in exact.states])
    mean = np.concatenate([exact.mean[s] for s in exact.states])
    names = tuple(f"{s}[{k}]" for s in exact.states for k in range(len(exact.mean[s])))
    return names, mean, covariance


def _block(blocks: Any, a: str, b: str) -> Any:
    return blocks[f"{a},{b}"] if f"{a},{b}" in blocks else blocks[f"{b},{a}"].T


def _points(claim: Any, problem: Problem, ensemble: Any, exact: NumericLaw) -> list[dict[str, Any]]:
    """Each entry: measured, exact at that step, stationary in continuous time, and as printed."""
    here = "theta,theta"
    has_limit = "continuous" in claim.setting.times
    continuous = law(claim.of, problem, time="continuous").covariance if has_limit else None
    columns = {
        "measured": ensemble.covariance[here],
        "standard_error": ensemble.standard_error["covariance"][here],
        "exact": exact.covariance["theta", "theta"],
        "limit": continuous["theta", "theta"] if continuous else None,
        "printed": claim.printed_covariance(problem),
    }
    return entries("Sigma", problem.D, columns)


def entries(letter: str, D: int, columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The upper entries of several matrices, side by side; of what is unknown None."""
    return [
        {"label": f"{letter}[{i}][{j}]"}
        | {name: None if m is None else float(m[i, j]) for name, m in columns.items()}
        for i in range(D)
        for j in range(i, D)
    ]
