"""The judge: takes claims, lets each prove, refute, measure and corrupt itself, and writes verdicts."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from verification.measure import Plan
from verification.minibatches import on_minibatches
from verification.provenance import declared, versions
from verification.several import each
from verification.statistics import Budget
from verification.verdict import Verdict
from verification.windows import on_windows

FALSE_ALARM = 1e-6  # of a whole run, whatever the number of claims
_TWINS = {"quick": 6}  # of a claim; every one of them in the larger budgets


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


def verdicts(claims: Sequence[Any], *, jobs: int = 1, **settings: Any) -> Iterator[Verdict]:
    """The verdict on each claim, one by one; settings are those of ``plans``."""
    yield from each(judge, list(plans(claims, **settings)), jobs)


def judge(claim: Any, plan: Plan) -> Verdict:
    """Find, read for the discrete algorithm, measure (which may decide), corrupt; and say from what."""
    try:
        return _judged(claim, plan)
    except Exception as error:
        error.add_note(f"while {claim.id} was judged")
        raise


def _judged(claim: Any, plan: Plan) -> Verdict:
    began = clock()
    finding = claim.find()
    discrete = claim.find("discrete") if claim.has_discrete_reading() else None
    finding, measured = claim.measured(finding, plan)
    real = (*on_minibatches(claim, plan), *on_windows(claim, plan))
    twins = claim.twins(finding, _TWINS.get(plan.budget))
    provenance = {
        **declared(claim),
        "seed": plan.seed,
        "budget": plan.budget,
        "device": plan.device,
        "false_alarm": plan.false_alarm,
        "seconds": round(clock() - began, 3),
    }
    target = claim.source or claim.id
    again = f"sgtheory verify {target} --budget {plan.budget} --seed {plan.run_seed}"
    if measured is not None or real:
        again += f" --false-alarm {plan.false_alarm!r}"
    if claim.source:
        again += f" --only {claim.key}"
    return Verdict(claim, finding, discrete, measured, twins, provenance, again, real)


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
