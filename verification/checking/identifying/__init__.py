"""What a step is, where nobody says what it should be: by its law, out of all that is declared.

``letters`` gives a step random numbers for what it asks for; ``responses`` measures how positions answer
a move of the start, to rounding; ``explaining`` fits every declaration to that, then to the noise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from verification.checking import protocol
from verification.checking.cases import TIMES, Law, names_of
from verification.checking.child import Job, Limits, opened
from verification.checking.faults.search import Evidence
from verification.checking.identifying import by_names
from verification.checking.identifying.beside import Beside, beside
from verification.checking.identifying.drifts import Met, by_drift, held_open, letters_for, named
from verification.checking.identifying.explaining import Explanation, best, explained, nearly
from verification.checking.identifying.fitted import Fitted, fitted
from verification.checking.identifying.held import options
from verification.checking.identifying.letters import Letters
from verification.checking.identifying.responses import Seen, look
from verification.checking.judging import (
    CONFORMS,
    CRASHED,
    FALSE_ALARM,
    INCONCLUSIVE,
    POWER,
    Outcome,
    chains_of,
    effect_of,
    held_against,
    verdict_of,
)
from verification.checking.protocol import averages
from verification.checking.signatures import INIT
from verification.checking.targets import parts_of
from verification.statistics import Budget

__all__ = ["Identity", "identify"]

IDENTIFIED = "identified"
LIMIT = 120.0
_NOT_LINEAR = (
    "Twice the move of a start is not answered by twice as much: the step is not linear, and no"
    " declared sampler whose letters it speaks has its law. With --like SAMPLER, and --with NAME=..."
    " for each of its names, it is held against one."
)
_FEW = (1, 2)  # dimensions of the problems on which what is not linear is run


@dataclass(repr=False, frozen=True)
class Identity(Shown):
    """What a step is: declared samplers that have its law, and others not told apart from it."""

    target: str
    verdict: str
    same: tuple[Explanation, ...] = ()  # with one law, the simplest first
    others: tuple[Explanation, ...] = ()  # with other laws, which the measurements do not tell from it
    beside: tuple[Beside, ...] = ()  # what it keeps that follows its positions
    law: Fitted | None = None  # what was measured, where no declared sampler has it
    near: tuple[str, ...] = ()  # declared samplers with the same drift, and why they are not it
    fault: tuple[str, str] = ("", "")
    taken: tuple[str, ...] = ()
    options: tuple[str, ...] | None = None  # with which it is held to that, behind --like
    chains: int = 0
    false_alarm: float = FALSE_ALARM
    effect: float = 0.05
    power: float = POWER
    seed: int = 1
    seconds: float = field(default=0.0, compare=False)

    @property
    def check(self) -> str:
        """The command that holds the target to what it was found to be; empty where none does."""
        if not self.same or self.options is None:
            return ""
        return " ".join(("sgtheory check", self.target, "--like", self.same[0].like, *self.options))

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.identity/1."""
        return {
            "schema": "sgtheory.identity/1",
            "target": self.target,
            "verdict": self.verdict,
            "is": [e.to_json() for e in self.same],
            "not_told_apart": [e.to_json() for e in self.others],
            "beside": {b.state: str(b.update) for b in self.beside},
            "law": None if self.law is None else self.law.to_json(),
            "near": list(self.near),
            "fault": {"name": self.fault[0], "words": self.fault[1]} if self.fault[0] else None,
            "taken": list(self.taken),
            "check": self.check,
            "chains": self.chains,
            "false_alarm": self.false_alarm,
            "power": {"relative_error_of_a_variance": self.effect, "probability": self.power},
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
        }


def identify(
    target: Any,
    *,
    kind: str | None = None,
    budget: str = "quick",
    loss: str = "",
    seed: int = 1,
    false_alarm: float = FALSE_ALARM,
    limit: float = LIMIT,
    allowed: Mapping[str, float] = MappingProxyType({}),
    tell: Callable[[str, float], None] = lambda *_: None,
) -> Identity:
    """Find the declared samplers, with their parameters in the step's letters, whose law a step has."""
    began = time.perf_counter()
    name = target if isinstance(target, str) else getattr(target, "__qualname__", repr(target))
    if isinstance(target, str):
        parts_of(target)
    settings = _Settings(seed, false_alarm, effect_of(budget), loss)
    with opened(target, kind, Limits.of(limit, limit, allowed), tell) as there:
        lost = getattr(there, "lost", None)
        if lost is not None:
            found = Identity("", CRASHED, fault=lost)
        elif there.asks is None:
            raise UnusableInput(
                "a target whose parameters have names, or --like SAMPLER",
                "one that cannot be looked into",
                "add --like",
            )
        else:
            found = settings.identified(there)
    return replace(
        found, target=name, seconds=time.perf_counter() - began, false_alarm=false_alarm,
        effect=settings.effect, seed=seed,
    )  # fmt: skip


