"""Measuring at real minibatches: what is printed for constant Gaussian noise, held against data.

A paper's covariance needs a curvature A and a noise covariance C; data have both, at the mode. Beyond
them data have noise that grows with the distance from the mode (linear regression: the exact law is
known) and a loss that is no parabola (logistic regression: it is not). The ensemble has all of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.measure import Plan, enough_steps
from verification.statistics import chains_for, effect_of
from verification.statistics.planning import POWER
from verification.statistics.robust import Robust, compare_robustly
from verification.statistics.terms import Terms, fourth_order
from verification.verdict import Evidence, RoutesDisagree

Array = Any

_KURTOSIS = 2.0  # of a stationary coordinate, at most, where chains are planned
_COARSER = 2  # times the error that ensembles with normal noise resolve
_CHAIN_STEPS = 10**8  # at most, in budget quick: a chain that mixes slowly is measured less exactly
_HALVINGS = 12
_SLOW = 0.8  # the spectral radius from which on a step is called small


def _examples(count: int = 64) -> list[tuple[int, Fraction, Fraction]]:
    """A covariate on a grid beside the intercept; residuals of both signs that spread with it."""
    found = []
    for k in range(count):
        u = Fraction(k % 8 * 2 - 7, 4)
        sign = (-1) ** bin(k).count("1")
        found.append((1, u, sign * (1 + abs(u + 1) / 2)))
    return found


@cache
def data() -> tuple[Problem, ...]:
    """Linear and logistic regression on 64 examples, four to a minibatch.

    >>> [problem.model.name for problem in data()]
    ['linear_regression', 'logistic_regression']
    """
    rows = _examples()
    X = [[str(one), str(u)] for one, u, _ in rows]
    y = [str(1 + u + r) for _, u, r in rows]
    labels = [1 if 1 + u + 2 * r > 0 else -1 for _, u, r in rows]
    shared: dict[str, Any] = {
        "X": X,
        "ridge": 1,
        "S": 4,
        "params": {"eps": "1/4", "mu": "1/2", "E": [["1/2", 0], ["1/4", "1/2"]]},
    }
    return (
        Problem.of({"model": "linear_regression", "y": y, **shared}),
        Problem.of({"model": "logistic_regression", "y": labels, **shared}),
    )


@dataclass(frozen=True)
class Place:
    """A data problem with the claim's parameters, and the quadratic problem about its mode."""

    data: Problem
    quadratic: Problem

    @property
    def exact(self) -> bool:
        """Whether the exact law with real minibatches is known."""
        return not self.data.model.nonlinear

    def steps(self, of: str) -> int:
        """Steps after which the start is forgotten."""
        return enough_steps(law(of, self.data if self.exact else self.quadratic))


def on_minibatches(claim: Any, run: Plan) -> tuple[Evidence, ...]:
    """An ensemble on each data problem, where the claim predicts the position's covariance."""
    found = []
    for problem in data():
        place = placed(claim, problem)
        if place is None:
            continue
        printed = claim.printed_covariance(place.quadratic)
        if printed is not None:
            found.append(_evidence(claim, place, np.asarray(printed, float), run))
    return tuple(found)


def placed(claim: Any, problem: Problem) -> Place | None:
    """The claim's own parameters, or the largest of a few steps that is stable; None where none is."""
    from sgtheory.estimate.gradients import of_problem

    estimate, S = of_problem(problem), problem.sizes["S"]
    params: Mapping[str, Any] = problem.params
    quadratic = estimate.problem(S, params)
    own = claim.printed_params(quadratic)
    for k in range(1 if own else _HALVINGS):
        params = own or {**problem.params, "eps": Fraction(1, 2 ** (k + 2))}
        place = Place(problem.with_params(**params), estimate.problem(S, params))
        try:
            problems = [place.quadratic, *([place.data] if place.exact else [])]
            laws = [law(claim.of, p) for p in problems]
        except UnusableInput:  # a parameter is missing: the claim has to say which
            return None
        if all(one.stable and (own or one.spectral_radius > _SLOW) for one in laws):
            return place
    return None


