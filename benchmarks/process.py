"""The driver's side of a contender's process: start it, ask it, wait for no answer for ever."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


class Process:
    """A contender's process. Once it has died, or was too late, every answer is ``failed``."""

    def __init__(self, python: str, name: str, dtype: str, cache: str) -> None:
        self._said = tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.contenders", name, dtype],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said,
            text=True, cwd=ROOT, env=environment(cache),
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._lines: queue.Queue[str] = queue.Queue()
        self._ear = threading.Thread(target=self._listen, daemon=True)
        self._ear.start()

    @property
    def ended(self) -> bool:
        """Whether there is nobody to ask any more."""
        return self._process.returncode is not None

    def ask(self, request: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        """The answer to one request, or why there is none."""
        if self.ended:
            return {"failed": "ended before"}
        try:
            self._to.write(json.dumps(request) + "\n")
            self._to.flush()
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            self.close()
            return {"failed": f"no answer within {timeout:g} s"}
        except OSError:
            line = ""
        if line:
            return json.loads(line)
        words = self._last_words()
        self.close()
        return {"failed": words}

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        self._process.kill()
        self._process.wait()
        self._ear.join()
        with suppress(OSError):  # what it was asked and never read
            self._to.close()
        self._from.close()
        self._said.close()

    def _listen(self) -> None:
        for line in self._from:
            self._lines.put(line)
        self._lines.put("")  # it has ended

    def _last_words(self) -> str:
        self._process.wait()
        self._said.seek(0)
        lines = [line.strip() for line in self._said.read().splitlines() if line.strip()]
        return f"ended with status {self._process.returncode}: {lines[-1] if lines else 'no word'}"


@contextmanager
def processes(python: str, names: tuple[str, ...], dtype: str) -> Iterator[dict[str, Process]]:
    """A process for each contender, all ended at the end; compiled kernels are kept nowhere."""
    with tempfile.TemporaryDirectory() as cache:
        opened: dict[str, Process] = {}
        try:
            for name in names:
                opened[name] = Process(python, name, dtype, cache)
            yield opened
        finally:
            for process in opened.values():
                process.close()


def environment(cache: str) -> dict[str, str]:
    """Threads that wait do not spin: what spins would be counted as work."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {
        **os.environ,
        "PYTHONPATH": path,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "PASSIVE",
        "JAX_PLATFORMS": "cpu",
        "SGTHEORY_CACHE": cache,
    }
