"""Lowering: from a setting's SymPy updates to a program, whose instructions a writer writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Drawn
from sgtheory.datamodels.tables import tabled
from sgtheory.declare import BatchMean, Noise
from sgtheory.setting import Setting
from simulators.philox import stream
from simulators.program import GRADIENT, INJECTED, MINIBATCH, START, Block, Draw, Program, Rewritten
from simulators.rewrites import FOLD, Rewrite, matrix_products
from simulators.writer import Constants, NotLowered, Writer

__all__ = ["NotLowered", "lower"]


def lower(
    setting: Setting,
    rewrites: Sequence[Rewrite] = (FOLD,),
    replacement: bool = True,
    examples: int | None = None,
) -> Program:
    """The program of a sampler on a model; of data, minibatches are drawn with or without replacement.

    >>> from sgtheory import registry
    >>> print(lower(Setting(registry.sampler("sgd"), registry.model("quadratic"))))
    program sgd on quadratic
    states theta
    $0 = matrix Product(-eps, H, A)
    $1 = matrix Product(-eps/sqrt(S), H, B)
    step:
      w0 = draw gradient noise 0
      %0 = matvec $0, theta
      %1 = matvec $1, w0, %0
      %2 = add %1, theta
      theta <- %2
    <BLANKLINE>
    """
    setting = tabled(setting, examples)
    if setting.model.example is not None:
        if setting.reshuffled:
            raise NotLowered(
                "minibatches that are drawn anew in every step",
                f"the epochs of {setting.sampler.name} on {setting.model.name}",
                "simulate the quadratic model with the same A and C",
            )
        setting = replace(setting, sampled=True)
    updates, report = _rewrite(setting.updates, rewrites)
    constants = Constants(replacement, setting.model.labels)
    by_purpose = {GRADIENT: setting.gradient_noises, INJECTED: setting.injected_noises}
    step = _block(updates, by_purpose, constants, setting.state)
    start = _block(setting.sampler.start, {START: setting.injected_noises}, constants, setting.state)
    return Program(
        sampler=setting.sampler.name,
        model=setting.model.name,
        states=tuple(s.name for s in setting.state),
        constants=tuple(constants.made),
        step=step,
        start=start,
        rewrites=report,
        weights=tuple(constants.weights),
    )


def _rewrite(updates: Any, rewrites: Sequence[Rewrite]) -> tuple[Any, tuple[Rewritten, ...]]:
    report = []
    for rewrite in rewrites:
        after = tuple((target, rewrite.apply(sp.sympify(e))) for target, e in updates)
        counts = [sum(matrix_products(e) for _, e in us) for us in (updates, after)]
        report.append(Rewritten(rewrite.name, *counts))
        updates = after
    return updates, tuple(report)


def _block(updates: Any, noises: Any, constants: Constants, states: Any) -> Block:
    used = set().union(*(sp.sympify(e).atoms(Noise) for _, e in updates))
    draws = _minibatches(updates, constants)
    for purpose, symbols in noises.items():
        for noise in (w for w in symbols if w in used):
            of = stream(purpose, noise.law)
            slot = sum(d.purpose == of for d in draws)
            draws.append(Draw(noise.name, of, slot, noise.law))
    writer = Writer(constants, {s: s.name for s in (*states, *used)})
    for target, expr in updates:
        value = writer.value(sp.sympify(expr))
        writer.names[target] = value
    outputs = tuple(
        (s.name, writer.names[s]) for s in states if any(target == s for target, _ in updates)
    )
    return Block(tuple(draws), tuple(writer.instructions), outputs)


def _minibatches(updates: Any, constants: Constants) -> list[Draw]:
    drawn = {int(b.args[1]) for _, e in updates for b in sp.sympify(e).atoms(BatchMean, Drawn)}
    law = "with replacement" if constants.replacement else "without replacement"
    return [Draw(f"i{k}", MINIBATCH, k, law) for k in sorted(drawn)]
