"""Run cases and print one line for each: ``python -m tests.doors [--json FILE] [PART OF AN ID ...]``."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.doors.case import Case, Missed, run
from tests.doors.cases import every


def look(case: Case, cache: Path) -> tuple[str, str, float]:
    """How a case came out: passes, fails or skipped, why, and its seconds."""
    if any(importlib.util.find_spec(name) is None for name in case.needs):
        return "skipped", f"needs {', '.join(case.needs)}", 0.0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(case, Path(folder), cache)
        except Missed as missed:
            return "fails", str(missed).replace(folder, "."), time.monotonic() - start
    return "passes", "", time.monotonic() - start


def main() -> None:
    """Run those whose id has one of the words, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.doors")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--wave", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("words", nargs="*")
    asked = parser.parse_args()
    cases = [
        case
        for case in every()
        if (not asked.words or any(w in case.id for w in asked.words))
        and asked.wave in (None, case.wave)
    ]
    rows = []
    kept = os.environ.get("SGTHEORY_CACHE")
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(asked.jobs) as pool:
        cache = Path(kept or made)
        for case, (how, why, seconds) in zip(
            cases, pool.map(lambda c: look(c, cache), cases), strict=True
        ):
            print(f"{how:7}  {seconds:5.0f} s  {case.id}: {why or case.title}", flush=True)
            rows.append({"id": case.id, "title": case.title, "how": how, "why": why, "seconds": seconds})
            if asked.json:
                asked.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    counts = {how: sum(row["how"] == how for row in rows) for how in ("passes", "fails", "skipped")}
    print(counts)


if __name__ == "__main__":
    main()
