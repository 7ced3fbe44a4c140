"""What laws are in closed form, as matrix formulas: what is true instead of a wrong equation."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.pairs import LI
from verification.notation import A, Sigma, eps, identity
from verification.spectral.words import Averaged, Lagged, MatrixExp, MatrixPower


def closed(expr: Any, time: str, sigma: Any) -> Any:
    """An expression with every average and every lagged product written out for constant SGD.

    ``sigma`` is what stands for the stationary covariance: the letter, or a formula.
    """
    found = expr
    for atom in expr.atoms(Averaged):
        found = found.subs(atom, average(atom.args[0], time, sigma))
    for atom in expr.atoms(Lagged):
        t, s = atom.args
        found = found.subs(atom, power(t - s, time) * sigma)
    return found.subs(Sigma, sigma)


def power(steps: Any, time: str) -> Any:
    """What so many steps multiply a mean by."""
    if time == "continuous":
        return MatrixExp(-eps * steps * A)
    return MatrixPower(identity - eps * A, steps)


def average(window: Any, time: str, sigma: Any) -> Any:
    """The covariance of the average over a window: Eq. 50 of Mandt et al., and what it is step by step."""
    rest = power(window, time) - identity
    if time == "discrete":
        rest = (identity - eps * A) * rest
    if sigma != Sigma:  # a function of A: one order is as good as the other
        total = 2 / (eps * window) * A**-1 * sigma + 2 / (eps * window) ** 2 * A**-2 * rest * sigma
    else:
        total = (A**-1 * sigma + sigma * A**-1) / (eps * window)
        total += (A**-2 * rest * sigma + sigma * A**-2 * rest) / (eps * window) ** 2
    return total - (sigma / window if time == "discrete" else 0)


def function_of_A(formula: Any) -> Any:
    """A rational function of one eigenvalue as a function of A; None where it is none."""
    top, bottom = sp.fraction(sp.factor(sp.together(formula)))
    if formula.has(sp.exp) or not formula.is_rational_function(LI):
        return None
    return _factors(top) * _inverse(bottom)


def _factors(polynomial: Any) -> Any:
    total = sp.Integer(1)
    for factor in sp.Mul.make_args(sp.factor(polynomial)):
        total *= _polynomial(factor)
    return total


def _inverse(polynomial: Any) -> Any:
    total = sp.Integer(1)
    for factor in sp.Mul.make_args(sp.factor(polynomial)):
        base, n = factor.as_base_exp()
        total *= _polynomial(base) ** (-n) if n.is_Integer else 1 / factor
    return total


def _polynomial(factor: Any) -> Any:
    if not factor.has(LI):
        return factor
    terms = sp.Poly(factor, LI).terms()
    return sp.Add(*(c * (A**k if k else identity) for (k,), c in terms))
