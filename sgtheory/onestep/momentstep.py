"""One step on the mean and the second moments of a chain that meets real minibatches.

A minibatch's gradient is that of the whole data, plus a deviation of mean zero that is affine in the
point. Its covariance is a linear function of the second moments of the point, so mean and covariance
close. They are moved through one update after the other; an update meets fresh minibatches, so nothing
else is needed. All is measured from the mode of the loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.datamodels.data import Examples
from sgtheory.declare import Noise, Spread, mode, t
from sgtheory.errors import NotAffine
from sgtheory.onestep.affine import at_mode, less_mode, linear_form
from sgtheory.onestep.full import Array, at_clock, center, on_mode, product, scalar
from sgtheory.problem import Values
from sgtheory.setting import Setting


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and second moments about the mode of everything that a step has made so far, stacked.

    Of many chains at once they have an axis in front.
    """

    mean: Array
    second: Array


@dataclass(frozen=True, eq=False)
class Minibatch:
    """A minibatch in an update: front @ (deviation at inner @ z + beside + weight * the mode)."""

    front: Array
    inner: Array
    weight: float
    beside: Array


@dataclass(frozen=True, eq=False)
class Update:
    """One update in numbers: z[target] = row @ z + added + minibatches + noise of covariance Q."""

    target: int
    row: Array
    added: Array  # by what pulls a chain away from the mode
    Q: Array
    minibatches: tuple[Minibatch, ...]


@dataclass(frozen=True, eq=False)
class Step:
    """All updates of a step, and the examples that its minibatches are drawn from."""

    updates: tuple[Update, ...]
    examples: Examples
    share: float  # f/S: the variance of a minibatch's mean in units of one example's
    states: int  # how many of the stacked vectors are carried to the next step
    width: int  # how many there are in all: states and locals

    @property
    def D(self) -> int:
        """The dimension of theta."""
        return len(self.examples.center)

    def deviation(self, batch: Minibatch, now: Moments, homogeneous: bool) -> Array:
        """The covariance of a minibatch's deviation at a random point inner @ z + beside."""
        inner, weight = batch.inner, 0.0 if homogeneous else batch.weight
        moved = inner @ now.second @ inner.T
        across = now.mean @ inner.T
        if not homogeneous and batch.beside.any():
            moved = moved + _both(across, batch.beside) + np.outer(batch.beside, batch.beside)
            across = across + batch.beside
        shared = self.examples.shared
        total = self.examples.spread(moved) - shared @ moved @ shared.T
        if weight and across.any():
            # the deviation of the noise at the mode goes with that of the curvature
            offset = self.examples.floats[0].mean(axis=0)
            mixed = self.examples.mixed(across) - (across @ shared.T)[..., None] * offset
            total += weight * (mixed + mixed.swapaxes(-1, -2))
        if weight:
            total += weight**2 * self.examples.noise
        return self.share * total

    def __call__(self, now: Moments, homogeneous: bool = False) -> Moments:
        """One step; ``homogeneous`` leaves out what does not depend on where the chain is."""
        d, n, many = self.D, self.width * self.D, now.mean.shape[:-1]
        mean, second = np.zeros((*many, n)), np.zeros((*many, n, n))
        carried = self.states * d
        mean[..., :carried], second[..., :carried, :carried] = now.mean, now.second
        for update in self.updates:
            at = slice(update.target * d, (update.target + 1) * d)
            fresh = np.zeros((d, d)) if homogeneous else update.Q
            for batch in update.minibatches:
                own = self.deviation(batch, Moments(mean, second), homogeneous)
                fresh = fresh + batch.front @ own @ batch.front.T
            added = np.zeros(d) if homogeneous else update.added
            row = update.row @ second + added[:, None] * mean[..., None, :]
            mean[..., at] = mean @ update.row.T + added
            own = row @ update.row.T + mean[..., at, None] * added + fresh
            second[..., at, :], second[..., :, at] = row, row.swapaxes(-1, -2)
            # rounding must not leave an odd part: across states it would not be moved as a covariance is
            second[..., at, at] = (own + own.swapaxes(-1, -2)) / 2
        return Moments(mean[..., :carried], second[..., :carried, :carried])


def _both(one: Array, other: Array) -> Array:
    """The products of two vectors' entries, and the same turned."""
    found: Array = one[..., :, None] * other
    return found + found.swapaxes(-1, -2)


@dataclass(frozen=True, eq=False)
class Cycle:
    """The steps of a period, one after the other."""

    steps: tuple[Step, ...]

    def __call__(self, now: Moments, homogeneous: bool = False, begin: int = 0, n: int = 0) -> Moments:
        """``n`` steps from a clock; a whole period unless said."""
        for clock in range(begin, begin + (n or len(self.steps))):
            now = self.steps[clock % len(self.steps)](now, homogeneous)
        return now

    @property
    def size(self) -> int:
        """The length of the stacked states."""
        return self.steps[0].states * self.steps[0].D


