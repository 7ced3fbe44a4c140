"""Section 2: potential, minibatches, SGD and SGLD."""

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from verification.claims.base import Assumption, Printed
from verification.claims.definition import Definition, NotMathematical
from verification.notation import A, N, Sigma, eps
from verification.papers.chen2016santa.processes import U, slope, x, zeta
from verification.statements import Equal, Order, Preserves, WeakOrder, claim, vanishing
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

eta = sp.Symbol("eta", positive=True)
potential, log_prior, total_likelihood = sp.symbols("U logprior loglik", real=True)
new, old, gradient = sp.symbols("theta_t theta_old f_t", commutative=False)
log_p, log_likelihood = sp.Symbol("logprior", real=True), numbers("loglik")
g_n, g_prior = columns("g"), FixedColumn("g_0", commutative=False)  # of one example, of the prior
EXACT = Assumption("gradients are exact")
LANGEVIN = Diffusion((x,), (-slope,), ((sp.sqrt(2),),))

notation = NotMathematical(
    "sec2.roots",
    at="section 2, first paragraph",
    title="Two roots: of each element, and of a matrix",
    says="The root sign is taken element by element; a power of one half is a matrix square root.",
    because="attribution",
)

posterior_energy = Definition(
    "sec2.potential",
    at="section 2, second paragraph",
    title="The potential energy is minus the log posterior",
    says="The potential is minus the log prior minus the sum of the log likelihoods, without a unit.",
    printed=(Printed(potential, -log_prior - total_likelihood),),
    declared=((potential, number()), (log_prior, number()), (total_likelihood, number())),
)

minibatch_energy = claim(
    "sec2.stochastic_potential",
    at="section 2, third paragraph",
    title="The potential of a minibatch is right on average",
    says="With the minibatch's log likelihoods times N/m, the mean over all minibatches is the"
    " potential.",
    derived=Equal(
        Expectation(-log_p - N * BatchAverage(log_likelihood)), -log_p - total(log_likelihood)
    ),
)

unbiased = claim(
    "sec2.unbiased",
    at="section 2, third paragraph",
    title="The gradient on a minibatch is unbiased",
    says="Over all random subsets of m examples it averages to the true gradient.",
    read=Equal(Expectation(g_prior + N * BatchAverage(g_n)), g_prior + N * Average(g_n)),
)

sgd = Definition(
    "sec2.sgd",
    at="section 2, fourth paragraph",
    title="The update of SGD",
    says="A step subtracts the learning rate times the stochastic gradient.",
    printed=(Printed(new, old - eta * gradient),),
    declared=(
        (new, column(PARAMETER)),
        (old, column(PARAMETER)),
        (eta, number(PARAMETER**2)),
        (gradient, column(1 / PARAMETER)),
    ),
)

sgd_converges = NotMathematical(
    "sec2.sgd_converges",
    at="section 2, fourth paragraph",
    title="SGD reaches a local minimum",
    says="That it does so under mild conditions is ascribed to Bottou (2010).",
    because="attribution",
)

sgld = claim(
    "sec2.sgld",
    at="section 2, fourth paragraph",
    title="The update of SGLD solves Langevin's equation",
    says="With exact gradients a step of size eta is one of first order of d theta = -grad U dt +"
    " sqrt(2) dW.",
    given=(EXACT,),
    derived=WeakOrder(
        LANGEVIN, Step((x,), ((x, x - eta * slope + sp.sqrt(2 * eta) * zeta),), (zeta,)), eta, 1
    ),
)

sgld_posterior = claim(
    "sec2.sgld_posterior",
    at="section 2, fourth paragraph",
    title="The equation of SGLD has the posterior for its law",
    says="Langevin's equation with a unit of noise leaves exp(-U) invariant.",
    read=Preserves(((LANGEVIN, -U),)),
)

sgld_approximate = claim(
    "sec2.sgld_approximate",
    at="section 2, fourth paragraph",
    title="Samples of SGLD are approximate",
    says="At a fixed step variances on quadratics are right to first order only, whatever the noise of"
    " the gradients.",
    of="sgld",
    time="discrete",
    read=Order(N * A * Sigma - I, "Theta", eps, vanishing(eps)),
)
