"""Checks of foreign samplers against the exact law that their algorithm should have."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sgtheory.errors import UnusableInput
from verification.checking import protocol
from verification.checking.asked import asked
from verification.checking.cases import DIMENSIONS, Case
from verification.checking.judging import (
    CONFORMS,
    FALSE_ALARM,
    POWER,
    Conformance,
    Diagnosis,
    Outcome,
    effect_of,
    verdict_of,
)
from verification.checking.running import HIDDEN, Measured
from verification.checking.targets import parts_of

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
    loss: str = "",
    wide: bool | None = None,
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
    ``loss`` is "sum" for a step that expects the gradient of the summed loss N L: it may say so itself
    by an attribute of that name. ``dimensions`` are those of the problems; where they are not named, or
    ``wide`` is true, what conforms is also run on real minibatches and held against itself.
    ``tell`` hears words and the share that is done.

    >>> def step(theta, gradient, rng, eps, N, H):
    ...     return theta - eps / 2 * N * gradient(theta) @ H + rng.standard_normal(theta.shape)
    >>> check(step, like="sgld", dimensions=(1,)).verdict
    'deviates'
    """
    began = time.perf_counter()
    question = asked(target, like, parameters, fixed, convention)
    if isinstance(question.target, str):
        parts_of(question.target)
    if loss not in ("", "mean", "sum"):
        raise UnusableInput("loss mean or sum", repr(loss), "say of which the step expects the gradient")
    like, name = question.sampler, _name(target)
    wide = dimensions == DIMENSIONS if wide is None else wide
    effect = effect_of(budget) if effect is None else effect
    ask = _Asked(question.target, kind, like, (limit, loading), tell)
    half = false_alarm / 2 if wide else false_alarm
    plan = protocol.gaussian(like, seed, dimensions, half, effect, power, loss, question.called)
    kept: dict[str, Measured] = {}
    found, notes = _looked_at(tuple(plan.outcomes(ask.runs(plan), kept)), plan.notes)
    more: tuple[Outcome, ...] = ()
    if wide and verdict_of(found) == CONFORMS:
        second = protocol.further(plan, seed, half, effect, power)
        more = tuple(second.outcomes(ask.runs(second), kept))
        notes = tuple(dict.fromkeys((*notes, *second.notes)))
    verdict = verdict_of((*found, *more))
    diagnosis: tuple[Diagnosis, ...] = ()
    if verdict != CONFORMS:
        diagnosis = _diagnosis(like, found, more)
    seconds = time.perf_counter() - began
    return Conformance(
        name, question.like, verdict, found, diagnosis, false_alarm, effect, notes, seconds, power, seed,
        more,
    )  # fmt: skip


def _looked_at(
    found: tuple[Outcome, ...], notes: tuple[str, ...]
) -> tuple[tuple[Outcome, ...], tuple[str, ...]]:
    """Without the cases of averages that the target keeps to itself, which is said."""
    hidden = dict.fromkeys(o.case.shown for o in found if o.measured.fault == HIDDEN)
    told = tuple(f"{m} is not looked at: the target's state has no {m}." for m in hidden)
    return tuple(o for o in found if o.measured.fault != HIDDEN), (*notes, *told)


def _name(target: Any) -> str:
    return target if isinstance(target, str) else getattr(target, "__qualname__", repr(target))


def _diagnosis(
    like: Any, found: tuple[Outcome, ...], further: tuple[Outcome, ...]
) -> tuple[Diagnosis, ...]:
    """By exact laws where there are some; else what kind of run tells, and where it is clearest."""
    from verification.checking.diagnosis import by_running, diagnose

    whole = [o for o in (*found, *further) if o.decided and o.kind in (protocol.LAW, protocol.OWN)]
    faulty = [o for o in (*found, *further) if o.measured.fault]
    if faulty:
        infinite = {o.measured.fault for o in faulty} == {"not finite"} and len(faulty) < len(whole)
        return (by_running(like, whole) if infinite else ()) or diagnose(like, faulty)
    exact = [o for o in found if o.kind == protocol.LAW and o.decided]
    told = diagnose(like, exact) if any(not o.agrees for o in exact) else ()
    if not told and any(not o.agrees for o in whole):
        told = by_running(like, whole)
    return told or protocol.in_words([o for o in (*found, *further) if o.comparison and not o.agrees])


@dataclass(frozen=True)
class _Asked:
    """What is run, and how."""

    target: Any
    kind: str | None
    like: Any
    seconds: tuple[float, float]  # for a case, and to load the target
    tell: Callable[[str, float], None]

    def runs(self, plan: protocol.Plan) -> Iterable[tuple[Case, Measured]]:
        """All runs of a plan, in a process of their own or in this one."""
        from verification.checking import child

        if isinstance(self.target, str):
            job = child.Job(self.target, self.kind, self.like, plan.cases, plan.chains)
            return child.runs(job, child.Limits(*self.seconds), self.tell)
        from verification.checking.adapters import adapter

        runner = adapter(self.target, self.kind).runner(self.target)
        return child.runs_here(runner, self.like, plan.cases, plan.chains, self.seconds[0], self.tell)


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
