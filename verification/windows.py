"""Measuring averages over a window at real minibatches, against what is printed and the exact law."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.exact import floats
from sgtheory.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.claims.base import Printed
from verification.measure import Plan
from verification.minibatches import Place, affordable, data, placed
from verification.notation import Sigma, identity
from verification.spectral.floats import in_floats
from verification.spectral.words import Averaged, has_law
from verification.statistics.robust import compare_robustly
from verification.statistics.terms import Terms, fourth_order
from verification.verdict import Evidence, RoutesDisagree

Array = Any

WINDOW = 16  # steps, where the printed form leaves it open; N/S of the data
_NAME = "average of theta"


def on_windows(claim: Any, run: Plan) -> tuple[Evidence, ...]:
    """An ensemble on each data problem, where the claim predicts the covariance of an average."""
    printed = _of_an_average(claim)
    if printed is None:
        return ()
    found = []
    for problem in data():
        place = placed(claim, problem)
        if place is not None:
            matrices, scalars = letters_of(place)
            length = sp.sympify(printed.left.args[0])
            window = round(float(length.subs({s: scalars[s.name] for s in length.free_symbols})))
            value = in_floats(printed.right, matrices, scalars)
            found.append(_evidence(claim, place, window, value, run))
    return tuple(found)


def _of_an_average(claim: Any) -> Printed | None:
    """What is printed, where it is the covariance of an average of the sampler without a gain."""
    from verification.claims.spectral import Spectral

    if not (isinstance(claim, Spectral) and claim.of and len(claim.printed) == 1):
        return None
    (printed,) = claim.printed
    average = isinstance(printed.left, Averaged) and len(printed.left.args) == 1
    right = sp.sympify(printed.right)
    if not average or printed.relation not in ("=", "~") or has_law(right.subs(Sigma, identity)):
        return None
    return None if right.has(sp.Integral) else printed


def letters_of(place: Place) -> tuple[dict[str, Array], dict[str, float]]:
    """Matrices and numbers of the quadratic problem, the process's stationary covariance among them."""
    problem = place.quadratic
    A, C = floats(problem.matrices["A"]), floats(problem.matrices["C"])
    rates, modes = np.linalg.eigh(A)
    numbers = {**problem.sizes, **problem.params}
    scalars = {k: float(v) for k, v in numbers.items() if not isinstance(v, tuple)}
    continuous = law("sgd", problem, time="continuous").covariance
    assert continuous is not None
    matrices = {
        "A": A, "C": C, "I": np.eye(len(A)), "U": modes, "Lambda": np.diag(rates),
        "Sigma": continuous["theta", "theta"],
    }  # fmt: skip
    return matrices, {**scalars, "T": float(WINDOW), "D": float(len(A))}


@cache
def _ensemble(
    of: str, content: str, window: int, steps: int, chains: int, seed: int, device: str
) -> Any:
    from simulators.average import Average
    from simulators.ensemble import simulate
    from simulators.record import Recording

    problem = Problem.of(json.loads(content))
    setting = Setting(registry.sampler(of, problem.params), problem.model)
    recording = Recording(fourth_order((_NAME,), problem.D), first=steps, last=steps)
    return simulate(
        setting,
        problem.values(of),
        chains=chains,
        steps=steps,
        seed=seed,
        device=device,
        average=Average(window=window),
        record=(recording,),
    )


def _evidence(claim: Any, place: Place, window: int, printed: Array, run: Plan) -> Evidence:
    steps = window * (math.ceil(place.steps(claim.of) / window) + 1)
    chains, effect = affordable(run, steps)
    content = json.dumps(place.data.to_json())
    ensemble = _ensemble(claim.of, content, window, steps, chains, run.run_seed, run.device)
    d = place.data.D
    mean, covariance = ensemble.mean[_NAME], ensemble.covariance[f"{_NAME},{_NAME}"]
    names = tuple(f"average[{k}]" for k in range(d))
    truth, agrees, twin = None, "", {}
    if place.exact:
        exact = law(claim.of, place.data, average=window)
        truth = _averaged(claim.of, place.data, window)

        def rejected(wanted: Array) -> tuple[str, ...]:
            terms = Terms.of_recording(
                ensemble.recorded[0], chains, exact.mean["theta"], wanted, (_NAME,), names
            )
            return compare_robustly(terms, run.false_alarm).rejected

        if rejected(truth):
            raise RoutesDisagree(f"{claim.id}: averages over minibatches contradict the exact law")
        agrees = " They agree with the exact law of the algorithm on these data."
        scaled = bool(rejected((1 + 2 * effect) * truth))
        twin = {"twin": {"what": "covariance scaled by twice the detectable error", "rejected": scaled}}
    own = Terms.of_recording(ensemble.recorded[0], chains, mean, covariance, (_NAME,), names)
    errors = np.sqrt(own.variance[d:] / chains)
    normal = _averaged(claim.of, place.quadratic, window)
    i, j = np.triu_indices(d)
    scale = np.sqrt(np.diag(covariance)[i] * np.diag(covariance)[j])
    off = (printed - covariance)[i, j] / scale
    worst = int(np.argmax(abs(off)))
    gap = float((printed - normal)[i, j][worst] / scale[worst])
    sizes = place.data.sizes
    words = (
        f"Averages over {window} steps at real minibatches of {sizes['S']} of {sizes['N']},"
        f" {place.data.model.name.replace('_', ' ')}: {chains:,} chains of {claim.of}.{agrees} The"
        f" printed covariance is off by {100 * off[worst]:+.2g} % (standard error"
        f" {100 * errors[worst] / scale[worst]:.1g} %) in entry ({i[worst] + 1}, {j[worst] + 1}); were"
        f" the noise normal and constant and the loss quadratic, it would be off by {100 * gap:+.2g} %."
    )
    return Evidence(
        "ensemble",
        words,
        {
            "model": place.data.model.name,
            "window": window,
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
                    "label": f"D[{a}][{b}]",
                    "measured": float(covariance[a, b]),
                    "standard_error": float(errors[k]),
                    "exact": None if truth is None else float(truth[a, b]),
                    "normal_noise": float(normal[a, b]),
                    "printed": float(printed[a, b]),
                }
                for k, (a, b) in enumerate(zip(i, j, strict=True))
            ],
        },
    )


def _averaged(of: str, problem: Problem, window: int) -> Array:
    found = law(of, problem, average=window).average
    assert found is not None
    return found.covariance
