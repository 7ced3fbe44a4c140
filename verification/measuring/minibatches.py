"""Measuring at real minibatches: what is printed for constant Gaussian noise, held against data.

A paper's covariance needs a curvature A and a noise covariance C; data have both, at the mode. Beyond
them data have noise that grows with the distance from the mode (linear regression: the exact law is
known) and a loss that is no parabola (logistic regression: it is not). The ensemble has all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import DataMean
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law, law_or_none
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.measuring import ensembles
from verification.measuring.ensembles import USUAL, Plan, enough_steps, ensemble_of, entries, usual
from verification.refuter.conditions import OfMatrices
from verification.refuter.parameters import Holds, Is, is_one
from verification.refuter.places import Place as Letters
from verification.statistics import chains_for, effect_of
from verification.statistics.planning import POWER
from verification.statistics.robust import Robust, compare_robustly
from verification.statistics.terms import Terms
from verification.verdicts.verdict import Evidence, NoAnswer, differ

Array = Any

_KURTOSIS = 2.0  # of a stationary coordinate, at most, where chains are planned
_COARSER = 2  # times the error that ensembles with normal noise resolve
_CHAIN_STEPS = 10**8  # at most, in budget quick: a chain that mixes slowly is measured less exactly
_ROWS = 10  # of full gradients, that take about as long as a step with a minibatch does
_HALVINGS = 12
_SLOW = 0.8  # the spectral radius from which on a step is called small


@cache
def data(size: int = 4) -> tuple[Problem, ...]:
    """Linear and logistic regression on 64 examples, four to a minibatch where nothing else is given.

    >>> [problem.model.name for problem in data()]
    ['linear_regression', 'logistic_regression']
    """
    # beside the intercept a covariate on a grid, and residuals of both signs that spread with it
    grid = [Fraction(k % 8 * 2 - 7, 4) for k in range(64)]
    rest = [(-1) ** k.bit_count() * (1 + abs(u + 1) / 2) for k, u in enumerate(grid)]
    pairs = list(zip(grid, rest, strict=True))
    y = {
        "linear_regression": [str(1 + u + r) for u, r in pairs],
        "logistic_regression": [1 if 1 + u + 2 * r > 0 else -1 for u, r in pairs],
    }
    shared = {"X": [["1", str(u)] for u in grid], "ridge": 1, "S": size, "params": USUAL["params"]}
    return tuple(Problem.of({"model": model, "y": values, **shared}) for model, values in y.items())


@dataclass(frozen=True)
class Place:
    """A data problem with the claim's parameters, and the quadratic problem about its mode."""

    data: Problem
    quadratic: Problem

    @property
    def exact(self) -> bool:
        """Whether the exact law with real minibatches is known."""
        return not self.data.model.nonlinear

    def steps(self, of: str, left: float = 1e-4) -> int:
        """Steps after which so much is left of a squared transient."""
        return enough_steps(law(of, self.data if self.exact else self.quadratic), left)


def on_minibatches(claim: Any, run: Plan) -> tuple[Evidence, ...]:
    """An ensemble on each data problem, where the claim predicts the position's covariance."""
    found: list[Evidence] = []
    sizes = (1,) if is_one("S") in claim.conditions else ()
    for problem in data(*sizes) if claim.predicted is not None else ():
        place = placed(claim, problem)
        if place is None:
            found += _not_measured(claim, problem)
            continue
        printed = claim.printed_covariance(place.quadratic)
        if printed is not None:
            found.append(_evidence(claim, place, np.asarray(printed, float), run))
    return tuple(found)


def _not_measured(claim: Any, problem: Problem) -> list[Evidence]:
    """Of a sampler of the user's own it is said that it was not measured; ours say it in their types."""
    if not claim.of or (isinstance(claim.of, str) and _as_given(claim, problem)):
        return []
    quadratic = Problem.of(USUAL)
    try:
        if claim.printed_covariance(quadratic) is None:
            return []
    except UnusableInput:  # it needs parameters that the usual problem has not: it predicts something
        pass
    model = problem.model.name
    words = (
        f"Not measured at real minibatches ({model.replace('_', ' ')}): no values of"
        f" {', '.join(f'${p.name}$' for p in claim.setting.sampler.parameters)} were found at which the"
        " sampler settles on these data and what is given holds."
    )
    return [Evidence("ensemble", words, {"model": model, "measured": False})]


