"""What laws are in closed form, as matrix formulas: what is true instead of a wrong equation."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.pairs import LI
from verification.notation import A, Sigma, eps, identity
from verification.spectral.words import Averaged, Lagged, MatrixExp, MatrixPower


def closed(
    expr: Any, time: str, law: tuple[Any, Any] | None, order: tuple[tuple[Any, Any], ...] = ()
) -> Any:
    """An expression with every average and every lagged product written out for constant SGD.

    ``law`` has the stationary and the long-run covariance where they are functions of A; ``order`` pairs
    of times, the earlier first.
    """
    sigma, found = (law[0] if law else Sigma), expr
    for atom in expr.atoms(Averaged):
        gain = atom.args[1] if len(atom.args) == 2 else 1
        found = found.subs(atom, average(atom.args[0], time, law if gain == 1 else None, gain))
    for atom in expr.atoms(Lagged):
        t, s = atom.args
        earlier = (t, s) in order
        value = sigma * power(s - t, time) if earlier else power(t - s, time) * sigma
        found = found.subs(atom, value)
    return found.subs(Sigma, sigma)


def power(steps: Any, time: str, gain: Any = 1, left: bool = True) -> Any:
    """What so many steps multiply a mean by; transposed where it stands on the right."""
    rate = gain * A if left else A * gain
    if time == "continuous":
        return MatrixExp(-eps * steps * rate)
    return MatrixPower(identity - eps * rate, steps)


def average(window: Any, time: str, law: tuple[Any, Any] | None, gain: Any = 1) -> Any:
    """The covariance of the average over a window: Eq. 50 of Mandt et al., or what it is by steps."""
    rests = [power(window, time, gain, left) - identity for left in (True, False)]
    rates = gain * A, A * gain
    if time == "discrete":
        rests = [(identity - eps * k) * r for k, r in zip(rates, rests, strict=True)]
    if law:
        sigma, summed = law
        return summed / window + 2 / (eps * window) ** 2 * A**-2 * rests[0] * sigma
    total = (rates[0] ** -1 * Sigma + Sigma * rates[1] ** -1) / (eps * window)
    more = rates[0] ** -2 * rests[0] * Sigma + Sigma * rates[1] ** -2 * rests[1]
    return total + more / (eps * window) ** 2 - (Sigma / window if time == "discrete" else 0)


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
