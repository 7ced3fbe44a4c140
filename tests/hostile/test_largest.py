"""The largest problem that is read takes less than a gigabyte, and so does one that is refused, soon.

Each is read in a process of its own, which has a gigabyte for its data and cannot get more.
"""

import os
import subprocess
import sys

import pytest

from sgtheory.reader import limits

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="where data have no limit")

GIGABYTE, SECONDS = 2**30, 10  # twice what is promised: of a machine that is busy
READ = """
import resource, sys, time
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[2]), int(sys.argv[2])))
from sgtheory.errors import UnusableInput
from sgtheory.problem import read_problem
began = time.process_time()
try:
    said = f"D = {read_problem(sys.argv[1]).D}"
except UnusableInput as error:
    said = str(error)
print(f"{time.process_time() - began:.2f}", said)
"""
REST = '"N": 100, "S": 10, "params": {"eps": "1/100"}'


def read(path, most=GIGABYTE):
    """How many seconds it takes to read a problem, and what comes of it."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path), str(most)],
        capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-300:]
    seconds, said = done.stdout.rstrip("\n").split(" ", 1)
    return float(seconds), said


def matrix(D, other, diagonal):
    """A symmetric matrix as text, its entries by their place."""
    rows = [[diagonal] * D for _ in range(D)]
    for i in range(D):
        for j in range(i):
            rows[i][j] = rows[j][i] = other(j, i)
    return "[" + ",".join("[" + ",".join(row) + "]" for row in rows) + "]"


def dense(other, D=2000, diagonal="9000"):
    """A quadratic problem of two equal matrices."""
    one = matrix(D, other, diagonal)
    return f'{{"hessian": {one}, "noise": {one}, {REST}}}'


def data(row, count, label="1"):
    """A regression of so many equal rows."""
    X, y = ",".join([row] * count), ",".join([label] * count)
    return f'{{"model": "linear_regression", "X": [{X}], "y": [{y}], "S": 4, "params": {{"eps": 1}}}}'


SHORT = [f"0.{n:03d}1" for n in range(1000)]


def short(i, j):
    """An entry of few letters."""
    return SHORT[i * j % 1000]


LARGEST = {
    "matrices of short decimals": (lambda: dense(short), "D = 2000"),
    "matrices of floats": (lambda: dense(lambda i, j: repr(0.1234567 / (i + j + 3)), 1150), "D = 1150"),
    "matrices of decimals that no float is": (
        lambda: dense(lambda i, j: f"0.{i:04d}{j:04d}123456789012345", 490), "D = 490",
    ),
    "too many decimals that no float is": (
        lambda: dense(lambda i, j: f"0.{i:04d}{j:04d}123456789012345", 1100), "round them",
    ),
    "matrices of fractions": (lambda: dense(lambda i, j: f'"{i % 97}/997"', 1800), "D = 1800"),
    "too many fractions": (lambda: dense(lambda i, j: f'"{i}{j:04d}/9999997"', 1200), "round them"),
    "rows of data": (lambda: data("[" + "0.123456," * 7 + "1]", 700_000), "D = 8"),
    "rows of fractions": (lambda: data("[" + '"1/37",' * 7 + "1]", 700_000, '"1/3"'), "D = 8"),
    "one long row": (lambda: data("[" + "0.123456," * 7_999 + "1]", 800), "D = 8000"),
    "a row that is longer": (lambda: data("[1,2,3]", 900_000).replace("]]", ",4]]"), "match the"),
    "a matrix that is not symmetric": (
        lambda: dense(short).replace("0.0001", "0.0002", 1),
        "to be symmetric",
    ),
    "a matrix that is not definite": (
        lambda: dense(short, diagonal="1"), "to be positive definite",
    ),
    "a name twice, the second at the end": (
        lambda: dense(short)[:-1] + ', "params": {"eps": "x"}}', "twice",
    ),
    "too many numbers": (lambda: data("[" + "1," * 15 + "1]", 900_000), "at most 8,100,000 numbers"),
    "too many lists": (lambda: '{"a": [' + "[]," * 20_000_000 + "1]}", "at most 8,100,000 numbers"),
    "too many names": (
        lambda: "{" + ",".join(f'"{k}":1' for k in range(4_000_000)) + "}", "in at most 1,000,000 lists",
    ),
    "as many names as there may be": (
        lambda: "{" + ",".join(f'"{k}":1' for k in range(990_000)) + "}", "a known key",
    ),
    "one name twice": (
        lambda: "{" + ",".join(f'"{k}":1' for k in range(900_000)) + ',"899999":1}', "'899999' twice",
    ),
    "letters beyond the plane": (
        lambda: '{"model": "' + "x" * (limits.TEXT - 20) + '\U0001f4a5"}', "model",
    ),
}  # fmt: skip


@pytest.mark.strong
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_fit_into_a_gigabyte(tmp_path, name):
    made, word = LARGEST[name]
    text = made()
    assert len(text.encode()) <= limits.TEXT
    (tmp_path / "p.json").write_text(text, "utf-8")
    seconds, said = read(tmp_path / "p.json")
    assert word in said
    assert seconds < SECONDS
