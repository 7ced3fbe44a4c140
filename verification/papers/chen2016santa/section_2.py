"""Section 2: potential, minibatches, SGD, SGLD, momentum, thermostats, preconditioners, annealing."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.notation import A, N, Sigma, eps
from verification.papers.chen2016santa.processes import (
    STATE,
    U,
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
from verification.relations import Equal, Order, Preserves, WeakOrder, vanishing
from verification.statements import Assumption, Printed, at, index, log_integral, over, same, sequences
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    Expectation,
    FixedColumn,
    columns,
    numbers,
    total,
)
from verification.terms.kinds import PARAMETER, column, number
from verification.terms.notation import I
from verification.terms.term import letter, letters

eta = sp.Symbol("eta", positive=True)
potential, log_prior, total_likelihood = sp.symbols("U logprior loglik", real=True)
new, old, gradient = sp.symbols("theta_t theta_old f_t", commutative=False)
log_p, log_likelihood = sp.Symbol("logprior", real=True), numbers("loglik")
g_n, g_prior = columns("g"), FixedColumn("g_0", commutative=False)  # of one example, of the prior
EXACT = Assumption("gradients are exact")
LANGEVIN = Diffusion((x,), (-slope,), ((sp.sqrt(2),),))

notation = at("sec2.roots", "section 2, first paragraph").reference(
    "Two roots: of each element, and of a matrix",
    "The root sign is taken element by element; a power of one half is a matrix square root.",
)

posterior_energy = at("sec2.potential", "section 2, second paragraph").definition(
    "The potential energy is minus the log posterior",
    "The potential is minus the log prior minus the sum of the log likelihoods, without a unit.",
    Printed(potential, -log_prior - total_likelihood),
    kinds={potential: number(), log_prior: number(), total_likelihood: number()},
)

minibatch_energy = at("sec2.stochastic_potential", "section 2, third paragraph").claim(
    "The potential of a minibatch is right on average",
    "With the minibatch's log likelihoods times $N/m$, the mean over all minibatches is the potential.",
    derived=Equal(
        Expectation(-log_p - N * BatchAverage(log_likelihood)), -log_p - total(log_likelihood)
    ),
)

unbiased = at("sec2.unbiased", "section 2, third paragraph").claim(
    "The gradient on a minibatch is unbiased",
    "Over all random subsets of $m$ examples it averages to the true gradient.",
    read=Equal(Expectation(g_prior + N * BatchAverage(g_n)), g_prior + N * Average(g_n)),
)

sgd = at("sec2.sgd", "section 2, fourth paragraph").definition(
    "The update of SGD",
    "A step subtracts the learning rate times the stochastic gradient.",
    Printed(new, old - eta * gradient),
    kinds={
        new: column(PARAMETER),
        old: column(PARAMETER),
        eta: number(PARAMETER**2),
        gradient: column(1 / PARAMETER),
    },
    stands="read",
)

sgd_converges = at("sec2.sgd_converges", "section 2, fourth paragraph").attribution(
    "SGD reaches a local minimum", "That it does so under mild conditions is ascribed to Bottou (2010)."
)

on_a_line = at.within("one coordinate")
sgld = on_a_line("sec2.sgld", "section 2, fourth paragraph").claim(
    "The update of SGLD solves Langevin's equation",
    "With exact gradients a step of size $eta$ solves Langevin's equation to first order.",
    given=(EXACT,),
    derived=WeakOrder(
        LANGEVIN, Step((x,), ((x, x - eta * slope + sp.sqrt(2 * eta) * zeta),), (zeta,)), eta, 1
    ),
)

sgld_posterior = on_a_line("sec2.sgld_posterior", "section 2, fourth paragraph").claim(
    "The equation of SGLD has the posterior for its law",
    "Langevin's equation with a unit of noise leaves $exp(-U)$ invariant.",
    read=Preserves(((LANGEVIN, -U),)),
)

sgld_approximate = at("sec2.sgld_approximate", "section 2, fourth paragraph").claim(
    "Samples of SGLD are approximate",
    "At a fixed step variances on quadratics are off by the order of the step, whatever the noise of"
    " the gradients (the sampler's step, $epsilon = 2 eta$, is Welling and Teh's).",
    of="sgld",
    time="discrete",
    read=Order(N * A * Sigma - I, "Theta", eps, vanishing(eps)),
)

eta, a = sp.symbols("eta alpha", positive=True)
u, v, friction = sp.symbols("u v alpha", real=True)
ONE = sp.Integer(1)
# squared momenta, by the updates of the weights
squared, weight = sequences("p_squared Xi")
t, T = index("t"), letter("T", "count")
size, inverse = letters("h beta")


def thermostat(size: sp.Expr) -> Step:
    """The updates of mSGNHT in one coordinate, in the order in which their indices need each other."""
    kick = (1 - size * Xi) * p - size * slope + sp.sqrt(2 * size / beta) * zeta
    friction_ = (Xi, Xi + size * (p**2 - 1 / beta))
    return Step(STATE, ((p, kick), (x, x + size * p), friction_), (zeta,))


momentum_analog = on_a_line("sec2.momentum_analog", "section 2, fifth paragraph").claim(
    "Without its noise and learning, mSGNHT is SGD-$M$",
    "With the weight held fixed it is SGD-$M$ of weight $eta alpha$ and step $eta^2$, $u$ being $eta$"
    " times as large.",
    given=(Assumption("the noise is left out and the momentum weight held fixed"),),
    states=(x, u, sp.Function("U")),
    read=same(
        Step((x, u), ((u, (1 - eta * a) * u - slope), (x, x + eta**2 * u))),
        Step((y, v), ((v, (1 - eta * a) * v - eta * sp.Function("U")(y).diff(y)), (y, y + eta * v))),
        ((y, x), (v, eta * u)),
    ),
)

msgnht = on_a_line("sec2.msgnht", "section 2, fifth paragraph, the updates of mSGNHT").claim(
    "mSGNHT solves the thermostat's equation",
    "With exact gradients its updates are a scheme of first order for Eq. 1 with both metrics one.",
    given=(EXACT,),
    derived=WeakOrder(equation(ONE, ONE), thermostat(h), h, 1),
)

posterior = on_a_line("sec2.posterior", "section 2, fifth paragraph").claim(
    "An inverse temperature of one is the posterior",
    "At $beta = 1$ positions have the law $exp(-U)$, whatever momenta and frictions do.",
    read=Equal(
        log_integral(density(ONE).subs(beta, 1), *STATE[1:]), -sp.Function("U")(x), constant_in=(x,)
    ),
)

temperature = at("sec2.temperature", "section 2, fifth paragraph, the update of the weights").claim(
    "The weights match the kinetic energy to the temperature",
    "Squared momenta are $1/beta$ on average over $T$ steps, up to what the weight gains over $T h$: at"
    " every step size, and exactly where it comes back.",
    given=(Equal(squared[t], (weight[t] - weight[t - 1]) / size + 1 / inverse),),
    read=Equal(over(squared[t], t, 1, T) / T, 1 / inverse + (weight[T] - weight[0]) / (T * size)),
)

regret = at("sec2.regret", "section 2, sixth paragraph").attribution(
    "A regret bound of the order of the root of $N$",
    "It is ascribed to Duchi et al. (2011) and Kingma and Ba (2015); section 4.2 writes $T$ for $N$.",
)

annealing = at("sec2.annealing", "section 2, last paragraph").attribution(
    "Earlier annealed samplers accept and reject",
    "That they are of Metropolis-Hastings type and expensive is ascribed to earlier work.",
)
