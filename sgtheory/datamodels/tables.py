"""Tables: a vector of a chain's own for each example. Here a setting that has one is written out.

A state for each example, and a number for each that says how often a minibatch has it: with so many
words more a kernel carries a table, as long as there are few examples.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.datamodels.coordinates import Coordinates, Drawn, ExampleNumber, ExampleRow, Seen
from sgtheory.declare import Sampler
from sgtheory.errors import UnusableInput
from sgtheory.language import (
    DataVector,
    FullGradient,
    Gradient,
    S,
    State,
    Table,
)
from sgtheory.setting import Setting

MOST = 32  # examples: each has a state, and each step meets them all


def tabled(setting: Setting, examples: int | None) -> Setting:
    """The setting with a state for each example, where its sampler has a table; else itself."""
    tables = [s for s in setting.sampler.state if isinstance(s, Table)]
    if not tables:
        return setting
    model, name = setting.model, setting.sampler.name
    if examples is None or model.example is None or model.example.atoms(Coordinates):
        raise UnusableInput(
            "a model of data whose examples have margins",
            f"{model.name} for {name}, whose table has a row for each example",
            "take linear_regression, logistic_regression or gaussian_mean",
        )
    if examples > MOST:
        raise UnusableInput(
            f"at most {MOST} examples for {name}, whose table is a part of every chain's state",
            f"{examples}",
            "take svrg_ld, whose memory does not grow with the data",
        )
    states = {a: [State(f"{a.name}_{n}", real=True) for n in range(examples)] for a in tables}
    return replace(setting, sampler=_written_out(setting.sampler, model, states, examples))


def _written_out(sampler: Sampler, model: Any, states: Any, examples: int) -> Sampler:
    def at(point: Any, n: int) -> Any:
        """The gradient of one example's loss."""
        of = {s: (ExampleRow if isinstance(s, DataVector) else ExampleNumber)(s, n) for s in model.data}
        return sp.sympify(model.example).xreplace({model.x: point, **of})

    def over(point: Any, share: Any) -> Any:
        return sp.Add(*(share(n) * at(states[point][n], n) for n in range(examples)))

    def drawn(point: Any, draw: Any) -> Any:
        if point not in states:
            return Gradient(point, draw)
        return over(point, lambda n: Drawn(n, draw) / S)

    def whole(point: Any) -> Any:
        if point not in states:
            return FullGradient(point)
        return over(point, lambda _: sp.Rational(1, examples))

    def remembered(n: int) -> Any:
        return lambda a, x, draw: sp.Piecewise((x, Drawn(n, draw) > 0), (a, True))

    updates: list[Any] = []
    for target, expr in sampler.updates:
        expr = sp.sympify(expr).replace(Gradient, drawn).replace(FullGradient, whole)
        if target not in states:
            updates.append((target, expr))
            continue
        for n in range(examples):
            own = expr.replace(Seen, remembered(n))
            updates.append((states[target][n], own.xreplace({a: rows[n] for a, rows in states.items()})))
    everything = tuple(s for a in sampler.state for s in states.get(a, [a]))
    return replace(sampler, state=everything, updates=tuple(updates))
