"""Outcomes of many cases, by kind."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.hostile.kinds import KINDS, case
from tests.hostile.trial import Case, apart, run


@contextlib.contextmanager
def _own_cache() -> Iterator[None]:
    """A folder of what is kept that may be emptied: a command line may be the one that does it."""
    before = os.environ.get("SGTHEORY_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SGTHEORY_CACHE"] = folder
        try:
            yield
        finally:
            del os.environ["SGTHEORY_CACHE"]
            if before is not None:
                os.environ["SGTHEORY_CACHE"] = before


def counted(
    seeds: Iterable[int], only: Collection[str] = KINDS, tell: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """How often each kind was refused, was answered, or broke the rule; and which cases broke it."""
    found: Counter[tuple[str, str]] = Counter()
    faults: dict[int, str] = {}
    longest, lines = 0.0, set()
    total = 0
    with tempfile.TemporaryDirectory() as folder, _own_cache():
        # the index of what there is, made once and then kept: the first command of a user makes it
        run(Case("arguments", ("errata", "no_such_paper"), most=60.0), Path(folder))
        for seed in seeds:
            one = case(seed, only)
            outcome = apart(one, Path(folder))
            total += 1
            found[one.kind, "faults" if outcome.fault else outcome.word] += 1
            longest = max(longest, outcome.seconds)
            lines.add(outcome.line)
            if outcome.fault:
                faults[seed] = outcome.fault
                tell(f"{seed} {one.kind}: {outcome.fault}")
    return {
        "schema": "sgtheory.hostile/1",
        "cases": total,
        "kinds": {
            k: {w: found[k, w] for w in ("refused", "answered", "faults")} for k in KINDS if k in only
        },
        "longest_cpu_seconds": round(longest, 1),
        "different_lines": len(lines),
        "faults": {str(seed): fault for seed, fault in faults.items()},
    }


def together(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """The counts of several processes, added up; how many lines differ is the most that one saw."""
    first = tables[0]
    return {
        "schema": first["schema"],
        "cases": sum(t["cases"] for t in tables),
        "kinds": {
            k: {w: sum(t["kinds"][k][w] for t in tables) for w in words}
            for k, words in first["kinds"].items()
        },
        "longest_cpu_seconds": max(t["longest_cpu_seconds"] for t in tables),
        "different_lines": max(t["different_lines"] for t in tables),
        "faults": {seed: fault for t in tables for seed, fault in t["faults"].items()},
    }
