"""What is read of damaged files: a byte changed, or an end cut off, in each kind of file.

Where a format has checksums nothing else may be read; elsewhere it is what the file says now.
``python -m benchmarks.interrupted`` tries it.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reports.terminal import continuous
from sgtheory import Problem, estimate, registry
from sgtheory.errors import UnusableInput
from sgtheory.problem import read_problem
from sgtheory.reader import files, syntax
from sgtheory.setting import Setting
from simulators import export
from simulators.finished import read_run
from simulators.trace import trace
from verification.texts import text
from verification.verdicts.differences import differences

LINE = 400  # letters of one that says what is wrong
QUADRATIC = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 43, "S": 4,
    "params": {"eps": "1/50"},
}  # fmt: skip
DATA = {
    "model": "linear_regression", "X": [[1, 0], [0, 1], [1, 2], [2, 1]], "y": [1, 2, 0, 1], "S": 2,
    "ridge": 1,
}  # fmt: skip
_TOML = b"""N = 43
S = 4
hessian = [[2, 1], [1, "3/2"]]
noise = [[1, "1/4"], ["1/4", 2]]
[params]
eps = "1/50"
"""
_CLAIMS = [
    {"id": f"p.eq{k}", "verdict": "proved", "twins": {"tried": 4, "rejected": 4}} for k in range(3)
]
_VERDICTS = json.dumps({"schema": "sgtheory.verdicts/1", "claims": _CLAIMS}).encode()


def spoilt(source: random.Random, content: bytes) -> bytes:
    """A byte changed, or an end cut off."""
    at = source.randrange(len(content))
    if source.random() < 0.3:
        return content[:at]
    return content[:at] + bytes([content[at] ^ 1 << source.randrange(8)]) + content[at + 1 :]


def damaged(source: random.Random, kind: Kind, path: Path) -> str:
    """What is read of a damaged file, in a process of its own."""
    path.write_bytes(kind.content)
    right = kind.read(path)
    path.write_bytes(spoilt(source, kind.content))
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.write(writing, _outcome(kind, path, right).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return told or f"WRONG: the reader ended with {os.waitstatus_to_exitcode(status)}"


def _outcome(kind: Kind, path: Path, right: Any) -> str:
    try:
        found = kind.read(path)
    except UnusableInput as error:
        said = str(error)
        return "one line" if len(said) < LINE and "\n" not in said else "WRONG words"
    except Exception as error:
        return f"WRONG: {type(error).__name__}: {error}"[:120]
    if found == right:
        return "the right answer"
    return "WRONG: another answer" if kind.checked else "what the file says now"


@dataclass(frozen=True)
class Kind:
    """A kind of file that is read: whether its format has checksums, how it is read, one of it."""

    name: str
    checked: bool
    read: Callable[[Path], Any]
    content: bytes


def kinds(of: Mapping[str, bytes]) -> Iterator[Kind]:
    """What the newer commands read, of which some are here."""
    runs = {"run.npz": True, "run.npy": False, "run.parquet": True, "run.nc": False}
    for name, checked in runs.items():
        yield Kind(name, checked, _run_read, of.get(name) or run_file(name))
    yield Kind("gradients.npz", True, _estimated, _gradients())
    yield Kind("old.json", False, lambda path: _compared(path, of["old.json"]), of["old.json"])
    yield Kind("notes.md", False, _understood, of["notes.md"])
    yield Kind("problem.json", False, _posed, json.dumps(DATA).encode())
    yield Kind("problem.toml", False, _posed, _TOML)
    yield Kind("data.npz", True, _posed_beside, _data())
    yield Kind("verdicts.json", False, _differing, _VERDICTS)


def _run_read(path: Path) -> Any:
    found = read_run(path, D=2)
    return {name: x.tolist() for name, x in found.states.items()}, found.steps.tolist()


def _estimated(path: Path) -> Any:
    found = estimate.read(path)
    return found.A, found.C


def _compared(path: Path, old: bytes) -> Any:
    return list(continuous.changes(continuous.earlier(path), json.loads(old)))


def _understood(path: Path) -> Any:
    found = text.read(path)
    return repr(found.claims), repr(found.refused), repr(found.broken)


def _posed(path: Path) -> Any:
    return read_problem(path).to_json()


def _posed_beside(path: Path) -> Any:
    problem = path.with_name("beside.json")
    problem.write_text(
        json.dumps({k: v for k, v in DATA.items() if k not in "Xy"} | {"data": path.name})
    )
    examples = read_problem(problem).examples
    assert examples is not None
    return examples.A, examples.C


def _differing(path: Path) -> Any:
    read = syntax.parse(files.text(path, "a verdict file"), str(path), "JSON", exact=False)
    return differences(json.loads(_VERDICTS), read)


def _data() -> bytes:
    X, y = (np.array(DATA[k], float) for k in "Xy")
    return _made("data.npz", lambda path: np.savez(path, X=X, y=y))


def _made(name: str, make: Callable[[Path], Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / name)
        return (Path(folder) / name).read_bytes()


def _gradients() -> bytes:
    drawn = np.random.default_rng(0).normal(size=(50, 2))
    return _made("gradients.npz", lambda path: np.savez(path, gradients=drawn))


def run_file(name: str) -> bytes:
    """A run of sgd on the quadratic problem, in a file of that kind."""
    problem, sgd = Problem.of(QUADRATIC), registry.sampler("sgd")
    run = trace(Setting(sgd, problem.model), problem.values(sgd), chains=8, steps=200, seed=3)
    if name.endswith(".npy"):
        return _made(name, lambda path: np.save(path, run.states["theta"]))
    if name.endswith(".nc"):
        return _made(name, lambda path: run.to_arviz().to_netcdf(str(path)))
    return _made(name, lambda path: export.write_trace(run, path))
