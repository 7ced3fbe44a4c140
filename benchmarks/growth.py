"""How our own rate changes with the dimension, the number of chains and the number of steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.limits import Limits, floor
from benchmarks.process import Process
from benchmarks.rounds import Spread
from benchmarks.workloads import workload

OPERATIONS = 2e10  # fused multiply-adds of one point: half a second of a core at least
REPEATS = 3


@dataclass(frozen=True)
class Point:
    """One size of SGD on a quadratic."""

    along: str  # D, chains or steps: what changes
    D: int
    chains: int
    steps: int


def points(deep: bool, quick: bool) -> Iterator[Point]:
    """All sizes, the small ones first.

    >>> [p.D for p in points(deep=False, quick=False) if p.along == "D"]
    [1, 2, 4, 8, 16, 32, 64]
    """
    operations = OPERATIONS / 1000 if quick else OPERATIONS
    for D in (1, 2, 4, 8, 16, 32, 64, *((128, 256) if deep else ())):
        if quick and D > 4:
            break
        chains = 16_384 if D <= 16 else 4_096
        steps = min(max(round(operations / (2 * D * D * chains)), 10), 5_000)
        yield Point("D", D, chains, steps)
    if not quick:
        for chains in (64, 1_024, 16_384, 262_144, *((4_194_304,) if deep else ())):
            yield Point("chains", 10, chains, 500)
        for steps in (1, 10, 100, 1_000, *((100_000,) if deep else ())):
            yield Point("steps", 10, 16_384, steps)


def groups(deep: bool, quick: bool) -> list[tuple[Point, ...]]:
    """What shares a process: each dimension has its own, so that one that is stopped for being slow
    takes no other with it; numbers of chains and steps share their kernels.

    >>> [len(group) for group in groups(deep=False, quick=False)]
    [1, 1, 1, 1, 1, 1, 1, 8]
    """
    found = list(points(deep, quick))
    others = tuple(p for p in found if p.along != "D")
    return [(p,) for p in found if p.along == "D"] + ([others] if others else [])


def told(row: Mapping[str, Any]) -> str:
    """A line of progress."""
    size = f"growth D = {row['D']}, {row['chains']} chains, {row['steps']} steps"
    if "failed" in row:
        return f"{size}: {row['failed']}"
    return f"{size}: {row['fma_per_cpu_second'] / 1e9:.3g} G multiply-adds a CPU second"


def measure(process: Process, point: Point, limits: Sequence[Limits], timeout: float) -> dict[str, Any]:
    """The median rate of one point: chain-steps and multiply-adds a CPU second, share of the limit."""
    work = workload(f"sgd:{point.D}")
    row = dict(vars(point))
    size = {"chains": point.chains, "steps": point.steps, "seed": 0}
    made = process.ask({"do": "make", "workload": work.code, **size}, timeout)
    rates, walls = [], []
    for seed in range(1, REPEATS + 1):
        run = process.ask({"do": "run", **size, "seed": seed}, timeout) if "wall" in made else made
        if "wall" not in run:
            return row | {"failed": run.get("failed") or next(iter(run.values()))}
        rates.append(point.chains * point.steps / run["cpu"])
        walls.append(run["wall"])
    rate = Spread.of(rates)
    return row | {
        "per_cpu_second": rate.to_json(),
        "wall": Spread.of(walls).to_json(),
        "fma_per_cpu_second": rate.median * work.fma,
        "of_limit": rate.median * floor(work, "float32", limits[0]) if limits else None,
        "compile": made["compile"],
    }


def exponent(rows: list[dict[str, Any]]) -> float | None:
    """The power of D with which the time of a step grows, between the two largest dimensions.

    >>> exponent([{"along": "D", "D": d, "per_cpu_second": {"median": 1e9 / d**2}} for d in (16, 32)])
    2.0
    """
    ran = [r for r in rows if r["along"] == "D" and "per_cpu_second" in r]
    if len(ran) < 2:
        return None
    (small, fast), (large, slow) = ((r["D"], r["per_cpu_second"]["median"]) for r in ran[-2:])
    return round(math.log(fast / slow) / math.log(large / small), 2)
