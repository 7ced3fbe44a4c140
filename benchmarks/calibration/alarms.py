"""How often true laws are rejected: every test on every case, and wrong tests that must be noticed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.calibration.cases import Case, coin_case, gaussian, sample
from verification.statistics import compare
from verification.statistics.equivalence import equivalent
from verification.statistics.likelihood import LikelihoodRatio
from verification.statistics.quadratic import chi_square
from verification.statistics.rates import Rate, false_alarms, uniform
from verification.statistics.robust import RobustComparison, compare_robustly
from verification.statistics.sequential import Watch
from verification.statistics.terms import Terms, fourth_order

Array = Any
P = dict[str, list[float]]

LEVEL, CONFIDENCE = 0.05, 0.99
_PART = 500  # ensembles that are kept at once
_LOOKS = 4  # batches of a sequential run


def alarms(runs: int, seed: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """The whole table, by case; p-values below the level are false alarms."""
    cases = gaussian()
    found: dict[str, P] = {}
    bounds: set[str] = set()
    for number, case in enumerate(cases):
        first = seed + number * runs * (_LOOKS + 1)
        found[case.name], loose = of_case(case, runs, first)
        bounds |= {f"{case.name}: {name}" for name in loose}
        tell(case.name)
    coin = coin_case()
    found[coin.name], unreliable = of_coins(coin, runs, seed)
    tell(coin.name)
    flat = {f"{c}: {name}": np.array(p) for c, ps in found.items() for name, p in ps.items()}
    twins = {k: v for k, v in flat.items() if " (wrong" in k}
    honest = {k: v for k, v in flat.items() if k not in twins}
    rates = false_alarms(honest, LEVEL, CONFIDENCE, frozenset(bounds))
    caught = false_alarms(twins, LEVEL, CONFIDENCE)
    exact = [r.name for r in rates if r.exactly and not r.name.startswith(coin.name)]
    shapes = {name: uniform(flat[name]) for name in exact if "its interval" not in name}
    least = (1 - CONFIDENCE) / len(shapes)
    return {
        "level": LEVEL,
        "confidence": CONFIDENCE,
        "cases": {c.name: {"chains": c.chains, "steps": c.steps} for c in (*cases, coin)},
        "tests": [r.to_json() for r in rates],
        "wrong_tests": [r.to_json() for r in caught],
        "uniform": {"p_values": shapes, "at_least": least},
        "normal_approximation_doubted": unreliable,
        "passed": passed(rates, caught) and min(shapes.values()) >= least,
    }


def passed(rates: tuple[Rate, ...], twins: tuple[Rate, ...]) -> bool:
    """Every test keeps its promise, and no wrong one does."""
    return all(r.kept for r in rates) and not any(r.kept for r in twins)


def of_case(case: Case, runs: int, seed: int) -> tuple[P, frozenset[str]]:
    """p-values of all tests in all runs; and which of them promise a bound only."""
    names, mean, covariance = case.stacked
    found: P = defaultdict(list)
    loose = {"all of them, by Holm", "ever, by e-values", "outside the range"}
    for part in _parts(runs):
        seeds = [seed + k for k in part]
        for ensemble in case.ensembles(seeds):
            m, c = sample(case, ensemble)
            tests = compare(m, c, mean, covariance, case.chains, LEVEL, names)
            for test in tests.tests:
                found[test.name].append(test.p_value)
            found["all of them, by Holm"].append(min(tests.adjusted.values()))
            for name, p in _confirmations(case, m, c).items():
                found[name].append(p)
                if name.startswith("cov "):
                    loose.add(name)
            others = _corrected(case, tests.tests) | _wrong(case, tests.tests)
            for name, p in others.items():
                found[name].append(p)
    if case.name == "sgd":
        found["ever, by e-values"] = _watched(case, runs, seed + runs)
    return dict(found), frozenset(loose)


def _parts(runs: int) -> Iterator[range]:
    for begin in range(0, runs, _PART):
        yield range(begin, min(begin + _PART, runs))


def _confirmations(case: Case, mean: Array, covariance: Array) -> dict[str, float]:
    """0 where an interval excludes the truth on a side, else 1: false confirmations at the margin."""
    names, exact_mean, exact = case.stacked
    found = equivalent(mean, covariance, exact_mean, exact, case.chains, 1.0, LEVEL, names)
    ends = {f"{e.name}, its interval is too low": e.high >= 0 for e in found.entries}
    ends |= {f"{e.name}, its interval is too high": e.low <= 0 for e in found.entries}
    return {name: float(holds) for name, holds in ends.items()}


def _corrected(case: Case, tests: tuple[Any, ...]) -> dict[str, float]:
    """The likelihood ratio by Bartlett's chi-square: an approximation, good enough at 5 %."""
    by = {t.name: t for t in tests}
    if "whole covariance" not in by:
        return {}
    ratio = LikelihoodRatio(by["scale"].kind.rank, case.chains)
    return {"whole covariance, by Bartlett": ratio.corrected(by["whole covariance"].statistic)}


