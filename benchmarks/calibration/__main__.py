from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.calibration import __doc__ as words
from benchmarks.calibration.alarms import alarms
from benchmarks.calibration.power import power
from verification.verdicts.provenance import versions


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=words)
    parser.add_argument("--runs", type=int, default=10_000, help="ensembles of each case")
    parser.add_argument("--seed", type=int, default=1, help="of the first ensemble")
    parser.add_argument("--power", action="store_true", help="corrupted samplers too")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    began = time.perf_counter()

    def tell(what: str) -> None:
        print(f"{time.perf_counter() - began:7.0f} s  {what}", file=sys.stderr)

    told = ["python -m benchmarks.calibration", f"--runs {given.runs} --seed {given.seed}"]
    found: dict[str, Any] = {
        "schema": "sgtheory.calibration/1",
        "command": " ".join(told + ["--power"] * given.power),
        "made": time.strftime("%Y-%m-%d"),
        "versions": versions(),
        "runs": given.runs,
        "false_alarms": alarms(given.runs, given.seed, tell),
    }
    if given.power:
        found["power"] = power(given.runs, tell)
    found["passed"] = all(found[k]["passed"] for k in ("false_alarms", "power") if k in found)
    found["seconds"] = round(time.perf_counter() - began)
    text = json.dumps(found, indent=1)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0 if found["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
