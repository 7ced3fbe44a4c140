"""Checks of foreign samplers against the exact law that their algorithm should have."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from sgtheory import registry
from verification.checking.cases import DIMENSIONS, Case, cases
from verification.checking.judging import (
    CONFORMS,
    CRASHED,
    DEVIATES,
    EFFECTS,
    FALSE_ALARM,
    Conformance,
    Diagnosis,
    Outcome,
    chains_of,
    outcomes,
    runs,
)
from verification.checking.running import Measured
from verification.statistics import Budget

__all__ = ["Case", "Conformance", "Diagnosis", "assert_samples_law", "check"]

LIMIT = 120.0  # seconds that a case may take


def check(
    target: Any,
    like: str,
    *,
    kind: str | None = None,
    budget: str = "quick",
    seed: int = 1,
    false_alarm: float = FALSE_ALARM,
    limit: float = LIMIT,
    dimensions: tuple[int, ...] = DIMENSIONS,
    tell: Callable[[str], None] = lambda _: None,
) -> Conformance:
    """Hold a foreign sampler against the exact law of one that is declared here.

    ``target`` is a step function, or an address (``module:attribute``, ``file.py:name``), which is
    run in a process of its own with a time limit for each case. ``dimensions`` are those of problems.

    >>> def step(theta, gradient, rng, eps, N, H):
    ...     return theta - eps / 2 * N * gradient(theta) @ H + rng.standard_normal(theta.shape)
    >>> check(step, like="sgld", dimensions=(1,)).verdict
    'deviates'
    """
    began = time.perf_counter()
    registry.sampler(like)
    chosen = cases(like, seed, dimensions)
    shares = Budget.split(false_alarm, [c.name for c in chosen])
    chains = chains_of(budget, chosen, shares)
    found = tuple(outcomes(like, _told(_runs(target, kind, like, chosen, chains, limit), tell), shares))
    verdict = _verdict(found)
    name = target if isinstance(target, str) else getattr(target, "__qualname__", repr(target))
    diagnosis: tuple[Diagnosis, ...] = ()
    if verdict != CONFORMS:
        from verification.checking.diagnosis import diagnose

        diagnosis = diagnose(like, found)
    seconds = time.perf_counter() - began
    return Conformance(name, like, verdict, found, diagnosis, false_alarm, EFFECTS[budget], (), seconds)


def _runs(
    target: Any, kind: str | None, like: str, chosen: tuple[Case, ...], chains: int, limit: float
) -> Iterable[tuple[Case, Measured]]:
    if isinstance(target, str):
        from verification.checking import child

        return child.runs(target, kind, like, chosen, chains, limit)
    from verification.checking.adapters import adapter

    return runs(adapter(target, kind).runner(target), like, chosen, chains)


def _told(
    found: Iterable[tuple[Case, Measured]], tell: Callable[[str], None]
) -> Iterable[tuple[Case, Measured]]:
    for case, one in found:
        tell(case.name)
        yield case, one


def _verdict(found: tuple[Outcome, ...]) -> str:
    if any(o.measured.fault in ("crashed", "hangs") for o in found):
        return CRASHED
    return CONFORMS if all(o.agrees for o in found) else DEVIATES


def assert_samples_law(target: Any, like: str, **settings: Any) -> None:
    """Fail, with the diagnosis, unless a sampler has the law that it should: one line of a test.

    >>> def step(theta, gradient, rng, eps, H):
    ...     return theta - eps * gradient(theta) @ H
    >>> assert_samples_law(step, like="sgd", dimensions=(1, 2))
    """
    found = check(target, like, **settings)
    if found.verdict != CONFORMS:
        words = "; ".join(d.words for d in found.diagnosis)
        raise AssertionError(f"{found.target} {found.verdict} from {like}: {words}")
