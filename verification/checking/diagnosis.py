"""What is wrong with a sampler that deviates: the fault whose exact law agrees with what was measured.

Candidates are generated: edits of the declared updates, factors and terms whose size is fitted and then
named, and every other declared sampler, with its parameters translated. Each has an exact law in every
case, so that no guess is needed: a candidate either agrees with all measurements, under the same
false-alarm probability, or it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sgtheory import registry
from sgtheory.errors import DeclarationError, UnusableInput
from sgtheory.notation.printing import plain
from verification.checking import digits, shapes
from verification.checking.judging import Diagnosis, Outcome

_MOST = 3  # diagnoses told
_FAULTS = {
    "crashed": "The sampler raised an error or ended its process.",
    "hangs": "A step did not come back in time.",
    "not finite": "Positions become infinite or not a number.",
    "shape": "The state does not have the shape that it was given.",
    "form": "What the step makes is not a state that it could be handed next.",
    "number type": "Positions are not held in double or single precision.",
    "protocol": "The command does not speak the protocol of a sampler in lines of JSON.",
    "mutates its state": "A step changes the state that it was given, which chains that share it feel.",
    "ignores its seed": "The random numbers do not come from the generator that is handed in.",
    "slow": "The time limit ended the run although steps still came back: allow more with --limit.",
    "no law": "The law that it should have cannot be computed.",
    "remembers": "It has a hidden state, such as a counter of calls:"
    " something is kept outside of the state, so that one run changes another.",
    "shares random numbers": "Chains draw the same random numbers.",
    "draws nothing": "No random number is drawn: every seed gives the same positions.",
}


def diagnose(like: Any, outcomes: Sequence[Outcome], most: int = _MOST) -> tuple[Diagnosis, ...]:
    """The most likely faults, the shortest description first."""
    faults = [o.measured for o in outcomes if o.measured.fault]
    if _never_moves(outcomes):
        return (Diagnosis("never moves", "theta = theta", "The positions stay where they began.", 1.0),)
    if faults:
        first = faults[0]
        said = _FAULTS.get(first.fault, f"{first.fault}.")
        return (Diagnosis(first.fault, "", f"{said} ({first.words})", 1.0),)
    shape = shapes.told(outcomes)
    if shape is not None:
        return (Diagnosis(shape[0], "", shape[1], 1.0),)
    from verification.checking.faults import search
    from verification.checking.faults.special import shared

    evidence = search.Evidence.of(like, outcomes)
    if not evidence.outcomes or all(o.agrees for o in evidence.outcomes):
        return ()
    few = digits.told(evidence.outcomes)
    if few is not None:  # a fact, and no law is exact with it
        return (Diagnosis(few[0], "", few[1], 1.0),)
    beyond = shapes.beyond(evidence.outcomes)
    run = _run(evidence, most) if beyond else ()  # no affine step makes what is not normal
    found = run or search.search(evidence, most)
    seen = () if found else _remarked(like, outcomes)  # in the code itself: surer than its law
    if seen:
        return seen
    found = found or tuple(shared(evidence))[:most]
    if run or not found:
        return run or _unnamed(like, outcomes, evidence, most)
    return tuple(_told(evidence.sampler, c) for c in found)


def _unnamed(like: Any, outcomes: Sequence[Outcome], evidence: Any, most: int) -> tuple[Diagnosis, ...]:
    """No law agrees: what must be run, then what was measured."""
    from verification.checking.faults import clues

    beyond = shapes.beyond(evidence.outcomes)
    run = () if beyond else _run(evidence, most)
    if run:
        return run
    words, formula = clues.unknown(evidence)
    clue = f"{beyond[1]} A step that is not linear makes such positions too. " if beyond else ""
    return (Diagnosis("unknown", formula, clue + words, 0.0),)


def _run(evidence: Any, most: int) -> tuple[Diagnosis, ...]:
    """Gradients and steps that are cut, which have no law in closed form."""
    from verification.checking.faults.cutting import cut

    return _of_trials(cut(evidence), most)


def _of_trials(found: Any, most: int) -> tuple[Diagnosis, ...]:
    short = sorted(found, key=lambda trial: trial.cost)[:most]
    return tuple(Diagnosis(x.name, x.formula, x.words, x.score) for x in short)


def by_running(
    like: Any, outcomes: Sequence[Outcome], most: int = _MOST
) -> tuple[tuple[Diagnosis, ...], str]:
    """Edits that do what was measured, where there is no exact law or only real minibatches tell.

    Where there are none: words of those that come near.
    """
    from verification.checking.faults.trials import edited

    found, near = edited(like, outcomes)
    return _of_trials(found, most), near


def _remarked(like: str, outcomes: Sequence[Outcome]) -> tuple[Diagnosis, ...]:
    """What the adapter saw of the noise in the code itself, where there should be noise."""
    if not registry.sampler(like).noises:
        return ()
    seen = {name: words for o in outcomes for name, words in o.measured.remarks}
    return tuple(Diagnosis(name, "", words, 1.0) for name, words in seen.items())


def _told(sampler: Any, candidate: Any) -> Diagnosis:
    from verification.checking.faults.words import updates

    formula = updates(candidate.variant, None if candidate.other else sampler)
    if candidate.given:
        formula += "; with " + ", ".join(f"{name} = {plain(e)}" for name, e in candidate.given)
    return Diagnosis(
        candidate.name,
        formula,
        candidate.words,
        1.0,
        _declaration(sampler, candidate),
        candidate.given,
        candidate,
    )


def _declaration(sampler: Any, candidate: Any) -> Any:
    """The candidate as a declaration, where it is one: not all that people write can be declared."""
    if candidate.other:
        return None if candidate.given else registry.sampler(candidate.other)
    variant = candidate.variant
    used = tuple(w for w in variant.noises if not w.name.startswith("scale"))
    try:
        return replace(
            sampler,
            state=variant.states,
            updates=variant.updates,
            noises=used,
            start=variant.start,
            where=variant.where,
        )
    except (UnusableInput, DeclarationError):
        return None


def _never_moves(outcomes: Sequence[Outcome]) -> bool:
    """Whether the chains that were kept are at every time where they are at the first."""
    kept = [(o.measured.shown, o.case.D) for o in outcomes if o.measured.shown is not None]
    times = [(x.reshape(len(x), -1, D)) for x, D in kept]
    return bool(times) and len(kept) == len(outcomes) and all((x == x[:, :1]).all() for x in times)
