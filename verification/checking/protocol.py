"""The whole protocol of a check: every run that is made, what it is held against, and its share.

- On Gaussian problems: against the exact law, or, where a sampler has none, against our own kernels.
- On real minibatches of a regression, with and without replacement: against our own kernels.
- Against itself: the metamorphic laws that the sampler has.
- Without gradient noise: whether chains know of each other.

One false-alarm probability is split over all of these before any is run.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.affine import is_affine
from sgtheory.errors import UnusableInput
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.checking import cases as drawing
from verification.checking.cases import Case, Turns, cases, law_of, names_of
from verification.checking.gradients import MINIBATCHES, QUIET
from verification.checking.independence import compare_chains, duplicates
from verification.checking.judging import Outcome, chains_of, held_against
from verification.checking.metamorphic import LAWS, Changed
from verification.checking.nonlinear import settled
from verification.checking.reference import reference
from verification.checking.running import Measured
from verification.statistics import Budget, chains_for
from verification.statistics.records import Comparison
from verification.statistics.twosample import Inside, compare_samples, tests_of

LAW, OWN, CHAINS = "law", "own kernels", "chains"

_LESS = 4  # exact laws get so many times the share of a run that is held against a sample
_COARSER = 2  # and resolve an effect so many times smaller
_OWN = 2  # chains of ours to one of theirs
_APART = 4096  # chains of the run without gradient noise
_REGRESSIONS = ((2, True), (3, False))  # dimension, and whether minibatches are with replacement


@dataclass(frozen=True)
class Trial:
    """A run, and what it is held against: a law, our own chains, or an earlier run of the target."""

    case: Case
    kind: str
    of: str = ""  # the name of the earlier run
    changed: Changed | None = None

    @property
    def words(self) -> str:
        """What was changed, of a metamorphic law."""
        return self.changed.words if self.changed else ""


@dataclass(frozen=True)
class Plan:
    """All runs of a check."""

    like: Any
    trials: tuple[Trial, ...]
    shares: Budget
    chains: int  # of the runs that are held against an exact law

    @property
    def cases(self) -> tuple[Case, ...]:
        """What is run, in this order."""
        return tuple(trial.case for trial in self.trials)

    def outcomes(self, found: Iterable[tuple[Case, Measured]]) -> Iterator[Outcome]:
        """Each run judged as soon as it is measured."""
        trials = {trial.case.name: trial for trial in self.trials}
        kept: dict[str, Measured] = {}
        for case, one in found:
            trial = trials[case.name]
            kept[case.name] = one
            yield self._judged(trial, one, kept)

    def _judged(self, trial: Trial, one: Measured, kept: Mapping[str, Measured]) -> Outcome:
        case, share = trial.case, self.shares.of(trial.case.name)
        if trial.kind == LAW:
            law = law_of(self.like, case)
            compared = None if one.fault else held_against(one, law, share)
        elif trial.kind == CHAINS:
            law = _moments(one, case)
            words = "" if one.fault else duplicates(one.sample)
            if words:
                one = replace(one, fault="shares random numbers", words=words)
            compared = None if one.fault else compare_chains(one.sample, names_of(case), share)
        else:
            law, compared = self._two(trial, one, kept, share)
        return Outcome(case, replace(one, sample=None), law, compared, trial.kind, trial.words)

    def _two(
        self, trial: Trial, one: Measured, kept: Mapping[str, Measured], share: float
    ) -> tuple[Any, Comparison | None]:
        case = trial.case
        if trial.kind == OWN:
            law: Any = reference(self.like, case, _OWN * one.chains, case.seed)
            others = law.positions
            law = replace(law, positions=None)
        else:
            base = kept[trial.of]
            law, others = _moments(base, case), base.sample
        if one.fault or others is None:
            return law, None
        mine = trial.changed.returned(one.sample) if trial.changed else one.sample
        return law, compare_samples(mine, others, share, names_of(case), case.seed)


def _moments(one: Measured, case: Case) -> drawing.Law:
    """What was measured, in the place of a law; zeros where there was a fault."""
    n = case.D * len(case.times)
    zero = np.zeros(n) if one.mean is None else one.mean
    return drawing.Law(zero, np.zeros((n, n)) if one.mean is None else one.covariance, names_of(case))


def plan_of(
    like: Any, seed: int, dimensions: tuple[int, ...], false_alarm: float, effect: float, power: float,
    loss: str = "",
) -> Plan:  # fmt: skip
    """All runs for a sampler.

    >>> plan = plan_of("sghmc", 1, (1, 2), 1e-6, 0.05, 0.99)
    >>> [(trial.kind, trial.case.D) for trial in plan.trials if trial.kind in ("law", "chains")]
    [('law', 1), ('law', 2), ('chains', 2)]
    >>> [trial.kind for trial in plan.trials if trial.of]
    ['loss and temperature', 'summed loss', 'basis']
    """
    sampler = registry.sampler(like)
    first = [replace(c, loss=loss) for c in cases(like, seed, dimensions)]
    at = next((k for k, c in enumerate(first) if c.D > 1), 0)
    first[at] = replace(first[at], keep=True)
    exact = is_affine(Setting(sampler, registry.model("quadratic")))
    trials = [Trial(c if exact else replace(c, keep=True), LAW if exact else OWN) for c in first]
    more = [Trial(c, OWN) for c in regressions(sampler, seed, loss, max(dimensions))]
    more += _metamorphic(sampler, first[at])
    if sampler.noises:
        more.append(Trial(_quiet(first[at]), CHAINS))
    weights = [_LESS if t.kind == LAW else 1 for t in (*trials, *more)]
    shares = Budget.split(false_alarm, [t.case.name for t in (*trials, *more)], weights)
    two = [t.case for t in (*trials, *more) if t.kind not in (LAW, CHAINS)]
    smallest = min((shares.of(c.name) / tests_of(c.D * len(c.times)) for c in two), default=1e-9)
    number = chains_for(min(_COARSER * effect, 0.5), smallest, power, Inside(1.0))
    sized = tuple(
        t if t.kind in (LAW, CHAINS) else replace(t, case=replace(t.case, chains=number))
        for t in (*trials, *more)
    )
    return Plan(like, sized, shares, chains_of(effect, first, shares, power) if exact else number)


def _metamorphic(sampler: Any, base: Case) -> list[Trial]:
    found = []
    for k, law in enumerate(LAWS):
        changed = law.change(sampler, base)
        if changed is not None:
            name = f"{law.name}, D = {base.D}"
            case = replace(changed.case, name=name, keep=True, seed=base.seed ^ (k + 1), again=False)
            found.append(Trial(case, law.name, base.name, replace(changed, case=case)))
    return found


def _quiet(base: Case) -> Case:
    """The case without noise in its gradients."""
    name = f"chains apart, D = {base.D}"
    return replace(
        base, name=name, gradient=QUIET, chains=_APART, keep=True, seed=base.seed ^ 99, again=False
    )


def regressions(sampler: Any, seed: int, loss: str = "", largest: int = 10) -> tuple[Case, ...]:
    """Small regressions with real minibatches, of which a sampler sees each kind.

    >>> [case.problem.replacement for case in regressions("sgd", seed=1)]
    [True, False]
    """
    declared = registry.sampler(sampler)
    return tuple(
        _regression(declared, min(D, largest), again, Turns(random.Random(f"{seed} {k}"), k), loss)
        for k, (D, again) in enumerate(_REGRESSIONS)
    )


def _regression(sampler: Any, D: int, replacement: bool, turns: Turns, loss: str) -> Case:
    setting = Setting(sampler, registry.model("linear_regression"))
    source = turns.source
    drawn = "with" if replacement else "without"
    name = f"real minibatches {drawn} replacement, D = {D}"
    problem = _data(setting, D, replacement, turns)
    seed = source.randrange(2**32)

    def tries() -> Iterator[Case]:
        while True:
            size = 2.0 ** -source.uniform(-1, 4)
            tried = problem.with_params(**drawing.scalars(setting, turns, (2, 6, 12)))
            begin = drawing.begin(source, D, size)
            at = tuple(Fraction(round(1024 * (float(c) + float(b))), 1024)
                       for c, b in zip(problem.examples.center, begin, strict=True))  # fmt: skip
            start = MappingProxyType({"theta": at})
            case = Case(name, replace(tried, start=start), (0.0,) * D, seed)
            yield replace(case, gradient=MINIBATCHES, loss=loss, keep=True, again=False)

    found = settled(setting, tries())
    if found is None:
        raise UnusableInput(f"a regression on which {sampler.name} is stable", "none", "check it")
    return found


def _data(setting: Setting, D: int, replacement: bool, turns: Turns) -> Problem:
    source = turns.source
    N, S = turns.of("N", (10, 20, 30)), turns.of("S", (2, 3, 5))
    X = [[str(Fraction(source.randrange(-6, 7), 4) + Fraction(i == j, 2)) for j in range(D)]
         for i in range(N)]  # fmt: skip
    gains = {p.name: drawing.gain(p, D, source)
             for p in setting.sampler.parameters if drawing.is_matrix(p)}  # fmt: skip
    return Problem.of(
        {
            "model": "linear_regression",
            "X": X,
            "y": [str(Fraction(source.randrange(-12, 13), 4)) for _ in range(N)],
            "sigma2": "3/2",
            "S": S,
            "replacement": replacement,
            "params": gains,
        }
    )
