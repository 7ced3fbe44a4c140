"""Which candidates have the law that was measured: cheap problems first, short descriptions first.

A candidate is named only where the exact tests accept its law in every case, under the same false-alarm
probability as the declared law was held to. Everything before that only saves time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.errors import NotAffine, UnusableInput
from verification.checking import shapes
from verification.checking.faults import averages, conventions, paces, scales
from verification.checking.faults.candidate import LONGEST, Candidate, letters
from verification.checking.faults.distinct import distinct
from verification.checking.faults.edits import edits
from verification.checking.faults.fitting import FAR, GRID, Fit, distance, fit, means_apart
from verification.checking.faults.naming import Named, formulas, letters_of
from verification.checking.faults.variant import Numbers, Variant, abbreviated
from verification.checking.faults.words import changed, in_words
from verification.checking.gradients import MINIBATCHES
from verification.checking.judging import Outcome, held_against

REFUSED = (
    UnusableInput, NotAffine, ArithmeticError, ValueError, TypeError, KeyError, AttributeError,
    np.linalg.LinAlgError,
)  # fmt: skip
_HALVES = 4  # edits with the right means that are completed by another
_TOGETHER = 120  # edits and fitted factors that are tried together
_PAIRS = 15  # of factors: of more, each is looked for near 1 alone
_EARLY = 5  # steps
_WHOLE = 0.3  # cost of a formula for a factor with all that stands before it
_ABOUT = "The runs do not tell this formula from the next one: it is right about so."
_NEAR = (0.2, 2.5)
_SIGNS = (0.0, *GRID[1:], -0.01, -0.1, -0.5, -1.0, -2.0, -10.0)


@dataclass(frozen=True)
class Evidence:
    """The outcomes that a law can be held against, the smallest problems first."""

    sampler: Any
    outcomes: tuple[Outcome, ...]

    @classmethod
    def of(cls, like: str, outcomes: Sequence[Outcome]) -> Evidence:
        """Of Gaussian noise on the mean loss; what else was measured has no exact law here."""
        usable = [
            o
            for o in outcomes
            if not o.measured.fault
            and o.comparison is not None
            and o.expected is not None
            and o.case.gradient != MINIBATCHES
            and o.case.problem.model.name == "quadratic"
        ]
        usable.sort(key=lambda o: o.case.D)
        return cls(registry.sampler(like), tuple(usable))

    @cached_property
    def numbers(self) -> tuple[Numbers, ...]:
        """The declared sampler's numbers in each case."""
        return tuple(Numbers.of(self.sampler, o.case) for o in self.outcomes)

    @cached_property
    def letters(self) -> dict[Any, Any]:
        """What formulas may be made of, with their values in all cases."""
        from sgtheory.declare import D

        known = [
            {s: n.scalars[s.name] for s in (*letters(self.sampler), D) if s.name in n.scalars}
            for n in self.numbers
        ]
        found = letters_of(known)
        for short, _ in self.sampler.where:
            value = np.array([self.worth(short, k) for k in range(len(self.numbers))])
            found |= {short: value, 1 - short: 1 - value} if ((value > 0) & (value < 1)).all() else {}
        return found

    def worth(self, expr: Any, k: int) -> float:
        """The value of a formula in a case, also of abbreviations."""
        return abbreviated(Variant.of(self.sampler), self.numbers[k]).scalar(sp.sympify(expr))

    def far(self, candidate: Candidate, k: int, fitted: tuple[float, ...] = ()) -> float:
        """How far a candidate's law is from what was measured in a case; infinite where it has none."""
        try:
            with np.errstate(all="ignore"):
                law = candidate.law(self.numbers[k], fitted)
                return distance(self.outcomes[k].measured, law, candidate.kurtosis)
        except REFUSED:
            return float("inf")

    def right_means(self, candidate: Candidate) -> bool:
        """Whether the means of every case agree, by the variances that were measured."""
        return all(self._right_mean(candidate, k) for k in range(len(self.outcomes)))

    def _right_mean(self, candidate: Candidate, k: int) -> bool:
        try:
            with np.errstate(all="ignore"):
                law = candidate.law(self.numbers[k])
                return means_apart(self.outcomes[k].measured, law) < FAR
        except REFUSED:
            return False

    def near(self, candidate: Candidate) -> bool:
        """Whether no case is far; asked where it is cheap first."""
        return all(self.far(candidate, k) < FAR for k in range(len(self.outcomes)))

    def accepts(self, candidate: Candidate) -> bool:
        """Whether the exact tests accept the candidate's law in every case."""
        return self.near(candidate) and all(
            self._accepts(candidate, k) for k in range(len(self.outcomes))
        )

    def _accepts(self, candidate: Candidate, k: int) -> bool:
        outcome = self.outcomes[k]
        assert outcome.comparison is not None
        if candidate.kurtosis != 3:  # no exact test: the entries alone, with their own errors
            heavy = candidate.kurtosis > 3
            return self.far(candidate, k) < FAR / 1.5 and heavy in shapes.tails(self.outcomes)
        try:
            law = candidate.law(self.numbers[k])
            share = outcome.comparison.false_alarm
            return held_against(outcome.measured, law, share).agrees
        except REFUSED:
            return False

    def share(self, candidate: Candidate) -> float:
        """Of the cases, those in which the exact tests accept the candidate's law."""
        found = [
            self.far(candidate, k) < FAR and self._accepts(candidate, k)
            for k in range(len(self.outcomes))
        ]
        return sum(found) / len(found)


