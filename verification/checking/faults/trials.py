"""Faults without a law in closed form: each is run on the cases, and held against what was measured.

Gradients or steps that are cut; and, where a sampler has no exact law or only real minibatches tell,
the edits of its updates. What is run is the declaration, read by ``written``, with the change made. A
candidate is told where all moments agree as those of two samples should, and where positions that
became infinite do so again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sgtheory import registry
from verification.checking.adapters.numpy_step import NumpyRunner
from verification.checking.cases import Law, names_of
from verification.checking.faults.fitting import height
from verification.checking.judging import FALSE_ALARM
from verification.checking.running import Measured, measured
from verification.checking.written import DeclaredStep
from verification.statistics.twosample import compare_samples

Array = Any

_FEW, _MANY = 1_000, 40_000  # chains of a first look, and of a decision
_FAR, _DECIDED = 9.0, 6.0  # standard errors
_OTHER = 0x5EED  # our chains have other random numbers than those that were measured
_SECONDS = 25.0  # of processor time for edits that are run: those that cost least come first
_SCORE = 0.9  # of what agrees by a simulation
_INFINITE = "not finite"
_RARE = 100.0  # kurtosis
_LONGER = 0.15  # cost by which a description may be longer than one that fits, to be tried as well
_BOUND = 4.5  # median deviations within which positions count nearly as they are
_NEAREST = 3  # told where none fits


@dataclass(frozen=True)
class Trial:
    """What is run: a step in place of the foreign one, and what would be said of it."""

    name: str
    words: str
    step: Any
    cost: float = 1.0
    formula: str = ""
    score: float = _SCORE


class _Ours(NumpyRunner):
    """A step that needs no guard: it leaves the state alone that it is given."""

    def step(self, state: Any, gradient: Any, rng: Any, params: Mapping[str, Any]) -> Any:
        """One call."""
        return self.function(state, gradient, rng, **params)


@dataclass(frozen=True, eq=False)
class Edited:
    """Updates that can be run, as a declaration has them."""

    state: Any
    updates: Any
    start: Any
    where: Any

    @classmethod
    def step(cls, variant: Any) -> DeclaredStep:
        """Of a variant."""
        return DeclaredStep(cls(variant.states, variant.updates, variant.start, variant.where))


def apart(step: Any, like: Any, outcome: Any, chains: int) -> float:
    """How far a step's moments are from those measured in a case, in standard errors.

    Infinite where one of the two has none and the other has.
    """
    theirs = outcome.measured
    case = replace(outcome.case, keep=True, loss="mean", called=())
    one = _ran(step, like, case, chains)
    if one is None:
        return math.inf
    if one.fault or theirs.fault:
        return 0.0 if one.fault == theirs.fault == _INFINITE else math.inf
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # an edit that runs away is no number, and not near
        return _between(theirs, one)


def _ran(step: Any, like: Any, case: Any, chains: int) -> Measured | None:
    try:
        runner = _Ours(step, init=step.init, matched=True)  # begun as declared, as the foreign step is
        return measured(runner, like, case, chains, case.seed ^ _OTHER)
    except Exception:  # an edit need not make sense
        return None


def _between(theirs: Measured, one: Measured) -> float:
    """The largest difference of two samples' moments, errors from the one that is kept whole."""
    both = 1 / theirs.chains + 1 / one.chains
    about = one.sample - one.mean
    floor = 1e-9 * (np.abs(one.mean).max() + np.sqrt(np.diag(one.covariance).max()) + 1e-300)
    spread = np.sqrt(np.maximum(np.diag(one.covariance), np.diag(theirs.covariance)))
    means = np.abs(theirs.mean - one.mean) / np.sqrt(spread**2 * both + floor**2)
    squares = (about**2).T @ about**2 / one.chains - one.covariance**2
    if theirs.early is not None:  # what is rare may be in one sample only
        n = min(theirs.early.shape[1], len(squares))
        seen = (theirs.early[:, :n] - theirs.mean[:n]) ** 2
        other = seen.T @ seen / theirs.chains - theirs.covariance[:n, :n] ** 2
        squares[:n, :n] = np.maximum(squares[:n, :n], other)
    errors = np.sqrt(np.clip(squares, 0, None) * both) + floor * (
        floor + np.outer(spread, spread) ** 0.5
    )
    off = np.abs(theirs.covariance - one.covariance) / errors
    rare = np.diag(squares) > _RARE * np.diag(one.covariance) ** 2
    if not rare.all():  # few chains make such a variance, so that no sample knows its error
        off = off[~rare][:, ~rare]
    return float(max(means.max(), off.max()))


