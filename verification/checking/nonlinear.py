"""Problems for samplers without an exact law: found by running our own kernels, not by eigenvalues.

A problem is used where our chains stay near the mode, and where a change of any parameter changes what
they do by more than a measurement resolves. Chains of both runs see the same random numbers, so that a
few of them tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Curvature, Gradient
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.language import FullGradient, Prior, PriorCurvature, Table
from sgtheory.onestep.affine import drive
from sgtheory.setting import Setting
from verification.checking.cases import Case, having
from verification.checking.reference import Kernels

Array = Any

_CHAINS, _MANY = 512, 2**14
_TRIES, _ENOUGH = 300, 0.15
_CHOICES = 6
_FAR = 40.0  # spreads of the last positions: chains beyond that are on their way out
_LOST = 0.25  # of all chains, where some may leave: the others fill the inner parts that are counted
_CHANGED = Fraction(3, 4)
_LARGEST, _SMALLEST, _FLAT = 1e6, 1e-6, 1e-3


def check_possible(sampler: Any) -> None:
    """Refuses, with the reason, what a foreign step cannot be held against."""
    if any(isinstance(s, Table) for s in sampler.state):
        raise UnusableInput(
            "a sampler whose gradients a foreign step can be handed",
            f"{sampler.name}, which remembers a point for each example",
            "check svrg_ld or sgld, or test it by hand on the numbers of sgtheory simulate",
        )
    if sampler.batches == "reshuffled":
        raise UnusableInput(
            "a sampler whose minibatches are drawn anew in every step",
            f"{sampler.name}, whose epochs meet every example once: what we hand in has no epochs",
            "check its step like sgd",
        )


def moves_with_the_mode(sampler: Any) -> bool:
    """Whether a sampler sees its position through gradients alone, so that the mode may lie anywhere.

    Weight decay and springs to a point of their own do not: the mode of their problems is 0.

    >>> from sgtheory import registry
    >>> [moves_with_the_mode(registry.sampler(n)) for n in ("sgld", "sgrld", "vem_sgd", "psgld")]
    [True, False, False, True]
    """
    try:
        return not any(drive(Setting(sampler, registry.model("linear_regression")), "discrete").values())
    except NotAffine:
        pass
    theta = next(s for s in sampler.state if s.name == "theta")
    seen = False
    for target, expr in sampler.updates:
        blind = expr
        for seen_through in (Gradient, Curvature, FullGradient, Prior, PriorCurvature):
            blind = blind.replace(seen_through, _nothing)
        if target == theta:
            blind = blind - theta
        elif target in sampler.positions or blind == theta:
            continue
        seen = seen or theta in blind.expand().free_symbols
    return not seen


def _nothing(*_: Any) -> Any:
    return sp.Integer(0)


def settled(
    setting: Setting, tries: Iterator[Case], tried_most: int = _TRIES, leaving: bool = False
) -> Case | None:
    """Of some problems on which our chains stay, that on which every parameter matters most.

    Or on which few are ``leaving``: the laws of some samplers have no moments, and comparisons by counts
    need none.
    """
    kernels = None
    found: list[tuple[float, Case]] = []
    for tried, _ in zip(tries, range(tried_most), strict=False):
        try:
            kernels = kernels or Kernels.of(setting.sampler, tried)
            tried = replace(tried, beyond=_reach(kernels, tried)) if leaving else tried
            before = _stays(kernels, tried, _CHAINS)
            if before is not None and _stays(kernels, tried, _MANY) is not None:
                found.append((_least(kernels, tried, before), tried))
        except (UnusableInput, ArithmeticError, ValueError):
            continue
        if len(found) == _CHOICES or (found and found[-1][0] > _ENOUGH):
            break
    return max(found, key=lambda x: x[0])[1] if found else None


def _stays(kernels: Kernels, case: Case, chains: int) -> Array | None:
    """The positions of some chains, if none runs away and all that should moves."""
    with np.errstate(all="ignore"):
        found = kernels.positions(case, chains, 1)
    if not np.isfinite(found).all():
        return None
    if np.abs(found).max() > _LARGEST:
        return None
    spread, far = found.std(axis=0), np.abs(found - np.tile(case.mode, len(case.times)))
    last = spread[-case.D :]
    size = _begin(case) + last.max()
    stays = case.left(found).mean() < _LOST if case.beyond else far.max() < _FAR * size
    if not (last.min() > _SMALLEST and stays):
        return None
    return found if (last > size * _FLAT).all() else None


def _reach(kernels: Kernels, case: Case) -> float:
    """So far that most chains stay nearer, whatever few of them do."""
    with np.errstate(all="ignore"):
        found = kernels.positions(case, _CHAINS, 1)[:, -case.D :] - np.array(case.mode)
    middle = np.median(np.where(np.isfinite(found), np.abs(found), np.inf), axis=0)
    return float(_FAR * (_begin(case) + middle.max()))


def _begin(case: Case) -> float:
    return max(abs(float(x)) for x in case.problem.start["theta"])


def _least(kernels: Kernels, case: Case, before: Array) -> float:
    """How much the positions' law changes, at least, when a parameter does: in standard deviations."""
    changes = []
    for name, value in case.problem.params.items():
        if isinstance(value, Fraction):
            other = value + 1 if value.denominator == 1 and value > 1 else value * _CHANGED
            try:
                changed = replace(case, problem=having(case.problem, {name: other}))
                after = kernels.positions(changed, _CHAINS, 1)
            except UnusableInput:  # out of its range
                continue
            changes.append(_differs(*_bounded(before, after) if case.beyond else (before, after)))
    return min(changes, default=0.0)


def _bounded(before: Array, after: Array) -> tuple[Array, Array]:
    """Where few are far, who is far would decide any moment: what most do does."""
    middle = np.median(before, axis=0)
    wide = np.median(np.abs(before - middle), axis=0) + 1e-300
    return np.tanh((before - middle) / wide), np.tanh((after - middle) / wide)


def _differs(before: Array, after: Array) -> float:
    """In means and in spreads, whichever more."""
    if not np.abs(after).max() < _LARGEST:
        return 1.0
    spread = np.maximum(before.std(axis=0), 1e-9)
    moved = np.abs(after.mean(axis=0) - before.mean(axis=0)) / spread
    wider = np.abs(after.std(axis=0) / spread - 1)
    return float(max(moved.max(), wider.max()))
