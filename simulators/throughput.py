"""How fast this machine simulates, and how that compares with what its parts could do."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

SCHEMA = "sgtheory.bench/1"


@dataclass(frozen=True)
class Work:
    """A workload: a sampler on a dense quadratic, and what a step of it needs."""

    name: str
    title: str
    sampler: str
    D: int
    chains: int
    steps: int
    multiply_adds: int
    normals: int


WORKS = (
    Work("W1", "SGD", "sgd", 10, 65_536, 1_000, 155, 10),
    Work("W2", "SGLD", "sgld", 10, 65_536, 1_000, 165, 20),
    Work("W3", "momentum", "momentum", 10, 65_536, 1_000, 175, 10),
    Work("W5", "SGD", "sgd", 1, 1_048_576, 1_000, 2, 1),
    Work("D64", "SGD", "sgd", 64, 8_192, 200, 64 * 64 + 64 * 65 // 2, 64),
)


@dataclass(frozen=True)
class Measured:
    """A workload's rates, and how near they come to the machine's floor."""

    name: str
    title: str
    D: int
    dtype: str
    device: str
    chain_steps_per_second: float
    chain_steps_per_cpu_second: float | None
    floor_seconds: float | None  # of a chain-step on a core
    fraction_of_floor: float | None
    compile_seconds: float


def problem(D: int) -> Any:
    """A dense, well-conditioned quadratic with noise that does not commute with it."""
    from sgtheory.problem import Problem

    near = [[Fraction(int((a * 7 + b * 7) % 5) - 2, 8 * D) for b in range(D)] for a in range(D)]
    hessian = [[near[a][b] + (1 if a == b else 0) for b in range(D)] for a in range(D)]
    noise = [
        [near[b][a] / 2 + (Fraction(2 + a % 3, 2) if a == b else 0) for b in range(D)] for a in range(D)
    ]
    content: dict[str, Any] = {"hessian": hessian, "noise": noise, "N": 50, "S": 16}
    return Problem.of(content | {"params": {"eps": "1/1000", "mu": "1/10"}, "start": {"theta": [1] * D}})


def throughput(
    device: str = "auto", quick: bool = False, progress: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """The document of ``sgtheory bench``."""
    limits = {}
    if device != "cuda":
        from simulators.cpu.limits import measured

        progress("the machine's limits")
        limits = {dtype: measured(dtype) for dtype in ("float32", "float64")}
    rows = [asdict(row) for row in _rows(device, quick, limits, progress)]
    return {
        "schema": SCHEMA,
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "system": platform.system(),
        },
        "limits": {dtype: asdict(found) for dtype, found in limits.items()},
        "workloads": rows,
    }


def _rows(
    device: str, quick: bool, limits: dict[str, Any], progress: Callable[[str], None]
) -> Iterator[Measured]:
    from sgtheory.registry import sampler
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate

    for work in WORKS:
        declared, numbers = sampler(work.sampler), problem(work.D)
        setting, values = Setting(declared, numbers.model), numbers.values(declared)
        for dtype in ("float32", "float64"):
            progress(f"{work.name} in {dtype}")
            chains, steps = (max(64, work.chains // 16), 100) if quick else (work.chains, work.steps)
            runs = [
                simulate(setting, values, chains=chains, steps=steps, dtype=dtype, device=device)
                for _ in range(2 if quick else 3)
            ]
            best = min(runs, key=lambda run: run.cpu_seconds)
            floor = rate = None
            if best.device == "cpu" and limits:
                words = 1 if dtype == "float32" else 2
                floor = limits[dtype].floor(work.multiply_adds, work.normals, words)
                rate = chains * steps / best.cpu_seconds
            yield Measured(
                work.name, work.title, work.D, dtype, best.device,
                chains * steps / min(run.seconds for run in runs), rate, floor,
                rate * floor if rate and floor else None, runs[0].compile_seconds,
            )  # fmt: skip