def fits(trial: Trial, like: Any, outcomes: Sequence[Any]) -> bool:
    """Whether it does what was measured in all cases."""
    return _misfit(trial, like, outcomes) < math.inf


def _misfit(trial: Trial, like: Any, outcomes: Sequence[Any], most: float = math.inf) -> float:
    """How unlikely it makes what was measured, infinite where it does not do that, or beyond ``most``.

    A short look comes first, and small problems do. Chains that are kept are compared by
    counts: where tails are heavy no moment knows its error.
    """
    if any(apart(trial.step, like, o, _FEW) >= _FAR for o in outcomes):
        return math.inf
    total = 0.0
    for o in sorted(outcomes, key=lambda o: o.case.D):
        if o.measured.sample is None:
            total += 0.0 if apart(trial.step, like, o, _MANY) < _DECIDED else math.inf
        else:
            total += _unlike(trial.step, like, o)
        if total >= most:  # no problem makes it less
            return math.inf
    return total


def _unlike(step: Any, like: Any, outcome: Any) -> float:
    """How unlikely a step makes what was measured, infinite where a count tells their chains apart.

    All moments together, of positions that are bounded first, whose moments have errors that are known.
    """
    theirs, case = outcome.measured, replace(outcome.case, keep=True, loss="mean", called=())
    one = _ran(step, like, case, _MANY)
    names = names_of(case)
    if one is None or one.fault:
        return math.inf
    if not compare_samples(theirs.sample, one.sample, FALSE_ALARM, names, case.seed).agrees:
        return math.inf
    middle = np.median(theirs.sample, axis=0)
    wide = _BOUND * np.median(np.abs(theirs.sample - middle), axis=0) + 1e-300
    seen, law = (_moments(np.tanh((x - middle) / wide), names) for x in (theirs.sample, one.sample))
    kept = replace(theirs, mean=seen.mean, covariance=seen.covariance)
    return height(lambda _: law, kept, ()) - height(lambda _: seen, kept, ())


def _moments(x: Array, names: Any) -> Law:
    return Law(x.mean(axis=0), np.cov(x.T).reshape(x.shape[1], -1), names)


def edited(like: Any, outcomes: Sequence[Any]) -> tuple[list[Trial], str]:
    """Edits of the declared updates that do what was measured, and words of those that come near.

    What deviates is looked at first. What makes it much less likely than another edit is none.
    """
    from verification.checking.faults.conventions import same_parameters
    from verification.checking.faults.edits import edits
    from verification.checking.faults.pointwise import pointwise
    from verification.checking.faults.search import worded
    from verification.checking.faults.variant import Variant
    from verification.checking.faults.words import updates

    sampler, until = registry.sampler(like), time.process_time() + _SECONDS
    ordered, chains = _telling(sampler, outcomes)
    if not ordered:
        return [], ""
    made = (*edits(sampler), *pointwise(Variant.of(sampler)))
    clearly = _clearly(len(made))
    found: list[tuple[float, Trial]] = []
    near: list[tuple[float, Any]] = []

    def tried(trial: Trial) -> tuple[float, float]:
        far = apart(trial.step, like, ordered[0], chains)
        most = min((off for off, _ in found), default=math.inf) + clearly
        return far, _misfit(trial, like, ordered, most) if far < _FAR else math.inf

    found += [(off, one) for one in pooled(sampler) if (off := tried(one)[1]) < math.inf]
    for candidate in (*same_parameters(sampler), *sorted(made, key=lambda c: c.cost)):
        least = min((one.cost for _, one in found), default=math.inf)
        if time.process_time() > until or candidate.cost > least + _LONGER:
            break
        if candidate.kurtosis != 3:
            continue
        trial = Trial(candidate.name, "", Edited.step(candidate.variant), candidate.cost)
        far, misfit = tried(trial)
        near.append((far, candidate))
        if misfit < math.inf:
            told = worded(sampler, candidate)
            other = None if candidate.other else sampler
            words = replace(trial, words=told.words, formula=updates(told.variant, other))
            found.append((misfit, words))
    best = min((off for off, _ in found), default=math.inf)
    if found:
        return [one for off, one in found if off < best + clearly], ""
    declared = apart(DeclaredStep(sampler), like, ordered[0], chains)
    nearest = sorted((n for n in near if n[0] < declared), key=lambda n: n[0])[:_NEAREST]
    against = f"Against that speaks {ordered[0].case.name}: an entry is off by"
    return [], " ".join(
        f"Near it comes: {worded(sampler, c).words.rstrip('.')}. {against} {far:.3g} standard errors (of"
        f" what is declared by {declared:.3g})."
        for far, c in nearest
    )


