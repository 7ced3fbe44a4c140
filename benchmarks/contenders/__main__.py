"""A contender's process: ``python -m benchmarks.contenders NAME DTYPE``.

Reads requests, one JSON object a line, and answers each with one: ``make`` prepares a workload and
runs it once (libraries compile at their first call), ``run`` runs what was made.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import time
from typing import Any, TextIO

import numpy as np

from benchmarks.contenders import Contender, NotApplicable, Run, contenders, versions
from benchmarks.workloads import workload


def processor_seconds() -> float:
    """User and system time of this process, all its threads, and its children."""
    own, children = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def timed(run: Run, request: dict[str, Any]) -> dict[str, Any]:
    """One run: what it found, and how long it took. The whole call is measured in any case."""
    wall, cpu = time.perf_counter(), processor_seconds()
    answer = run(request["chains"], request["steps"], request["seed"])
    wall, cpu = time.perf_counter() - wall, processor_seconds() - cpu
    return {
        "wall": wall if answer.wall is None else answer.wall,
        "cpu": cpu if answer.cpu is None else answer.cpu,
        "call_wall": wall,
        "call_cpu": cpu,
        "compile": answer.compile,
        "mean": np.asarray(answer.mean, np.float64).tolist(),
        "covariance": np.asarray(answer.covariance, np.float64).tolist(),
    }


def missing(contender: Contender) -> str | None:
    """Why its libraries cannot be imported; None where they can."""
    for module in contender.needs:
        try:
            importlib.import_module(module)
        except ImportError as error:
            return f"{type(error).__name__}: {error}"
    return None


def serve(contender: Contender, dtype: str, requests: TextIO, answers: TextIO) -> None:
    """Answer requests until there are no more."""
    absent = missing(contender)
    made: Run | None = None
    for line in requests:
        request = json.loads(line)
        try:
            if absent is not None:
                answer: dict[str, Any] = {"absent": absent}
            elif request["do"] == "make":
                made = contender.make(workload(request["workload"]), dtype)
                answer = timed(made, request) | {"versions": versions(contender)}
            elif made is not None:
                answer = timed(made, request)
            else:
                answer = {"failed": "nothing was made"}
        except NotApplicable as reason:
            answer = {"not_applicable": str(reason)}
        except Exception as error:  # whatever a library raises is an answer
            answer = {"failed": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def main() -> None:
    """Serve on standard input and output; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(contenders()[sys.argv[1]], sys.argv[2], sys.stdin, answers)


if __name__ == "__main__":
    main()
