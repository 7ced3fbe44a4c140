"""How far apart the laws of two chains are in linear regression, as powers of 1/N.

The letters are those of one direction: curvature a N, step eta N^(-beta), and variances v11, v22 and
covariance v12 of a minibatch's gradient and curvature at theta*, over N^(2 - alpha).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.onestep.affine import LAMBDA
from sgtheory.perturbation.symbols import GAMMA
from sgtheory.polynomials import cancelled, factored, is_zero
from sgtheory.wasserstein import Between
from sgtheory.wasserstein.directions import STEPS, V11, V12, V22
from verification.theories.distances import couplings

SMALL, ETA, A, X, OFF = sp.symbols("1/N eta a x h", positive=True)
SPREAD, _v22 = sp.symbols("v11 v22", positive=True)
_v12 = sp.Symbol("v12", real=True)

Term = tuple[Any, Any]  # a power of 1/N and what multiplies it; infinite where there is nothing
Below = tuple[Any, Any, Any]  # the same, and in between a difference that must not vanish for it


def scaled(
    alpha: Any, beta: Any, noisy: bool, off: bool, alike: bool = False
) -> tuple[tuple[Any, Any], ...]:
    """What the letters of one direction are.

    Where curvatures are ``alike`` there is no spread of them. A chain whose control variate is taken
    at theta* + h/sqrt(N) has there the noise of curvatures.
    """
    spread = SMALL ** (sp.Rational(alpha) - 2)
    found = {
        GAMMA: ETA * SMALL ** sp.Rational(beta),
        LAMBDA: A / SMALL,
        V22: _v22 * spread * int(not alike),
    }
    if off:
        found |= {V11: OFF**2 * SMALL * found[V22], V12: -OFF * sp.sqrt(SMALL) * found[V22]}
    else:
        found |= {V11: SPREAD * spread * int(noisy), V12: _v12 * spread * int(noisy and not alike)}
    return tuple(found.items())


@cache
def between(
    first: str, second: str, start: Any, steps: Any, letters: tuple[tuple[Any, Any], ...], settled: bool
) -> tuple[Below, Term]:
    """First terms of two squares around W2^2: by moments (Gelbrich), and of coupled chains.

    The second may have settled before. The former vanishes only where the first term of the means'
    squared distance does, or that of the difference of variances.
    """
    pair = Between(first, second, start=start, minibatches=True, settled=settled)

    def read(expr: Any) -> Any:
        return _without_powers(sp.sympify(expr).subs(dict(letters)), start != 0)

    (a, v), (b, w) = ([read(e) for e in pair.moments(k, steps)] for k in (0, 1))
    off = _leading((a - b) ** 2)
    parts = [(off[0], off[1], off[1])]
    apart, v, w = _leading(v - w), _leading(v), _leading(w)
    if apart[0] != sp.oo:
        parts.append((2 * apart[0] - min(v[0], w[0]), apart[1], _of_deviations(apart, v, w)))
    return min(parts, key=lambda t: t[0]), _leading(read(pair.coupled(steps)))


def _of_deviations(apart: Term, v: Term, w: Term) -> Any:
    """The first coefficient of (sqrt(v) - sqrt(w))^2, of those of the variances and of v - w."""
    if apart[0] > v[0] == w[0]:
        return cancelled(apart[1] ** 2 / (4 * v[1]))
    return (sp.sqrt(v[1]) - sp.sqrt(w[1])) ** 2 if v[0] == w[0] else min(v, w, key=lambda t: t[0])[1]


@cache
def is_noisy(first: str, second: str, start: Any, steps: Any) -> bool:
    """Whether the noise of the gradients at theta* is in how far coupled chains are apart.

    >>> is_noisy("sgld", "sgd", 0, sp.oo), is_noisy("sgld", "sgldfp", 0, sp.oo)
    (False, True)
    """
    apart = sp.sympify(Between(first, second, start=start, minibatches=True).coupled(steps))
    return any(not is_zero(apart.diff(x)) for x in (V11, V12))


def shifted(steps: Any, letters: tuple[tuple[Any, Any], ...]) -> Term:
    """The squared distance of means where one chain settles at theta* + h/sqrt(N)."""
    moved = 1 if steps == sp.oo else (1 - (1 - GAMMA * LAMBDA) ** steps)
    return _leading(_without_powers((OFF**2 * SMALL * sp.sympify(moved) ** 2).subs(dict(letters)), True))


@cache
def coupled(first: str, second: str, alpha: Any, beta: Any, off: Any = sp.oo) -> Any:
    """The power of 1/N in what coupling gives for every convex U; None where nothing.

    Chains start at theta*, or are off it by so much, squared: a power of 1/N.

    >>> coupled("lmc", "sgldfp", "0", "1"), coupled("lmc", "sgldfp", "0", "1", 0)
    (1, 0)
    """
    alpha, beta = sp.Rational(alpha), sp.Rational(beta)
    found = [couplings.envelope(first, second) or couplings.envelope(second, first)]
    if found == [None]:
        found = [couplings.envelope("lmc", x) for x in (first, second)]
    if beta < 1 or any(x is None for x in found):
        return None
    letters = {
        couplings.gamma: ETA * SMALL**beta,
        couplings.m: A / SMALL,
        couplings.L: (1 / SMALL + 1) * sp.Symbol("Ltilde", positive=True),
        couplings.p: SMALL**-alpha,
    }
    known = [x for x in found if x is not None]
    parts = [(x.constant, sp.Integer(0)) for x in known]
    parts += [
        (part, off) for x in known for part in (sp.Integer(1), x.late) if off != sp.oo and part != 0
    ]
    return min(_leading(sp.sympify(part).subs(letters))[0] + power for part, power in parts)


def _leading(expr: Any) -> Term:
    return leading(expr, SMALL) or (sp.oo, sp.Integer(0))


def _without_powers(expr: Any, moving: bool) -> Any:
    """q^n as a letter. From theta* it is 1 - (1 - q) G, G = 1 + q + ... + q^(n - 1) positive."""
    expr = expr.replace(sp.exp, lambda x: sp.exp(sp.expand(x)))
    powers = {p for p in expr.atoms(sp.Pow, sp.exp) if p.has(STEPS)}
    return expr.subs({p: _letter(p, moving) for p in sorted(powers, key=str)})


def _letter(power: Any, moving: bool) -> Any:
    base = sp.exp(power.args[0] / STEPS) if isinstance(power, sp.exp) else power.base
    if not moving:
        return 1 - (1 - base) * sp.Symbol(f"G[{factored(base)}]", positive=True)
    product = sp.Integer(1)
    for factor in sp.Mul.make_args(factored(base)):
        inner, times = factor.as_base_exp()
        if isinstance(factor, sp.exp):
            inner, times = sp.exp(-A * ETA), cancelled(-factor.args[0] / (A * ETA))
        product *= sp.Symbol(f"r[{sp.Abs(inner) if inner.is_number else inner}]", positive=True) ** times
    return product
