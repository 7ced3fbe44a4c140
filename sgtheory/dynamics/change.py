"""Changes of variables between two algorithms: checked as identities, and found where they are affine.

A change T takes states of the first to states of the second. It makes them one algorithm where
T(step_1(x)) = step_2(T(x)) for all states and noises, whatever the unspecified functions (gradients).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.coefficients import coefficients
from sgtheory.dynamics.steps import Step, substituted
from sgtheory.language import Gradient

Change = tuple[tuple[Any, Any], ...]  # (state of the second, its value in states of the first)


def with_functions(step: Step) -> Step:
    """Gradients of the declaration language as unspecified functions, one to each minibatch."""

    def named(x: Any, draw: Any) -> Any:
        return sp.Function(f"gradient{draw}" if draw else "gradient")(x)

    return Step(step.state, tuple((t, e.replace(Gradient, named)) for t, e in step.updates), step.noises)


def canonical(expr: Any) -> Any:
    """Multiplied out, also inside unspecified functions, with coefficients without common factors.

    >>> x, v, m = sp.symbols("x v m")
    >>> g = sp.Function("g")
    >>> canonical(g((1 - m) * v / (1 - m) + x) - g(x + v))
    0
    """
    expr = sp.sympify(expr)
    inner = expr.replace(
        lambda e: isinstance(e, AppliedUndef), lambda e: e.func(*(_tidied(a) for a in e.args))
    )
    return _tidied(inner)


def _tidied(expr: Any) -> Any:
    """Terms by what is not a parameter of a denominator; each coefficient cancelled."""
    expanded = sp.expand(expr)
    if not any(f.is_Pow and f.exp.is_negative for f in expanded.atoms(sp.Pow)):
        return expanded
    return sp.expand(sp.cancel(sp.together(expanded)))


def differences(first: Step, second: Step, change: Change) -> tuple[Any, ...]:
    """T(step_1(x)) - step_2(T(x)), one to each state of the second."""
    after = first.after({s: s for s in first.state})
    moved = second.after(dict(change))
    return tuple(canonical(substituted(e, after) - moved[s]) for s, e in change)


@dataclass(frozen=True)
class Found:
    """A change of variables, and parameters that go with it."""

    change: Change
    parameters: Mapping[Any, Any]


def affine_change(first: Step, second: Step, free: Sequence[Any] = ()) -> Found | None:
    """An invertible affine change, by linear equations; ``free`` parameters of the second are found too.

    >>> x, v, y, w, h = sp.symbols("x v y w h")
    >>> g = sp.Function("g")
    >>> drift_first = Step((x, v), ((x, x + v), (v, v - h * g(x))))
    >>> kick_first = Step((y, w), ((w, w - h * g(y)), (y, y + w)))
    >>> affine_change(drift_first, kick_first).change
    ((y, v + x), (w, v))
    """
    n, m = len(first.state), len(second.state)
    if n != m:
        return None
    names = [[sp.Dummy(f"t{i}{j}") for j in range(n + 1)] for i in range(m)]
    change = tuple(
        (s, sp.Add(*(t * x for t, x in zip(row, (*first.state, sp.Integer(1)), strict=True))))
        for s, row in zip(second.state, names, strict=True)
    )
    after = first.after({s: s for s in first.state})
    known = sorted(
        {canonical(f) for e in after.values() for f in e.atoms(AppliedUndef)}, key=sp.default_sort_key
    )
    moved = second.after(dict(change))
    unsolved = [sp.expand(substituted(e, after) - moved[s]) for s, e in change]
    unknown = [t for row in names for t in row] + list(free)
    over = (*first.state, *first.noises)
    for equations in _matched(unsolved, known, over, set(unknown)):
        for solution in sp.solve(equations, unknown, dict=True):
            found = _complete(change, solution, unknown, free, first, second)
            if found is not None:
                return found
    return None


def _matched(
    unsolved: list[Any], known: list[Any], over: tuple[Any, ...], unknown: set[Any]
) -> Iterator[list[Any]]:
    """Equations between coefficients, for each way in which the second's functions are the first's."""
    open_ = {f for e in unsolved for f in e.atoms(AppliedUndef) if f.free_symbols & unknown}
    innermost = [
        f
        for f in sorted(open_, key=str)
        if not any(g in open_ for a in f.args for g in a.atoms(AppliedUndef))
    ]
    if not innermost:
        yield [c for e in unsolved for c in _in_states(e, over, unknown)]
        return
    chosen = min(innermost, key=sp.default_sort_key)
    for f in known:
        if f.func != chosen.func:
            continue
        same = [
            c for a, b in zip(chosen.args, f.args, strict=True) for c in _in_states(a - b, over, unknown)
        ]
        replaced = [sp.expand(e.xreplace({chosen: f})) for e in unsolved]
        yield from ([*same, *rest] for rest in _matched(replaced, known, over, unknown))


def _in_states(expr: Any, over: tuple[Any, ...], unknown: set[Any]) -> list[Any]:
    return list(coefficients(expr, over))


def _complete(
    change: Change,
    solution: Mapping[Any, Any],
    unknown: Sequence[Any],
    free: Sequence[Any],
    first: Step,
    second: Step,
) -> Found | None:
    """A solution with what it leaves open set to 1, if it can be undone and is one indeed."""
    left = {t: sp.Integer(int(t not in free)) for t in unknown if t not in solution and t not in free}
    values = {t: sp.cancel(sp.sympify(v).subs(left)) for t, v in solution.items()} | left
    filled = tuple((s, sp.expand(e.subs(values))) for s, e in change)
    jacobian = sp.Matrix([[sp.diff(e, x) for x in first.state] for _, e in filled])
    if sp.simplify(jacobian.det()) == 0:
        return None
    parameters = {p: values[p] for p in free if p in values}
    if any(differences(first, second.put(parameters), filled)):
        return None
    return Found(filled, parameters)