@cache
def _ensemble(of: str, content: str, steps: int, chains: int, seed: int, device: str) -> Any:
    """One for all claims on a sampler with the same parameters."""
    from simulators.ensemble import simulate
    from simulators.record import Recording

    problem = Problem.of(json.loads(content))
    setting = Setting(registry.sampler(of, problem.params), problem.model)
    recording = Recording(fourth_order(("theta",), problem.D), first=steps, last=steps)
    return simulate(
        setting,
        problem.values(of),
        chains=chains,
        steps=steps,
        seed=seed,
        device=device,
        record=(recording,),
    )


def _evidence(claim: Any, place: Place, printed: Array, run: Plan) -> Evidence:
    steps, d = place.steps(claim.of), place.data.D
    spread = Robust((_KURTOSIS + 2) ** 0.5)
    effect = _COARSER * effect_of(run.budget)
    affordable = int(_CHAIN_STEPS * (effect_of("quick") / effect_of(run.budget)) ** 2 / steps)
    planned = chains_for(effect, run.false_alarm, POWER, spread)
    chains = min(planned, affordable)
    effect *= (planned / chains) ** 0.5  # what so many chains resolve
    content = json.dumps(place.data.to_json())
    ensemble = _ensemble(claim.of, content, steps, chains, run.run_seed, run.device)
    names = tuple(f"theta[{k}]" for k in range(d))
    mean, covariance = ensemble.mean["theta"], ensemble.covariance["theta,theta"]
    exact = law(claim.of, place.data, at=steps) if place.exact else None
    agrees, truth, twin = "", None, {}
    if exact is not None:
        assert exact.covariance is not None
        truth = exact.covariance["theta", "theta"]
        terms = Terms.of_recording(
            ensemble.recorded[0], chains, exact.mean["theta"], truth, ("theta",), names
        )
        rejected = compare_robustly(terms, run.false_alarm).rejected
        if rejected:
            raise RoutesDisagree(f"{claim.id}: minibatches contradict the exact law: {rejected[0]}")
        wrong = (1 + 2 * effect) * truth
        terms = Terms.of_recording(
            ensemble.recorded[0], chains, exact.mean["theta"], wrong, ("theta",), names
        )
        found = bool(compare_robustly(terms, run.false_alarm).rejected)
        twin = {"twin": {"what": "covariance scaled by twice the detectable error", "rejected": found}}
        agrees = " They agree with the exact law of the algorithm on these data."
    own = Terms.of_recording(ensemble.recorded[0], chains, mean, covariance, ("theta",), names)
    errors = np.sqrt(own.variance[d:] / chains)
    i, j = np.triu_indices(d)
    off = (printed - covariance)[i, j] / np.sqrt(np.diag(covariance)[i] * np.diag(covariance)[j])
    worst = int(np.argmax(abs(off)))
    scale = float(np.sqrt(np.diag(covariance)[i] * np.diag(covariance)[j])[worst])
    normal = law(claim.of, place.quadratic, at=steps).covariance
    assert normal is not None
    gap = float((printed - normal["theta", "theta"])[i, j][worst]) / scale
    model = place.data.model.name.replace("_", " ")
    return Evidence(
        "ensemble",
        f"Real minibatches of {place.data.sizes['S']} of {place.data.sizes['N']}, {model}:"
        f" {chains:,} chains of {claim.of} after {steps} steps.{agrees} The printed covariance is off by"
        f" {100 * off[worst]:+.2g} % (standard error {100 * errors[worst] / scale:.1g} %) in entry"
        f" ({i[worst] + 1}, {j[worst] + 1}); were the noise normal and constant and the loss quadratic,"
        f" it would be off by {100 * gap:+.2g} %.",
        {
            "model": place.data.model.name,
            "chains": chains,
            "steps": steps,
            "seed": ensemble.seed,
            "device": ensemble.device,
            "digest": ensemble.digest,
            "problem": place.data.to_json(),
            "printed_off_by": float(off[worst]),
            **twin,
            "points": [
                {
                    "label": f"Sigma[{a}][{b}]",
                    "measured": float(covariance[a, b]),
                    "standard_error": float(errors[k]),
                    "exact": None if truth is None else float(truth[a, b]),
                    "normal_noise": float(normal["theta", "theta"][a, b]),
                    "printed": float(printed[a, b]),
                }
                for k, (a, b) in enumerate(zip(i, j, strict=True))
            ],
        },
    )
