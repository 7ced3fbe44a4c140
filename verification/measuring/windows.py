"""Measuring averages over a window at real minibatches, against what is printed and the exact law."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb_mat

from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.reader.exact import floats
from verification.measuring.ensembles import Plan, ensemble_of
from verification.measuring.minibatches import Place, Seen, affordable, data, placed, told
from verification.terms.arithmetics import balls
from verification.terms.term import Applied, Term
from verification.terms.walking import walk
from verification.theories.time.spelling import has
from verification.verdicts.verdict import Evidence

Array = Any

WINDOW = 16  # steps, where the printed form leaves it open; N/S of the data
_NAME = "average of theta"
_BALLS = balls(30)
_LEFT = 1e-12  # of a squared transient: averages are held against the stationary law


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
            if not {a.name for side in printed.sides for a in side.letters} <= {*matrices, *scalars}:
                continue  # of a window of any length
            window = round(float(in_floats(printed.left.of[0], matrices, scalars)))
            value = in_floats(printed.right, matrices, scalars)
            found.append(_evidence(claim, place, window, value, run))
    return tuple(found)


def in_floats(side: Term, matrices: dict[str, Array], scalars: dict[str, float]) -> Array:
    """The value of a term, by balls."""
    values: dict[str, Any] = {n: _BALLS.number(Fraction(x)) for n, x in scalars.items()}
    found = walk(side, _BALLS, values | {n: arb_mat(m.tolist()) for n, m in matrices.items()})
    return np.array(found.tolist(), dtype=float) if hasattr(found, "tolist") else float(found)


def _of_an_average(claim: Any) -> Any:
    """What is printed, where it is the covariance of an average of the sampler without a gain."""
    relations: tuple[Any, ...] = getattr(getattr(claim, "at_numbers", None), "relations", ())
    if not claim.of or len(relations) != 1:
        return None
    (printed,) = relations
    average = isinstance(printed.left, Applied) and printed.left.head == "averaged"
    if not average or len(printed.left.of) == 2 or printed.relation not in ("=", "~"):
        return None
    unsaid = ("lagged", "averaged", "long_run", "integral", "of_process")
    return None if has(printed.right, *unsaid) else printed


def letters_of(place: Place) -> tuple[dict[str, Array], dict[str, float]]:
    """Matrices and numbers of the quadratic problem, the process's stationary covariance among them."""
    problem = place.quadratic
    A, C = floats(problem.matrices["A"]), floats(problem.matrices["C"])
    rates, modes = np.linalg.eigh(A)
    numbers = {**problem.sizes, **problem.params}
    scalars = {k: float(v) for k, v in numbers.items() if not isinstance(v, tuple)}
    continuous = law("sgd", problem, time="continuous").covariance
    matrices = {
        "A": A, "C": C, "I": np.eye(len(A)), "U": modes, "Lambda": np.diag(rates),
        "Sigma": continuous["theta", "theta"],
    }  # fmt: skip
    return matrices, {**scalars, "T": float(WINDOW), "D": float(len(A))}


def _evidence(claim: Any, place: Place, window: int, printed: Array, run: Plan) -> Evidence:
    steps = window * (math.ceil(place.steps(claim.of, _LEFT) / window) + 1)
    chains, effect = affordable(run, steps, claim.of, place.data)
    ensemble = ensemble_of(claim.of, place.data, steps, chains, run, _NAME, window=window)
    mean, truth = None, None
    if place.exact:
        mean = law(claim.of, place.data).mean["theta"]
        truth = _averaged(claim.of, place.data, window)
    normal = _averaged(claim.of, place.quadratic, window)
    seen = Seen(_NAME, "D", ensemble, effect, mean, truth, normal, printed)
    what = f"Averages over {window} steps at real minibatches"
    return told(claim, place, run, seen, what, {"window": window})


def _averaged(of: str, problem: Problem, window: int) -> Array:
    found = law(of, problem, average=window).average
    assert found is not None
    return found.covariance
