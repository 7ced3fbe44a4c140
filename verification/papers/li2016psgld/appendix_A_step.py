"""Appendix A: Poisson's equation, and one step of the Euler integrator (Eqs. 10, 13 and 14)."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.definition import NotMathematical
from verification.claims.rough import RoughStep
from verification.papers.li2016psgld.appendix_sequences import ONE, SMOOTH
from verification.statements import All, Equal, WeakOrder, claim

theta, xi = sp.symbols("theta xi", real=True)
h = sp.Symbol("epsilon", positive=True)
noise = sp.Symbol("sigma", positive=True)  # G = sigma^2, here a number
shift = sp.Symbol("c", real=True)
HALF = sp.Rational(1, 2)
H, F, slope, extra = (sp.Function(n)(theta) for n in ("H", "F", "g", "Gamma"))
psi = sp.Function("psi")(theta)
root = sp.Function("sigma", positive=True)(theta)  # of G
G = root**2
# of Algorithm 1 with the minibatch at hand: any slope, any Gamma
DRIFT = HALF * (G * slope + extra)
EULER = Step((theta,), ((theta, theta + h * DRIFT + sp.sqrt(h) * root * xi),), (xi,))
Q = 2 * F / G  # the slope of the solution


def generator(f: sp.Expr, first: sp.Expr) -> sp.Expr:
    """The generator of a drift and of noise with variance G."""
    return first * sp.Derivative(f, theta) + HALF * G * sp.Derivative(f, theta, theta)


eq10 = claim(
    "appA.eq10",
    at="Eq. 10, and Eq. 14: a solution exists",
    title="Poisson's equation has a solution",
    says="In one coordinate psi with slope 2 F/G solves it, F e^(-H) being an integral of what phi"
    " is off its mean, times the density e^(-H).",
    given=(ONE,),
    states=(theta,),
    read=Equal(
        HALF * (-G * H.diff(theta) + G.diff(theta)) * Q + HALF * G * sp.Derivative(Q, theta),
        F.diff(theta) - F * H.diff(theta),
    ),
)

unique = claim(
    "appA.eq10_unique",
    at="after Eq. 10",
    title="The solution of Poisson's equation is unique",
    says="With psi, psi + c solves the equation too; the two are one.",
    states=(theta,),
    read=All(Equal(generator(psi + shift, DRIFT), generator(psi, DRIFT)), Equal(psi + shift, psi)),
)

eq13 = claim(
    "appA.eq13",
    at="Eq. 13, first line, with the generator of Algorithm 1",
    title="One step of Euler's integrator",
    says="Given the minibatch, the mean of psi after a step is e^(eps L) psi up to eps^2.",
    given=(SMOOTH, ONE),
    read=WeakOrder(Diffusion((theta,), (DRIFT,), ((root,),)), EULER, h, 1),
)

eq13_printed = claim(
    "appA.eq13_printed_generator",
    at="Eq. 13, first line, with the generator that Eq. 11 prints",
    title="The same with the printed generator",
    says="With the generator of Eq. 11 the mean of psi after a step is e^(eps L) psi up to"
    " eps^2 (constant G, drift -theta).",
    given=(SMOOTH, ONE),
    printed=WeakOrder(
        Diffusion((theta,), (-theta,), ((noise**2,),)),
        Step((theta,), ((theta, theta - h / 2 * theta + sp.sqrt(h) * noise * xi),), (xi,)),
        h,
        1,
    ),
)

three_derivatives = RoughStep(
    "appA.eq13_three_derivatives",
    at="Eq. 13 with Assumption 2: derivatives up to the third",
    title="Three derivatives of psi are enough",
    says="With psi and its derivatives up to the third bounded, one step leaves over eps^2.",
    given=(SMOOTH, ONE),
    derivatives=3,
    order=2,
)

a2_size = claim(
    "appA.a2_size",
    at="after Eq. 17: A_2 and the noise",
    title="One step spreads psi by the root of the step",
    says="Per unit of step the variance of psi after a step is L psi^2 - 2 psi L psi = G psi'^2.",
    given=(ONE,),
    states=(theta,),
    read=Equal(generator(psi**2, DRIFT) - 2 * psi * generator(psi, DRIFT), G * psi.diff(theta) ** 2),
)

as_in_2015 = NotMathematical(
    "appA.decomposition",
    at="before Eq. 13",
    title="The decomposition is that of an earlier paper",
    says="The expansion of one step is taken from Chen, Ding and Carin (2015).",
    because="attribution",
)
