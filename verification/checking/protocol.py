"""The whole protocol of a check: every run that is made, what it is held against, and its share.

- On Gaussian problems: against the exact law, or, where a sampler has none, against our own kernels.
- On real minibatches of a regression, with and without replacement: against our own kernels.
- Against itself: the metamorphic laws that the sampler has.
- Without gradient noise: whether chains know of each other.

One false-alarm probability is split over all of these. What comes after the first of them is run where
nothing rejects so far: what is wrong is said best by exact laws.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.declare import State
from sgtheory.onestep.affine import is_affine
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.checking import cases as drawing
from verification.checking.cases import Case, Turns, cases, law_of, names_of
from verification.checking.gains import gain, is_matrix
from verification.checking.gradients import MINIBATCHES, QUIET
from verification.checking.independence import compare_chains, duplicates
from verification.checking.judging import (
    NO_LAW,
    WITHOUT_LAW,
    Diagnosis,
    Outcome,
    chains_of,
    held_against,
)
from verification.checking.metamorphic import LAWS, Changed
from verification.checking.nonlinear import settled
from verification.checking.reference import reference
from verification.checking.running import Measured
from verification.statistics import Budget, chains_for
from verification.statistics.records import Comparison
from verification.statistics.twosample import Inside, compare_samples, count_of_tests

LAW, OWN, CHAINS = "law", "own kernels", "chains"

_COARSER = 2  # the effect that is resolved without an exact law, in units of that with one
_OWN = 2  # chains of ours to one of theirs
_MOST = 150  # regressions that are tried
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
    """Runs that are made one after the other, and their shares of the false-alarm probability."""

    like: Any
    trials: tuple[Trial, ...]
    shares: Budget
    chains: int  # of the runs that do not say themselves
    notes: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[Case, ...]:
        """What is run, in this order."""
        return tuple(trial.case for trial in self.trials)

    def outcomes(
        self, found: Iterable[tuple[Case, Measured]], kept: dict[str, Measured]
    ) -> Iterator[Outcome]:
        """Each run judged as soon as it is measured; ``kept`` has those that others are held against."""
        trials = {trial.case.name: trial for trial in self.trials}
        for case, one in found:
            if case.keep:
                kept[case.name] = one
            yield self._judged(trials[case.name], one, kept)

    def _judged(self, trial: Trial, one: Measured, kept: Mapping[str, Measured]) -> Outcome:
        case, share = trial.case, self.shares.of(trial.case.name)
        if trial.kind == LAW:
            try:
                law = law_of(self.like, case)
            except WITHOUT_LAW as error:
                told = one if one.fault else replace(one, fault=NO_LAW, words=str(error))
                return Outcome(case, told, None, None)
            compared = None if one.fault else held_against(one, law, share)
        elif trial.kind == CHAINS:
            law = _moments(one, case)
            words = "" if one.fault else duplicates(one.sample[~case.left(one.sample)])
            if words:
                one = replace(one, fault="shares random numbers", words=words)
            compared = None if one.fault else compare_chains(one.sample, names_of(case), share)
        else:
            law, compared = self._two(trial, one, kept, share)
        # chains that only other chains tell from ours are kept: a diagnosis is held against them too
        sample = one.sample if trial.kind == OWN else None
        return Outcome(case, replace(one, sample=sample), law, compared, trial.kind, trial.words)

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


def gaussian(
    like: Any, seed: int, dimensions: tuple[int, ...], false_alarm: float, effect: float, power: float,
    loss: str = "", called: tuple[tuple[str, str], ...] = (),
) -> Plan:  # fmt: skip
    """The Gaussian problems, held against the exact law where there is one.

    >>> plan = gaussian("sghmc", 1, (1, 2), 1e-6, 0.05, 0.99)
    >>> [(trial.kind, trial.case.D, trial.case.keep) for trial in plan.trials]
    [('law', 1, False), ('law', 2, True)]
    """
    chosen = [replace(c, loss=loss, called=called) for c in cases(like, seed, dimensions)]
    sampler = registry.sampler(like)
    exact = is_affine(Setting(sampler, registry.model("quadratic")))
    shares = Budget.split(false_alarm, [c.name for c in chosen])
    if not exact:
        trials = tuple(Trial(replace(c, keep=True), OWN) for c in chosen)
        notes = (*_coarse(effect), *_leaving(sampler, chosen))
        return Plan(like, trials, shares, _number(trials, shares, effect, power), notes)
    at = next((k for k, c in enumerate(chosen) if c.D > 1), 0)
    trials = tuple(Trial(replace(c, keep=k == at), LAW) for k, c in enumerate(chosen))
    trials += _averages(sampler, chosen[: at + 2])
    shares = Budget.split(false_alarm, [t.case.name for t in trials])
    chosen = [t.case for t in trials]
    return Plan(like, trials, shares, chains_of(effect, chosen, shares, power))


def averages(sampler: Any) -> tuple[str, ...]:
    """The states that are averages of positions: those that nothing else is made from.

    >>> averages(registry.sampler("iasg")), averages(registry.sampler("momentum"))
    (('m',), ())
    """
    read = {x for target, e in sampler.updates for x in e.atoms(State) if x != target}
    return tuple(m.name for m in sampler.positions if m.name != "theta" and m not in read)


def _averages(sampler: Any, chosen: Sequence[Case]) -> tuple[Trial, ...]:
    """The same problems, where averages of positions are looked at."""
    return tuple(
        Trial(replace(c, name=f"{c.name}, {m}", shown=m, again=False), LAW)
        for m in averages(sampler)
        for c in chosen
    )


def further(plan: Plan, seed: int, false_alarm: float, effect: float, power: float) -> Plan:
    """What needs no law in closed form: real minibatches, the sampler against itself, chains apart.

    >>> first = gaussian("sghmc", 1, (1, 2), 5e-7, 0.05, 0.99)
    >>> [trial.kind for trial in further(first, 1, 5e-7, 0.05, 0.99).trials if trial.of]
    ['loss and temperature', 'summed loss', 'basis']
    """
    sampler = registry.sampler(plan.like)
    kept = [c for c in plan.cases if c.keep]
    base = next((c for c in kept if c.D > 1), kept[0])
    largest = max(c.D for c in plan.cases)
    drawn = regressions(sampler, seed, base.loss, largest)
    trials = [Trial(replace(c, called=base.called), OWN) for c in drawn]
    real = len(trials)
    trials += _metamorphic(sampler, base)
    if sampler.noises:
        trials.append(Trial(_quiet(base), CHAINS))
    shares = Budget.split(false_alarm, [t.case.name for t in trials])
    notes = _coarse(effect)
    if real < len(_REGRESSIONS):
        notes += (f"Our own chains of {sampler.name} stay on {real} of {len(_REGRESSIONS)} regressions:"
                  " the rest is left out.",)  # fmt: skip
    number = _number(tuple(trials), shares, effect, power)
    return Plan(plan.like, tuple(trials), shares, number, notes)


def _number(trials: tuple[Trial, ...], shares: Budget, effect: float, power: float) -> int:
    """Chains that find an effect by counts, in every test that compares two samples."""
    two = [t.case for t in trials if t.kind not in (LAW, CHAINS)]
    smallest = min((shares.of(c.name) / count_of_tests(c.D * len(c.times)) for c in two), default=1e-9)
    return chains_for(min(_COARSER * effect, 0.5), smallest, power, Inside(1.0))


def _coarse(effect: float) -> tuple[str, ...]:
    """What is resolved where two samples are compared."""
    coarse = min(_COARSER * effect, 0.5)
    return (f"Where two samples are compared, an error of {coarse:.0%} of a variance is found.",)


def _leaving(sampler: Any, chosen: Sequence[Case]) -> tuple[str, ...]:
    """What is not told apart where chains of a right sampler leave."""
    far = max((c.beyond for c in chosen), default=0.0)
    told = (
        f"Some chains of {sampler.name} leave, as they should: how far beyond {far:.3g} is not compared."
    )
    return (told,) if far else ()


def in_words(rejecting: Sequence[Outcome], near: str = "") -> tuple[Diagnosis, ...]:
    """What kinds of run reject, in words: where to look, not what is wrong; and what comes near."""
    told = []
    for kind in dict.fromkeys(o.kind for o in rejecting):
        those = [o for o in rejecting if o.kind == kind]
        worst = those[0].comparison.worst if those[0].comparison else None
        first = f"; first {worst.name}, off by {worst.effect:.3g}" if worst else ""
        words = f"{_KINDS.get(kind, _itself(kind))} ({those[0].case.name}{first})."
        about = near if kind == OWN else ""
        told.append(Diagnosis(kind, those[0].words, f"{words} {about}".strip(), 0.0))
    return tuple(told)


_KINDS = {
    OWN: "Positions differ from those of our own chains",
    CHAINS: "Chains go together, as if they shared random numbers",
}


def _itself(kind: str) -> str:
    law = next((law for law in LAWS if law.name == kind), None)
    return f"It breaks a law that it should have: {law.says if law else kind}"


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
    """Small regressions with real minibatches of each kind, as far as our own chains stay on some.

    >>> [case.problem.replacement for case in regressions("sgd", seed=1)]
    [True, False]
    """
    declared = registry.sampler(sampler)
    found = (
        _regression(declared, min(D, largest), again, Turns(random.Random(f"{seed} {k}"), k), loss)
        for k, (D, again) in enumerate(_REGRESSIONS)
    )
    return tuple(case for case in found if case is not None)


def _regression(sampler: Any, D: int, replacement: bool, turns: Turns, loss: str) -> Case | None:
    setting = Setting(sampler, registry.model("linear_regression"))
    source = turns.source
    drawn = "with" if replacement else "without"
    name = f"real minibatches {drawn} replacement, D = {D}"
    problem = _data(setting, D, replacement, turns)
    seed = source.randrange(2**32)

    def tries() -> Iterator[Case]:
        while True:
            size = 2.0 ** -source.uniform(-1, 4)
            tried = drawing.having(problem, drawing.scalars(setting, turns, (2, 6, 12)))
            begin = drawing.begin(source, D, size)
            at = tuple(Fraction(round(1024 * (float(c) + float(b))), 1024)
                       for c, b in zip(problem.examples.center, begin, strict=True))  # fmt: skip
            start = MappingProxyType({"theta": at})
            case = Case(name, replace(tried, start=start), (0.0,) * D, seed)
            yield replace(case, gradient=MINIBATCHES, loss=loss, keep=True, again=False)

    return settled(setting, tries(), _MOST)


def _data(setting: Setting, D: int, replacement: bool, turns: Turns) -> Problem:
    source = turns.source
    N, S = turns.of("N", (10, 20, 30)), turns.of("S", (2, 3, 5))
    X = [[str(Fraction(source.randrange(-6, 7), 4) + Fraction(i == j, 2)) for j in range(D)]
         for i in range(N)]  # fmt: skip
    gains = {p.name: gain(p, D, source)
             for p in setting.sampler.parameters if is_matrix(p)}  # fmt: skip
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
