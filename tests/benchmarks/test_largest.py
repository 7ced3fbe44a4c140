"""Two thousand dimensions take seconds, and what is done of them is cubic, as LAPACK's work is."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from benchmarks import largest


def test_the_table_holds_what_is_promised():
    rows = json.loads(largest.RESULT.read_text("utf-8"))["rows"]
    assert [(r["what"], r["D"]) for r in rows] == [(w, d) for w in largest.WORK for d in largest.SIZES]
    for what in largest.WORK:
        mine = [r for r in rows if r["what"] == what]
        assert mine[-1]["seconds"] < largest.SECONDS
        assert not largest.grows(mine)
    assert rows[-1]["what"] == "read"
    assert rows[-1]["bytes"] < largest.BYTES


def by_kronecker(d, folder):
    """The same law as one linear equation in all entries: D^6."""
    A, C = largest._matrices(d)
    eye = np.eye(d)
    left = np.kron(A, eye) + np.kron(eye, A) - 0.1 * np.kron(A, A)
    return lambda: np.linalg.solve(left, (0.1 / 10 * C).reshape(-1))


TWIN = """
from pathlib import Path
from benchmarks import largest
from tests.benchmarks.test_largest import by_kronecker
largest.WORK["law"] = by_kronecker
assert largest.grows([largest.row("law", d, Path()) for d in (24, 60)])
"""


def test_what_is_not_cubic_is_found_out():
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # threads that wait count as time
    subprocess.run([sys.executable, "-c", TWIN], cwd=largest.ROOT, env=alone, check=True)


@pytest.mark.strong
@pytest.mark.parametrize("what", largest.WORK)
def test_the_ratio_to_an_eigenproblem_does_not_grow(what, tmp_path):
    assert not largest.grows([largest.apart(what, d, tmp_path) for d in (250, 1000)])
