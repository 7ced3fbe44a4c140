"""What laws are in closed form, as matrix formulas: what is true instead of a wrong equation."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.pairs import LI
from verification.notation import A, Sigma, eps, identity
from verification.spectral.words import Averaged, Lagged, MatrixExp, MatrixPower


def closed(expr: Any, time: str, law: tuple[Any, Any] | None) -> Any:
    """An expression with every average and every lagged product written out for constant SGD.

    ``law`` has the stationary and the long-run covariance where they are functions of A.
    """
    sigma, found = (law[0] if law else Sigma), expr
    for atom in expr.atoms(Averaged):
        found = found.subs(atom, average(atom.args[0], time, law))
    for atom in expr.atoms(Lagged):
        t, s = atom.args
        found = found.subs(atom, power(t - s, time) * sigma)
    return found.subs(Sigma, sigma)


def power(steps: Any, time: str) -> Any:
    """What so many steps multiply a mean by."""
    if time == "continuous":
        return MatrixExp(-eps * steps * A)
    return MatrixPower(identity - eps * A, steps)


def average(window: Any, time: str, law: tuple[Any, Any] | None) -> Any:
    """The covariance of the average over a window: Eq. 50 of Mandt et al., or what it is by steps."""
    rest = power(window, time) - identity
    if time == "discrete":
        rest = (identity - eps * A) * rest
    if law:
        sigma, summed = law
        return summed / window + 2 / (eps * window) ** 2 * A**-2 * rest * sigma
    total = (A**-1 * Sigma + Sigma * A**-1) / (eps * window)
    total += (A**-2 * rest * Sigma + Sigma * A**-2 * rest) / (eps * window) ** 2
    return total - (Sigma / window if time == "discrete" else 0)


def function_of_A(formula: Any) -> Any:
    """A rational function of one eigenvalue as a function of A; None where it is none."""
    if formula.has(sp.exp) or not formula.is_rational_function(LI):
        return None
    scalars, words = sp.Integer(1), sp.Integer(1)
    for factor in sp.Mul.make_args(sp.factor(sp.together(formula))):
        base, n = factor.as_base_exp()
        if not base.has(LI):
            scalars *= factor
            continue
        bright = base if sp.Poly(base, LI).nth(0).could_extract_minus_sign() is False else -base
        scalars *= 1 if bright == base else (-1) ** n
        words *= _polynomial(bright) ** n
    return scalars * (identity if words == 1 else words)


def _polynomial(factor: Any) -> Any:
    if not factor.has(LI):
        return factor
    terms = sp.Poly(factor, LI).terms()
    return sp.Add(*(c * (A**k if k else identity) for (k,), c in terms))
