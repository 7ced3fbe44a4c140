"""Printed solutions of stochastic differential equations, and pairs of algorithms, as equations.

Without noise a formula has to start where the state is and move along the drift. With noise that is
additive for what it moves, mean and covariance solve their own equations, which makes the law that of
the solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from sgtheory.dynamics.change import with_functions
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput
from verification.terms.term import Term, term
from verification.theories.operators.words import partial


def solution(
    process: Diffusion, update: tuple[Any, ...], h: Any, noises: tuple[Any, ...] = ()
) -> Iterator[tuple[Any, Any]]:
    """Both sides of each equation; ``update`` gives each state after a time ``h``, in old states.

    >>> x, h, a = sp.symbols("x h a")
    >>> for left, right in solution(Diffusion((x,), (a,), ((0,),)), (x + a * h,), h):
    ...     print(left, "=", right)
    partial(a*h + x, h) = a
    """
    state = process.state
    quiet = dict.fromkeys(noises, sp.Integer(0))
    update = tuple(map(sp.sympify, update))
    mean = [e.subs(quiet) for e in update]
    amplitude = sp.Matrix([[sp.diff(e, w) for w in noises] or [0] for e in update])
    if amplitude.free_symbols & set(noises):
        raise UnusableInput("a solution that is linear in its noises", str(update), "write its law")
    there = {s: m for s, m in zip(state, mean, strict=True) if s != m}
    for s, m, b in zip(state, mean, process.ito_drift, strict=True):
        yield from _moves(m, s, b.subs(there, simultaneous=True), h)
    covariance = amplitude * amplitude.T
    moved = [k for k in range(len(state)) if any(covariance[k, j] != 0 for j in range(len(state)))]
    moved += [k for k, row in enumerate(process.noise) if any(row) and k not in moved]
    slopes = {(i, k): sp.diff(process.drift[i], state[k]) for i in range(len(state)) for k in moved}
    if any(e.free_symbols & {state[k] for k in moved} for e in slopes.values()):
        raise UnusableInput("a drift that is linear in what noise moves", str(process.drift), "split it")
    for i in moved:
        for j in moved[: moved.index(i) + 1]:
            grown = process.covariance[i][j].subs(there, simultaneous=True)
            grown += sum(
                slopes[i, k] * covariance[k, j] + slopes[j, k] * covariance[k, i] for k in moved
            )
            if grown.has(h):
                yield from _moves(covariance[i, j], sp.Integer(0), grown, h)
            elif covariance[i, j] != 0 or grown != 0:
                yield covariance[i, j], h * grown


def same_steps(
    first: Step, second: Step, change: tuple[tuple[Any, Any], ...]
) -> Iterator[tuple[Term, Term]]:
    """Equations that say: what the second does to a change of variables is the first's, changed.

    ``change`` gives each state of the second in states of the first. Gradients are functions left open.

    >>> x, y, h = sp.symbols("x y h")
    >>> one = Step((x,), ((x, x + h * x),))
    >>> for left, right in same_steps(one, Step((y,), ((y, y + y * h**2),)), ((y, h * x),)):
    ...     print(left, "=", right)
    h*(h*x + x) = h**2*(h*x) + h*x
    """
    after = _after(with_functions(first), {})
    moved = _after(with_functions(second), {term(s): term(e) for s, e in change})
    both = [(term(e).put(after), moved[term(s)]) for s, e in change]
    yield from [(left, right) for left, right in both if left != right] or both


def _after(step: Step, known: dict[Any, Term]) -> dict[Any, Term]:
    """What every target is after a step, in what is known before."""
    for target, expr in step.updates:
        known = {**known, term(target): term(expr).put(known)}
    return known


def _moves(value: Any, start: Any, speed: Any, h: Any) -> Iterator[tuple[Any, Any]]:
    """How a number starts and how it moves, where either says anything."""
    if value.subs(h, 0) != start:
        yield value.subs(h, 0), start
    if value.has(h) or speed != 0:
        yield partial(value, h), speed
