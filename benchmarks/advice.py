"""How long ``advise`` takes: ``python -m benchmarks.advice [--old FOLDER] [--out FILE]``.

Linear regression with 5,000 examples in 12, 50 and 500 dimensions, 50 passes, all samplers that are
tried unless others are asked for. Seconds are of computing on one thread, in a process of its own for
each, without reading the data. With ``--old``, the checkout of another commit, both are asked in one
run, one after the other, but for the largest, which took hours before there was a table of modes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SIZES, EXAMPLES, PASSES, OLD = (12, 50, 500), 5000, 50, 50

ASK = """\
import json, sys, time
import numpy as np, sgtheory as sg
D, N, passes = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
X = rng.normal(size=(N, D)) @ np.diag(np.linspace(0.3, 2, D))
y = X @ rng.normal(size=D) + rng.normal(size=N)
problem = sg.Problem.of({"model": "linear_regression", "X": X, "y": y, "ridge": 1})
problem.examples
begun = time.process_time()
best = sg.advise(problem, passes=passes).best
print(json.dumps({"seconds": time.process_time() - begun, "best": best.name, "error": best.error.value}))
"""


def asked(folder: Path, dimension: int) -> dict[str, Any]:
    """Seconds, the choice and its error, by the code in a folder."""
    once = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", ASK, str(dimension), str(EXAMPLES), str(PASSES)]
    how: dict[str, Any] = {"env": os.environ | once, "cwd": folder}
    done = subprocess.run(command, capture_output=True, text=True, check=True, **how)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print a row for each size, and keep them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    given = parser.parse_args()
    rows = []
    for dimension in given.sizes:
        row: dict[str, Any] = {"D": dimension, "N": EXAMPLES, "passes": PASSES}
        row["now"] = asked(Path(__file__).parents[1], dimension)
        if given.old is not None and dimension <= OLD:
            row["old"] = asked(given.old, dimension)
            row["ratio"] = row["old"]["seconds"] / row["now"]["seconds"]
        rows.append(row)
        print(json.dumps(row), flush=True)
    if given.out is not None:
        from sgtheory.files.writing import write

        write(
            given.out, json.dumps({"schema": "sgtheory.advice-seconds/1", "rows": rows}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