def _wrong(case: Case, tests: tuple[Any, ...]) -> dict[str, float]:
    """Tests that are not what they say: no correction where chains are few, a chain too few."""
    if case.name != "momentum":
        return {}
    by = {t.name: t for t in tests}
    ratio = LikelihoodRatio(4, case.chains)
    squares = by[f"var {case.stacked[0][0]}"].statistic
    return {
        "likelihood ratio (wrong: not corrected)": ratio.uncorrected(by["whole covariance"].statistic),
        "a variance (wrong: scaled by n/(n - 1))": 2
        * min(chi_square(case.chains).tails(squares * case.chains / (case.chains - 1))),
    }


def _watched(case: Case, runs: int, seed: int) -> list[float]:
    """The least of 1/e over some looks: Ville's inequality is about the worst moment."""
    _, mean, covariance = case.stacked
    found: list[float] = []
    for part in _parts(runs):
        seeds = [seed + k * _LOOKS + look for k in part for look in range(_LOOKS)]
        made = iter(case.ensembles(seeds))
        for _ in part:
            watch = Watch.of(mean, covariance, effect=0.2, false_alarm=LEVEL, margin=0.5)
            least = 1.0
            for _ in range(_LOOKS):
                watch = watch.add(case.chains, *sample(case, next(made)))
                least = min(least, float(np.exp(-watch.evidence)))
            found.append(least)
    return found


def of_coins(case: Case, runs: int, seed: int) -> tuple[P, Mapping[str, float]]:
    """Robust tests, from recorded moments and from batches; and how often they warn of themselves."""
    from simulators.engines import engine_for
    from simulators.ensemble import run
    from simulators.family import bound_alike
    from simulators.moments import LANES
    from simulators.record import Recording

    names, mean, covariance = case.stacked
    (bound,) = bound_alike(case.setting, [case.problem.values(case.sampler)], "float64")
    engine = engine_for(bound, "cpu", 2, "exact")
    last = {"first": case.steps, "last": case.steps}
    recording = Recording(fourth_order(case.exact.states, case.problem.D), **last)
    found: P = defaultdict(list)
    doubts: dict[str, int] = defaultdict(int)
    for k in range(runs):
        made = run(bound, engine, case.chains, case.steps, seed + k, record=[recording])
        terms = Terms.of_recording(
            made.recorded[0], case.chains, mean, covariance, case.exact.states, names
        )
        x = engine.start(0, case.chains // LANES, seed + k)
        engine.advance(x, 0, 0, case.steps, seed + k)
        blocks = engine.host(x).reshape(-1, LANES, len(mean))
        centred = blocks - blocks.mean(axis=1, keepdims=True)
        scatter = np.einsum("bci,bcj->bij", centred, centred) / LANES
        batches = Terms.of_batches(blocks.mean(axis=1), scatter, mean, covariance, names)
        for how, given in (("recorded moments", terms), ("batches", batches)):
            tests: RobustComparison = compare_robustly(given, LEVEL * len(given.names))
            for test in tests.tests:
                found[f"{test.name}, by {how}"].append(test.p_value)
                doubts[f"{test.name}, by {how}"] += test.reliable is False
    return dict(found), {name: count / runs for name, count in doubts.items()}
