"""A thousand million chain-steps of every sampler against its exact law, in every entry.

``python -m benchmarks.agreement [--steps-total 1e9] [--dtype float32] [--out FILE]``. One false-alarm
probability for the whole table, 1e-6, split over the samplers and then over the entries of means and
covariances. For each sampler it also says the smallest relative error of a variance that would have
been seen, and that a law which is off by twice that is rejected.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

FALSE_ALARM = 1e-6
CHAINS = 2**20

CONTENT: dict[str, Any] = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 43, "S": 4,
    "params": {"eps": "1/50", "mu": "3/10", "H": [[1, "1/3"], ["1/3", "1/2"]], "E": [[1, 0], [1, 2]]},
    "start": {"theta": [1, -1]},
}  # fmt: skip


def agreement(
    name: str, chains: int, steps: int, dtype: str, device: str, false_alarm: float
) -> dict[str, Any]:
    """One sampler at a finite step."""
    from sgtheory import registry
    from sgtheory.numbers.numeric import law
    from sgtheory.problem import Problem
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate
    from tests.sgtheory.strategies import scaled_for
    from verification.measuring.ensembles import against

    sampler = registry.sampler(name)
    problem = scaled_for(Problem.of(CONTENT), sampler)
    run = simulate(
        Setting(sampler, problem.model), problem.values(sampler),
        chains=chains, steps=steps, seed=2026, dtype=dtype, device=device,
    )  # fmt: skip
    exact = law(name, problem, at=steps)
    found = against(run, exact, false_alarm)
    off = 1 + 2 * found.resolution
    wrong = {**vars(run), "covariance": {k: v * off for k, v in run.covariance.items()}}
    twin = against(type(run)(**wrong), exact, false_alarm)
    return {
        "sampler": name,
        "chains": chains,
        "steps": steps,
        "dtype": dtype,
        "device": run.device,
        "tests": len(found.tests),
        "smallest_p_value": found.worst.p_value,
        "threshold": found.threshold,
        "agrees": found.agrees,
        "would_have_seen": found.resolution,
        "twin_rejected": not twin.agrees,
        "seconds": run.seconds,
        "digest": run.digest,
    }


def table(total: float, dtype: str, device: str, only: list[str]) -> dict[str, Any]:
    """All samplers."""
    from sgtheory import registry
    from sgtheory.onestep.affine import is_affine
    from sgtheory.setting import Setting

    model = registry.model("quadratic")
    affine = [n for n, s in registry.samplers().items() if is_affine(Setting(s, model))]
    names = [n for n in affine if not only or n in only]
    steps = max(1, -(-int(total) // CHAINS))
    rows = []
    for name in names:
        rows.append(agreement(name, CHAINS, steps, dtype, device, FALSE_ALARM / len(names)))
        row = rows[-1]
        verdict = "agrees" if row["agrees"] else "DOES NOT AGREE"
        print(
            f"{name:32s} {verdict:15s} p {row['smallest_p_value']:.1e} of {row['tests']} tests, "
            f"{row['seconds']:.1f} s",
            file=sys.stderr,
        )
    return {
        "schema": "sgtheory.agreement/1",
        "false_alarm": FALSE_ALARM,
        "made": time.strftime("%Y-%m-%d"),
        "passed": all(r["agrees"] and r["twin_rejected"] for r in rows),
        "samplers": rows,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement", description=__doc__)
    parser.add_argument("--steps-total", type=float, default=1e9, help="chain-steps of each sampler")
    parser.add_argument("--dtype", default="float32", choices=("float32", "float64"))
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--only", default="", help="samplers, with commas between them")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    only = [n for n in given.only.split(",") if n]
    found = table(given.steps_total, given.dtype, given.device, only)
    text = json.dumps(found, indent=1)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0 if found["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
