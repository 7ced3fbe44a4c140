"""The judge: takes claims, lets each prove, refute, measure and corrupt itself, and writes verdicts."""

from __future__ import annotations

import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sgtheory.errors import Ended, NotAffine, UnusableInput, told
from verification.consequence.kinds import consequence
from verification.judging.parallel import each
from verification.measuring.ensembles import Plan
from verification.measuring.minibatches import on_minibatches
from verification.measuring.windows import on_windows
from verification.refuter.patience import OutOfTime, limited
from verification.statements.entry import refuse_malformed
from verification.statements.ownletters import in_letters
from verification.statistics import Budget
from verification.verdicts.provenance import declared, versions
from verification.verdicts.verdict import (
    Broken,
    Evidence,
    Finding,
    NoAnswer,
    RoutesDisagree,
    Twins,
    Verdict,
)

FALSE_ALARM = 1e-6  # of a whole run, whatever the number of claims
_FRAMES = 30  # of a traceback: one of a recursion has a thousand
_TWINS = {"quick": 6}  # of a claim; every one of them in the larger budgets
LIMITS = {
    "quick": 60.0,
    "standard": 600.0,
    "deep": 3600.0,
}  # seconds of computing, of one claim's proofs


def plans(
    claims: Sequence[Any],
    *,
    budget: str = "quick",
    device: str = "auto",
    seed: int = 20170401,
    false_alarm: float = FALSE_ALARM,
) -> Iterator[tuple[Any, Plan]]:
    """Each claim with its seed and its share of the run's false alarms."""
    shares = Budget.split(false_alarm, [c.id for c in claims]) if claims else None
    for claim in claims:
        # every claim has a stream of its own, the same whichever others are judged beside it
        own = (seed + zlib.crc32(claim.id.encode())) % 2**32
        assert shares is not None
        yield claim, Plan(budget, device, own, float(shares.of(claim.id)), run_seed=seed)


def verdicts(claims: Sequence[Any], *, jobs: int | None = None, **settings: Any) -> Iterator[Verdict]:
    """The verdict on each claim, one by one; settings are those of ``plans``."""
    yield from each(judge, list(plans(claims, **settings)), jobs, lost)


def judge(claim: Any, plan: Plan) -> Verdict:
    """Find, read for the discrete algorithm, measure (which may decide), corrupt; and say from what.

    Whatever goes wrong on the way is this claim's verdict, and no other's.
    """
    return _whatever_comes(_judged, claim, plan)


def found(claim: Any, plan: Plan) -> Verdict:
    """What is found of a claim in both times, neither measured nor corrupted."""
    return _whatever_comes(_found, claim, plan)


def _whatever_comes(judged: Callable[[Any, Plan], Verdict], claim: Any, plan: Plan) -> Verdict:
    try:
        return judged(claim, plan)
    except Ended:
        raise
    except OutOfTime:
        most = f"{LIMITS[plan.budget]:.0f} seconds of computing"
        words = f"it took more than the {most} that the budget {plan.budget} gives a claim"
        return unjudged(claim, plan, Broken("out of time", words))
    except (Exception, SystemExit) as error:
        return unjudged(claim, plan, broken(error))


def lost(claim: Any, plan: Plan) -> Verdict:
    """The verdict on a claim whose process died under it."""
    why = "the process that judged it died (memory, or an exit in the claim's own code)"
    return unjudged(claim, plan, Broken("process died", why))


def broken(error: BaseException) -> Broken:
    """What an exception says, for a verdict."""
    whole = "".join(traceback.format_exception(error, limit=-_FRAMES))
    line = told(error).splitlines()[0]
    if isinstance(error, NoAnswer):
        return Broken("no answer", error.reason, traceback=whole)
    if isinstance(error, RoutesDisagree):
        return Broken("routes disagree", line, error.answers, whole)
    return Broken("exception", line, traceback=whole)


def unjudged(claim: Any, plan: Plan, why: Broken) -> Verdict:
    """An inconclusive verdict that says in words why there is no other."""
    finding = Finding("inconclusive", _words(why), ())
    return Verdict(
        claim,
        finding,
        None,
        None,
        Twins(0, 0, none="it was not judged"),
        _made_from(plan, 0.0),
        _again(claim, plan, True),
        (),
        why,
    )


