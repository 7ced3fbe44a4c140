"""Checks of foreign samplers against the exact law that their algorithm should have."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sgtheory.errors import UnusableInput
from verification.checking import hints, protocol
from verification.checking.affording import afforded
from verification.checking.asked import asked
from verification.checking.cases import DIMENSIONS, Case
from verification.checking.child import Job, Limits, opened
from verification.checking.gradients import SUM
from verification.checking.judging import (
    CONFORMS,
    DEVIATES,
    FALSE_ALARM,
    POWER,
    Conformance,
    Diagnosis,
    Outcome,
    effect_of,
    verdict_of,
)
from verification.checking.nonlinear import check_possible
from verification.checking.parameters import Handed, without_a_count
from verification.checking.running import HIDDEN, Measured
from verification.checking.signatures import INIT
from verification.checking.targets import parts_of

__all__ = ["Case", "Conformance", "Diagnosis", "assert_samples_law", "check"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})
LIMIT = 120.0  # seconds that a case may take, and that a target may take to load


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
    minutes: float | None = None,
    power: float = POWER,
    loss: str = "",
    wide: bool | None = None,
    seed: int = 1,
    false_alarm: float = FALSE_ALARM,
    limit: float = LIMIT,
    dimensions: tuple[int, ...] = DIMENSIONS,
    loading: float | None = None,
    allowed: Mapping[str, float] = _NOTHING,
    tell: Callable[[str, float], None] = lambda *_: None,
) -> Conformance:
    """Hold a foreign sampler against the exact law of one that is declared here.

    ``target`` is a step function, or an address (``module:attribute``, ``file.py:name``), which is
    run in a process of its own with a time limit for each case; ``loading`` is that for its imports, the
    same unless it is given. ``allowed`` sets its limits on bytes of ``memory``, on ``processes`` and on
    bytes of ``output``: ``{"memory": 2e9}``. ``effect``, the relative error of a variance that is found
    with probability ``power``, is the budget's unless it is given; with ``minutes`` it is the smallest,
    not below 1 %, that this time is enough for on this machine as it is now busy (a fault is then looked
    into besides).
    A parameter of the sampler that the step has no name for has its declared default, and the result
    says so first (``taken``). ``parameters`` says how the target's step is called, by formulas in the
    letters of the sampler (``{"step_size": "eps/2"}``), beside what matches by name; ``convention``
    takes that from a library (``"blackjax.sgld"``);
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
    check_possible(question.sampler)
    if isinstance(question.target, str):
        parts_of(question.target)
    if loss not in ("", "mean", "sum"):
        raise UnusableInput("loss mean or sum", repr(loss), "say of which the step expects the gradient")
    wide = dimensions == DIMENSIONS if wide is None else wide
    if minutes is not None and (effect is not None or not 0 < minutes < math.inf):
        raise UnusableInput("minutes above 0, or an effect", f"{minutes:g}", "give one of them")
    effect = effect_of(budget) if effect is None else effect
    longest = limit if minutes is None else max(limit, 60 * minutes)  # a problem is part of the whole
    seconds = Limits.of(longest, limit if loading is None else loading, allowed)
    settings = _Settings(seed, dimensions, false_alarm, effect, power, loss, wide)
    with opened(question.target, kind, seconds, tell) as there:
        got = question.handed(there.asks)
        if minutes is None:
            found = settings.looked(there, got)
        else:
            effect, found = settings.in_time(began + 60 * minutes, there, got)
    verdict = found.verdict
    told = settings.taken(there, got)
    diagnosis: tuple[Diagnosis, ...] = ()
    if verdict != CONFORMS:
        diagnosis = hints.remarked(
            _diagnosis(got.sampler, *found.both), got, there.asks, loss or there.loss
        )
    return Conformance(
        _name(target), question.like, verdict, found.first, diagnosis, false_alarm, effect,
        found.notes, time.perf_counter() - began, power, seed, found.further, told, got.sampler,
    )  # fmt: skip


@dataclass(frozen=True)
class _Found:
    """What came out on the Gaussian problems, and on what was run after them."""

    first: tuple[Outcome, ...]
    further: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def both(self) -> tuple[tuple[Outcome, ...], tuple[Outcome, ...]]:
        """One after the other."""
        return self.first, self.further

    @property
    def verdict(self) -> str:
        """On everything."""
        return verdict_of((*self.first, *self.further))


