"""Section 2: momentum, the multivariate thermostat, preconditioners, annealing."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
from verification.claims.equivalence import Equivalent
from verification.claims.marginals import Marginal
from verification.claims.on_average import OnAverage
from verification.claims.weak_order import WeakOrder
from verification.papers.chen2016santa.processes import (
    STATE,
    Xi,
    beta,
    density,
    equation,
    h,
    p,
    slope,
    x,
    y,
    zeta,
)

eta, a = sp.symbols("eta alpha", positive=True)
u, v, friction = sp.symbols("u v alpha", real=True)
ONE = sp.Integer(1)
EXACT = Assumption("gradients are exact")


def thermostat(size: sp.Expr) -> Step:
    """The updates of mSGNHT in one coordinate, in the order in which their indices need each other."""
    kick = (1 - size * Xi) * p - size * slope + sp.sqrt(2 * size / beta) * zeta
    friction_ = (Xi, Xi + size * (p**2 - 1 / beta))
    return Step(STATE, ((p, kick), (x, x + size * p), friction_), (zeta,))


momentum_analog = Equivalent(
    key="sec2.momentum_analog",
    at="section 2, fifth paragraph",
    stands="read",
    title="Without its noise and learning, mSGNHT is SGD-M",
    says=(
        "With the weight held fixed it is SGD-M of weight eta alpha and step eta^2, u being eta times"
        " as large."
    ),
    given=(Assumption("the noise is left out and the momentum weight held fixed"),),
    first=Step((x, u), ((u, (1 - eta * a) * u - slope), (x, x + eta**2 * u))),
    second=Step((y, v), ((v, (1 - eta * a) * v - eta * sp.Function("U")(y).diff(y)), (y, y + eta * v))),
    change=((y, x), (v, eta * u)),
)

msgnht = WeakOrder(
    key="sec2.msgnht",
    at="section 2, fifth paragraph, the updates of mSGNHT",
    stands="derived",
    title="mSGNHT solves the thermostat's equation",
    says="With exact gradients its updates are a scheme of first order for Eq. 1 with both metrics one.",
    given=(EXACT,),
    process=equation(ONE, ONE),
    step=thermostat(h),
    h=h,
    order=1,
)

posterior = Marginal(
    key="sec2.posterior",
    at="section 2, fifth paragraph",
    stands="read",
    title="An inverse temperature of one is the posterior",
    says="At beta = 1 positions have the law exp(-U), whatever momenta and frictions do.",
    log_density=density(ONE).subs(beta, 1),
    state=STATE,
    kept=(x,),
    log_marginal=-sp.Function("U")(x),
)

temperature = OnAverage(
    key="sec2.temperature",
    at="section 2, fifth paragraph, the update of the weights",
    stands="read",
    title="The weights match the kinetic energy to the temperature",
    says=(
        "Where the mean weight stands still, squared momenta are 1/beta on average, at every step size."
    ),
    step=thermostat(h),
    by=Xi,
    f=p**2,
    value=1 / beta,
)

regret = NotMathematical(
    "sec2.regret",
    at="section 2, sixth paragraph",
    title="A regret bound of the order of the root of N",
    says="It is ascribed to Duchi et al. (2011) and Kingma and Ba (2015); section 4.2 writes T for N.",
    because="attribution",
)

annealing = NotMathematical(
    "sec2.annealing",
    at="section 2, last paragraph",
    title="Earlier annealed samplers accept and reject",
    says="That they are of Metropolis-Hastings type and expensive is ascribed to earlier work.",
    because="attribution",
)