def _words(why: Broken) -> str:
    if why.answers:
        first, second = why.answers
        return (
            f"Two routes disagree, so the toolkit is wrong somewhere: {first.route} say {first.says!r},"
            f" {second.route} say {second.says!r}."
        )
    error = why.error.rstrip(".")
    if why.kind == "no answer":
        return f"A route that the verdict leans on has no answer: {error}."
    if why.kind in ("process died", "out of time"):
        return f"It could not be judged: {error}."
    return f"It could not be judged: {error}. The JSON document has the traceback."


def _found(claim: Any, plan: Plan) -> Verdict:
    refuse_malformed(claim)
    lettered = in_letters(claim)
    first, discrete = _readings(claim, lettered, plan)
    none = "they were not asked for"
    return Verdict(claim, lettered.told(first), discrete, None, Twins(0, 0, none=none))


def _readings(claim: Any, lettered: Any, plan: Plan) -> tuple[Finding, Any]:
    """What is found in the claim's own time, and for the discrete algorithm, in so much time."""
    with limited(LIMITS[plan.budget]):
        first = lettered.claim.find()
        reads = claim.has_discrete_reading()
        return first, lettered.told(lettered.claim.find("discrete") if reads else None)


def _judged(claim: Any, plan: Plan) -> Verdict:
    began = clock()
    refuse_malformed(claim)
    lettered = in_letters(claim)
    first, discrete = _readings(claim, lettered, plan)
    finding, measured, real = _measured(claim, lettered.told(first), plan)
    try:
        with limited(LIMITS[plan.budget]):
            true = first if lettered.meanings else finding
            twins = lettered.claim.twins(true, _TWINS.get(plan.budget))
    except OutOfTime:
        twins = Twins(0, 0, none="there was no time to judge any")
    provenance = {**declared(claim), **_made_from(plan, clock() - began)}
    again = _again(claim, plan, measured is not None or bool(real))
    follows = consequence(claim, finding)
    verdict = Verdict(claim, finding, discrete, measured, twins, provenance, again, real)
    return replace(verdict, consequence=follows)


def _measured(claim: Any, finding: Finding, plan: Plan) -> tuple[Finding, Any, tuple[Evidence, ...]]:
    """What ensembles show beside; a sampler that cannot be run so keeps the verdict that was found."""
    real: tuple[Evidence, ...] = ()
    measured = None
    try:
        finding, measured = claim.measured(finding, plan)
        real = (*on_minibatches(claim, plan), *on_windows(claim, plan))
    except (NotAffine, UnusableInput, NoAnswer) as error:
        words = f"Not measured: {told(error).splitlines()[0].rstrip('.')}."
        real = (Evidence("ensemble", words, {"measured": False}),)
    return finding, measured, real


def _made_from(plan: Plan, seconds: float) -> dict[str, Any]:
    return {
        "seed": plan.seed,
        "budget": plan.budget,
        "device": plan.device,
        "false_alarm": plan.false_alarm,
        "seconds": round(seconds, 3),
    }


def _again(claim: Any, plan: Plan, chance: bool) -> str:
    """The command that makes the verdict again; its share of false alarms matters to measurements."""
    again = f"sgtheory verify {claim.source or claim.id} --budget {plan.budget} --seed {plan.run_seed}"
    if chance:
        again += f" --false-alarm {plan.false_alarm!r}"
    return again + (f" --only {claim.key}" if claim.source else "")


def document(
    claims: Sequence[dict[str, Any]], *, budget: str, seed: int, seconds: float, false_alarm: float
) -> dict[str, Any]:
    """Schema sgtheory.verdicts/1, from the verdicts' own documents."""
    devices = sorted({e["device"] for c in claims for e in c.get("evidence", []) if "device" in e})
    tried = sum(c.get("twins", {}).get("tried", 0) for c in claims)
    return {
        "schema": "sgtheory.verdicts/1",
        "run": {
            "versions": versions(),
            "seed": seed,
            "budget": budget,
            "device": devices[0] if len(devices) == 1 else devices,
            "seconds": seconds,
            "false_alarm_budget": false_alarm,
            "twins": {
                "tried": tried,
                "rejected": sum(c.get("twins", {}).get("rejected", 0) for c in claims),
            },
        },
        "claims": list(claims),
    }


def clock() -> float:
    """Seconds, for durations."""
    return time.perf_counter()
