"""Foreign code in a process of its own, with a time limit: what it does there is a finding, not ours.

The parent writes one job and reads one answer for each case, in files that appear whole or not at all.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sgtheory.errors import UnusableInput
from verification.checking.cases import Case
from verification.checking.running import Measured

_POLL = 0.05  # seconds


def runs(
    address: str, kind: str | None, like: str, cases: Sequence[Case], chains: int, limit: float
) -> Iterator[tuple[Case, Measured]]:
    """Every case run in a child; after a crash or a hang the remaining cases are not run."""
    with tempfile.TemporaryDirectory(prefix="sgtheory-check-") as name:
        folder = Path(name)
        (folder / "job").write_bytes(pickle.dumps((address, kind, like, tuple(cases), chains)))
        with (folder / "said").open("wb") as said:
            child = subprocess.Popen(
                [sys.executable, "-m", "verification.checking.child", str(folder)],
                stdout=said,
                stderr=said,
                stdin=subprocess.DEVNULL,
            )
        try:
            for k, case in enumerate(cases):
                answer = _waited(child, folder, k, limit)
                if isinstance(answer, UnusableInput):
                    raise answer
                if isinstance(answer, Measured):
                    yield case, answer
                    continue
                yield case, Measured(case.name, chains, fault=answer[0], words=answer[1])
                return
        finally:
            child.kill()
            child.wait()


def _waited(child: Any, folder: Path, k: int, limit: float) -> Any:
    """The answer to a case, or a fault and its words."""
    until, path = time.monotonic() + limit, folder / f"answer{k}"
    while time.monotonic() < until:
        ended = child.poll() is not None  # asked first: an answer may have come before the end
        if path.exists():
            return pickle.loads(path.read_bytes())  # written by our own child
        if ended:
            return "crashed", f"its process ended with status {child.returncode}: {_last_line(folder)}"
        time.sleep(_POLL)
    return "hangs", f"no answer after {limit:g} seconds"


def _last_line(folder: Path) -> str:
    lines = (folder / "said").read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def main(folder: Path) -> None:
    """The child: loads the target, runs each case, writes each answer."""
    from verification.checking.adapters import adapter
    from verification.checking.judging import runs as run_each
    from verification.checking.targets import target_at

    address, kind, like, cases, chains = pickle.loads((folder / "job").read_bytes())
    try:
        target = target_at(address)
        runner = adapter(target, kind).runner(target)
    except UnusableInput as error:
        _answer(folder, 0, error)
        return
    for k, (_, one) in enumerate(run_each(runner, like, cases, chains)):
        _answer(folder, k, one)


def _answer(folder: Path, k: int, value: Any) -> None:
    whole = folder / f"unfinished{k}"
    whole.write_bytes(pickle.dumps(value))
    whole.rename(folder / f"answer{k}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
