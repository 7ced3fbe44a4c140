"""The machine's limits: builds and runs ``limits.cpp``, and adds up what a step cannot do without.

A floor is the sum of the parts of a chain-step, each at its best measured rate: random words, their
transformation to normals, fused multiply-adds; for a minibatch of logistic regression, for each example
an index, its row, read once and turned so that lanes are chains, a sigmoid, and two multiply-adds a
coordinate. The parts need the same units of the processor, so their times add up; what waits for the
cache may overlap with what computes, so that a kernel can be a little faster.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.workloads import Workload

SOURCE = Path(__file__).with_name("limits.cpp")
FLAGS = ("-march=native", "-std=c++17")

Limits = Mapping[str, float]


class NoLimits(Exception):
    """The limits cannot be measured here; the message says why."""


@contextmanager
def built(optimise: str = "-O3") -> Iterator[Path]:
    """The program, compiled for this machine, for as long as it is needed."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise NoLimits("there is no g++ on this machine")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "limits"
        done = subprocess.run(
            [compiler, optimise, *FLAGS, str(SOURCE), "-o", str(program)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise NoLimits(f"g++ failed: {done.stderr.strip().splitlines()[-1]}")
        yield program


def measure(program: Path, seconds: float = 0.1) -> Limits:
    """Operations a CPU second of one core. What was computed on the way is checked."""
    done = subprocess.run([program, str(seconds)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    wrong = faults(found.pop("checks"))
    if wrong:
        raise NoLimits(f"limits.cpp computes something else: {', '.join(wrong)}")
    return {name: float(value) for name, value in found.items()}


def faults(checks: Mapping[str, list[float]]) -> list[str]:
    """What of the generator, the transform, the columns and the sigmoid is not as it should be."""
    from simulators import philox

    wrong = []
    if list(checks["philox"]) != [int(w) for w in philox.words((0, 0, 0, 0), (0, 0))]:
        wrong.append("philox")
    for name in ("normals_f32", "normals_f64"):
        n, *moments = checks[name]
        # first, second, fourth moment and the product of a pair, with their variances
        expected = ((0, 1), (1, 2), (3, 96), (0, 2))
        z = [(m - e) / math.sqrt(v / n) for m, (e, v) in zip(moments, expected, strict=True)]
        if max(map(abs, z)) > 6:
            wrong.append(name)
    lanes = len(checks["columns"]) // 10  # number i of row l is 100 l + i
    if list(checks["columns"]) != [100 * lane + i for i in range(10) for lane in range(lanes)]:
        wrong.append("columns")
    sigmoids = [1 / (1 + math.exp(t)) for t in (-1, 0, 1, 2)]
    if any(abs(a - b) > 4e-7 * b for a, b in zip(checks["sigmoid"], sigmoids, strict=True)):
        wrong.append("sigmoid")
    return wrong


def parts(work: Workload, dtype: str, limits: Limits) -> dict[str, float]:
    """Seconds of a core for each part of one step of one chain."""
    kind = {"float32": "f32", "float64": "f64"}[dtype]
    words = work.normals * (1 if kind == "f32" else 2) + work.rows
    found = {
        "words": words / limits["words"],
        "normals": work.normals / limits[f"box_muller_{kind}"],
        "multiply-adds": (work.fma + 2 * work.D * work.rows) / limits[f"fma_{kind}"],
    }
    if work.rows:
        for part in ("rows", "sigmoids"):
            found[part] = work.rows / limits[f"{part}_{kind}"]
    return found


def floor(work: Workload, dtype: str, limits: Limits) -> float:
    """Seconds of a core for one step of one chain, at least."""
    return sum(parts(work, dtype, limits).values())