@dataclass(frozen=True)
class _Settings:
    """How much is run, and with which errors."""

    seed: int
    dimensions: tuple[int, ...]
    false_alarm: float
    effect: float
    power: float
    loss: str
    wide: bool

    def in_time(self, until: float, there: Any, got: Handed) -> tuple[float, _Found]:
        """The smallest effect for which there is time, and all runs with it."""
        return afforded(lambda effect: replace(self, effect=effect).looked(there, got), until)

    def looked(self, there: Any, got: Handed) -> _Found:
        """All runs; what deviates and makes its own start is looked at from the declared one."""
        found = self._from(there, got, got.sampler)
        begins = "" if there.asks is None else there.asks.begins
        if found.verdict != DEVIATES or not begins or any(o.measured.fault for o in found.first):
            return found
        other: _Found | None
        if begins == INIT:
            other = self._from(there, got, got.sampler, declared_start=True)
        else:
            other = self._from_its_own(there, got, found.first)
        both = begins == INIT and any(
            o.measured.began for o in found.first
        )  # at the start and in the step
        if other is None or other.verdict not in (CONFORMS, *((DEVIATES,) if both else ())):
            return found
        return replace(other, notes=(*_started(found.first), *other.notes))

    def _from(self, there: Any, got: Handed, like: Any, declared_start: bool = False) -> _Found:
        """The Gaussian problems; where nothing rejects and more is asked for, what comes after them."""
        half = self.false_alarm / 2 if self.wide else self.false_alarm
        plan = protocol.gaussian(
            like, self.seed, self.dimensions, half, self.effect, self.power, self.loss, got.called
        )
        kept: dict[str, Measured] = {}

        def run(plan: protocol.Plan) -> tuple[Outcome, ...]:
            job = Job("", None, got.sampler, plan.cases, plan.chains, declared_start)
            return tuple(plan.outcomes(there.runs(job), kept))

        ran = run(plan)
        first, notes = _looked_at(ran, (*plan.notes, *_noted(ran)))
        found = _Found(first, (), notes)
        if not self.wide or found.verdict != CONFORMS:
            return found
        second = protocol.further(plan, self.seed, half, self.effect, self.power)
        further = run(second)
        notes = tuple(dict.fromkeys((*notes, *second.notes, *_noted(further))))
        return replace(found, further=further, notes=notes)

    def _from_its_own(self, there: Any, got: Handed, seen: tuple[Outcome, ...]) -> _Found | None:
        """A library's own start that is a normal one: held against the declaration with that start."""
        from verification.checking.faults.beginnings import begun

        like = begun(got.sampler, seen)
        return None if like is None else self._from(there, got, like)

    def taken(self, there: Any, got: Handed) -> tuple[str, ...]:
        """What was taken for granted of the target."""
        loss = self.loss or there.loss
        if loss == SUM or not without_a_count(got.sampler, there.asks, got.called):
            return got.taken
        told = (
            "N is not a parameter of your step, which is handed the gradient of the mean loss: if it"
            " expects that of the summed loss, type --loss sum."
        )
        return (*got.taken, told)


def _started(outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    """How the target's own start differs, of the first problem in which it is seen to."""
    told = [o for o in outcomes if o.measured.began]
    words = f": {told[0].measured.began} ({told[0].case.name})" if told else ""
    return (
        f"The target begins otherwise than declared, which is no fault of its step{words}. Its step was"
        " judged by itself.",
    )


def _noted(outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    """What the runs have to say beside any verdict, once."""
    return tuple(dict.fromkeys(o.measured.noted for o in outcomes if o.measured.noted))


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
    exact = [o for o in found if o.kind == protocol.LAW and o.decided]
    if faulty:
        faults = {o.measured.fault for o in faulty} if len(faulty) < len(whole) else set()
        if faults == {"draws nothing"}:  # in one dimension, where its only coordinate is left out
            told = diagnose(like, [o for o in exact if not o.measured.fault])
            if told and told[0].name != "unknown":
                return told
        run = by_running(like, whole)[0] if faults == {"not finite"} else ()
        return run or diagnose(like, faulty)
    told, near = diagnose(like, exact) if any(not o.agrees for o in exact) else (), ""
    if not told and any(not o.agrees for o in whole):
        told, near = by_running(like, whole)
    rejecting = [o for o in (*found, *further) if o.comparison and not o.agrees]
    return told or protocol.in_words(rejecting, near)


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
