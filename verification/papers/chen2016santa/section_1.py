"""The abstract and Section 1: which sampler resembles which optimiser, Santa at zero temperature."""

import sympy as sp

from sgtheory.dynamics.steps import Step
from verification.papers.chen2016santa import section_5, supplement_F
from verification.papers.chen2016santa.processes import g, p, q, x, y, zeta
from verification.statements import All, Assumption, at, same

analogs = at("abstract.analogs", "abstract").opinion(
    "Stochastic gradient MCMC is the Bayesian analog of stochastic optimisation",
    "The connection of the two is said to be not well studied; section 2 lists it line by line.",
)

momentum_weights = at("abstract.static_momentum", "abstract").attribution(
    "Conventional methods share one static momentum weight",
    "Element-wise momentum weights that adapt are said to be new: earlier methods have one, fixed.",
)

close_to_optima = at("abstract.global_optima", "abstract").opinion(
    "Annealing converges close to the global optima",
    "What is stated of it is Theorem 2, recorded with section 4.3.",
)

state_of_the_art = at("abstract.state_of_the_art", "abstract").claim(
    "Results are the best among related optimisers",
    "In each column of Table 1 Santa is ahead of the other optimisers (rows of BPB and dropout are"
    " taken from Blundell et al., variants of Santa are left out); of Table 2 see table2.related.",
    read=All(section_5.best_fnn.statement, section_5.best_cnn.statement),
    numbers=section_5.table(section_5.FNN) | section_5.CONVOLUTIONAL,
)

eta, alpha, s = sp.symbols("eta alpha s", positive=True)
f = sp.Function("f")

gibbs = at("sec1.simulated_annealing", "section 1, first paragraph").attribution(
    "The Gibbs sampler began as simulated annealing",
    "It is ascribed to Geman and Geman (1984), as a method to find a mode.",
)

on_a_line = at.within("one coordinate")
sgld_and_sgd = on_a_line(
    "sec1.sgld_and_sgd", "section 1, on structural similarities, with the updates of section 2"
).claim(
    "SGLD is SGD with additive Gaussian noise",
    "Where a standard normal variable times the root of $2 eta$ is added, a step of SGD is one of SGLD.",
    states=(x, zeta, f),
    read=same(
        Step((x,), ((x, x - eta * f(x)), (x, x + sp.sqrt(2 * eta) * zeta)), (zeta,)),
        Step((y,), ((y, y - eta * f(y) + sp.sqrt(2 * eta) * zeta),), (zeta,)),
        ((y, x),),
    ),
)

sghmc_and_momentum = on_a_line(
    "sec1.sghmc_and_momentum", "section 1, on structural similarities, with the updates of section 2"
).claim(
    "SGHMC is SGD with momentum, with noise on the momentum",
    "With $u$ for $eta$ times the momentum of SGD-$M$, of weight $eta alpha$ and step $eta^2$, the two"
    " differ by noise of some size $s$ on the momentum alone.",
    states=(x, p, zeta, f),
    read=same(
        Step((x, p), ((p, (1 - eta * alpha) * p - f(x) + s / eta * zeta), (x, x + eta**2 * p)), (zeta,)),
        Step((y, q), ((q, (1 - eta * alpha) * q - eta * f(y) + s * zeta), (y, y + eta * q)), (zeta,)),
        ((y, x), (q, eta * p)),
    ),
)

zero_temperature = on_a_line("sec1.zero_temperature", "section 1, on Santa, with Algorithm 1").claim(
    "At zero temperature Santa is SGD with momentum but for metric and weights",
    "With a constant metric and a constant weight, Algorithm 1's refinement is SGD-$M$, rescaled.",
    given=(Assumption("metric and momentum weight are constant: those are the two differences named"),),
    states=(x, p, f),
    read=same(
        Step((x, p), ((p, (1 - alpha) * p - f(x)), (x, x + eta * g**2 * p))),
        Step((y, q), ((q, (1 - alpha) * q - eta * g * f(y)), (y, y + g * q))),
        ((y, x), (q, eta * g * p)),
    ),
)

adam_regret = at("sec1.regret", "section 1, on theory").again(
    supplement_F.regret,
    "The regret bound of Adam carries over",
    "For convex problems, with a few changes, Supplement F adapts the bound of Adam, $sqrt(T)$.",
)

curvature = at("sec1.curvature", "section 1, on adaptive preconditioners").attribution(
    "Adaptive preconditioners deal with uneven curvature",
    "Why they are wanted in practice is ascribed to Dauphin et al. (2015).",
)
