"""``advise``: a sampler and all its numbers, their expected error, and what surrounds the choice."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from sgtheory import registry
from sgtheory.advice import search
from sgtheory.advice.arms import Arm, arms_of
from sgtheory.advice.beyond import beyond
from sgtheory.advice.budget import Budget
from sgtheory.advice.caring import EXTRAPOLATED, Care, Error
from sgtheory.advice.posed import APPROXIMATE, STARTS, Posed, Truth, scaled
from sgtheory.advice.records import Advice, Misjudged, Option, Reference
from sgtheory.declare import Sampler
from sgtheory.errors import UnusableInput
from sgtheory.language import FullGradient, Gradient, mode, symbols_of
from sgtheory.numbers.frame import RESIDUAL
from sgtheory.problem import ProblemLike, as_problem
from sgtheory.reader import native, reading

SAMPLERS = ("sgld", "sgldfp", "sghmc")
LOCAL = ("local_sgld",)  # for local learning coefficients
WITHOUT_NOISE = ("sgd",)  # considered where the whole law matters and not its mean alone
_WORTH = 3.0  # times the best error of the grids: worse arms are searched less
_LONG, _SHORT = 60, 20  # evaluations of a simplex
_AS_GOOD = 1.1  # times the least error that a search saw: these are told exactly, and compared
_FITS = 1.5  # by what factor residuals may be off from the variance that they are given
_BUDGETS = (1 / 16, 1 / 4, 4.0, 16.0)
_TWICE = Fraction(2)

NORMAL = (
    "The scatter of sample variances is that of normal chains; on real minibatches chains are only"
    " nearly normal."
)

Progress = Callable[[int, int], None]


def advise(
    problem: ProblemLike,
    *,
    passes: float | None = None,
    gradients: float | None = None,
    seconds: float | None = None,
    care: str = "both",
    of: Sequence[Any] | None = None,
    samplers: Sequence[str] | None = None,
    start: str | None = None,
    keep: int | None = None,
    fixed: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Which sampler, step, batch, length and burn-in make the error smallest that a budget can buy.

    The budget is a number of ``passes`` over the data, of ``gradients`` of single examples, or of
    ``seconds``. ``care`` says what the error is of: "mean", "variance", "both" of
    them, "worst" (the mean in its worst direction), "coefficient" (the local learning coefficient),
    "predictive" (the predictive means of a linear model at its examples), "quadratic" (the mean of
    theta^T B theta) or "kl" (of the last state's law); ``of`` are the weights of a linear functional
    that is asked about in place of all coordinates, or the rows of B. A run starts at ``start``:
    "typical", "mode", "zero", or "given" by the problem. ``keep`` is how many states it may keep.
    Numbers in ``fixed`` are not searched. Samplers that do well are also tried with two independent
    runs, at a step and at half of it, extrapolated.

    >>> problem = {"hessian": [[2, 0], [0, 1]], "noise": [[1, 0], [0, 1]], "N": 1000}
    >>> found = advise(problem, passes=100, samplers=["sgld"])
    >>> found.best.sampler, found.best.error.value < 0.3
    ('sgld', True)
    """
    begun = time.perf_counter()
    read = as_problem(problem)
    posed = Posed.of(read, start)
    about = Care.about(care, of, posed)
    if care in ("mean", "worst", "predictive") and not posed.away.any():
        got = "one at the mode, where a run that hardly moves is exact"
        raise UnusableInput("a start that does not know the mean", got, "ask for start typical")
    budget = Budget.of(posed.N, read.D, passes, gradients, seconds)
    numbers, names = native.plain(dict(fixed or {})), _names(samplers, care, posed)
    _check_fixed(numbers, names)
    for name in names:
        reading.check_meant(read.params, read.start, read.sizes, registry.sampler(name, numbers))
    numbers |= reading.params(numbers, read.D)
    arms = [arm for name in names for arm in arms_of(name, posed, about, budget, numbers, _kept(keep))]
    for arm in arms:
        arm.values  # noqa: B018  # numbers that no run can have are refused before they are tried
    found = []
    for done, arm in enumerate(arms):
        if progress is not None:
            progress(done, 2 * len(arms))
        found.append(search.coarse(arm))
    least = min(f.value for f in found)
    if not math.isfinite(least):
        got = f"none of {', '.join(names)} settles in it"
        raise UnusableInput("a budget in which some sampler settles", got, "give a larger budget")
    places = []
    for done, place in enumerate(found, len(arms)):
        if progress is not None:
            progress(done, 2 * len(arms))
        promising = place.value < least + math.log(_WORTH)
        places.append(search.downhill(place, _LONG if promising else _SHORT))
    pairs = [(option, place) for place in places if (option := search.chosen(place)) is not None]
    pairs.sort(key=lambda pair: pair[0].error.value)
    if not pairs:
        raise UnusableInput("a budget in which some sampler settles", "none", "give a larger budget")
    pairs += _extrapolated(pairs, about)
    pairs.sort(key=lambda pair: pair[0].error.value)
    best, place = pairs[0]
    pairs[0] = search.neighbours(best, place.arm), place
    pairs = _sharpened(pairs, about)
    best, place = pairs[0]
    met = None if _sees_mode(place.arm.sampler) else beyond(best, place.arm)
    return Advice(
        care=about,
        truth=posed.truth,
        budget=budget.words,
        start=STARTS[posed.start],
        options=tuple(option for option, _ in pairs),
        references=_references(posed, about, budget),
        pareto=_pareto(pairs),
        headroom=_headroom(best, place.arm),
        misjudged=_misjudged(best, place.arm),
        beyond=met,
        notes=_notes(posed, about, best, place.arm),
        seconds=time.perf_counter() - begun,
    )


