"""Ten million chains of every sampler in one dimension against its operator, at several steps.

``python -m benchmarks.nonlinear [--chains 1e7] [--only NAMES] [--steps 2] [--out FILE [--resume]]``.
Samplers and their printings are scanned from the registry; what the operator does not take is listed
with its words. ``--resume`` keeps the cases that FILE has, made with as many chains.

An ensemble agrees where each mean, variance and covariance is within the operator's stated error, what
is left of its start (also by the operator), and a confidence interval. One false-alarm probability,
1e-6, is split over all cases and then over their entries. Twins: the operator's law at another step,
that of another printing, and a law whose covariances are 1 % off, all held against the same ensemble.
A sampler whose every such twin is accepted fails.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from sgtheory.errors import UnusableInput

FALSE_ALARM = 1e-6
SEED = 2026
SETTLED = 1e-4  # how far from stationary a simulated law may be: this is added to what is allowed
CLOCK = 400  # where samplers that see the clock do not change any more, and do explore
ACCURACY = {1: 1e-7, 2: 1e-4, 3: 2e-3}  # of the operator, by the number of states

PROBLEMS: dict[str, dict[str, Any]] = {
    "quadratic": {"hessian": [[2]], "noise": [[1]], "N": 4, "S": 1},
    "labels": {"model": "logistic_regression", "X": [[1], [2], [-1], [3]], "y": [1, 1, 1, -1],
               "ridge": 1, "S": 1},
    "soft": {"model": "potential", "U": "x**2/4 + sqrt(1 + x**2) + x/4", "noise": [[1]], "N": 2, "S": 1},
}  # fmt: skip
# where a sampler has no default, or one at which a memory is longer than a grid is fine
LETTERS: dict[str, Any] = {
    "mu": "1/2", "alpha": "1/2", "lambda": "1/2", "sigma": "1/2", "b1": "1/2", "a": 1, "tau": 1,
    "H": [[1]], "E": [[1]], "gamma": 1, "h": 1, "h_max": 1, "L": 2, "T": 2, "m": 2,
}  # fmt: skip
SHORTER = ("alpha", "lambda", "sigma", "b1", "T", "m")
FIRST_STEP = {"santa_euler": "1/128", "santa_sss": "1/64", "santa_refinement": "1/64"}
FIRST_STEP |= {"sghmc": "1/32", "sghmc_velocity_first": "1/32", "sgd_m": "1/32"}
MEMORIES = ("1/2", "1", "0")  # of Santa: at the ends one state less moves


@dataclass(frozen=True)
class Case:
    """A sampler, or a printing of one, on a problem at a step."""

    name: str
    problem: str
    step: Fraction
    params: Mapping[str, Any] = field(hash=False)

    @property
    def affine(self) -> bool:
        """Whether on a quadratic its step is linear: then only the model is not."""
        from sgtheory import registry
        from sgtheory.onestep.affine import is_affine
        from sgtheory.setting import Setting

        return is_affine(Setting(registry.sampler(self.name), registry.model("quadratic")))

    @property
    def label(self) -> str:
        """For a person."""
        return f"{self.name} on {self.problem} at {self.step}"


@dataclass(frozen=True)
class Refused:
    """What the operator does not take, in its words."""

    sampler: str
    problem: str
    step: str
    why: str


@dataclass(frozen=True)
class Answer:
    """The operator's law of a case."""

    states: tuple[str, ...]
    moments: Mapping[str, tuple[float, float]]  # "theta" or "theta,u": value, stated error
    steps: int
    left: float  # of the start, in standard deviations
    seconds: float

    def slack(self, key: str) -> float:
        """What the operator does not know."""
        scale = 1.0
        for s in key.split(","):
            scale *= self.moments[f"{s},{s}"][0] ** 0.5
        return self.moments[key][1] + self.left * scale


def names() -> Iterator[str]:
    """Every sampler and every printing, word and metric of one."""
    from sgtheory import registry

    for name in registry.names("samplers"):
        family = registry.family(name)
        yield from (f"{name}:{w}" for w in family.examples) if family else (name,)


def params_of(name: str, step: Fraction, memory: str) -> dict[str, Any]:
    """Numbers for the letters of a sampler."""
    import sympy as sp

    from sgtheory import registry
    from sgtheory.language import MatrixName, step_in

    sampler = registry.sampler(name)
    free = (p for p in sampler.parameters if sampler.default(p) is None)
    letter = step_in(sp.Add(*(p for p in free if not isinstance(p, MatrixName)))).name
    found: dict[str, Any] = {letter: str(step)}
    for p in sampler.parameters:
        wanted = sampler.default(p) is None or p.name in SHORTER
        if p.name != letter and p.name in LETTERS and wanted:
            found[p.name] = memory if p.name == "sigma" else LETTERS[p.name]
    return found


def problem_of(case: Case) -> Any:
    """With its parameters."""
    from sgtheory.problem import Problem

    return Problem.of({**PROBLEMS[case.problem], "params": dict(case.params)})


