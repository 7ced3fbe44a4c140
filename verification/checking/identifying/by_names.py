"""Declarations without a law in closed form: those whose letters a step speaks are run against it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.onestep.affine import is_affine
from sgtheory.setting import Setting
from verification.checking.faults import conventions
from verification.checking.nonlinear import check_possible
from verification.checking.parameters import Handed, handed

_MOST = 6  # declarations that are run
_FORMULA = 1.0


def spoken(asks: Any) -> Iterator[tuple[str, Any, Handed, float]]:
    """Declarations that are not linear whose parameters a step has names for, the fewest defaults first.

    With each goes what the step is handed, and the length of what is said of its parameters.
    """
    model, found = registry.model("quadratic"), []
    for name, sampler in conventions.declared(None):
        try:
            check_possible(sampler)
            if is_affine(Setting(sampler, model)):
                continue
            got = handed(sampler, asks, like=name)
        except UnusableInput:
            continue
        defaults = len(sampler.parameters) - len(got.sampler.parameters)
        formulas = sum(n != text for n, text in got.called)
        found.append((defaults + _FORMULA * formulas, name, sampler, got))
    for cost, name, sampler, got in sorted(found, key=lambda x: x[:2])[:_MOST]:
        yield name, sampler, got, cost


def parameters_of(got: Handed) -> tuple[tuple[str, Any], ...]:
    """Each parameter of the declaration in the step's names.

    >>> from verification.checking.signatures import Asks
    >>> got = handed(registry.sampler("rmsprop"), Asks(("lr", "alpha", "lambda_")))
    >>> parameters_of(got)
    (('alpha', alpha), ('eps', lr), ('lambda', lambda_))
    """
    called, found = dict(got.called), {}
    for p in got.sampler.parameters:
        letter = sp.Symbol(p.name, positive=True)
        value: Any = letter
        for name, text in called.items():
            if text.strip() == p.name:
                value = sp.Symbol(name, positive=True)
            elif p.name in text:
                solved = sp.solve(
                    sp.sympify(text, {p.name: letter}) - sp.Symbol(name, positive=True), letter
                )
                value = solved[0] if len(solved) == 1 else letter
        found[p.name] = value
    return tuple(sorted(found.items()))