def placed(claim: Any, problem: Problem) -> Place | None:
    """The claim's own parameters, or the largest of a few steps that is stable; None where none is."""
    from sgtheory.estimate.gradients import of_problem

    estimate, S = of_problem(problem), problem.sizes["S"]
    params: Mapping[str, Any] = problem.params
    step, first = "eps", Fraction(1, 4)
    if claim.of and not isinstance(claim.of, str):  # letters of the user's own
        try:
            params = Problem.of(usual(claim)).params
        except (NoAnswer, UnusableInput):
            return None
        step = claim.setting.sampler.step.name
        first = Fraction(params.get(step, first))
    quadratic = estimate.problem(S, params)
    own = claim.printed_params(quadratic)
    if own is None and getattr(claim, "best", None) is not None:
        return None  # what it calls best has no value on these data, and at another nothing is printed
    for k in range(1 if own else _HALVINGS):
        params = own or {**params, step: first / 2**k}
        try:
            place = Place(problem.with_params(**params), estimate.problem(S, params))
            problems = [place.quadratic, *([place.data] if place.exact else [])]
            laws = [law_or_none(claim.of, p) for p in problems]
        except UnusableInput:  # a parameter is missing: the claim has to say which
            return None
        if not (_as_given(claim, place.data) and _has_curvature_of(claim, place.quadratic)):
            return None
        if all(one is not None and (own or one.spectral_radius > _SLOW) for one in laws):
            return place
    return None


def _as_given(claim: Any, problem: Problem) -> bool:
    """Whether the relations between scalars that are given hold on a problem."""
    relations = (c for c in claim.conditions if isinstance(c, Holds | Is))
    given = [c for c in relations if not (isinstance(c, Is) and c.value == 1)]  # a unit, not a value
    scalars = {n: x for n, x in {**problem.params, **problem.sizes}.items() if isinstance(x, Fraction)}
    return all(c.holds(Letters({}, scalars)) for c in given)


def _has_curvature_of(claim: Any, quadratic: Problem) -> bool:
    """Whether the data's curvature is as it is given, such as the identity."""
    given = (c for c in claim.conditions if isinstance(c, OfMatrices) and c.letters == ("A",))
    there = Letters({"A": quadratic.matrices["A"]}, {})
    return all(c.holds(there) for c in given)


def affordable(run: Plan, steps: int, of: Any, problem: Problem) -> tuple[int, float]:
    """How many chains of so many steps, and the relative error of a variance that they resolve."""
    updates = Setting(registry.sampler(of, problem.params), problem.model).updates
    rows = float(problem.sizes["N"]) * sum(len(sp.sympify(e).atoms(DataMean)) for _, e in updates)
    spread, effect = Robust((_KURTOSIS + 2) ** 0.5), _COARSER * effect_of(run.budget)
    planned = chains_for(effect, run.false_alarm, POWER, spread)
    work = steps * max(1.0, rows / _ROWS)
    most = int(_CHAIN_STEPS * (effect_of("quick") / effect_of(run.budget)) ** 2 / work)
    chains = min(planned, most)
    return chains, effect * (planned / chains) ** 0.5


def _evidence(claim: Any, place: Place, printed: Array, run: Plan) -> Evidence:
    steps = place.steps(claim.of)
    chains, effect = affordable(run, steps, claim.of, place.data)
    ensemble = ensemble_of(claim.of, place.data, steps, chains, run, "theta")
    mean, truth = None, None
    if place.exact:
        exact = law(claim.of, place.data, at=steps)
        mean, truth = exact.mean["theta"], exact.covariance["theta", "theta"]
    normal = law(claim.of, place.quadratic, at=steps).covariance
    seen = Seen("theta", "Sigma", ensemble, effect, mean, truth, normal["theta", "theta"], printed)
    return told(claim, place, run, seen, "Real minibatches", {})


