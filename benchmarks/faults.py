"""Faults at random moments: nothing may be lost, nothing wrong, and no status 0 with another answer.

``python -m benchmarks.faults [KILLS FULL DOUBLE DAMAGED]`` breaks runs with a checkpoint by SIGKILL,
by disks that are full (a limit on the size of files), by second runs, and by damaged files; then it
lets them go on, and compares their digests with that of a run that nothing happened to.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sgtheory import Problem, registry
from sgtheory.errors import UnusableInput
from sgtheory.files import keeper
from sgtheory.files.writing import write
from sgtheory.setting import Setting
from simulators.ensemble import simulate
from simulators.export import read_ensemble
from simulators.export import write as export

RESULT = Path(__file__).parent / "results" / "faults.json"
PROBLEM = {
    "model": "quadratic", "hessian": [[2, 1], [1, 3]], "noise": [[1, 0], [0, 2]],
    "N": 10, "S": 4, "params": {"eps": "1/20", "mu": "1/10"},
}  # fmt: skip
LONG, SHORT = 6_000, 200


def digest(folder: Path | None, steps: int, seed: int = 5) -> str:
    """Of a run with a checkpoint, which is saved as often as can be."""
    problem, momentum = Problem.of(PROBLEM), registry.sampler("momentum")
    setting = Setting(momentum, problem.model)
    return simulate(
        setting, problem.values(momentum), chains=20_000, steps=steps, seed=seed, device="cpu",
        threads=2, chunk=3_000, checkpoint=folder, save_every=0.0,
    ).digest  # fmt: skip


def killed(source: random.Random, folder: Path) -> str:
    """A process that is ended by SIGKILL somewhere, and the run goes on."""
    command = [sys.executable, "-m", "benchmarks.faults", "run", str(folder), str(LONG)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(source.uniform(0.0, 0.5))
    under_way = child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.communicate()
    when = "killed under way" if under_way else "killed after its end"
    return f"the same digest, {when}" if digest(folder, LONG) == whole(LONG) else f"WRONG, {when}"


def full(source: random.Random, folder: Path) -> str:
    """A disk that is full after some bytes; later there is room again."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE,
        (source.choice((source.randrange(1, 3_000), source.randrange(1, 90_000))), before[1]),
    )
    try:
        told = digest(folder, SHORT)
    except UnusableInput as error:
        told = "" if len(str(error)) < 400 and "\n" not in str(error) else "WRONG words"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    if told not in ("", whole(SHORT)):
        return f"WRONG {told}"
    if list(folder.rglob("*.part")):
        return "WRONG: something half-written stays"
    again = digest(folder, SHORT) == whole(SHORT)
    return ("one line, then the same digest" if not told else "room enough") if again else "WRONG after"


def double(source: random.Random, folder: Path) -> str:
    """Two processes on one checkpoint at once."""
    command = [sys.executable, "-m", "benchmarks.faults", "run", str(folder), str(LONG)]
    both = []
    for _ in range(2):
        both.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        time.sleep(source.uniform(0.0, 0.3))
    said = [p.communicate() for p in both]
    words = []
    for process, (out, err) in zip(both, said, strict=True):
        if process.returncode == 0:
            words.append("the same digest" if out.split()[-1] == whole(LONG) else "WRONG digest")
        else:
            words.append(
                "one line" if process.returncode == 2 and err.count("\n") == 1 else f"WRONG {err}"
            )
    return ", ".join(sorted(words))


def damaged(source: random.Random, folder: Path) -> str:
    """A byte changed, or an end cut off, in a file of a checkpoint."""
    digest(folder, SHORT)
    files = sorted(p for p in folder.iterdir())
    return _spoilt(source, source.choice(files), lambda: digest(folder, SHORT), whole(SHORT))


def exported(source: random.Random, folder: Path) -> str:
    """The same in an ensemble as a file."""
    problem, sgd = Problem.of(PROBLEM), registry.sampler("sgd")
    path = folder / "e.npz"
    export(simulate(Setting(sgd, problem.model), problem.values(sgd), chains=100, steps=9), path)
    return _spoilt(source, path, lambda: read_ensemble(path).digest, read_ensemble(path).digest)


def held(source: random.Random, folder: Path) -> str:
    """The same in what the keeper has."""
    name = f"faults-{source.getrandbits(60):x}"
    keeper.made("pages", name, lambda: "right")
    path = keeper.path("pages", name)
    try:
        return _spoilt(source, path, lambda: keeper.made("pages", name, lambda: "right"), "right")
    finally:
        keeper.forget("pages", name)


def _spoilt(source: random.Random, path: Path, read: Callable[[], Any], right: Any) -> str:
    content = path.read_bytes()
    at = source.randrange(len(content))
    cut = source.random() < 0.3
    write(path, content[:at] if cut else content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    try:
        return "the right answer" if read() == right else "WRONG answer"
    except UnusableInput as error:
        return "one line" if len(str(error)) < 400 and "\n" not in str(error) else "WRONG words"


def whole(steps: int, known: dict[int, str] = {}) -> str:  # noqa: B006
    """The digest of a run that nothing happens to."""
    if steps not in known:
        known[steps] = digest(None, steps)
    return known[steps]


def main(kills: int = 200, disks: int = 100, doubles: int = 50, damages: int = 50) -> None:
    """All of them, and the table."""
    counts = {
        "SIGKILL of a run with a checkpoint": (killed, kills),
        "full disk under a checkpoint": (full, disks),
        "two runs on one checkpoint": (double, doubles),
        "damaged file of a checkpoint": (damaged, damages),
        "damaged ensemble (.npz)": (exported, damages),
        "damaged file of the keeper": (held, damages),
    }
    table: dict[str, Any] = {}
    for name, (fault, count) in counts.items():
        source, began = random.Random(name), time.perf_counter()
        found: Counter[str] = Counter()
        for _ in range(count):
            with tempfile.TemporaryDirectory() as folder:
                found[fault(source, Path(folder))] += 1
        table[name] = {"tried": count, "outcomes": dict(sorted(found.items()))}
        print(name, table[name], f"{time.perf_counter() - began:.0f} s", flush=True)
    write(RESULT, json.dumps({"schema": "sgtheory.faults/1", "table": table}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        print("ready", flush=True)
        try:
            print(digest(Path(sys.argv[2]), int(sys.argv[3])))
        except UnusableInput as error:
            print(error, file=sys.stderr)
            sys.exit(2)
        os._exit(0)
    main(*map(int, sys.argv[1:]))
