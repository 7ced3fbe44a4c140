"""Why a run is not what it should be: the step whose law it does have, of those that are suspected.

Each suspect is a step with one number that is fitted by maximum likelihood, or an edit of the declared
updates; it is told only if the same tests accept it for the whole run. So a name is never a guess from
one number that is off.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sgtheory.errors import Unstable
from sgtheory.notation.display import Shown
from verification.checking.faults.edits import edits
from verification.checking.faults.search import REFUSED, worded
from verification.finished.holding import BEND, PULL, Held, Run, held
from verification.finished.steps import Step, innovations
from verification.finished.suspects import Declared, Suspect, suspects

Array = Any

_REFUSED = (*REFUSED, Unstable)
_WIDE = 4.0  # in logarithms: what a number is fitted within, a factor of 55 either way
_GRID = 33  # places where it is looked for first
_SHORT, _PART = 500, 3_000  # draws of a first look, and of a second
_SECONDS = 15.0  # of processor time for edits: those that cost least come first
_APART = (2, 3, 4, 5, 8, 10, 20, 50, 100)  # steps between draws that are suspected
_ELSEWHERE = 0.5  # standard deviations from the mode that are told
_RUNAWAY = 1e3  # by which a run grows that will not come back
_MOST = 3  # reasons told


@dataclass(repr=False, frozen=True)
class Reason(Shown):
    """What the run does instead: a name, words, and the number that was fitted with its error."""

    name: str
    words: str
    value: float | None = None
    error: float | None = None
    step: Step | None = None
    height: float = 0.0  # the logarithm of the likelihood

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        told: dict[str, Any] = {"name": self.name, "words": self.words}
        return told if self.value is None else told | {"value": self.value, "error": self.error}


def reasons(declared: Declared, run: Run, first: Held) -> tuple[Reason, ...]:
    """What the same tests accept in place of what was declared, shortest first; else what is seen."""
    if not np.ptp(run.positions, axis=1).any():
        return (Reason("never moves", "All draws of a chain are the same."),)
    if _grown(run) > _RUNAWAY:
        words = (
            f"It runs away: its spread over the last tenth is {_grown(run):.2g} times that over the"
            " first. The step is too long to be stable."
        )
        return (Reason("unstable", words),)
    found: list[Reason] = []
    for suspect in suspects(declared):
        reason = _fitted(suspect, run, first.false_alarm)
        if reason is not None and not any(_same(reason, other) for other in found):
            found.append(reason)
    found += list(_apart(declared, run, first.false_alarm))
    if not found:
        found += list(_elsewhere(declared, run, first.false_alarm))
    if not found:
        straight, bent = _straight(declared, run, first)
        if straight is not None or _only_pulls(first):
            found.append(_curved(declared, run, first, straight))
        elif bent:
            found.append(_bent(run, first))
    if not found:
        found += list(_edited(declared, run, first.false_alarm))
    return _likely(found, first.false_alarm) or (_unknown(first),)


def _grown(run: Run) -> float:
    """How much farther from the mode a run is at its end than at its beginning."""
    part = max(run.draws // 10, 1)
    begins, ends = np.abs(run.positions[:, :part]).max(), np.abs(run.positions[:, -part:]).max()
    return float(ends / begins) if begins > 0 else 1.0


def _likely(found: list[Reason], false_alarm: float) -> tuple[Reason, ...]:
    """The most likely first, without those that are so much less likely that chance does not make it."""
    found = sorted(found, key=lambda reason: -reason.height)
    worth = found[0].height + math.log(false_alarm) if found else 0.0
    return tuple(reason for reason in found if reason.height >= worth)[:_MOST]


def _fitted(suspect: Suspect, run: Run, false_alarm: float) -> Reason | None:
    """The suspect at its most likely number, if all tests accept it there."""
    part, short = run.thinned(_PART), run.thinned(_SHORT)

    def height(log: float, run: Run = short) -> float:
        try:
            found = innovations(suspect.step(float(np.exp(log))), run.positions).logarithm
        except _REFUSED:
            return float("-inf")
        return found if np.isfinite(found) else float("-inf")

    grid = np.linspace(-_WIDE, _WIDE, _GRID)
    heights = np.array([height(x) for x in grid])
    if not np.isfinite(heights).any():
        return None
    best, width = float(grid[heights.argmax()]), float(grid[1] - grid[0])
    for looked in (short, short, part, part):
        best, width = _nearer(lambda x, looked=looked: height(x, looked), best, width)  # type: ignore[misc]
    if not _accepts(suspect, best, part, false_alarm):
        return None
    for _ in range(3 if run.draws > _PART else 0):
        best, width = _nearer(lambda x: height(x, run), best, width)
    x = float(np.exp(best))
    try:
        step = suspect.step(x)
        told = held(run, step, false_alarm)
    except _REFUSED:
        return None
    if abs(best) > _WIDE or not told.agrees:
        return None
    return Reason(suspect.name, suspect.told(x), x, x * width, step, told.found.logarithm)


def _accepts(suspect: Suspect, log: float, run: Run, false_alarm: float) -> bool:
    try:
        return held(run, suspect.step(float(np.exp(log))), false_alarm).agrees
    except _REFUSED:
        return False


def _nearer(height: Callable[[float], float], best: float, width: float) -> tuple[float, float]:
    """The top of the parabola through three places, and the standard error that its bend says."""
    low, here, high = height(best - width), height(best), height(best + width)
    if not np.isfinite([low, here, high]).all():
        return best, width / 4
    bend = (low + high - 2 * here) / width**2
    if bend >= 0:
        return best + (width if high > low else -width), width
    moved = float(np.clip((high - low) / (2 * width) / -bend, -2 * width, 2 * width))
    error = float(1 / np.sqrt(-bend))
    return best + moved, min(max(error, width / 30), 2 * width)


def _same(one: Reason, other: Reason) -> bool:
    a, b = one.step, other.step
    if a is None or b is None:
        return False
    return bool(np.allclose(a.M, b.M, rtol=1e-6) and np.allclose(a.Q, b.Q, rtol=1e-6))


def _accepted(run: Run, step: Step, false_alarm: float) -> float | None:
    """The logarithm of the likelihood, if all tests accept the step; a short look first."""
    try:
        with np.errstate(all="ignore"):
            if not held(run.thinned(_PART), step, false_alarm).agrees:
                return None
            whole = held(run, step, false_alarm)
    except _REFUSED:
        return None
    return whole.found.logarithm if whole.agrees else None


def _apart(declared: Declared, run: Run, false_alarm: float) -> Iterator[Reason]:
    """More steps, or fewer, between draws than was said."""
    for steps in {*_APART, 1} - {declared.every}:
        other = replace(declared, every=steps).step()
        height = _accepted(run, other, false_alarm)
        if height is not None:
            words = (
                f"Its draws are {steps} steps apart, not {declared.every}: say --every {steps} if it was"
                " thinned so."
            )
            yield Reason("thinning", words, float(steps), 0.0, other, height)


def _elsewhere(declared: Declared, run: Run, false_alarm: float) -> Iterator[Reason]:
    """The same law about another place."""
    step = declared.step()
    D, draws = step.D, min(run.draws, 400)
    at_rest = np.tile(np.eye(D)[:, None, :], (1, draws, 1)) + step.rest[step.seen]
    response = innovations(step, at_rest).raw[-1].T  # of innovations to a shift of all positions
    mean = innovations(step, run.positions).raw.mean(axis=(0, 1))
    try:
        shift = np.linalg.solve(response, mean)
    except np.linalg.LinAlgError:
        return
    there = replace(run, positions=run.positions - shift)
    if _accepted(there, step, false_alarm) is not None:
        spread = np.sqrt(np.diag(step.settled)[step.seen])
        k = int(np.abs(shift / spread).argmax())
        words = (
            f"It moves about another place: coordinate {k + 1} is off by {shift[k]:.4g}, which is"
            f" {abs(shift[k] / spread[k]):.3g} of its standard deviations. All else agrees: the mode is"
            " another, or something pulls, such as a prior that was left out."
        )
        b = step.b.copy()
        b[step.seen] += (np.eye(D) - step.M[step.seen, step.seen]) @ shift
        yield Reason("mode", words, float(shift[k]), None, replace(step, b=b))


def _bent(run: Run, first: Held) -> Reason:
    tests = [t for t in first.tests if t.name.startswith(BEND) and t.name in first.comparison.rejected]
    worst = min(tests, key=lambda t: t.p_value)
    axis = worst.name.removeprefix(f"{BEND} along ").partition(",")[0]
    kind = "its square" if worst.name.endswith("squares") else "its cube"
    words = (
        f"The loss is not quadratic where the run goes: along {axis} of the curvature, which is"
        f" {_axis(run, axis)}, the pull depends on the distance from the mode and on {kind}."
    )
    return Reason("not quadratic", words, worst.effect, None)


def _only_pulls(first: Held) -> bool:
    return all(name.startswith(PULL) for name in first.comparison.rejected)


def _straight(declared: Declared, run: Run, first: Held) -> tuple[Step | None, bool]:
    """The matrix and the place of rest that draws follow, by least squares; and whether they bend then.

    The noise is as it is. Where a state is hidden there is no such fit, and the declared step speaks.
    """
    step = declared.step()
    if len(step.M) > step.D:
        return None, first.rejects(BEND)
    before = np.moveaxis(run.positions[:, :-1], 1, 0).reshape(-1, step.D)
    after = np.moveaxis(run.positions[:, 1:], 1, 0).reshape(-1, step.D)
    fitted = np.linalg.lstsq(np.c_[before, np.ones(len(before))], after, rcond=None)[0]
    found = replace(step, M=fitted[:-1].T, b=fitted[-1])
    try:
        told = held(run, found, first.false_alarm)
    except _REFUSED:
        return None, first.rejects(BEND)
    return (found if told.agrees else None), first.rejects(BEND) and told.rejects(BEND)


def _curved(declared: Declared, run: Run, first: Held, straight: Step | None) -> Reason:
    """The noise is right, and only how far a step goes back is not: another curvature."""
    told: list[tuple[float, str]] = []
    step = declared.step()
    for test in first.tests:
        if not test.name.startswith(f"{PULL} along") or not test.statistic:
            continue
        axis, factor = test.name.removeprefix(f"{PULL} along "), 1 + test.effect
        if straight is not None:
            front = run.axes[int(axis.split()[-1]) - 1]
            factor = (1 - front @ straight.M @ front) / (1 - front @ step.M @ front)
        error = abs(test.effect / test.statistic)
        words = f"{factor:.3g} ± {error:.1g} times along {axis}, {_axis(run, axis)}"
        told.append((abs(factor - 1) / error, words))
    shown = [words for _, words in sorted(told, reverse=True)[:_MOST]]
    shown = shown or [f"{first.pull[0]:.3g} ± {first.pull[1]:.1g} times"]
    words = (
        "The noise is right, and the pull towards the mode is not what the curvature says:"
        f" {'; '.join(shown)}. The curvature is another there, or the loss is not quadratic where the"
        " run goes."
    )
    if straight is None:
        return Reason("curvature", words)
    shift = straight.rest / np.sqrt(np.diag(straight.settled))
    k = int(np.abs(shift).argmax())
    if abs(shift[k]) > _ELSEWHERE:
        words += (
            f" It rests elsewhere too: coordinate {k + 1} at {straight.rest[k]:+.4g} from the mode, so"
            " that something else pulls as well, such as a prior that was left out."
        )
    return Reason("curvature", words, step=straight)


def _axis(run: Run, name: str) -> str:
    front = run.axes[int(name.split()[-1]) - 1]
    k = int(np.abs(front).argmax())
    return f"mostly coordinate {k + 1}" if len(front) > 1 else "the only one"


def _edited(declared: Declared, run: Run, false_alarm: float) -> Iterator[Reason]:
    """Edits of the declared updates, as the checker knows them."""
    until = time.process_time() + _SECONDS
    for candidate in edits(declared.sampler):
        if time.process_time() > until:
            return
        if candidate.kurtosis != 3 or candidate.variant.sees_the_clock:
            continue
        try:
            step = declared.step(candidate.variant, candidate.numbers(declared.numbers))
        except _REFUSED:
            continue
        if _accepted(run, step, false_alarm) is not None:
            told = worded(declared.sampler, candidate)
            yield Reason(candidate.name, told.words, step=step)
            return


def _unknown(first: Held) -> Reason:
    (pull, pull_error), (size, size_error) = first.pull, first.size
    words = (
        "No fault that is known has this law. A draw is pulled towards the mode"
        f" {pull:.4g} ± {pull_error:.2g} times as far as it should be by the one before, and the noise"
        f" between draws has {size:.4g} ± {size_error:.2g} times the variance that it should have."
    )
    return Reason("unknown", words)