def _names(samplers: Sequence[str] | None, care: str, posed: Posed) -> tuple[str, ...]:
    """The samplers that are asked for; else those whose noise the problem knows."""
    if samplers is not None:
        names = tuple(samplers)
        if not names:
            raise UnusableInput("samplers to choose among", "none", "name some, or leave it out")
        return names
    if care == "coefficient":
        return LOCAL
    names = SAMPLERS if care in ("mean", "worst", "predictive") else (*SAMPLERS, *WITHOUT_NOISE)
    if posed.problem.examples is not None:
        return names
    return tuple(name for name in names if not _sees_mode(registry.sampler(name)))


def _sees_mode(sampler: Sampler) -> bool:
    """Whether gradients at the mode are subtracted: what is left is noise of the curvatures' spread."""
    gradients = {g for _, update in sampler.updates for g in update.atoms(Gradient, FullGradient)}
    return any(mode in symbols_of(g) for g in gradients)


def _check_fixed(fixed: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse what no sampler has a letter for."""
    known = {"S"} | {k for name in names for k in reading.letters(registry.sampler(name, fixed))}
    for name in fixed:
        if name not in known:
            raise UnusableInput(f"numbers among {', '.join(sorted(known))}", name, "fix one of these")


def _kept(keep: int | None) -> int | None:
    if keep is not None and (isinstance(keep, bool) or not isinstance(keep, int) or keep < 2):
        raise UnusableInput("a number of states to keep, from 2", repr(keep), "change keep")
    return keep


def _extrapolated(
    pairs: list[tuple[Option, search.Found]], care: Care
) -> list[tuple[Option, search.Found]]:
    """The best of every sampler that does well, once more from two runs at a step and half of it."""
    if care.what not in EXTRAPOLATED:
        return []
    near = {option.sampler: place for option, place in reversed(pairs) if _is_near(option, pairs)}
    found, least = [], math.log(pairs[0][0].error.value)
    for place in near.values():
        begin = search.longer(replace(place, arm=place.arm.but(extrapolated=True)))
        if begin.value > least + math.log(_WORTH):
            continue
        place = search.downhill(begin, _SHORT)
        option = search.chosen(place)
        if option is not None:
            found.append((option, place))
    return found


def _sharpened(
    pairs: list[tuple[Option, search.Found]], care: Care
) -> list[tuple[Option, search.Found]]:
    """With the examples' fourth moments in the errors of the best and of what is as good, once more."""
    if care.what not in ("both", "variance"):
        return pairs
    least, found = pairs[0][0].error.value, []
    for option, place in pairs:
        if option.error.value <= _AS_GOOD * least:
            chain = option.chain.sharpened
            error = care.error(chain, option.schedule, place.arm.posed.truth)
            option = replace(option, chain=chain, error=error)
        found.append((option, place))
    return sorted(found, key=lambda pair: pair[0].error.value)


def _pareto(pairs: list[tuple[Option, search.Found]]) -> tuple[Option, ...]:
    """The best option for smaller and larger budgets, of samplers that do well here; cheapest first."""
    near = {
        (option.sampler, option.extrapolated): place
        for option, place in reversed(pairs)
        if _is_near(option, pairs)
    }
    found = [pairs[0][0]]
    for factor in _BUDGETS:
        places = [_at_budget(place, factor) for place in near.values()]
        least = min(place.value for place in places)
        options = [search.chosen(p) for p in places if p.value <= least + math.log(_AS_GOOD)]
        found += sorted(filter(None, options), key=lambda o: o.error.value)[:1]
    return tuple(sorted(found, key=lambda option: option.passes))


def _is_near(option: Option, pairs: list[tuple[Option, search.Found]]) -> bool:
    return option.error.value <= _WORTH * pairs[0][0].error.value


def _at_budget(place: search.Found, factor: float) -> search.Found:
    arm = place.arm.but(budget=place.arm.budget.times(factor))
    begin = search.Found(arm, place.place, search.value_of(arm, place.place))
    if not math.isfinite(begin.value):
        begin = search.coarse(arm)
    return search.downhill(begin, _SHORT)


def _headroom(best: Option, arm: Arm) -> float:
    """The largest step that is stable, also in mean square, over the one chosen."""
    numbers, step = best.numbers, arm.sampler.step.name
    low, high = float(numbers[step]), arm.limit(numbers) * 0.999
    if low >= high or _settles(arm, {**numbers, step: Fraction(high)}):
        return max(high / low, 1.0)
    first = low
    while high > 1.01 * low:
        middle = math.sqrt(low * high)
        settles = _settles(arm, {**numbers, step: Fraction(middle)})
        low, high = (middle, high) if settles else (low, middle)
    return low / first


def _settles(arm: Arm, numbers: Mapping[str, Fraction]) -> bool:
    return arm.chain(arm.at(numbers), roughly=arm.thinned is not None) is not None


def _misjudged(best: Option, arm: Arm) -> tuple[Misjudged, ...]:
    values, found = arm.at(best.numbers), []
    for what in ("curvature", "noise"):
        for factor in (_TWICE, 1 / _TWICE):
            curvature = factor if what == "curvature" else Fraction(1)
            noise = factor if what == "noise" else Fraction(1)
            chain = arm.chain(scaled(values, curvature, noise), follow=True)
            truth = Truth(arm.posed.truth.covariance / float(curvature))
            if chain is not None and best.chain.by_examples:
                chain = chain.sharpened
            error = None if chain is None else arm.care.error(chain, best.schedule, truth)
            found.append(Misjudged(what, float(factor), error))
    return tuple(found)


def _references(posed: Posed, care: Care, budget: Budget) -> tuple[Reference, ...]:
    """Methods that take the whole gradient at every step."""
    if care.what == "coefficient":  # of a tempered posterior, which these are not after
        return ()
    found = []
    (arm,) = arms_of("lmc", posed, care, budget, {}, None)
    option = search.chosen(search.downhill(search.coarse(arm), _SHORT))
    if option is not None:
        step = option.params[arm.sampler.step.name]
        found.append(
            Reference("lmc", option.error, f"{option.schedule.steps:,} steps of {step:g}; its exact law")
        )
    eigenvalues = np.linalg.eigvalsh(posed.curvature)
    leapfrog = math.ceil(math.pi / 2 * math.sqrt(eigenvalues[-1] / eigenvalues[0]) * posed.asked.D**0.25)
    draws = budget.steps(posed.N) // leapfrog
    if draws and not care.of_last_state:
        scatter = math.sqrt(({"both": 1.5, "variance": 2.0}.get(care.what, 1.0)) / draws)
        rule = (
            f"a rule: {draws:,} independent draws, each of {leapfrog:,} leapfrog steps, the next whole"
            " number from (pi/2) sqrt(largest/smallest curvature) D^(1/4)"
        )
        found.append(Reference("hmc", Error(scatter, 0.0, scatter), rule))
    return tuple(found)


def _told_beyond(best: Option, arm: Arm) -> str:
    """What the examples' fourth moments add to the error of the choice."""
    chain = arm.chain(arm.at(best.numbers), follow=True)
    assert chain is not None
    normal = arm.care.error(chain, best.schedule, arm.posed.truth)
    return (
        "The scatter of sample variances counts the fourth moments of the examples, for the choice and"
        f" what is nearly as good: of normal chains the error would be {normal.value:.3g}. Other rows"
        " take chains as normal."
    )


def _seen_roughly(best: Option, arm: Arm) -> str:
    """How the search saw errors, and how far it was off at the choice."""
    how = ["took the noise of the examples' curvatures from a table of modes"] if arm.has_table else []
    if arm.thinned is not None:
        how.append(f"looked at {len(arm.thinned.places)} of {best.problem.D} modes")
    told = f"The search {', and '.join(how)}"
    seen = arm.tried(best.numbers)
    if seen is not None:
        off = 100 * abs(seen[0].value / best.error.value - 1)
        told += f"; at the choice, the error that it saw was {off:.2g} % off"
    told += ". All errors here are those of the exact law"
    told += f", to a residual of {RESIDUAL:g}." if arm.has_table else "."
    if arm.thinned is not None and arm.has_table:
        told += " By how much longer steps are stable is what the table says."
    return told


def _misfit(posed: Posed) -> str | None:
    """Whether residuals are much larger, or smaller, than the variance that the problem gives them."""
    said, examples = posed.asked.numbers.get("sigma2"), posed.asked.examples
    if said is None or examples is None:
        return None
    inverse = np.linalg.pinv(examples.shared, hermitian=True)
    times = np.trace(inverse @ examples.noise) / np.trace(inverse @ examples.shared)
    if 1 / _FITS <= times <= _FITS:
        return None
    return (
        f"The variance of residuals is taken to be sigma2 = {float(said):.3g}, but where the loss is"
        f" smallest it is about {times * float(said):.2g}: the posterior that is asked about is"
        f" {'wider' if times < 1 else 'narrower'} than the data say. Give sigma2 in the problem."
    )


def _notes(posed: Posed, care: Care, best: Option, arm: Arm) -> tuple[str, ...]:
    notes = []
    if (misfit := _misfit(posed)) is not None:
        notes.append(misfit)
    if posed.asked.model is not posed.problem.model:
        notes.append(APPROXIMATE)
    if care.what in ("mean", "worst", "predictive"):
        notes.append(
            "The mean of a normal posterior is its mode, which an optimiser finds without sampling."
            " This is the error of a run that does not know that."
        )
    if not arm.searched_exactly:
        notes.append(_seen_roughly(best, arm))
    chain = best.chain
    spread = posed.problem.examples is not None and posed.problem.examples.U is not None
    if spread and "S" in best.params:
        if not chain.followed:
            notes.append(
                "The noise of the first steps is taken to be what it is once the chain has settled:"
                " there are too many dimensions to follow it from the start."
            )
        if care.what in ("both", "variance"):
            notes.append(NORMAL if not chain.by_examples else _told_beyond(best, arm))
    if care.what in ("both", "variance") and not chain.counts_start:
        notes.append(
            "The scatter of sample variances is that of a chain that has settled: there are too many"
            " dimensions to count the start in it."
        )
    if _sees_mode(arm.sampler):
        notes.append(
            f"{best.sampler} needs the mode, and the whole gradient there, before it starts: that is not"
            " counted."
        )
        if posed.problem.examples is None:
            notes.append(
                "What its minibatches add is the spread of the examples' curvatures, of which this"
                " problem says nothing: it is taken to be none, and the true error is larger."
            )
    if not arm.sampler.noises:
        notes.append(
            f"{best.sampler} injects no noise: its law is near the posterior only as far as the"
            " covariance of gradients is what the problem says."
        )
    if best.error.value > 1 and care.what in ("mean", "worst", "predictive"):
        notes.append("The budget buys less than one draw of the posterior would: ask with a larger one.")
    return tuple(notes)
