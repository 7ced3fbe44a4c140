"""What to type where a step is right in another convention: said beside a diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, N
from verification.checking.faults.words import changed, fronts
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
    density = _of_a_density(got.sampler, first.candidate)
    if density:
        return (replace(first, words=f"{first.words} {density}"), *others)
    if not told:
        return found
    words = f"{first.words} If that is meant, it is another convention and no fault: type {told}."
    return (replace(first, words=words), *others)


def _of_a_density(sampler: Any, candidate: Any) -> str:
    """What to write where nothing differs but gradients, which enter as those of a log density would.

    >>> from types import SimpleNamespace as Found
    >>> from sgtheory import registry
    >>> sgd = registry.sampler("sgd")
    >>> ((target, expr),) = sgd.updates
    >>> up = Found(updates=((target, 2 * target - expr),))
    >>> print(_of_a_density(sgd, Found(other="", free=(), variant=up)))
    If your step expects the gradient of the log density, hand it -gradient(theta).
    """
    if candidate.other or candidate.free:
        return ""
    ratios = set()
    try:
        for _, was, now in changed(sampler, candidate.variant):
            one, other = fronts(was), fronts(now)
            for vector in {**one, **other}:
                before, after = (sp.sympify(x.get(vector, 0)) for x in (one, other))
                if sp.simplify(before - after) != 0:
                    if before == 0 or not vector.has(Gradient, FullGradient):
                        return ""
                    ratios.add(sp.simplify(after / before))
    except ValueError:
        return ""
    if len(ratios) != 1:
        return ""
    factor = {sp.Integer(-1): "-gradient(theta)", -1 / N: "-N * gradient(theta)"}.get(ratios.pop(), "")
    return f"If your step expects the gradient of the log density, hand it {factor}." if factor else ""


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