def cycle_of(setting: Setting, values: Values, period: int) -> Cycle:
    """The declared steps of a period in numbers, update by update."""
    order: list[Any] = list(setting.state)
    order += [target for target, _ in setting.updates if target not in order]
    forms = _forms(setting)
    sees_clock = any(t in sp.sympify(c).free_symbols for _, form in forms for c in form.values())
    share = float(values.scalars["f"] / values.scalars["S"])
    steps = []
    for clock in range(period):
        now = values  # as it is where it can be: its matrices are floats already
        if sees_clock:
            now = at_clock(values, clock)
        updates = tuple(_update(order, target, form, now) for target, form in forms)
        steps.append(Step(updates, values.examples, share, len(setting.state), len(order)))
    return Cycle(tuple(steps))


@cache
def _forms(setting: Setting) -> tuple[tuple[Any, Any], ...]:
    """The targets of updates, and what they become in words on vectors."""
    batches: dict[str, int] = {}
    sources: dict[Any, int] = {}
    forms = []
    moving = setting.sampler.moving
    begin = at_mode(moving)
    for place, (target, expr) in enumerate(setting.updates):
        form = linear_form(expr, begin)
        form = less_mode(form) if target in moving else form
        _once(form, place, batches, sources, setting)
        forms.append((target, form))
    return tuple(forms)


def _once(form: Any, place: int, batches: Any, sources: Any, setting: Setting) -> None:
    """A minibatch or a noise that two updates share would correlate them: that is refused."""
    for word, source in form:
        shared = [letter for letter in word if isinstance(letter, Spread)]
        for letter in shared:
            if batches.setdefault(str(letter), place) != place:
                raise NotAffine(f"two updates of the step use the minibatch {letter.draw}")
        if isinstance(source, Noise) and sources.setdefault(source, place) != place:
            raise NotAffine(f"two updates of the step use the noise {source}")


def _update(order: list[Any], target: Any, form: Mapping[Any, Any], values: Values) -> Update:
    d = values.D
    row = np.zeros((d, len(order) * d))
    injected: dict[Any, Array] = {}
    added = on_mode({key: c for key, c in form.items() if key[1] == mode}, values)
    batches: dict[int, list[tuple[Array, Array, float, Array]]] = {}
    for (word, source), coefficient in form.items():
        value = scalar(coefficient, values)
        split = [k for k, letter in enumerate(word) if isinstance(letter, Spread)]
        if split:
            front = value * product(word[: split[0]], values, float)
            inner, beside = np.zeros((d, len(order) * d)), np.zeros(d)
            end = product(word[split[0] + 1 :], values, float)
            if source == mode:
                beside = end @ center(values)
            else:
                at = order.index(source) * d
                inner[:, at : at + d] = end
            batches.setdefault(word[split[0]].draw, []).append((front, inner, 0.0, beside))
        elif isinstance(source, Noise) and str(word[-1:]) == "(B,)":
            front = product(word[:-1], values, float)
            share = float(values.scalars["f"] / values.scalars["S"])
            weight = value / share**0.5 if share else 0.0  # the whole data, without replacement
            batches.setdefault(int(source.name[1:]), []).append((front, row * 0, weight, added * 0))
        elif isinstance(source, Noise):
            front = value * product(word, values, float)
            injected[source] = injected.get(source, np.zeros((d, d))) + front
        elif source != mode:
            at = order.index(source) * d
            row[:, at : at + d] += value * product(word, values, float)
    Q = sum((m @ m.T for m in injected.values()), np.zeros((d, d)))
    merged = tuple(_merged(uses) for _, uses in sorted(batches.items()))
    return Update(order.index(target), row, added, Q, merged)


def _merged(uses: list[tuple[Array, Array, float, Array]]) -> Minibatch:
    """The several places of one minibatch in an update, with one matrix in front of all."""
    fronts = [front for front, _, weight, _ in uses if not weight] or [uses[0][0]]
    front = fronts[0]
    inner = sum((_ratio(f, front) * i for f, i, weight, _ in uses if not weight), uses[0][1] * 0)
    beside = sum((_ratio(f, front) * b for f, _, weight, b in uses if not weight), uses[0][3] * 0)
    weight = sum(_ratio(w * f, front) for f, _, w, _ in uses if w)
    return Minibatch(front, inner, float(weight), beside)


def _ratio(one: Array, other: Array) -> float:
    """The number by which one matrix is a multiple of the other."""
    at = np.unravel_index(abs(other).argmax(), other.shape)
    ratio = float(one[at] / other[at])
    if not np.allclose(one, ratio * other, rtol=1e-12, atol=0):
        raise NotAffine("a minibatch enters one update behind two different matrices")
    return ratio
