"""Steps and processes as terms: solutions, pairs of algorithms, errors of a step.

Without noise a formula has to start where the state is and move along the drift. With noise that is
additive for what it moves, mean and covariance solve their own equations, which makes the law that of
the solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.change import with_functions
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import LOSS, orders_of
from sgtheory.errors import UnusableInput
from sgtheory.language import Gradient
from verification.terms.term import Applied, Letter, Name, Term, term, total


def partial(of: Any, *by: Any) -> Term:
    """The partial derivative by a letter, and then by others."""
    found = term(of)
    for x in by:
        found = Applied("partial", (found, term(x)))
    return found


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


def error_of_step(process: Diffusion, steps: Any, h: Any, order: int) -> Term:
    """The mean of a function after a step of size h, less what its equation makes of it up to h^order.

    ``steps`` are steps with the probabilities with which one of them is drawn.

    >>> x, h, xi = sp.symbols("x h xi", real=True)
    >>> step = Step((x,), ((x, x + sp.sqrt(h) * xi),), (xi,))
    >>> print(error_of_step(Diffusion((x,), (0,), ((1,),)), ((sp.Integer(1), step),), h, 1))
    over_noise(put(f(x), x, sqrt(h)*xi + x), xi) - (f(x) + h*generated(f(x), x, 0, 1))
    """
    state = tuple(map(opened, process.state))
    taken = {s.name for _, step in steps for t, e in step.updates for s in (t, *e.free_symbols)}
    taken |= {
        f.func.__name__ for _, step in steps for _, e in step.updates for f in e.atoms(AppliedUndef)
    }
    f = Applied("of", (Letter("phi" if "f" in taken else "f", "function"), *state))
    means = [(w, _mean_after(f, step)) for w, step in steps]
    after = total(mean if w == 1 else term(w) * mean for w, mean in means)
    drift = tuple(map(opened, process.ito_drift))
    rows = process.covariance
    half = tuple(opened(rows[i][j]) for i in range(len(state)) for j in range(i + 1))
    return after - flowed(f, (*state, *drift, *half), h, order)


def flowed(f: Term, generator: tuple[Term, ...], h: Any, order: int) -> Term:
    """What a generator L makes of a function in a time h, up to a power of it: f + h L (f + h/2 L f)."""
    flow = f
    for k in range(order, 0, -1):
        size = term(h) if k == 1 else term(h) / k
        flow = f + size * Applied("generated", (flow, *generator))
    return flow


def _mean_after(f: Term, step: Step) -> Term:
    """The mean over its noises of a function of a state after a step."""
    local = {t: sp.Symbol(f"{t}_", real=True) for t, _ in step.updates if t not in step.state}
    names = {Letter(s.name, "real"): Letter(s.name, "variable") for s in local.values()}
    for target, expr in reversed(step.updates):
        known = opened(expr.xreplace(local)).put(names)
        x = opened(local.get(target, target)).put(names)
        f = Applied("put", (f, x, known))
    return Applied("over_noise", (f, *map(term, step.noises))) if step.noises else f


def opened(expr: Any) -> Term:
    """An expression as a term in which derivatives of functions are functions of their arguments.

    >>> x, y = sp.symbols("x y")
    >>> U = sp.Function("U")
    >>> print(opened(x + U(x).diff(x).subs(x, y)))
    x + U^(1)(y)
    """
    kinds: dict[str, Term] = {}

    def named(f: Any, orders: tuple[int, ...], arguments: Any) -> Any:
        name = f"{f.__name__}^{','.join(map(str, orders))}"
        kinds[name] = term(f)
        return sp.Function(name)(*arguments)

    def derivative(e: Any) -> Any:
        return named(e.expr.func, orders_of(e), e.expr.args)

    expr = sp.sympify(expr).replace(Gradient, lambda x, _: named(sp.Function(LOSS), (1,), (x,)))
    for sub in expr.atoms(sp.Subs):
        inside = sub.expr.replace(sp.Derivative, lambda *a: derivative(sp.Derivative(*a)))
        expr = expr.xreplace({sub: inside.subs(dict(zip(sub.variables, sub.point, strict=True)))})
    return _with_derivatives(
        term(expr.replace(sp.Derivative, lambda *a: derivative(sp.Derivative(*a)))), kinds
    )


def _with_derivatives(t: Term, kinds: dict[str, Term]) -> Term:
    parts = tuple(_with_derivatives(part, kinds) for part in t.parts)
    name = str(t.parts[0]) if getattr(t, "head", "") == "of" else ""
    if name in kinds:
        return Applied("derived", (kinds[name], Name(name.rpartition("^")[2]), *parts[1:]))
    return t.with_parts(parts)