@dataclass(frozen=True, eq=False)
class Seen:
    """An ensemble on data, and what the covariance of one of its states is held against."""

    state: str
    letter: str
    ensemble: Any
    effect: float  # the relative error of a variance that it resolves
    mean: Array | None  # exact on these data, where that is known
    truth: Array | None
    normal: Array  # exact with constant normal noise
    printed: Array

    def against(self, mean: Array, covariance: Array) -> Terms:
        """The ensemble's moments, to be tested against a mean and a covariance."""
        names = tuple(f"{self.state}[{k}]" for k in range(len(mean)))
        recorded, chains = self.ensemble.recorded[0], self.ensemble.chains
        return Terms.of_recording(recorded, chains, mean, covariance, (self.state,), names)


def told(
    claim: Any, place: Place, run: Plan, seen: Seen, what: str, more: Mapping[str, Any]
) -> Evidence:
    """Hold an ensemble against the exact law on the data, and say how far what is printed is off."""
    ensemble, agrees = seen.ensemble, ""
    data: dict[str, Any] = {"model": place.data.model.name, **more, "chains": ensemble.chains}
    if seen.truth is not None:

        def rejected(covariance: Array) -> tuple[str, ...]:
            return compare_robustly(seen.against(seen.mean, covariance), run.false_alarm).rejected

        wrong = rejected(seen.truth)
        if wrong:
            exact, said = "the exact law of minibatches", "its covariance is that of the algorithm"
            raise differ(claim.id, exact, said, "an ensemble of minibatches", f"it is not: {wrong[0]}")
        data["twin"] = {
            "what": ensembles.SCALED,
            "rejected": bool(rejected((1 + 2 * seen.effect) * seen.truth)),
        }
        agrees = " They agree with the exact law of the algorithm on these data."
    mean, covariance = ensemble.mean[seen.state], ensemble.covariance[f"{seen.state},{seen.state}"]
    d = len(mean)
    errors = np.sqrt(seen.against(mean, covariance).variance[d:] / ensemble.chains)
    i, j = np.triu_indices(d)
    scale = np.sqrt(np.diag(covariance)[i] * np.diag(covariance)[j])
    off = (seen.printed - covariance)[i, j] / scale
    worst = int(np.argmax(abs(off)))
    gap = float((seen.printed - seen.normal)[i, j][worst] / scale[worst])
    sizes, model = place.data.sizes, place.data.model.name.replace("_", " ")
    whose = "printed" if claim.stands == "printed" else "stated"
    words = (
        f"{what} of {sizes['S']} of {sizes['N']}, {model}: {ensemble.chains:,} chains of {claim.of}"
        f" after {ensemble.steps} steps.{agrees} The {whose} covariance is off by"
        f" {_percent(off[worst])} (standard error {100 * errors[worst] / scale[worst]:.1g} %) in"
        f" entry ({i[worst] + 1}, {j[worst] + 1}); were the noise normal and constant and the loss"
        f" quadratic, it would be off by {_percent(gap)}."
    )
    error = np.zeros((d, d))
    error[i, j] = errors
    columns = {
        "measured": covariance,
        "standard_error": error,
        "exact": seen.truth,
        "normal_noise": seen.normal,
        "printed": seen.printed,
    }
    data |= ensembles.how_it_ran(ensemble, place.data) | {"printed_off_by": float(off[worst])}
    return Evidence("ensemble", words, {**data, "points": entries(seen.letter, d, columns)})


def _percent(share: float) -> str:
    """Two digits, never as a power of ten.

    >>> [_percent(x) for x in (-1.0, 0.0123, 12.34)]
    ['-100 %', '+1.2 %', '+1200 %']
    """
    two = float(f"{100 * share:.2g}")
    return f"{two:+.0f} %" if abs(two) >= 10 else f"{two:+g} %"
