"""Section 2: momentum, the multivariate thermostat, preconditioners, annealing."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption
from verification.claims.definition import NotMathematical
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
from verification.statements import (
    Equal,
    WeakOrder,
    claim,
    index,
    letter,
    letters,
    log_integral,
    over,
    same,
    sequences,
)

eta, a = sp.symbols("eta alpha", positive=True)
u, v, friction = sp.symbols("u v alpha", real=True)
ONE = sp.Integer(1)
# squared momenta, by the updates of the weights
squared, weight = sequences("p_squared Xi")
t, T = index("t"), letter("T", "count")
size, inverse = letters("h beta")
EXACT = Assumption("gradients are exact")


def thermostat(size: sp.Expr) -> Step:
    """The updates of mSGNHT in one coordinate, in the order in which their indices need each other."""
    kick = (1 - size * Xi) * p - size * slope + sp.sqrt(2 * size / beta) * zeta
    friction_ = (Xi, Xi + size * (p**2 - 1 / beta))
    return Step(STATE, ((p, kick), (x, x + size * p), friction_), (zeta,))


momentum_analog = claim(
    "sec2.momentum_analog",
    at="section 2, fifth paragraph",
    title="Without its noise and learning, mSGNHT is SGD-M",
    says="With the weight held fixed it is SGD-M of weight eta alpha and step eta^2, u being eta times"
    " as large.",
    given=(Assumption("the noise is left out and the momentum weight held fixed"),),
    states=(x, u, sp.Function("U")),
    read=same(
        Step((x, u), ((u, (1 - eta * a) * u - slope), (x, x + eta**2 * u))),
        Step((y, v), ((v, (1 - eta * a) * v - eta * sp.Function("U")(y).diff(y)), (y, y + eta * v))),
        ((y, x), (v, eta * u)),
    ),
)

msgnht = claim(
    "sec2.msgnht",
    at="section 2, fifth paragraph, the updates of mSGNHT",
    title="mSGNHT solves the thermostat's equation",
    says="With exact gradients its updates are a scheme of first order for Eq. 1 with both metrics one.",
    given=(EXACT,),
    derived=WeakOrder(equation(ONE, ONE), thermostat(h), h, 1),
)

posterior = claim(
    key="sec2.posterior",
    at="section 2, fifth paragraph",
    title="An inverse temperature of one is the posterior",
    says="At beta = 1 positions have the law exp(-U), whatever momenta and frictions do.",
    read=Equal(
        log_integral(density(ONE).subs(beta, 1), *STATE[1:]), -sp.Function("U")(x), constant_in=(x,)
    ),
)

temperature = claim(
    key="sec2.temperature",
    at="section 2, fifth paragraph, the update of the weights",
    title="The weights match the kinetic energy to the temperature",
    says="Squared momenta are 1/beta on average over T steps, up to what the weight gains over T h: at"
    " every step size, and exactly where it comes back.",
    given=(Equal(squared[t], (weight[t] - weight[t - 1]) / size + 1 / inverse),),
    read=Equal(over(squared[t], t, 1, T) / T, 1 / inverse + (weight[T] - weight[0]) / (T * size)),
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
