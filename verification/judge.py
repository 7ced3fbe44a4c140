"""The judge: takes claims, lets each prove, refute, measure and corrupt itself, and writes verdicts."""

from __future__ import annotations

import platform
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from verification.measure import Plan
from verification.verdict import Verdict

FALSE_ALARM = 1e-6  # of a whole run, whatever the number of claims


def verdicts(
    claims: Sequence[Any],
    *,
    budget: str = "quick",
    device: str = "auto",
    seed: int = 20170401,
    false_alarm: float = FALSE_ALARM,
    progress: Callable[[str, int, int], None] | None = None,
) -> Iterator[Verdict]:
    """The verdict on each claim, one by one; the false-alarm budget is split evenly."""
    for number, claim in enumerate(claims):
        if progress is not None:
            progress(claim.id, number, len(claims))
        # every claim has a stream of its own, the same whichever others are judged beside it
        own = (seed + zlib.crc32(claim.id.encode())) % 2**32
        yield judge(claim, Plan(budget, device, own, false_alarm / len(claims)))


def judge(claim: Any, plan: Plan) -> Verdict:
    """Find, read for the discrete algorithm, measure (which may decide), corrupt."""
    finding = claim.find()
    discrete = claim.find("discrete") if claim.has_discrete_reading() else None
    finding, measured = claim.measured(finding, plan)
    return Verdict(claim, finding, discrete, measured, claim.twins(finding))


def document(found: Sequence[Verdict], *, budget: str, seed: int, seconds: float) -> dict[str, Any]:
    """Schema sgtheory.verdicts/1."""
    devices = sorted({str(v.measured.data["device"]) for v in found if v.measured})
    return {
        "schema": "sgtheory.verdicts/1",
        "run": {
            "versions": versions(),
            "seed": seed,
            "budget": budget,
            "device": devices[0] if len(devices) == 1 else devices,
            "seconds": seconds,
            "false_alarm_budget": FALSE_ALARM,
        },
        "claims": [v.to_json() for v in found],
    }


def versions() -> dict[str, str]:
    """What a verdict was computed with."""
    found = {"python": platform.python_version()}
    for name in ("sgtheory", "sympy", "numpy", "llvmlite", "scipy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "from the tree"
    return found


def clock() -> float:
    """Seconds, for durations."""
    return time.perf_counter()
