"""Whether a foreign sampler conforms: every case against its exact law, with one false-alarm budget."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.notation.display import Shown
from verification.checking import commons
from verification.checking.cases import Case, Law
from verification.checking.running import Measured, Runner, ill_formed, measured
from verification.checking.shapes import number_of_tests, shape_tests
from verification.statistics import Budget, Comparison, chains_for, compare

FALSE_ALARM = 1e-6
POWER = 0.99
EFFECTS = {"quick": 0.05, "standard": 0.02, "deep": 0.01}  # relative, of a variance
WITHOUT_LAW = (NotAffine, ArithmeticError, np.linalg.LinAlgError)  # where our own computation ends
_REPEATED = 64  # chains of the runs that are repeated

CONFORMS, DEVIATES, CRASHED, INCONCLUSIVE = "conforms", "deviates", "crashed", "inconclusive"
UNSEEDED, REMEMBERS = "ignores its seed", "remembers"
FORM, MUTATES = "form", "mutates its state"
ENDING = (
    "crashed",
    "hangs",
    FORM,
    MUTATES,
)  # after which nothing more is run: there is no step to judge
SLOW, NO_LAW = "slow", "no law"  # what leaves a case undecided: neither is a fault of the sampler


@dataclass(frozen=True)
class Outcome:
    """A case, what was measured there, the exact law, and how the two compare."""

    case: Case
    measured: Measured
    expected: Any  # a Law, or None where it cannot be computed
    comparison: Comparison | None
    kind: str = "law"  # what it is held against: its exact law, our own kernels, or itself
    words: str = ""  # what was changed, where it is held against itself

    @property
    def agrees(self) -> bool:
        """Whether no test rejects."""
        return self.comparison is not None and self.comparison.agrees

    @property
    def decided(self) -> bool:
        """Whether it says anything: the time did not end it, and there is a law to hold it against."""
        return self.measured.fault not in (SLOW, NO_LAW)


@dataclass(repr=False, frozen=True)
class Diagnosis(Shown):
    """What is most likely wrong: a name, the formula as it seems to be, words, and how well it fits."""

    name: str
    formula: str
    words: str
    score: float  # 1 where the law with this fault agrees with every measurement, else less
    sampler: Any = field(default=None, compare=False)  # the declaration that has the fault, if one does
    translation: tuple[tuple[str, Any], ...] = ()  # its parameters, in those of what was asked for
    candidate: Any = field(default=None, compare=False)  # has the exact law with the fault, in any case

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        told = {"name": self.name, "formula": self.formula, "words": self.words, "score": self.score}
        if self.translation:
            told["translation"] = {name: str(value) for name, value in self.translation}
        return told


@dataclass(repr=False, frozen=True)
class Conformance(Shown):
    """The verdict on one target, with everything that it rests on."""

    target: str
    like: str
    verdict: str
    outcomes: tuple[Outcome, ...]
    diagnosis: tuple[Diagnosis, ...]
    false_alarm: float
    effect: float
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    power: float = POWER
    seed: int = 1
    further: tuple[Outcome, ...] = ()  # real minibatches, metamorphic laws, chains apart
    taken: tuple[str, ...] = ()  # what was taken for granted, such as a gain that the step does not name
    sampler: Any = field(default=None, compare=False)  # the declaration that it was held against

    @property
    def worst(self) -> Outcome | None:
        """The comparison that rejects most clearly."""
        compared = [o for o in (*self.outcomes, *self.further) if o.comparison is not None]
        return min(compared, key=lambda o: o.comparison.worst.p_value, default=None)  # type: ignore[union-attr]

    def to_json(self) -> dict[str, Any]:
        """Schema sgtheory.check/1."""
        worst = self.worst
        law = None if worst is None else worst.expected
        document = {
            "schema": "sgtheory.check/1",
            "target": self.target,
            "like": self.like,
            "verdict": self.verdict,
            "taken": list(self.taken),
            "diagnosis": [d.to_json() for d in self.diagnosis],
            "measured": _moments(None if worst is None else worst.measured, law),
            "expected": _moments(law, law),
            "tests": [_tested(o) for o in (*self.outcomes, *self.further)],
            "false_alarm": self.false_alarm,
            "power": {"relative_error_of_a_variance": self.effect, "probability": self.power},
            "notes": list(self.notes),
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
        }
        return dict(strict(document))


def strict(value: Any) -> Any:
    """The same with null for what is no finite number, which JSON has no word for."""
    if isinstance(value, dict):
        return {key: strict(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [strict(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _moments(found: Any, law: Law | None) -> dict[str, Any] | None:
    if found is None or law is None:
        return None
    return {
        "positions": list(law.names),
        "mean": np.asarray(found.mean).tolist(),
        "covariance": np.asarray(found.covariance).tolist(),
    }


def _tested(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = {
        "case": outcome.case.name,
        "problem": outcome.case.problem.to_json(),
        "mode": list(outcome.case.mode),
        "seed": outcome.case.seed,
        "chains": outcome.measured.chains,
        "against": outcome.kind,
        **({"change": outcome.words} if outcome.words else {}),
    }
    if outcome.measured.fault:
        return {**told, "fault": outcome.measured.fault, "words": outcome.measured.words}
    assert outcome.comparison is not None
    return {**told, **outcome.comparison.to_json()}


def verdict_of(found: Sequence[Outcome]) -> str:
    """One word on all cases; a rejection stands whatever else could not be decided.

    Only where every case was decided and none rejects does a sampler conform. The rest is inconclusive:
    a case that the time limit ended although steps still came back, a law that cannot be computed, or
    no case at all.
    """
    faults = {o.measured.fault for o in found}
    if faults & set(ENDING):
        return CRASHED
    if any(not o.agrees and o.decided for o in found):
        return DEVIATES
    return CONFORMS if found and all(o.decided for o in found) else INCONCLUSIVE


def held_against(one: Measured, law: Law, false_alarm: float) -> Comparison:
    """The exact tests of one case: moments, and the shape where all chains were kept."""
    exact = (law.mean, law.covariance, one.chains, false_alarm, law.names)
    found = compare(one.mean, one.covariance, *exact, dtype=one.dtype, steps=20)
    if one.early is None or one.dtype != "float64":
        return found
    return replace(found, tests=(*found.tests, *shape_tests(one.early, law, one.chains)))


def effect_of(budget: str) -> float:
    """The relative error of a variance that a budget resolves."""
    if budget not in EFFECTS:
        raise UnusableInput(f"a budget of {', '.join(EFFECTS)}", repr(budget), "choose one of them")
    return EFFECTS[budget]


def chains_of(effect: float, cases: Sequence[Case], shares: Budget, power: float = POWER) -> int:
    """How many chains find an effect in every test of every case."""
    numbers = {case.name: case.D * len(case.times) for case in cases}
    shapes = {case.name: number_of_tests(case) for case in cases}
    tests = {name: n + n * (n + 1) // 2 + 3 + shapes[name] for name, n in numbers.items()}
    smallest = min(shares.of(name) / count for name, count in tests.items())
    return chains_for(effect, smallest, power)


def runs(
    runner: Runner, like: Any, cases: Sequence[Case], chains: int, limit: float = math.inf
) -> Iterable[tuple[Case, Measured]]:
    """Every case run, then what needs no law: the same seed twice, and chains of their own.

    ``limit`` is in seconds for each case, asked between two steps: a step that does not come back at all
    is seen by another process only.
    """
    for case in cases:
        until = time.monotonic() + limit
        misfit = ill_formed(runner, like, case)
        if misfit is not None:
            yield case, misfit
            if misfit.fault in ENDING:
                return
            continue
        one = measured(runner, like, case, case.chains or chains, until=until)
        yield case, one if one.fault or not case.again else _repeated(runner, like, case, one, until)
        if one.fault in ENDING:
            return


def _repeated(runner: Runner, like: Any, case: Case, one: Measured, until: float) -> Measured:
    """The case once more with few chains: the same seed must give the same, another seed another."""
    found = [measured(runner, like, case, _REPEATED, seed, until) for seed in (1, 1, 2)]
    faults = [m for m in found if m.fault]
    if faults:
        return faults[0]
    first, again, other = found
    if not np.array_equal(first.shown, again.shown):
        told = commons.told_of(getattr(runner, "function", None))
        words = "the same seed gave other positions" + (f": {told}" if told else "")
        return replace(one, fault=UNSEEDED, words=words)
    if np.array_equal(first.shown, other.shown):
        return replace(one, fault="draws nothing", words="another seed gave the same positions")
    if not getattr(runner, "resumable", True):
        return one
    return _interrupted(runner, like, case, one, first, until)


def _interrupted(
    runner: Runner, like: str, case: Case, one: Measured, whole: Measured, until: float
) -> Measured:
    """The run split in two, with another run in between: its state alone may tell it how to go on."""
    split = measured(
        runner, like, case, _REPEATED, 1, until,
        between=lambda: measured(runner, like, case, _REPEATED, 3, until),
    )  # fmt: skip
    if split.fault == SLOW:
        return split
    if split.fault or not np.array_equal(whole.shown, split.shown):
        words = "a run went on differently after another run had come in between"
        return replace(one, fault=REMEMBERS, words=f"{words}: {split.words}" if split.fault else words)
    return one