def cases(only: list[str], many: int) -> Iterator[Case | Refused]:
    """All cases with at most three states that move and a step that settles; of others, why not."""
    for name in names():
        if only and name not in only and name.partition(":")[0] not in only:
            continue
        affine = Case(name, "quadratic", Fraction(1), {}).affine
        for problem in ("labels",) if affine else PROBLEMS:
            yield from _at_steps(name, problem, many)


def _at_steps(name: str, problem: str, many: int) -> Iterator[Case | Refused]:
    first, why = Fraction(FIRST_STEP.get(name.partition(":")[0], "1/8")), ""
    for memory in MEMORIES:
        sizes = [first / 2**j for j in range(many)]
        found = [Case(name, problem, h, params_of(name, h, memory)) for h in sizes]
        try:
            count = len(states(found[0]))
        except (UnusableInput, TypeError, ArithmeticError) as refused:
            why = str(refused)
            if "three states" in why:
                continue
            break
        if count < 3 or problem != "soft":
            yield from found[:many] if count < 3 else found[:2]
        return
    yield Refused(name, problem, str(first), why)


@cache
def stepped(case: Case, clock: int = CLOCK) -> Any:
    """The operator's step of a case."""
    from sgtheory import registry
    from sgtheory.operator.step import one_step
    from sgtheory.setting import Setting

    problem, sampler = problem_of(case), registry.sampler(case.name)
    return one_step(Setting(sampler, problem.model), problem.values(sampler), clock)