def search(evidence: Evidence, most: int) -> tuple[Candidate, ...]:
    """The candidates that fit, the shortest descriptions first; none where nothing does."""
    for stage in (simple, fitted, apart, combined):
        found = distinct(stage(evidence), evidence)
        if found:
            first, *rest = sorted(found, key=lambda c: c.cost)[:most]
            alike = [c for c in (first, *rest) if c.front is not None and c.name == first.name]
            if len(alike) > 1:  # of one term: that with which the step is shortest
                near = min(alike, key=lambda c: sum(sp.count_ops(e) for _, e in c.variant.updates))
                rest = [c for c in (first, *rest) if c is not near]
                first = replace(near, words=f"{near.words} {_ABOUT}")
            return (_also(evidence, first), *rest)
    found = distinct(others(evidence), evidence)
    return tuple(sorted(found, key=lambda c: c.cost))[:most]


def _also(evidence: Evidence, found: Candidate) -> Candidate:
    """With the name of another declared sampler that has the same law, where there is one."""
    if found.other:
        return found
    same = (c for c in conventions.same_parameters(evidence.sampler) if evidence.accepts(c))
    other = next(same, None)
    if other is None:
        return found
    told = other.words.replace("This is ", "It also equals ", 1)
    return replace(found, words=f"{found.words} {told}")


def simple(evidence: Evidence) -> Iterator[Candidate]:
    """Single edits of what is declared."""
    for candidate in edits(evidence.sampler):
        if evidence.accepts(candidate):
            yield worded(evidence.sampler, candidate)


def others(evidence: Evidence) -> Iterator[Candidate]:
    """Other declared samplers: where no edit of the one that is asked for explains what was measured."""
    for candidate in conventions.same_parameters(evidence.sampler):
        if evidence.accepts(candidate):
            yield worded(evidence.sampler, candidate)
    for candidate in conventions.translated(evidence.sampler):
        if candidate.other != evidence.sampler.name:
            yield from named(evidence, candidate)


def apart(evidence: Evidence) -> Iterator[Candidate]:
    """Two faults of which one alone moves the means: each is looked for by itself.

    How the mean moves is told by the drift, whatever the noise. An edit under which all means agree is
    half of the answer; the other half is an edit, or a factor, that leaves them as they are.
    """
    for drift in _with_right_means(evidence):
        for factor in scales.factors(drift.variant):
            base = None if factor.words else drift.variant
            yield from named(evidence, _both(drift, factor, base))
        for noise in edits(evidence.sampler, drift.variant):
            if noise.kurtosis == 3 and evidence.accepts(noise):
                both = worded(evidence.sampler, replace(noise, base=drift.variant))
                yield _both(drift, both, None)


