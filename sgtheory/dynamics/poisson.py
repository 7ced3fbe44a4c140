"""Poisson's equation L psi = phi - E phi in polynomials, and what it says of an integrator's bias.

Where a generator takes polynomials to polynomials of no higher degree, stationary moments and psi are
solutions of linear equations. Elsewhere there may be a psi for some phi; where there is none the
equations contradict each other, and the observable is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.limit import Expansion, expansion
from sgtheory.dynamics.linear import Contradiction, Solved, solve
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput


@dataclass(frozen=True)
class Poisson:
    """L psi = phi - mean."""

    psi: Any
    mean: Any


def monomials(state: Sequence[Any], degree: int) -> list[Any]:
    """All of positive degree, low degrees first.

    >>> x, v = sp.symbols("x v")
    >>> monomials((x, v), 2)
    [v, x, v**2, v*x, x**2]
    """
    powers = [e for e in product(range(degree + 1), repeat=len(state)) if 0 < sum(e) <= degree]
    powers.sort(key=lambda e: (sum(e), e))
    return [sp.Mul(*(s**k for s, k in zip(state, e, strict=True))) for e in powers]


def poisson(process: Diffusion, phi: Any, degree: int | None = None) -> Poisson:
    """The polynomial psi of at most some degree (two above that of phi), and the mean of phi.

    >>> x, v = sp.symbols("x v", real=True)
    >>> a, gamma, T = sp.symbols("a gamma T", positive=True)
    >>> noise = ((0,), (sp.sqrt(2 * gamma * T),))
    >>> kinetic = Diffusion((x, v), (v, -a * x - gamma * v), noise)
    >>> poisson(kinetic, x**2).mean
    T/a
    >>> poisson(kinetic, x**2).psi
    -v*x/a - v**2/(2*a*gamma) - x**2*(a + gamma**2)/(2*a*gamma)
    >>> quartic = Diffusion((x,), (-x**3,), ((sp.sqrt(2),),))
    >>> poisson(quartic, x**4).mean
    1
    >>> poisson(quartic, x**2)
    Traceback (most recent call last):
        ...
    sgtheory.errors.UnusableInput: expected an observable whose mean follows from the generator of \
polynomials; got x**2, up to degree 4; integrate it against a density
    """
    state, phi = process.state, sp.expand(phi)
    for b in (*process.ito_drift, *(a for row in process.covariance for a in row), phi):
        if not sp.sympify(b).is_polynomial(*state):
            raise UnusableInput(f"polynomials in {', '.join(map(str, state))}", str(b), "use modified()")
    own = sp.Poly(phi, *state).total_degree()
    most = degree if degree is not None else own + 2
    for d in range(own, most + 1):
        known = monomials(state, d)
        columns = [
            _collected(sp.Integer(1), state),
            *(_collected(process.generator(m), state) for m in known),
        ]
        solved = solve(columns, _collected(phi, state))
        if not isinstance(solved, Contradiction):
            if not isinstance(solve(columns[1:], {(0,) * len(state): sp.Integer(1)}), Contradiction):
                raise UnusableInput(
                    "a process with a stationary law", "L psi = 1 for some psi", "confine it"
                )
            mean, *values = solved.values
            psi = sp.Add(*(c * m for c, m in zip(values, known, strict=True)))
            return Poisson(psi, sp.factor(mean))
    raise UnusableInput(
        "an observable whose mean follows from the generator of polynomials",
        f"{phi}, up to degree {most}",
        "integrate it against a density",
    )


Mean = sp.Function("E")  # of a monomial in the stationary state, where it is not known


def mean_of(process: Diffusion, f: Any, more: int = 2) -> Any:
    """E f in the stationary state by moments of as low a degree as can be, which are written E(...).

    >>> x = sp.Symbol("x", real=True)
    >>> T = sp.Symbol("T", positive=True)
    >>> quartic = Diffusion((x,), (-(x**3),), ((sp.sqrt(2 * T),),))
    >>> mean_of(quartic, x**6 + x**4)
    3*T*E(x**2) + T
    """
    state, f = process.state, sp.expand(f)
    own = sp.Poly(f, *state).total_degree()
    tests, low = monomials(state, own + more), monomials(state, own)
    columns = [
        _collected(sp.Integer(1), state),
        *(_collected(process.generator(m), state) for m in tests),
        *(_collected(m, state) for m in low),
    ]
    solved = solve(columns, _collected(f, state))
    assert isinstance(solved, Solved)  # f is a sum of the last columns
    values = solved.values[1 + len(tests) :]
    return sp.expand(solved.values[0] + sp.Add(*(c * Mean(m) for c, m in zip(values, low, strict=True))))


def _collected(expr: Any, state: Sequence[Any]) -> dict[Any, Any]:
    return {m: c for m, c in sp.Poly(sp.expand(expr), *state).terms() if c != 0}


@dataclass(frozen=True)
class Bias:
    """E phi under the stationary law of the step is ``mean`` + h^power ``coefficient`` + ..."""

    mean: Any
    power: int
    coefficient: Any


def bias(step: Step, h: Any, phi: Any, power: int = 4, process: Diffusion | None = None) -> Bias:
    """The first error of a stationary mean, -E[A psi] with A the first error of one step.

    The coefficient may hold moments E(...) of low degree that do not follow from the generator. Where
    it is 0 the mean is right to this power: the next one is not looked at.

    >>> x, v, xi = sp.symbols("x v xi", real=True)
    >>> h, a, gamma, T = sp.symbols("h a gamma T", positive=True)
    >>> euler = Step((x,), ((x, x - h * a * x + sp.sqrt(2 * T * h) * xi),), (xi,))
    >>> bias(euler, h, x**2)
    Bias(mean=T/a, power=1, coefficient=T/2)
    """
    found: Expansion = expansion(step, h, power, process)
    solved = poisson(found.process, phi)
    if found.order is None:
        return Bias(solved.mean, power, sp.Integer(0))
    f = sp.Function("f")(*found.process.state)
    missed = sp.expand(found.first.subs(f, solved.psi).doit())
    return Bias(solved.mean, found.order, sp.factor(-mean_of(found.process, missed)))