@cache
def states(case: Case) -> tuple[str, ...]:
    import numpy as np

    now, later = stepped(case), stepped(case, 8 * CLOCK)
    if len(now.states) > 3:
        raise UnusableInput("at most three states", f"{len(now.states)}", "simulate it")
    source = np.random.default_rng(1)
    places = 10 ** source.uniform(-2, 3, (32, len(now.states)))
    places[16:] *= source.choice([-1, 1], (16, len(now.states)))
    nodes, _ = now.quadrature(2)
    falls = np.zeros(len(now.states), bool)
    for node in nodes[:: max(1, len(nodes) // 8)]:
        with np.errstate(all="ignore"):
            first, second = (np.array(s.after(*places.T, *node)) for s in (now, later))
        if not np.allclose(first, second, rtol=1e-9, equal_nan=True):
            raise UnusableInput("a step that stays as it is", "one that changes", "see law --at")
        falls |= (places > first.T).any(axis=0)
    if not falls.all():
        growing = [s for s, f in zip(now.states, falls, strict=True) if not f]
        raise UnusableInput("a chain that settles", f"{growing[0]}, which never decreases", "see derive")
    return now.states


@cache
def answer(case: Case) -> Answer:
    """The operator's law, and after how many steps simulated chains have it."""
    import numpy as np

    from sgtheory.operator import stationary
    from sgtheory.operator.settling import settling

    begun = time.perf_counter()
    problem, count = problem_of(case), len(states(case))
    with np.errstate(over="ignore"):
        law = stationary(case.name, problem, accuracy=ACCURACY[count], clock=CLOCK)
    moments = {s: law.mean(s) for s in law.states}
    for k, a in enumerate(law.states):
        moments |= {f"{a},{b}": law.covariance(a, b) for b in law.states[k:]}
    steps, left = settling(case.name, problem, SETTLED, clock=CLOCK)
    steps *= stepped(case).period
    return Answer(law.states, moments, steps, left, time.perf_counter() - begun)


def deviations(run: Any, told: Answer) -> dict[str, tuple[float, float, float]]:
    """Of each entry: how far off, what the operator allows, the standard error."""
    found = {}
    for key, (value, _) in told.moments.items():
        which = "covariance" if "," in key else "mean"
        got = getattr(run, which)[key].flat[0]
        error = run.standard_error[which][key].flat[0]
        found[key] = (float(got - value), told.slack(key), float(error))
    return found


def agrees(found: Mapping[str, tuple[float, float, float]], false_alarm: float) -> bool:
    """Whether each entry is within its share of the budget."""
    from scipy.stats import norm

    z = -norm.ppf(false_alarm / (2 * len(found)))
    return all(abs(d) <= slack + z * error for d, slack, error in found.values())


def others(case: Case, told: list[Case]) -> Iterator[tuple[str, Answer]]:
    """Laws that the ensemble should not have: of other steps and other printings."""
    for c in told:
        same_family = c.name.partition(":")[0] == case.name.partition(":")[0]
        if c == case or c.problem != case.problem or not same_family or states(c) != states(case):
            continue
        if c.name == case.name or c.step == case.step:
            try:
                yield c.label, answer(c)
            except UnusableInput:
                continue


def ensemble(case: Case, chains: int) -> Any:
    """Simulated until it is settled."""
    from sgtheory import registry
    from sgtheory.setting import Setting
    from simulators.ensemble import simulate

    problem, sampler = problem_of(case), registry.sampler(case.name)
    return simulate(
        Setting(sampler, problem.model), problem.values(sampler),
        chains=chains, steps=answer(case).steps, seed=SEED, device="cpu", dtype="float32",
    )  # fmt: skip


def row(case: Case, told: list[Case], chains: int, false_alarm: float) -> dict[str, Any]:
    """One case."""
    law, run = answer(case), ensemble(case, chains)
    found = deviations(run, law)
    if not all(math.isfinite(d) for d, _, _ in found.values()):
        raise UnusableInput(
            "chains that stay finite", f"some of {chains:,} that do not: only those that stay have this"
            " law", "see where its step divides",
        )  # fmt: skip
    off = {k: (1.01 * v if "," in k else v, e) for k, (v, e) in law.moments.items()}
    twins = [("covariances 1 % off", replace(law, moments=off)), *others(case, told)]
    rejected = {name: not agrees(deviations(run, twin), false_alarm) for name, twin in twins}
    worst = max(found, key=lambda k: abs(found[k][0]) / (found[k][1] + found[k][2]))
    variance, error = law.moments["theta,theta"]
    return {
        "sampler": case.name, "problem": case.problem, "step": str(case.step), "states": law.states,
        "chains": chains, "steps": law.steps, "agrees": agrees(found, false_alarm),
        "variance": variance, "stated_error": error, "left_of_the_start": law.left,
        "standard_error": found["theta,theta"][2], "off_by": found["theta,theta"][0],
        "worst": worst, "worst_in_standard_errors": max(0.0, abs(found[worst][0]) - found[worst][1])
        / found[worst][2], "twins": rejected, "seconds": round(run.seconds, 2),
        "operator_seconds": round(law.seconds, 2),
    }  # fmt: skip


def kept(out: Path | None, chains: int) -> dict[tuple[str, str, str], dict[str, Any]]:
    """What an interrupted run has finished, by sampler, problem and step."""
    if out is None or not out.exists():
        return {}
    rows = json.loads(out.read_text(encoding="utf-8"))["cases"]
    alike = (r for r in rows if r["chains"] == chains and math.isfinite(r["off_by"]))
    return {(r["sampler"], r["problem"], r["step"]): r for r in alike}


def table(
    only: list[str], chains: int, many: int, out: Path | None, resume: bool = False
) -> dict[str, Any]:
    """All cases, those with few states first."""
    rows: list[dict[str, Any]] = []
    before = kept(out, chains) if resume else {}
    document: dict[str, Any] = {
        "schema": "sgtheory.nonlinear/1", "false_alarm": FALSE_ALARM, "made": time.strftime("%Y-%m-%d"),
        "passed": False, "cases": rows, "refused": [],
    }  # fmt: skip
    found = list(cases(only, many))
    refused = [c for c in found if isinstance(c, Refused)]
    taken = [c for c in found if isinstance(c, Case)]
    for c in sorted(taken, key=_place):
        try:
            had = before.get((c.name, c.problem, str(c.step)))
            rows.append(had or row(c, taken, chains, FALSE_ALARM / len(taken)))
            print(line(c, rows[-1]), file=sys.stderr, flush=True)
        except UnusableInput as why:
            refused.append(Refused(c.name, c.problem, str(c.step), str(why)))
            print(f"{c.label}: {why}", file=sys.stderr, flush=True)
        document |= {
            "planned": len(taken),
            "passed": passed(rows),
            "refused": [asdict(r) for r in refused],
        }
        if out:
            out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return document


def _place(case: Case) -> tuple[Any, ...]:
    """What is quickly done first, and of that samplers that are not linear."""
    return len(states(case)), case.affine, case.problem != "quadratic", case.problem


def line(case: Case, found: Mapping[str, Any]) -> str:
    """A line of progress."""
    verdict = "agrees" if found["agrees"] else "DOES NOT AGREE"
    caught = f"{sum(found['twins'].values())} of {len(found['twins'])}"
    return (
        f"{case.label:60s} {verdict}: {found['worst_in_standard_errors']:.1f} standard errors in"
        f" {found['worst']}; twins rejected: {caught}; {found['operator_seconds']:.0f} s"
        f" + {found['seconds']:.0f} s, {found['steps']} steps"
    )


def passed(rows: list[dict[str, Any]]) -> bool:
    """All agree, and each sampler has a twin that is rejected."""
    caught = {r["sampler"] for r in rows if any(r["twins"].values())}
    return bool(rows) and all(r["agrees"] and r["sampler"] in caught for r in rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nonlinear", description=__doc__)
    parser.add_argument("--chains", type=float, default=1e7)
    parser.add_argument("--steps", type=int, default=2, help="how many step sizes")
    parser.add_argument("--only", default="", help="samplers, with commas between them")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--resume", action="store_true", help="keep the cases that --out has")
    given = parser.parse_args(arguments)
    only = [n for n in given.only.split(",") if n]
    found = table(only, int(given.chains), given.steps, given.out, given.resume)
    if not given.out:
        print(json.dumps(found, indent=1))
    return 0 if found.get("passed") else 1


if __name__ == "__main__":
    sys.exit(main())
