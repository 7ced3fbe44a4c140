"""What a value is for the law that a step has bound itself: a caller of the step can get no other.

Where its name is a parameter of the sampler, the law is that of the bound value; what each problem has a
value of its own of may not be bound; anything else is left as it is, and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import sympy as sp

from sgtheory.declare import MatrixName
from sgtheory.errors import UnusableInput
from verification.checking.readings import letters_in, readings
from verification.checking.signatures import Asks

_OF_A_PROBLEM = ("N", "S", "mode")


@dataclass(frozen=True)
class Kept:
    """Values that parameters of the sampler have by what a step has bound, and what is said of them."""

    values: tuple[tuple[str, Any], ...] = ()
    told: tuple[str, ...] = ()


def kept(sampler: Any, asks: Asks, own: Mapping[str, str] = MappingProxyType({})) -> Kept:
    """What the bound values of a step say of the sampler's parameters, by ``own`` formulas or by name.

    >>> from sgtheory import registry
    >>> kept(registry.sampler("momentum"), Asks(bound=(("momentum", "0.75"),))).values
    (('mu', 1/4),)
    >>> kept(registry.sampler("sgld"), Asks(bound=(("temperature", "3.0"),))).told
    ('temperature is bound to 3.0 in your code: it was kept.',)
    """
    values: dict[str, Any] = {}
    told = []
    for name, text in asks.bound:
        letter, value = _meant(sampler, name, text, own.get(name, ""))
        if letter in _OF_A_PROBLEM and _speaks(sampler, letter):
            _refuse(f"a step that is handed {letter}: every problem has its own", name, text)
        if value is not None and letter not in values:
            values[letter] = value
            shown = "the identity" if _matrix(sampler, letter) else value
            told.append(
                f"{name} is bound to {text} in your code: the law is that of {letter} = {shown}."
            )
        else:
            told.append(f"{name} is bound to {text} in your code: it was kept.")
    return Kept(tuple(values.items()), tuple(told))


def fixes(sampler: Any, parameter: str, asks: Asks) -> Iterator[str]:
    """What to type where a bound value may be a parameter of the sampler, in more than one way.

    >>> from sgtheory import registry
    >>> list(fixes(registry.sampler("sgld"), "eps", Asks(bound=(("step_size", "0.005"),))))
    ['--with step_size=eps/2', '--with step_size=eps']
    """
    for name, text in asks.bound:
        for formula in readings(sampler, name).maybe:
            if _solved(formula, parameter, text) is not None:
                yield f"--with {name}={formula}"


def _meant(sampler: Any, name: str, text: str, said: str) -> tuple[str, Any]:
    """The letter that a bound name stands for, and its value; empty, or None, where there is none."""
    own = {p.name for p in sampler.parameters}
    named = name if name in own or name in _OF_A_PROBLEM else readings(sampler, name).sure
    formula = said.strip() or named
    if formula in _OF_A_PROBLEM:
        return formula, None
    if formula in own and _matrix(sampler, formula):
        if text in ("1", "1.0"):
            return formula, sp.Integer(1)
        if text != "None":  # which is the step's own way to say that there is none
            _refuse(f"a step that is handed {formula}: every problem has one of its size", name, text)
        return formula, None
    letters = [formula] if formula in own else sorted(letters_in(formula))
    if len(letters) != 1:
        return "", None
    return letters[0], _solved(formula, letters[0], text)


def _matrix(sampler: Any, letter: str) -> bool:
    return any(p.name == letter and isinstance(p, MatrixName) for p in sampler.parameters)


def _solved(formula: str, letter: str, text: str) -> Any:
    """The value of a letter by which a formula has a value; None where there is not one."""
    try:
        value = sp.Rational(Fraction(text))
    except (ValueError, ZeroDivisionError):  # words, or no finite number
        return None
    if formula == letter:  # also one that no formula can have, such as lambda
        return value
    if letters_in(formula) != {letter}:
        return None
    symbol = sp.Symbol(letter, positive=True)
    found = sp.solve(sp.sympify(formula, {letter: symbol}) - value, symbol)
    return found[0] if len(found) == 1 else None


def _speaks(sampler: Any, letter: str) -> bool:
    return any(str(s) == letter for _, e in sampler.updates for s in sp.sympify(e).free_symbols)


def _refuse(expected: str, name: str, text: str) -> None:
    raise UnusableInput(expected, f"{name} bound to {text}", f"leave {name} unbound")
