"""First terms of such formulas: as the step vanishes at fixed elapsed time, or a letter moves."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.modepairs.pairs import LI, LJ
from verification import notation
from verification.laws.pair_form import NotInPairForm
from verification.terms.asymptotics import NOTHING, Undecided, first_terms, series
from verification.theories import positivity as rational
from verification.theories.exponentials import algebraic, without_decay
from verification.theories.time.modes import ELL_I, ELL_J

_ORDERS = 3  # of the expansion of (1 - eps lambda)^(tau/eps)
First = tuple[Any, Any]  # a power, and the coefficient


def elapsed(expr: Any, eps: Any, times: tuple[Any, ...]) -> Any:
    """A formula of the discrete law at fixed eps t in place of t, powers of its rates expanded in eps.

    >>> from verification.notation import eps
    >>> T = sp.Symbol("T", positive=True)
    >>> elapsed(sp.exp(T * ELL_I), eps, (T,)).coeff(eps, 1)
    -_T*lambda_i**2*exp(-_T*lambda_i)/2
    """
    if expr.atoms(AppliedUndef):
        raise NotInPairForm("powers of a matrix have no formula at a fixed elapsed time")
    moved = expr.subs({t: sp.Symbol(f"_{t}", positive=True) / eps for t in times})
    return expanded(moved, eps, _ORDERS)


def expanded(expr: Any, x: Any, orders: int) -> Any:
    """Exponentials that move with x, powers of rates in steps of x among them, as polynomials in it.

    >>> x, a = sp.symbols("x a", positive=True)
    >>> expanded(sp.exp(-a * x), x, 2)
    a**2*x**2/2 - a*x + 1
    """
    logs = {ELL_I: sp.log(1 - x * LI), ELL_J: sp.log(1 - x * LJ)} if x.name == "eps" else {}

    def written(e: Any) -> Any:
        grown = sp.exp(sp.expand(e.args[0]).subs(logs), evaluate=False)
        try:
            return series(grown, x, orders) if grown.has(x) else e
        except Undecided as error:
            raise NotInPairForm(f"{e} has no powers of {x}") from error

    return expr.replace(lambda e: isinstance(e, sp.exp), written)


def in_stable_steps(expr: Any, short: bool = False) -> str | None:
    """How it is known that a formula in the step and in (1 - eps lambda)^n is nowhere negative.

    Where ``short``, of steps up to 1/lambda alone. A minibatch is no larger than the data.
    """
    below, above = (_certificate(expr, above) for above in (False, True))
    if below is None or (above is None and not short):
        return None
    told = "" if short else " and above"
    return f"for steps below{told} $1/lambda_i$ its numerator has no negative coefficient"


def is_negative_in_long_steps(expr: Any) -> bool:
    """Whether it is below zero in every step from 1/lambda to the end of the stable range.

    A sum of products of positive letters with positive factors is not zero.
    """
    found = None if expr == 0 else _certificate(-expr, True)
    return found is not None and found.kind == "coefficients"


def _certificate(expr: Any, above: bool) -> rational.Certificate | None:
    """That it is nowhere negative for u = eps lambda below one, or from there to two.

    (1 - u)^n is between 0 and 1/(1 + u n) where u < 1; for u from 1 to 2 all that is used of it is that
    it lies between -1 and 1.
    """
    formula, letters = algebraic(expr)
    if len(letters) != 1:
        return None
    ((E, grown),) = letters.items()
    n = grown.args[0] / ELL_I
    if n.has(ELL_I):
        return None
    s, w, more, rest = sp.symbols("_s _w _more _rest", positive=True)
    sizes = {notation.N: 1 + more + rest, notation.S: 1 + more}
    u = (2 + w) / (1 + w) if above else 1 / (1 + w)
    power = (s - 1) / (s + 1) if above else 1 / (1 + n / (1 + w) + s)
    case = formula.subs(E, power).subs(notation.eps, u / LI).subs(sizes, simultaneous=True)
    return rational.nowhere_negative(case)


def first(expr: Any, x: Any, limit: str = "0") -> First | None:
    """The first term of a formula that is rational in x; None where it is zero.

    >>> x, a = sp.symbols("x a", positive=True)
    >>> first((a * x**2 + x**3) / (1 + x), x), first(x / (a + x**2), x, "oo")
    ((2, a), (-1, 1))
    """
    if limit == "oo":
        decaying = {f: 0 for f in expr.atoms(AppliedUndef) if f.has(x)}  # powers of a stable step
        expr = without_decay(expr.subs(decaying), x)
    formula, letters = algebraic(expr)
    if any(e.has(x) for e in letters.values()):
        raise NotInPairForm(f"{expr} is not rational in {x}")
    try:
        (term,) = first_terms(formula, x, limit, 1)
    except Undecided as error:
        raise NotInPairForm(f"{expr} has no first term in {x}") from error
    return None if term == NOTHING else (sp.Rational(term.power), term.coefficient.subs(letters))
