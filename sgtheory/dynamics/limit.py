"""The equation that a step solves, read off the step, and how it compares with one that is printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Formal, Inconsistent
from sgtheory.dynamics.letters import Letters
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.weak import (
    Operator,
    Random,
    error_operators,
    flow_operator,
    letters_for,
    shown_operator,
    step_operator,
)
from sgtheory.errors import UnusableInput

_FINER = 2  # powers of h are looked at in halves: noises may come with h^(1/4)
_FURTHEST = 2  # the power of h up to which a noise that vanishes is looked for


def limit(step: Step, h: Any) -> Diffusion:
    """The diffusion whose generator is the first term of E f(X_h) - f.

    >>> x, v, h, xi = sp.symbols("x v h xi", real=True)
    >>> a = sp.Symbol("a", positive=True)
    >>> U = sp.Function("U")(x)
    >>> kick = (v, v - h * U.diff(x) - a * h * v + sp.sqrt(2 * a * h) * xi)
    >>> found = limit(Step((x, v), (kick, (x, x + h * v)), (xi,)), h)
    >>> found.drift
    (v, -a*v - Derivative(U(x), x))
    >>> found.noise
    ((0, 0), (0, sqrt(2)*sqrt(a)))
    """
    still = Diffusion(step.state, (0,) * len(step.state), ((0,),) * len(step.state))
    letters = letters_for(still, ((sp.Integer(1), step),), h, 1)
    first = step_operator(step, h, letters)[1]
    if any(sum(alpha) > 2 for alpha in first):
        raise UnusableInput(
            "a step whose limit is a diffusion", "one that jumps", "scale its noise by sqrt(h)"
        )
    drift, covariance = _parts(first, letters)
    return Diffusion(step.state, drift, _root(covariance))


def _parts(operator: Operator, letters: Letters) -> tuple[tuple[Any, ...], list[list[Any]]]:
    """Drift and covariance of an operator of second order."""
    n = range(len(letters.states))
    applied = {
        name: sp.Function(name)(*(letters.states[k] for k in places))
        for name, places in letters.functions.items()
    }

    def entry(*at: int) -> Any:
        alpha = tuple(at.count(k) for k in n)
        return letters.expression(operator[alpha], applied) if alpha in operator else sp.Integer(0)

    covariance = [[entry(i, j) * (2 if i == j else 1) for j in n] for i in n]
    return tuple(entry(i) for i in n), covariance


def _root(a: list[list[Any]]) -> tuple[tuple[Any, ...], ...]:
    """A lower triangular factor."""
    n = len(a)
    found = [[sp.Integer(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = a[i][j] - sp.Add(*(found[i][k] * found[j][k] for k in range(j)))
            rest = sp.factor(sp.cancel(sp.together(rest))) if rest != 0 else rest
            if i == j:
                found[i][i] = sp.sqrt(rest)
            elif found[j][j] != 0:
                found[i][j] = sp.cancel(rest / found[j][j])
            elif rest != 0:
                raise Inconsistent("a covariance that is not positive")
    return tuple(tuple(row) for row in found)


@dataclass(frozen=True)
class Expansion:
    """E f(X_h) - e^(hL) f: the error of one step is h^(order + 1) times ``first``, and more.

    ``order`` is None where nothing is left as far as was looked.
    """

    process: Diffusion
    errors: tuple[Any, ...]  # one to each power of h, as they act on f

    @property
    def order(self) -> int | None:
        """The weak order."""
        return next((k - 1 for k, e in enumerate(self.errors) if e != 0), None)

    @property
    def first(self) -> Any:
        """What the first error does to f."""
        return next((e for e in self.errors if e != 0), sp.Integer(0))


def expansion(
    step: Step | Random, h: Any, power: int = 4, process: Diffusion | None = None
) -> Expansion:
    """One step against the semigroup of a process (the step's own limit, if none is given).

    >>> x, h, xi = sp.symbols("x h xi", real=True)
    >>> b = sp.Function("b")(x)
    >>> euler = Step((x,), ((x, x + h * b + sp.sqrt(h) * xi),), (xi,))
    >>> found = expansion(euler, h)
    >>> found.order, sp.expand(found.first.coeff(sp.Function("f")(x).diff(x)))
    (1, -b(x)*Derivative(b(x), x)/2 - Derivative(b(x), (x, 2))/4)
    """
    steps: Random = ((sp.Integer(1), step),) if isinstance(step, Step) else step
    solved = process if process is not None else limit(steps[0][1], h)
    letters, errors = error_operators(solved, steps, h, power)
    return Expansion(solved, tuple(shown_operator(letters, e) if e else sp.Integer(0) for e in errors))


@dataclass(frozen=True)
class Difference:
    """A coefficient of the step's limit that is not that of the equation.

    ``power`` is that of h with which the step's own goes; 1 is what an equation has.
    """

    what: str
    power: Any
    got: Any
    wanted: Any

    @property
    def words(self) -> str:
        """As a sentence."""
        if self.power == 0:
            return f"the {self.what} does not vanish with the step"
        if self.power != 1:
            size = (
                f"goes like h^({self.power})" if self.power is not None else "vanishes faster than h^2"
            )
            return f"the {self.what} of one step {size}, not like h"
        return f"the {self.what} is {self.got} per time, not {self.wanted}"


def compare(step: Step, process: Diffusion, h: Any) -> tuple[Difference, ...]:
    """What keeps a step from solving an equation to first order; nothing where it does.

    >>> x, eta, xi = sp.symbols("x eta xi", positive=True)
    >>> U = sp.Function("U")(x)
    >>> langevin = Diffusion((x,), (-U.diff(x),), ((sp.sqrt(2),),))
    >>> def printed(noise):
    ...     return Step((x,), ((x, x - eta * U.diff(x) + noise * xi),), (xi,))
    >>> compare(printed(sp.sqrt(2 * eta)), langevin, eta)
    ()
    >>> for noise in (sp.sqrt(eta), eta, sp.sqrt(2) * eta ** sp.Rational(3, 4)):
    ...     print(compare(printed(noise), langevin, eta)[0].words)
    the variance of x is 1 per time, not 2
    the variance of x of one step goes like h^(2), not like h
    the variance of x of one step goes like h^(3/2), not like h
    """
    k = sp.Dummy("k", positive=True)
    finer = step.put({h: k**_FINER})
    letters = letters_for(process, ((sp.Integer(1), finer),), k, _FINER * _FURTHEST + 1)
    jumps = _jumps(finer, k, letters)
    if jumps:
        return jumps
    operators = _about_means(step_operator(finer, k, letters, spare=1)[:-1], letters)
    wanted = flow_operator(process, k, letters)[1]
    names = [str(s) for s in letters.states]
    found = []
    for alpha in sorted(
        {a for o in (*operators[1 : _FINER + 1], wanted) for a in o}, key=lambda a: (sum(a), a)
    ):
        powers = [p for p, o in enumerate(operators) if p and alpha in o]
        first = sp.Rational(powers[0], _FINER) if powers else None
        got, right = operators[_FINER].get(alpha, letters.zero), wanted.get(alpha, letters.zero)
        if first is not None and first < 1:
            found.append(Difference(_named(alpha, names), first, None, None))
        elif letters.tidy(got - right):
            only = first if not got else sp.Integer(1)
            shown = [_entry(alpha, {alpha: c}, letters) for c in (got, right)]
            found.append(Difference(_named(alpha, names), only, *shown))
    return tuple(found)


def _about_means(operators: list[Operator], letters: Letters) -> list[Operator]:
    """Second moments about the mean of the step, for those about the start."""
    n = len(letters.states)
    units = [tuple(int(i == j) for j in range(n)) for i in range(n)]
    found = [dict(o) for o in operators]
    for p, q in product(range(1, len(operators)), repeat=2):
        for i, j in product(range(n), repeat=2):
            a, b = operators[p].get(units[i]), operators[q].get(units[j])
            if a is not None and b is not None and p + q < len(operators):
                alpha = tuple(map(int.__add__, units[i], units[j]))
                into = found[p + q]
                into[alpha] = letters.tidy(into.get(alpha, letters.zero) - a * b * sp.QQ(1, 2))
    return [{alpha: c for alpha, c in o.items() if c} for o in found]


def _jumps(step: Step, h: Any, letters: Letters) -> tuple[Difference, ...]:
    """States that are not where they were when the step vanishes."""
    at = Formal(letters, h, spare=1)
    after = step.run(at, {s: at.symbol(s) for s in letters.states})
    moved = [s for s in letters.states if letters.tidy(after[s].c[0] - at.symbol(s).c[0])]
    return tuple(Difference(f"change of {s}", sp.Integer(0), None, None) for s in moved)


def _named(alpha: tuple[int, ...], names: list[str]) -> str:
    held = [n for n, k in zip(names, alpha, strict=True) for _ in range(k)]
    if len(held) == 1:
        return f"drift of {held[0]}"
    if len(held) == 2:
        return (
            f"variance of {held[0]}" if held[0] == held[1] else f"covariance of {held[0]} and {held[1]}"
        )
    return f"moment of {' '.join(held)}"


def _entry(alpha: tuple[int, ...], operator: Operator, letters: Letters) -> Any:
    drift, covariance = _parts(operator, letters)
    held = [k for k, n in enumerate(alpha) for _ in range(n)]
    return drift[held[0]] if len(held) == 1 else covariance[held[0]][held[1]]


def rescaled(step: Step, scales: Mapping[Any, tuple[Any, Any]], sizes: Mapping[Any, Any]) -> Step:
    """The step in other variables: a state that is ``factor * new`` is given as (new, factor).

    ``sizes`` writes step sizes as powers of the time that passes. Both are needed where a paper scales
    a momentum with its step, as in u = sqrt(eta) p with sqrt(eta) for the time of a step.

    >>> u, p, xi = sp.symbols("u p xi", real=True)
    >>> eta, h, a = sp.symbols("eta h a", positive=True)
    >>> noise = sp.sqrt(2 * eta ** sp.Rational(3, 2)) * xi
    >>> step = Step((u,), ((u, u - a * sp.sqrt(eta) * u + noise),), (xi,))
    >>> rescaled(step, {u: (p, sp.sqrt(eta))}, {eta: h**2}).after({p: p})[p]
    -a*h*p + sqrt(2)*sqrt(h)*xi + p
    """
    inside = {s: scales.get(s, (s, sp.Integer(1))) for s in step.state}
    factors = {s: sp.sympify(factor).subs(sizes) for s, (_, factor) in inside.items()}
    after = step.put(sizes).after({s: new * factors[s] for s, (new, _) in inside.items()})
    moved = [sp.expand(sp.expand(after[s]) / factors[s]) for s in step.state]
    return Step.map(tuple(new for new, _ in inside.values()), moved, step.noises)
