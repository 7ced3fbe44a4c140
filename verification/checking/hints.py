"""What to type where a step is right in another convention: said beside a diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from verification.checking.gradients import SUM
from verification.checking.judging import Diagnosis

_STEPS = ("eps", "eta", "gamma")


def remarked(found: tuple[Diagnosis, ...], got: Any, asks: Any, loss: str = "") -> tuple[Diagnosis, ...]:
    """The diagnoses, the first with the options under which the target would conform, if it has some.

    ``got`` is what the target is handed, ``asks`` what it asks for, ``loss`` of which loss it is handed
    the gradient.
    """
    if not found or found[0].candidate is None:
        return found
    first, *others = found
    told = " ".join(_options(first.candidate, got, asks, loss))
    if not told:
        return found
    words = f"{first.words} If that is meant, it is another convention and no fault: type {told}."
    return (replace(first, words=words), *others)


def _options(candidate: Any, got: Any, asks: Any, loss: str) -> Iterator[str]:
    read = {str(n): sp.sympify(e) for n, e in (*candidate.reads, *candidate.given)}
    if candidate.other not in ("", got.sampler.name) or not read:
        return
    if set(read) == {"N"}:
        if read["N"] == 1 and loss != SUM:
            yield "--loss sum"
        return
    own = {p.name for p in got.sampler.parameters}
    read = {n: e for n, e in read.items() if not (e.is_Symbol and str(e) == n)}
    if not set(read) <= own:
        return
    for name, text in _inverted(read).items():
        called = _called(name, got, asks)
        if not called:
            return
        yield f"--with {called}={text}" if " " not in text else f'--with {called}="{text}"'


def _called(name: str, got: Any, asks: Any) -> str:
    """The target's name of one of our parameters."""
    for own, text in got.called:
        if text.strip() == name and (asks is None or own in asks.names):
            return str(own)
    return name if asks is None or name in asks.names else ""


def _inverted(read: Mapping[str, Any]) -> dict[str, str]:
    """With what a step must be called, so that what it makes of it is what is declared.

    >>> eps, mu = sp.symbols("eps mu", positive=True)
    >>> _inverted({"eps": 2 * eps}), _inverted({"mu": 1 - mu}), _inverted({"tau": sp.Integer(1)})
    ({'eps': 'eps/2'}, {'mu': '1 - mu'}, {})
    """
    handed = {n: sp.Symbol(f"handed_{n}", positive=True) for n in read}
    letters = {n: sp.Symbol(n, positive=True) for n in read}

    def put(expr: Any) -> Any:
        return expr.subs({s: handed[str(s)] for s in expr.free_symbols if str(s) in handed})

    if not all(_of_a_convention(n, e, read) for n, e in read.items()):
        return {}
    equations = [put(e) - letters[n] for n, e in read.items()]
    try:
        solved = sp.solve(equations, list(handed.values()), dict=True)
    except NotImplementedError:
        return {}
    if len(solved) != 1 or set(solved[0]) != set(handed.values()):
        return {}
    return {n: str(sp.simplify(solved[0][handed[n]])) for n in read}


def _of_a_convention(name: str, value: Any, read: Mapping[str, Any]) -> bool:
    """Whether people mean a parameter so: a step in other units, what is kept for what is lost."""
    symbol = next((s for s in value.free_symbols if str(s) == name), None)
    if symbol is None:
        return False
    if sp.simplify(value + symbol) == 1:
        return True
    return name in _STEPS or bool(set(read) & set(_STEPS))
