"""Checks of foreign samplers against the exact law that their algorithm should have."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from verification.checking.asked import asked
from verification.checking.cases import DIMENSIONS, Case, cases
from verification.checking.judging import (
    CONFORMS,
    FALSE_ALARM,
    POWER,
    Conformance,
    Diagnosis,
    chains_of,
    effect_of,
    outcomes,
    verdict_of,
)
from verification.checking.running import Measured
from verification.checking.targets import parts_of
from verification.statistics import Budget

__all__ = ["Case", "Conformance", "Diagnosis", "assert_samples_law", "check"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})
LIMIT, LOADING = 120.0, 300.0  # seconds that a case may take, and the imports of a target before it


def check(
    target: Any,
    like: Any = None,
    *,
    parameters: Mapping[str, Any] = _NOTHING,
    fixed: Mapping[str, Any] = _NOTHING,
    convention: str = "",
    kind: str | None = None,
    budget: str = "quick",
    effect: float | None = None,
    power: float = POWER,
    seed: int = 1,
    false_alarm: float = FALSE_ALARM,
    limit: float = LIMIT,
    dimensions: tuple[int, ...] = DIMENSIONS,
    loading: float = LOADING,
    tell: Callable[[str, float], None] = lambda *_: None,
) -> Conformance:
    """Hold a foreign sampler against the exact law of one that is declared here.

    ``target`` is a step function, or an address (``module:attribute``, ``file.py:name``), which is
    run in a process of its own with a time limit for loading it, and one for each case. ``effect``,
    the relative error of a variance that is found with probability ``power``, is the budget's unless
    it is given.
    ``parameters`` says how the target's step is called, by formulas in the letters of the sampler
    (``{"step_size": "eps/2"}``); ``convention`` takes that from a library (``"blackjax.sgld"``);
    ``fixed`` gives parameters of the sampler a value once and for all (``{"H": "identity"}``). A
    sampler of a library that is described here is a target by its name: ``check("blackjax.sgld")``.
    ``dimensions`` are those of the problems. ``tell`` hears words and the share that is done.

    >>> def step(theta, gradient, rng, eps, N, H):
    ...     return theta - eps / 2 * N * gradient(theta) @ H + rng.standard_normal(theta.shape)
    >>> check(step, like="sgld", dimensions=(1,)).verdict
    'deviates'
    """
    began = time.perf_counter()
    question = asked(target, like, parameters, fixed, convention)
    if isinstance(question.target, str):
        parts_of(question.target)
    like, name = question.sampler, _name(target)
    chosen = tuple(replace(c, called=question.called) for c in cases(like, seed, dimensions))
    shares = Budget.split(false_alarm, [c.name for c in chosen])
    effect = effect_of(budget) if effect is None else effect
    chains = chains_of(effect, chosen, shares, power)
    measured = _runs(question.target, kind, like, chosen, chains, (limit, loading), tell)
    found = tuple(outcomes(like, measured, shares))
    verdict = verdict_of(found)
    diagnosis: tuple[Diagnosis, ...] = ()
    if verdict != CONFORMS:
        from verification.checking.diagnosis import diagnose

        diagnosis = diagnose(like, tuple(o for o in found if o.decided) or found)
    seconds = time.perf_counter() - began
    return Conformance(
        name, question.like, verdict, found, diagnosis, false_alarm, effect, (), seconds, power, seed
    )


def _name(target: Any) -> str:
    return target if isinstance(target, str) else getattr(target, "__qualname__", repr(target))


def _runs(
    target: Any,
    kind: str | None,
    like: Any,
    chosen: tuple[Case, ...],
    chains: int,
    seconds: tuple[float, float],
    tell: Callable[[str, float], None],
) -> Iterable[tuple[Case, Measured]]:
    from verification.checking import child

    if isinstance(target, str):
        return child.runs(child.Job(target, kind, like, chosen, chains), child.Limits(*seconds), tell)
    from verification.checking.adapters import adapter

    return child.runs_here(adapter(target, kind).runner(target), like, chosen, chains, seconds[0], tell)


def assert_samples_law(target: Any, like: Any = None, **settings: Any) -> None:
    """Fail, with the diagnosis, unless a sampler has the law that it should: one line of a test.

    Under pytest the fixture of the same name does this within the false-alarm budget of the whole run,
    with fresh seeds; this function has a budget of its own and the same seed every time.

    >>> def step(theta, gradient, rng, eps, H):
    ...     return theta - eps * gradient(theta) @ H
    >>> assert_samples_law(step, like="sgd", dimensions=(1, 2))
    """
    found = check(target, like, **settings)
    if found.verdict != CONFORMS:
        from verification.checking.telling import failure

        raise AssertionError("\n".join([f"{found.verdict}:", *failure(found)]))
