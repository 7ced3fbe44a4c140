"""The largest dimension that is read, 2,000: ``python -m benchmarks.largest [--out FILE]``.

Each row is a process of its own with one thread: CPU seconds and the most memory that it held, from the
first import to the answer; and the CPU seconds of one ``numpy.linalg.eigh`` of the same size in that
process. The law of SGD is cubic in D, as ``eigh`` is, and what comes to it (reading, exact numbers) is
quadratic: so the ratio of the two may not grow with D. It does where somebody solves for all pairs of
entries at once.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULT = Path(__file__).parent / "results" / "largest.json"
SIZES = (500, 1000, 2000)
SECONDS, BYTES = 60, 2**30  # promised of the largest


def _matrices(d: int) -> tuple[Any, Any]:
    """A curvature and a noise that do not commute."""
    import numpy as np

    g, h = np.random.default_rng(d).standard_normal((2, d, d))
    A, C = g @ g.T / d + np.eye(d), h @ h.T / d + np.eye(d)
    return (A + A.T) / 2, (C + C.T) / 2


def law(d: int, folder: Path) -> Callable[[], Any]:
    """The stationary law of SGD on a dense problem of that many dimensions."""
    from sgtheory.numbers import numeric
    from sgtheory.problem import Problem

    A, C = _matrices(d)
    problem = Problem.of({"hessian": A, "noise": C, "N": 1000, "S": 10, "params": {"eps": 0.1}})
    return lambda: numeric.law("sgd", problem).covariance["theta", "theta"]


def read(d: int, folder: Path) -> Callable[[], Any]:
    """The curvature and the noise from two gradients a dimension, in a file."""
    import numpy as np

    from sgtheory import estimate

    drawn = np.random.default_rng(d).standard_normal((2 * d, d))
    np.savez(folder / "gradients.npz", gradients=drawn)
    return lambda: estimate.read(folder / "gradients.npz").C


WORK = {f.__name__: f for f in (law, read)}


def row(what: str, d: int, folder: Path) -> dict[str, Any]:
    """One of these in this process."""
    import resource

    import numpy as np

    work = WORK[what](d, folder)
    began = time.process_time()
    work()
    seconds = time.process_time() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    A, _ = _matrices(d)
    began = time.process_time()
    np.linalg.eigh(A)
    unit = time.process_time() - began
    return {"what": what, "D": d, "seconds": round(seconds, 3), "bytes": most, "eigh": round(unit, 5)}


def apart(what: str, d: int, folder: Path) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.largest", "--row", what, str(d), str(folder)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def grows(rows: list[dict[str, Any]]) -> bool:
    """Whether the largest takes more of its ``eigh`` than the smallest does."""
    first, last = (r["seconds"] / r["eigh"] for r in (rows[0], rows[-1]))
    return bool(last > first)


def main() -> None:
    """The table."""
    import tempfile

    from sgtheory.files.writing import write

    parser = argparse.ArgumentParser(prog="python -m benchmarks.largest", description=__doc__)
    parser.add_argument("--row", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.row:
        print(json.dumps(row(given.row[0], int(given.row[1]), Path(given.row[2]))))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for what in WORK:
            for d in SIZES:
                rows.append(apart(what, d, Path(folder)))
                print(rows[-1], file=sys.stderr, flush=True)
    text = json.dumps({"schema": "sgtheory.largest/1", "rows": rows}, indent=1) + "\n"
    print(text) if given.out is None else write(given.out, text)


if __name__ == "__main__":
    main()