def _both(one: Candidate, other: Candidate, base: Variant | None) -> Candidate:
    words = f"{one.words} {other.words}".strip()
    cost = one.cost + other.cost
    return replace(other, cost=cost, name=f"{one.name}; {other.name}", words=words, base=base, reads=())


def _with_right_means(evidence: Evidence) -> list[Candidate]:
    """The edits under which the means of all cases agree, which under what is declared do not."""
    found: list[Candidate] = []
    laws: list[Any] = []
    for candidate in edits(evidence.sampler):
        if candidate.kurtosis != 3 or not evidence.right_means(candidate):
            continue
        law = candidate.law(evidence.numbers[-1])
        if not any(np.allclose(law.mean, other.mean, rtol=1e-9, atol=1e-12) for other in laws):
            laws.append(law)
            found.append(worded(evidence.sampler, candidate))
        if len(found) == _HALVES:
            break
    return found


def worded(sampler: Any, candidate: Candidate) -> Candidate:
    """With words made from the updates, where there are some to be made."""
    if candidate.words and candidate.base is None:
        return candidate
    base = candidate.base or Variant.of(sampler)
    made = in_words(base, candidate.variant)
    words = " ".join(w for w in (candidate.words, made) if w)
    return replace(candidate, words=words or _as_a_whole(base, candidate))


def _as_a_whole(base: Variant, candidate: Candidate) -> str:
    """What has no factors to be told is told whole."""
    from sgtheory.notation.printing import plain

    told = [
        f"{t} = {plain(now)}, should be {plain(was)}."
        for t, was, now in changed(base, candidate.variant)
    ]
    lost = re.search(r"power of (\w+) one more in 1/\1$", candidate.name)
    first = [f"It is not divided by {lost[1]}."] if lost else []
    return " ".join([*first, *told]) or f"An update is wrong: {candidate.name}."


def fitted(evidence: Evidence) -> Iterator[Candidate]:
    """Factors of terms, terms that should not be there, other values of the sampler's own parameters."""
    variant = Variant.of(evidence.sampler)
    for candidate in (
        *scales.factors(variant),
        *conventions.itself(evidence.sampler),
        *scales.additions(variant),
        *scales.moved(variant),
        *averages.moving(variant),
        *paces.later(variant),
        *paces.decaying(variant),
    ):
        yield from named(evidence, candidate)


def combined(evidence: Evidence) -> Iterator[Candidate]:
    """Two factors at once, and an edit together with a factor."""
    variant = Variant.of(evidence.sampler)
    both_of = list(scales.pairs(variant))
    if len(both_of) > _PAIRS:
        both_of = [replace(c, grid=_NEAR) for c in both_of]
    for candidate in both_of:
        yield from named(evidence, candidate)
    for edit in structures(evidence):
        for factor in scales.factors(edit.variant):
            words = f"{edit.words} {factor.words}".strip()
            base = None if factor.words else edit.variant
            name, cost = f"{edit.name}; {factor.name}", edit.cost + factor.cost
            yield from named(evidence, replace(factor, cost=cost, name=name, words=words, base=base))


def structures(evidence: Evidence) -> list[Candidate]:
    """The edits that no factor imitates, those that come nearest first."""
    found = [e for e in edits(evidence.sampler) if e.words and e.kurtosis == 3 and e.cost <= 1.3]
    measured = [(evidence.far(e, 0), k, e) for k, e in enumerate(found)]
    most = _TOGETHER // max(sum(1 for _ in scales.factors(Variant.of(evidence.sampler))), 1)
    return [e for far, _, e in sorted(measured)[:most] if np.isfinite(far)]


def named(evidence: Evidence, candidate: Candidate) -> Iterator[Candidate]:
    """A candidate with formulas for what is free, where some fit and every case accepts them.

    A factor is named by itself, and together with what stands before it.
    """
    fits = fits_of(evidence, candidate)
    if fits is None:
        return
    options = [_formulas(evidence, fits, k) for k in range(len(candidate.free))]
    yield from _accepted(evidence, candidate, options)
    if candidate.front is not None:
        yield from _accepted(evidence, candidate, [_formulas(evidence, fits, 0, candidate.front)])


