"""What is wrong with a sampler that deviates: the fault whose exact law agrees with what was measured.

Candidates are generated: every corruption of the declared updates, and every other declared sampler
that takes the same parameters. Each has an exact law in every case, so that no guess is needed: a
candidate either agrees with all measurements, under the same false-alarm probability, or it does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Noise
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.printing import plain
from sgtheory.running import split_product
from verification.checking.cases import law_of
from verification.checking.judging import Diagnosis, Outcome, held_against
from verification.sampler_twins import sampler_twins

_MOST = 3  # diagnoses told
_REFUSALS = (UnusableInput, NotAffine, ArithmeticError, ValueError, TypeError, KeyError, AttributeError)
_FAULTS = {
    "crashed": "The sampler raised an error or ended its process.",
    "hangs": "A step did not come back in time.",
    "not finite": "Positions become infinite or not a number.",
    "shape": "The state does not have the shape that it was given.",
    "number type": "Positions are not held in double or single precision.",
    "mutates its state": "A step changes the state that it was given, which chains that share it feel.",
    "ignores its seed": "The random numbers do not come from the generator that is handed in.",
    "slow": "The time limit ended the run although steps still came back: allow more with --limit.",
    "no law": "The law that it should have cannot be computed.",
    "draws nothing": "No random number is drawn: every seed gives the same positions.",
}


@dataclass(frozen=True)
class Candidate:
    """A sampler that the target may really be, and how it is called."""

    name: str
    sampler: Any
    words: str
    formula: str


def diagnose(like: Any, outcomes: Sequence[Outcome], most: int = _MOST) -> tuple[Diagnosis, ...]:
    """The most likely faults, the best first."""
    faults = [o.measured for o in outcomes if o.measured.fault]
    if faults:
        first = faults[0]
        return (Diagnosis(first.fault, "", f"{_FAULTS[first.fault]} ({first.words})", 1.0),)
    if _never_moves(outcomes):
        return (Diagnosis("never moves", "theta = theta", "The positions stay where they began.", 1.0),)
    sampler = registry.sampler(like)
    fitting = []
    for candidate in (*other_samplers(sampler), *faults_of(sampler)):
        if _agrees_everywhere(candidate, outcomes):
            told = (candidate.name, candidate.formula, candidate.words)
            fitting.append(Diagnosis(*told, 1.0, candidate.sampler))
            if len(fitting) == most:
                break
    return tuple(fitting) or _remarked(sampler, outcomes) or (_unknown(outcomes),)


def _remarked(sampler: Any, outcomes: Sequence[Outcome]) -> tuple[Diagnosis, ...]:
    """What the adapter saw of the noise, where there should be noise."""
    seen = {name: words for o in outcomes for name, words in o.measured.remarks if sampler.noises}
    return tuple(Diagnosis(name, "", words, 1.0) for name, words in seen.items())


def _never_moves(outcomes: Sequence[Outcome]) -> bool:
    return all(
        not np.any(o.measured.covariance) and len(set(np.ravel(o.measured.mean))) <= o.case.D
        for o in outcomes
    )


def _agrees_everywhere(candidate: Candidate, outcomes: Sequence[Outcome]) -> bool:
    """Asked where it is cheap first; one rejection is enough."""
    for outcome in sorted(outcomes, key=lambda o: o.case.D):
        assert outcome.comparison is not None
        try:
            law = law_of(candidate.sampler, outcome.case)
        except _REFUSALS:
            return False
        if not np.isfinite(law.covariance).all():
            return False
        if not held_against(outcome.measured, law, outcome.comparison.false_alarm).agrees:
            return False
    return True


def other_samplers(sampler: Any) -> Iterator[Candidate]:
    """Declared samplers that take the same parameters."""
    own = {p.name for p in sampler.parameters}
    for name in registry.samplers():
        other = registry.sampler(name)
        needed = {p.name for p in other.parameters if other.default(p) is None}
        if other.name != sampler.name and needed <= own:
            words = f"This is {name}: {other.convention.order or 'another update'}."
            yield Candidate(f"follows {name}", other, words, _updates(other))


def faults_of(sampler: Any) -> Iterator[Candidate]:
    """Corruptions of the declared updates, in words."""
    for twin in sampler_twins(sampler):
        if twin.sampler is not None:
            words = in_words(sampler, twin.sampler) or f"An update is wrong: {twin.name}."
            yield Candidate(twin.name, twin.sampler, words, _updates(twin.sampler, sampler))


def _updates(sampler: Any, true: Any = None) -> str:
    """The updates, or those that differ."""
    same = () if true is None else true.updates
    return "; ".join(
        f"{target} = {plain(expr)}" for target, expr in sampler.updates if (target, expr) not in same
    )


def in_words(true: Any, wrong: Any) -> str:
    """What changed, if one update did: the factor of a noise, of a gradient, of a state."""
    if [t for t, _ in true.updates] != [t for t, _ in wrong.updates]:
        return "The updates are made in another order."
    changed = [(t, a, b) for (t, a), (_, b) in zip(true.updates, wrong.updates, strict=True) if a != b]
    if len(changed) != 1:
        return ""
    ((target, was, now),) = changed
    before, after = _fronts(was), _fronts(now)
    differing = [v for v in {**before, **after} if before.get(v) != after.get(v)]
    if len(differing) != 1:
        return ""
    (vector,) = differing
    is_, should = (plain(x.get(vector, sp.Integer(0))) for x in (after, before))
    if isinstance(vector, Noise) or vector.atoms(Noise):
        return f"The noise {plain(vector)} of {target} has standard deviation {is_}, should be {should}."
    return f"{plain(vector)} enters {target} with the factor {is_}, should be {should}."


def _fronts(expr: Any) -> dict[Any, Any]:
    """The factor of each vector of an update."""
    found: dict[Any, Any] = {}
    for term in sp.Add.make_args(sp.expand(expr)):
        front, vector = split_product(term) if isinstance(term, sp.Mul) else (sp.Integer(1), term)
        found[vector] = found.get(vector, 0) + front
    return found


def _unknown(outcomes: Sequence[Outcome]) -> Diagnosis:
    """No candidate fits: what was measured, as a factor on the spread."""
    ratios = [
        float(np.trace(o.measured.covariance) / np.trace(o.expected.covariance))
        for o in outcomes
        if np.trace(o.expected.covariance) > 0
    ]
    words = (
        "No known fault has the law that was measured. Variances are between"
        f" {min(ratios):.3g} and {max(ratios):.3g} times what they should be."
    )
    return Diagnosis("unknown", "", words, 0.0)