def _clearly(hypotheses: int) -> float:
    """By how much more likely than the right hypothesis another is only by a false alarm.

    By Wilks' law along a line from one to the other, twice the logarithm has one degree of freedom; the
    probability of a false alarm is shared by all that could be tried.
    """
    from scipy.stats import chi2

    return float(chi2.isf(FALSE_ALARM / max(hypotheses, 1), 1)) / 2


def _telling(sampler: Any, outcomes: Sequence[Any]) -> tuple[list[Any], int]:
    """The cases, those first in which what is declared is far; and chains that show that in the first.

    None at all where it is near in every one: then no run can tell an edit from it.
    """
    declared = DeclaredStep(sampler)
    far = {o.case.name: apart(declared, sampler, o, _MANY) for o in outcomes if not o.agrees}
    finite = [o for o in outcomes if far.get(o.case.name, 0.0) > _FAR]
    finite.sort(key=lambda o: (bool(o.measured.fault), -far[o.case.name]))
    if not finite:
        return [], 0
    needed = _MANY * (1.5 * _FAR / far[finite[0].case.name]) ** 2
    rest = [o for o in outcomes if o not in finite]
    return [*finite, *sorted(rest, key=lambda o: o.case.D)], int(min(max(needed, _FEW), _MANY))


@dataclass(frozen=True, eq=False)
class Pooled:
    """A declared step after each of which chains, or coordinates, hold the mean of a state in common."""

    inner: Any  # called so, as an attribute ``step`` would be run in place of this
    state: str
    axis: int

    def init(self, theta: Array, rng: Any, **params: Any) -> Any:
        """As declared."""
        return self.inner.init(theta, rng, **params)

    def __call__(self, state: Any, gradient: Any, rng: Any, **params: Any) -> Any:
        """As declared, then the mean."""
        found = self.inner(state, gradient, rng, **params)
        one = found[self.state].mean(axis=self.axis, keepdims=True)
        return {**found, self.state: np.broadcast_to(one, found[self.state].shape).copy()}


def pooled(sampler: Any) -> Iterator[Trial]:
    """States other than positions that all chains, or all coordinates, share."""
    step = DeclaredStep(sampler)
    for s in sampler.state:
        if s in sampler.positions:
            continue
        for axis, of, whom in (
            (0, "chains", "all chains share one"),
            (-1, "coordinates", "there is one"),
        ):
            words = (
                f"{s} follows the mean over all {of}: {whom} {s}, where each should have its own,"
                f" such as a thermostat for each of the {of}."
            )
            yield Trial(f"{s} pooled over {of}", words, Pooled(step, s.name, axis), 1.0,
                        f"{s} = mean of {s} over {of}")  # fmt: skip


def _norm(x: Array, most: float) -> Array:
    long = np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-300)
    return x * np.minimum(1.0, most / long)


def _unit(x: Array, most: float) -> Array:
    return most * x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-300)


CUTS: Mapping[str, tuple[str, Callable[[Array, float], Array]]] = {
    "clipped in norm": ("is clipped: its norm is at most {0}", _norm),
    "clipped by entries": (
        "is clipped: its entries are between -{0} and {0}",
        lambda x, most: np.clip(x, -most, most),
    ),
    "normalised": ("is normalised: its norm is always {0}", _unit),
    "of signs": (
        "has signs for numbers: its entries are -{0} or {0}",
        lambda x, most: most * np.sign(x),
    ),
}


@dataclass(frozen=True, eq=False)
class Cut:
    """A gradient that is changed before the step sees it."""

    gradient: Any
    change: Callable[[Array], Array]

    def __call__(self, theta: Array, batch: Array = None) -> Array:
        """As it comes, changed."""
        return self.change(self.gradient(theta, batch))

    def full(self, theta: Array) -> Array:
        """Over all the data, changed."""
        return self.change(self.gradient.full(theta))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.gradient, name)


@dataclass(frozen=True, eq=False)
class CutStep:
    """A declared step whose gradients, or whose moves, are changed; ``level`` is for each call."""

    inner: Any  # called so, as an attribute ``step`` would be run in place of this
    change: Callable[[Array, float], Array]
    what: str  # "gradient" or "step"
    level: Callable[[Mapping[str, Any]], float]

    def init(self, theta: Array, rng: Any, **params: Any) -> Any:
        """As declared."""
        return self.inner.init(theta, rng, **params)

    def __call__(self, state: Any, gradient: Any, rng: Any, **params: Any) -> Any:
        """As declared, but for the change."""
        most = self.level(params)
        if self.what == "gradient":
            return self.inner(state, Cut(gradient, lambda x: self.change(x, most)), rng, **params)
        found = self.inner(state, gradient, rng, **params)
        moved = self.change(found["theta"] - state["theta"], most)
        return {**found, "theta": state["theta"] + moved}
