"""What the paper assumes, and the chains and letters in which its statements are looked at."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption
from verification.laws.averages import Averages, k, t
from verification.statements import Letter

A1 = Assumption("Assumption 1: the steps decrease, their sum is infinite, that of their squares finite")
SMOOTH = Assumption(
    "psi, the solution of Poisson's equation, and its derivatives are bounded (Assumption 2)"
)
BOUNDED = Assumption("gradients of first and second order are bounded")
FORGETS = Letter("alpha", "real") < 1
BURNT_IN = Assumption("after burn-in: the chain is in its stationary law")

CONVEX = Assumption("the log posterior is a normal density's, and A is positive definite")

x, xi, zeta = sp.symbols("x xi zeta", real=True)
h = sp.Symbol("h", positive=True)

# Eq. 2 on a normal posterior of precision 4, with gradient noise of variance 1, and with none
NOISY = Step((x,), ((x, x + h / 2 * (-4 * x + zeta) + sp.sqrt(h) * xi),), (xi, zeta))
EXACT = Step((x,), ((x, x - 2 * h * x + sp.sqrt(h) * xi),), (xi,))
# the same on a posterior of precision 2, so that steps 1/t multiply the distance by 1 - 1/t
WIDE = Step((x,), ((x, x - h * x + sp.sqrt(h) * xi),), (xi,))
# stochastic optimization of the same loss
DESCENT = Step((x,), ((x, x - 2 * h * x + h * zeta),), (zeta,))


def along(words: str, steps: sp.Expr, step: Step = NOISY, phi: sp.Expr = x, **more: object) -> Averages:
    """One schedule, for longer and longer runs."""
    return Averages(words, step, h, phi, steps, 2 ** (k + 3), (1,), **more)  # type: ignore[arg-type]


SLOWLY = t ** sp.Rational(-1, 3) / 2
BETWEEN = t ** sp.Rational(-2, 3) / 2