def _formulas(evidence: Evidence, fits: Sequence[Fit], k: int, front: Any = None) -> Sequence[Named]:
    """Formulas for the k-th of what is free, or for that times what stands before it."""
    seen = [j for j, f in enumerate(fits) if np.isfinite(f.errors[k])]
    before = np.array([1.0 if front is None else evidence.worth(front, j) for j in seen])
    values = before * [fits[j].values[k] for j in seen]
    errors = np.abs(before) * [fits[j].errors[k] for j in seen]
    there = {letter: x[seen] for letter, x in evidence.letters.items()}
    found = formulas(values.tolist(), errors.tolist(), there) if seen else ()
    return found if front is None else [Named(n.expr / front, n.cost + _WHOLE) for n in found]


def _accepted(
    evidence: Evidence, candidate: Candidate, options: Sequence[Sequence[Named]]
) -> Iterator[Candidate]:
    """The shortest choice that every case accepts."""
    for chosen in sorted(product(*options), key=lambda c: sum(n.cost for n in c)):
        cost = sum(n.cost for n in chosen)
        if cost > LONGEST:
            return
        settled = candidate.settled(
            {s: n.expr for s, n in zip(candidate.free, chosen, strict=True)}, cost
        )
        if evidence.accepts(settled):
            yield worded(evidence.sampler, settled)
            return


def fits_of(evidence: Evidence, candidate: Candidate) -> list[Fit] | None:
    """The most likely values in every case; None as soon as a case is far from all of them."""
    if _early(evidence, candidate, 0) is None:
        return None
    found: list[Fit] = []
    for k, outcome in enumerate(evidence.outcomes):
        law, own = _law_in(candidate, evidence.numbers[k]), evidence.numbers[k]
        one = _fit(law, outcome.measured, candidate.neutral, _begin(candidate, own))
        if one is None:  # late times make it steep: nearer to where the first ones have it
            near = _early(evidence, candidate, k)
            one = None if near is None else _fit(law, outcome.measured, near.values, ())
        if one is None:
            return None
        found.append(_turned(one, law, outcome.measured))
    return found


def _law_in(candidate: Candidate, own: Numbers) -> Callable[[tuple[float, ...]], Any]:
    def law(x: tuple[float, ...]) -> Any:
        with np.errstate(all="ignore"):
            return candidate.law(own, x)

    return law


def _fit(law: Any, measured: Any, begin: Any, grid: Any) -> Fit | None:
    """The most likely values; None where there are none, or their law is far."""
    try:
        found = fit(law, measured, begin, grid)
    except REFUSED:
        return None
    return found if found is not None and found.far < FAR else None


def _turned(one: Fit, law: Any, measured: Any) -> Fit:
    """The same without minus signs, where the law does not see them: before a noise."""
    values = tuple(map(abs, one.values))
    if values == one.values:
        return one
    try:
        far = distance(measured, law(values))
    except REFUSED:  # as of a root of what is negative then
        return one
    return replace(one, values=values) if abs(far - one.far) < 1e-6 * (1 + one.far) else one


def _early(evidence: Evidence, candidate: Candidate, k: int) -> Fit | None:
    """The most likely values by the first steps of a problem; of the smallest it is a short look."""
    outcome, own = evidence.outcomes[k], evidence.numbers[k]
    times = tuple(t for t in outcome.case.times if t <= _EARLY)
    near, few = replace(outcome.case, times=times), len(times) * outcome.case.D
    one = outcome.measured
    seen = replace(one, mean=one.mean[:few], covariance=one.covariance[:few, :few])
    law = _law_in(candidate, replace(own, case=near))
    return _fit(law, seen, candidate.neutral, _begin(candidate, own))


def _begin(candidate: Candidate, own: Numbers) -> list[tuple[float, ...]]:
    """Where to look first for what is free."""
    count = len(candidate.free)
    if candidate.other:
        values = [x for n, x in own.scalars.items() if n != "D"]
        more = [y for x in values for y in (x, 1 - x, 2 * x, x / 2, x * x)]
        return [tuple(sorted(set(more if count == 1 else values)))] * count
    if candidate.grid:
        return [candidate.grid] * count
    if count == 1:
        return [_SIGNS]
    return [(0.0, 0.03, 0.3, 1.0, 3.0, -0.3, -1.0)] * count
