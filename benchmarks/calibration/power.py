"""Does a planned number of chains find a corrupted sampler as often as was promised?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from benchmarks.calibration.alarms import CONFIDENCE
from benchmarks.calibration.cases import Case, powered, sample
from verification.statistics import compare, kinds, plan
from verification.statistics.exact import combinations
from verification.statistics.kinds import Scale, WholeCovariance
from verification.statistics.rates import Rate
from verification.statistics.support import Support

Array = Any

FALSE_ALARM = 1e-6
# case, noise off by, promised power; and runs, as a share of those asked for
_TRIED = (
    ("sgld", "1/100", 0.99, 10),
    ("sgld", "1/100", 0.5, 10),
    ("sgld", "1/1000", 0.99, 100),
    ("sghmc", "1/100", 0.99, 30),
)
_SEEDS = 10**6  # apart from those of false alarms
_TOGETHER = 2 * 10**8  # chains of the ensembles that are made in one call


def power(runs: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Each case at each corruption of its noise."""
    rows, cases = [], powered()
    for number, (name, error, promised, share) in enumerate(_TRIED):
        case, tries = cases[name], max(runs // share, 2)
        row = of_case(case, sp.Rational(error), promised, tries, _SEEDS * (number + 1))
        rows.append(row)
        tell(f"{case.name}, noise off by {error}: {row['found']['rate']:.3f} of {promised}")
    return {
        "false_alarm": FALSE_ALARM,
        "confidence": CONFIDENCE,
        "rows": rows,
        "passed": all(row["passed"] for row in rows),
    }


def of_case(case: Case, error: sp.Rational, promised: float, runs: int, seed: int) -> dict[str, Any]:
    """Plan for the largest error of a tested variance, simulate the wrong sampler, and count."""
    names, mean, covariance = case.stacked
    wrong = case.corrupted(error)
    ratios = _ratios(case, wrong)
    effect = max(abs(r - 1) for r in ratios.values())
    planned = plan(effect, FALSE_ALARM, promised, kinds(mean, covariance))
    wrong = replace(wrong, chains=planned.chains)
    tests = [
        compare(*sample(case, ensemble), mean, covariance, planned.chains, FALSE_ALARM, names)
        for ensemble in _ensembles(wrong, runs, seed)
    ]
    level = tests[0].threshold
    exact = _powers(case, wrong, ratios, planned.chains, level)
    each = 1 - (1 - CONFIDENCE) / (len(exact) + 1)
    alone = [Rate(name, _below(tests, name, level), runs, each, of) for name, of in exact.items()]
    # of the whole family at least the power of its best member is promised
    found = Rate("any test", sum(not t.agrees for t in tests), runs, each, promised)
    kept = found.interval[1] >= promised
    return {
        "case": case.name,
        "noise_off_by": str(error),
        "steps": case.steps,
        "effect": effect,
        "planned": planned.to_json(),
        "found": {**found.to_json(), "exactly": False, "kept": kept},
        "tests": [r.to_json() for r in alone],
        "passed": kept and all(r.kept for r in alone),
    }


def _below(tests: list[Any], name: str, level: float) -> int:
    return sum(t.p_value < level for found in tests for t in found.tests if t.name == name)


def _ensembles(case: Case, runs: int, seed: int) -> Iterator[Any]:
    size = max(2, min(runs, _TOGETHER // case.chains))
    for begin in range(0, runs, size):
        yield from case.ensembles([seed + k for k in range(begin, min(begin + size, runs))])


def _ratios(case: Case, wrong: Case) -> dict[str, float]:
    """What the corruption makes of the variance that each test looks at, exactly."""
    names, _, covariance = case.stacked
    other = wrong.stacked[2]
    return {
        name: float(w @ other @ w) / float(w @ covariance @ w)
        for name, w in combinations(covariance, names)
    }


def _powers(
    case: Case, wrong: Case, ratios: dict[str, float], chains: int, level: float
) -> dict[str, float]:
    """The exact power of each test against this corruption."""
    found = {name: Scale().power(ratio - 1, chains, level) for name, ratio in ratios.items()}
    _, mean, covariance = case.stacked
    support = Support.of(mean, covariance, chains)
    scales = np.linalg.eigvalsh(support.whiten @ wrong.stacked[2] @ support.whiten.T)
    whole = WholeCovariance(support.rank).power_at(tuple(scales.tolist()), chains, level)
    return {**found, "whole covariance": whole}
