"""Our simulations against everybody else's, on this machine's processor: ``python -m benchmarks.cpu``.

Each contender is a process; in every round each is asked in turn for one run, with the final statistics,
and ratios are taken per CPU second within a round, so that other jobs on the machine matter little. All
answers are held against the exact law (see ``checks``), and our rate against the machine's limits, which
are measured in the same rounds (see ``limits``). ``--python`` names the Python that has the contenders'
libraries (``pip install '.[bench]'``); a contender whose library is missing is listed as absent. Then
``python -m benchmarks.page results/cpu.json`` makes the page.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import growth, limits
from benchmarks.case import TIMEOUT, Answered, Case, measured_limits, summary
from benchmarks.contenders import Contender, contenders
from benchmarks.process import processes
from benchmarks.workloads import Workload, workloads


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    works: tuple[Workload, ...]
    dtypes: tuple[str, ...]
    rivals: tuple[Contender, ...]
    rounds: int
    python: str
    quick: bool
    deep: bool
    growth: bool

    @property
    def comparisons(self) -> int:
        """How many answers are checked at most."""
        return len(self.works) * len(self.dtypes) * len(self.rivals) * self.rounds


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print or write; status 1 where a contender simulates something else."""
    options = _parser().parse_args(arguments)
    plan = _plan(options)
    document = measure(plan)
    text = json.dumps(document, indent=1)
    if options.out:
        Path(options.out).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    flagged = [f"{c['workload']} {c['dtype']} {n}" for c in document["cases"] for n in c["flagged"]]
    for line in flagged:
        _tell(f"NOT THE LAW: {line}")
    return 1 if flagged else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, two rounds")
    parser.add_argument("--deep", action="store_true", help="growth to D = 256 and 4 million chains")
    parser.add_argument("--only", help="workloads, such as W1,W3")
    parser.add_argument("--contenders", help="names, such as ours,numpy; all by default")
    parser.add_argument("--dtypes", default="float32,float64")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the contenders")
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--out", metavar="FILE.json")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    works, rivals = workloads(), contenders()
    chosen = _chosen(options.only, works)
    if options.rounds is not None and options.rounds < 1:
        sys.exit(f"expected at least one round; got {options.rounds}")
    return Plan(
        works=tuple(w.quick() if options.quick else w for w in chosen),
        dtypes=tuple(options.dtypes.split(",")),
        rivals=tuple(_chosen(options.contenders, rivals)),
        rounds=options.rounds or (2 if options.quick else 5),
        python=options.python,
        quick=options.quick,
        deep=options.deep,
        growth=not options.no_growth,
    )


def _chosen(names: str | None, known: Any) -> list[Any]:
    wanted = names.split(",") if names else list(known)
    unknown = [n for n in wanted if n not in known]
    if unknown:
        sys.exit(f"expected some of {', '.join(known)}; got {', '.join(unknown)}")
    return [known[n] for n in wanted]


def measure(plan: Plan) -> dict[str, Any]:
    """The whole document."""
    began, stolen = time.perf_counter(), _stolen()
    with ExitStack() as stack:
        program, no_limits = None, None
        try:
            program = stack.enter_context(limits.built())
        except limits.NoLimits as reason:
            no_limits = str(reason)
        whole = measured_limits(program)
        cases = [case for dtype in plan.dtypes for case in _cases(plan, dtype, program)]
        rows = _growth(plan, program)
    seconds = time.perf_counter() - began
    return {
        "schema": "sgtheory.benchmark-cpu/1",
        "machine": _machine() | {"stolen": _share(stolen, _stolen(), seconds)},
        "rounds": plan.rounds,
        "quick": plan.quick,
        "contenders": {c.name: c.title for c in plan.rivals},
        "limits": whole[0] if whole else None,
        "no_limits": no_limits,
        "cases": cases,
        "growth": rows,
        "growth_exponent": growth.exponent(rows),
        "seconds": seconds,
    }


def _cases(plan: Plan, dtype: str, program: Path | None) -> list[dict[str, Any]]:
    """All workloads in one precision, with one process for each contender."""
    names = tuple(c.name for c in plan.rivals)
    with processes(plan.python, names, dtype) as opened:
        return [
            _case(Case(work, dtype, plan.rounds, plan.comparisons, opened), plan.rivals, program)
            for work in plan.works
        ]


def _case(case: Case, rivals: Sequence[Contender], program: Path | None) -> dict[str, Any]:
    entrants = {}
    for rival in rivals:
        entrants[rival.name] = case.enter(rival)
        _tell(case.told(entrants[rival.name]))
    answers: list[Answered] = []
    measured = []
    for number in range(case.rounds):
        measured += measured_limits(program)
        running = [e for e in entrants.values() if e.status == "ran"]
        for answer in case.round(number, running) if running else ():
            _tell(case.told(answer))
            if isinstance(answer, Answered):
                answers.append(answer)
            else:
                entrants[answer.name] = answer
    return summary(case, tuple(entrants.values()), answers, measured)


def _growth(plan: Plan, program: Path | None) -> list[dict[str, Any]]:
    ours = tuple(c.name for c in plan.rivals if c.name == "ours")
    rows: list[dict[str, Any]] = []
    timeout = TIMEOUT if plan.deep else TIMEOUT / 3
    for group in growth.groups(plan.deep, plan.quick) if plan.growth and ours else ():
        with processes(plan.python, ours, "float32") as opened:
            for point in group:
                row = growth.measure(opened["ours"], point, measured_limits(program), timeout)
                _tell(growth.told(row))
                rows.append(row)
    return rows


def _machine() -> dict[str, Any]:
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": model,
        "cores": cores,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _stolen() -> float | None:
    """Seconds in which other machines on the same host had our processors (Linux)."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split(maxsplit=9)
        return float(fields[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def _share(before: float | None, after: float | None, seconds: float) -> float | None:
    if before is None or after is None:
        return None
    return (after - before) / (seconds * (os.cpu_count() or 1))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