@dataclass(frozen=True)
class _Settings:
    """How much is run, and with which errors."""

    seed: int
    false_alarm: float
    effect: float
    loss: str

    def identified(self, there: Any) -> Identity:
        """By the exact law; of what is not linear, by running those whose letters it speaks."""
        begins = there.asks.begins == INIT
        seen, letters = self._looked(there, begins)
        taken = tuple(f"{n}: your own default {x} was kept." for n, x in letters.kept)
        if not seen.affine:
            found = tuple(self._run(there))
            verdict = IDENTIFIED if found else CRASHED if not seen.responses else INCONCLUSIVE
            fault = ("", "") if found or seen.responses else seen.fault
            ways = options(found[0], letters) if found else None
            why = () if found or not seen.responses else (_NOT_LINEAR,)
            return Identity("", verdict, found[:1], found[1:], (), None, why, fault, taken, ways)
        evidence = self._measured(there, letters, seen)
        met = tuple(by_drift(letters, seen.responses))
        drifts = [(m, drift) for m in met if (drift := named(m, letters, seen.responses)) is not None]
        every = [e for m, drift in drifts for e in explained(m, drift, evidence, begins)]
        if not every:
            every = list(_held(met, letters, seen, evidence, begins))
        if not every:
            for m in by_drift(letters, seen.responses, decays=True):
                if (drift := named(m, letters, seen.responses)) is not None:
                    every += explained(m, drift, evidence, begins)
        same, others = best(every, evidence)
        # of one law, samplers of ours stand before those of libraries
        own = registry.own("samplers")
        same.sort(
            key=lambda e: (
                not self._shows_averages(there, letters, evidence, e),
                e.like.partition(":")[0] not in own,
            )
        )
        chains = max((o.measured.chains for o in evidence.outcomes), default=0)
        law = None if same else fitted(letters, seen.responses, evidence, letters_for)
        near = () if same else tuple(dict.fromkeys(nearly(m, drift) for m, drift in drifts))
        verdict = IDENTIFIED if same else INCONCLUSIVE
        ways = options(same[0], letters) if same else None
        states = [s.name for s in same[0].sampler.state] if same else letters.states
        kept = tuple(beside(there, letters, seen.responses, states))
        return Identity(
            "", verdict, tuple(same), tuple(others), kept, law, near, ("", ""), taken, ways, chains
        )

    def _looked(self, there: Any, begins: bool) -> tuple[Seen, Letters]:
        """The responses, with the states and options that the step can do with."""
        first = None
        for chosen in (True, False):
            letters = Letters.of(there.asks, chosen)
            if not chosen and letters == Letters.of(there.asks):
                break
            for states in _states() if not begins else (("theta",),):
                tried = replace(letters, states=states)
                seen = look(there, tried, self.seed, self.loss)
                first = first or (seen, tried)
                if seen.responses:
                    return seen, tried
                if getattr(there, "lost", None) is not None:
                    return first
        assert first is not None
        return first

    def _measured(self, there: Any, letters: Letters, seen: Seen) -> Evidence:
        """The same problems with many chains and noisy gradients."""
        cases = [
            replace(r.case, times=TIMES, gradient="noise", chains=0)
            for r in sorted(seen.responses, key=lambda r: r.case.D)
        ]
        shares = Budget.split(self.false_alarm, [c.name for c in cases])
        chains = chains_of(self.effect, cases, shares)
        outcomes = []
        for case, one in there.runs(Job("", None, letters.sampler, tuple(cases), chains)):
            if not one.fault:
                law = Law(one.mean, one.covariance, names_of(case))
                compared = held_against(one, law, shares.of(case.name))
                outcomes.append(Outcome(case, one, law, compared))
        return Evidence(letters.sampler, tuple(outcomes))

    def _shows_averages(self, there: Any, letters: Letters, evidence: Evidence, e: Explanation) -> bool:
        """Whether a sampler keeps averages of positions that the target shows, with the exact law."""
        found = False
        for m in averages(e.sampler):
            for o, own in zip(evidence.outcomes[:2], evidence.numbers, strict=False):
                case = replace(o.case, name=f"{o.case.name}, {m}", shown=m)
                job = Job("", None, letters.sampler, (case,), o.measured.chains)
                one = next(iter([one for _, one in there.runs(job)]))
                if one.fault:
                    return False
                law = e.candidate.law(replace(own, case=case))
                share = o.comparison.false_alarm if o.comparison else self.false_alarm
                if not held_against(one, law, share).agrees:
                    return False
                found = True
        return found

    def _run(self, there: Any) -> Iterator[Explanation]:
        """The declarations without an exact law that the step is run against, and conforms to."""
        asks = there.asks
        for name, sampler, got, cost in by_names.spoken(asks):
            try:
                plan = protocol.gaussian(
                    got.sampler, self.seed, _FEW, self.false_alarm, self.effect, POWER, self.loss,
                    got.called,
                )  # fmt: skip
            except UnusableInput:
                continue
            job = Job("", None, got.sampler, plan.cases, plan.chains)
            if verdict_of(tuple(plan.outcomes(there.runs(job), {}))) == CONFORMS:
                yield Explanation(name, by_names.parameters_of(got), cost, sampler, None)


def _held(
    met: Sequence[Met], letters: Letters, seen: Seen, evidence: Evidence, begins: bool
) -> Iterator[Explanation]:
    """Those whose drift leaves parameters open; of libraries only where none of ours is it."""
    own = registry.own("samplers")
    found = False
    for one in sorted((m for m in met if m.hidden), key=lambda m: m.name.partition(":")[0] not in own):
        if found and one.name.partition(":")[0] not in own:
            return
        for alike in held_open(one, letters, seen.responses):
            accepted = [e for d in alike for e in explained(one, d, evidence, begins, warms=False)]
            # of those as short as one another, what was measured is nearest to the first
            yield from sorted(accepted, key=lambda e: (e.cost, _far(e, evidence)))
            if accepted:
                found = True
                break


def _far(e: Explanation, evidence: Evidence) -> float:
    return sum(evidence.far(e.candidate, k) for k in range(len(evidence.outcomes)))


def _states() -> Iterator[tuple[str, ...]]:
    """The sets of states that declared samplers have, the smallest first."""
    found = set()
    for name in registry.samplers():
        try:
            found.add(tuple(s.name for s in registry.sampler(name).state))
        except UnusableInput:
            continue
    yield from sorted(found, key=lambda x: (len(x), x))
