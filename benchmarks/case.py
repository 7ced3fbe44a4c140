"""One workload in one precision: a first call of every contender, then rounds, then a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import limits
from benchmarks.checks import Check, check
from benchmarks.contenders import Contender
from benchmarks.limits import Limits
from benchmarks.process import Process
from benchmarks.rounds import Spread, Timed, fraction, rates, ratios
from benchmarks.workloads import Workload

TIMEOUT = 300.0  # seconds for one answer
WINDOW = 0.03  # seconds for one limit in each round


@dataclass(frozen=True)
class Entrant:
    """A contender at its first call, at which libraries compile. ``reason``: why it does not run."""

    name: str
    status: str  # ran, absent, not_applicable, failed
    steps: int
    reason: str = ""
    first_call: float = 0.0
    compile: float | None = None
    versions: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Answered:
    """One answer: how long it took, what the whole call took beyond that, and whether it is right."""

    timed: Timed
    overhead: float
    check: Check


@dataclass(frozen=True)
class Case:
    """A workload in a precision, and who runs it. ``comparisons`` share the budget of all checks."""

    work: Workload
    dtype: str
    rounds: int
    comparisons: int
    opened: Mapping[str, Process]

    def enter(self, rival: Contender) -> Entrant:
        """Prepare a contender and run it once, untimed."""
        steps = rival.steps(self.work)
        asked = {"do": "make", "workload": self.work.code, **self.size(steps, 0)}
        answer = self.opened[rival.name].ask(asked, TIMEOUT)
        for status in ("absent", "not_applicable", "failed"):
            if status in answer:
                return Entrant(rival.name, status, steps, answer[status])
        first, compiled, versions = (answer[k] for k in ("call_wall", "compile", "versions"))
        return Entrant(rival.name, "ran", steps, "", first, compiled, versions)

    def size(self, steps: int, seed: int) -> dict[str, int]:
        """What is asked for."""
        return {"chains": self.work.chains, "steps": steps, "seed": seed}

    def round(self, number: int, entrants: Sequence[Entrant]) -> Iterator[Answered | Entrant]:
        """One run of each; who fails comes back as an entrant that failed."""
        turn = number % len(entrants)  # nobody always comes after the same one
        for entrant in (*entrants[turn:], *entrants[:turn]):
            asked = {"do": "run", **self.size(entrant.steps, number + 1)}
            answer = self.opened[entrant.name].ask(asked, TIMEOUT)
            if "wall" not in answer:
                reason = str(answer.get("failed", answer))
                yield Entrant(entrant.name, "failed", entrant.steps, reason)
                continue
            done = self.work.chains * entrant.steps
            timed = Timed(number, entrant.name, done, answer["wall"], answer["cpu"])
            mean, covariance = answer["mean"], answer["covariance"]
            found = check(self.work, self.work.chains, entrant.steps, mean, covariance, self.comparisons)
            yield Answered(timed, answer["call_wall"] - answer["wall"], found)

    def told(self, what: Answered | Entrant) -> str:
        """A line of progress."""
        head = f"{self.work.code} {self.dtype}"
        if isinstance(what, Entrant):
            return f"{head} {what.name}: {what.status} {what.reason}".rstrip()
        run = what.timed
        rate = f"{run.rate / 1e6:.4g} M chain-steps a CPU second in {run.wall:.2f} s"
        return f"{head} round {run.round + 1}/{self.rounds} {run.contender}: {rate}"


def row(chains: int, entrant: Entrant, answers: Sequence[Answered]) -> dict[str, Any]:
    """What is kept of one contender."""
    kept = {"status": entrant.status, "chains": chains, "steps": entrant.steps}
    if entrant.status != "ran":
        return kept | {"reason": entrant.reason}
    later = Spread.of([a.timed.wall + a.overhead for a in answers])
    compiled = entrant.compile  # where it does not say: what the first call took beyond a later one
    if compiled is None:
        compiled = max(entrant.first_call - later.median, 0.0)
    (found,) = rates([a.timed for a in answers]).values()
    worst = max((a.check for a in answers), key=lambda c: c.worst)
    return kept | found | {
        "compile": compiled,
        "overhead": Spread.of([a.overhead for a in answers]).median,
        "versions": entrant.versions,
        "check": worst.to_json() | {"agrees": all(a.check.agrees for a in answers)},
    }  # fmt: skip


def summary(
    case: Case, entrants: Sequence[Entrant], answers: Sequence[Answered], measured: Sequence[Limits]
) -> dict[str, Any]:
    """The document of a case. ``measured`` has the limits round by round, or nothing."""
    by_name = {e.name: [a for a in answers if a.timed.contender == e.name] for e in entrants}
    rows = {e.name: row(case.work.chains, e, by_name[e.name]) for e in entrants}
    runs = [a.timed for a in answers if rows[a.timed.contender]["status"] == "ran"]
    return {
        "workload": case.work.code,
        "title": case.work.title,
        "dtype": case.dtype,
        "size": asdict(case.work),
        "contenders": rows,
        "ratios": {name: spread.to_json() for name, spread in ratios(runs).items()},
        "floor": _floor(case, runs, measured),
        "flagged": [name for name, r in rows.items() if not r.get("check", {}).get("agrees", True)],
    }


def _floor(case: Case, runs: Sequence[Timed], measured: Sequence[Limits]) -> dict[str, Any] | None:
    if not measured:
        return None
    floors = [limits.floor(case.work, case.dtype, m) for m in measured]
    share = fraction(runs, dict(enumerate(floors)))
    return {
        "seconds_a_chain_step": Spread.of(floors).median,
        "parts": limits.parts(case.work, case.dtype, middle(measured)),
        "ours": share.to_json() if share else None,
    }


def middle(measured: Sequence[Limits]) -> Limits:
    """The median of each limit."""
    return {name: Spread.of([m[name] for m in measured]).median for name in measured[0]}


def measured_limits(program: Path | None) -> list[Limits]:
    """The limits at this moment; nothing where they cannot be measured."""
    return [limits.measure(program, WINDOW)] if program else []
