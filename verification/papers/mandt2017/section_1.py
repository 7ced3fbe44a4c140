"""The abstract and Section 1: the posterior, and what is announced of Sections 4 to 6."""

import sympy as sp

from verification.notation import A, S, Sigma, eps, mu, trace
from verification.papers.mandt2017.hypotheses import A1, A2, A4, CONVEX, momentum, sgd
from verification.papers.mandt2017.letters import falling, reaches
from verification.relations import All, Compare, Equal, FreeOf, Stable
from verification.statements import Printed, at, letter, letters, mean_under, sequences
from verification.terms.kinds import number
from verification.terms.stochastic import mean_of, rate_of_mean
from verification.theories.matrices.words import elsewhere, tr

stationary = at(
    "abstract.stationary", "abstract, first sentence; section 1, constant SGD as a sampler"
).claim(
    "Constant SGD has a stationary distribution",
    "With a constant step the law of the iterates tends to a stationary one: for normal noise on a"
    " quadratic loss, exactly where the means settle.",
    of="sgd",
    given=(A1, A2, A4, CONVEX),
    read=Stable(),
    time="discrete",
    scope="a quadratic loss",
)

posterior, joint, evidence = sp.symbols("posterior joint evidence", positive=True)

eq1 = at("eq1", "Eq. 1").definition(
    "The posterior",
    "The posterior is the joint density over the evidence.",
    # evaluated: a process that is sent the claim would evaluate it, and judge another form
    Printed(posterior, sp.exp(sp.log(joint) - sp.log(evidence))),
    kinds={posterior: number(), joint: number(), evidence: number()},
)

robbins_monro = at("sec1.robbins_monro", "section 1, first paragraph").attribution(
    "SGD with decreasing steps reaches the optimum",
    "That SGD provably reaches an optimum is ascribed to Robbins and Monro (1951).",
)

implementation = at("sec1.effort_and_mixing", "section 1, constant SGD as a sampler").opinion(
    "Constant SGD needs little effort and mixes fast",
    "Sampling by constant SGD is said to be easy to implement and typically to mix faster.",
)

(position,) = sequences("theta")
decreasing_step = at("sec1.decreasing_step", "section 1, first paragraph").claim(
    "A decreasing step reaches the optimum",
    "Following noisy gradients with a decreasing step size is said to reach the optimum.",
    given=falling(position),
    read=reaches(position),
    scope="one coordinate of a quadratic loss",
)

examples, data, each = letters("S N c")
cheap_gradients = at("sec1.cheap_gradients", "section 1, first paragraph").claim(
    "Gradients of a random part of the data are cheaper",
    "A gradient of $S$ examples, $c$ operations each, takes no more of them than one of all $N$.",
    given=(Compare(examples, "<=", data),),
    read=Compare(examples * each, "<=", data * each),
)

centred = sgd("sec1.centred", "section 1, constant SGD as a sampler; section 7.1, on Figure 1").claim(
    "The stationary law is centred on the optimum",
    "The mean of the stationary law is the optimum, here of a quadratic loss: what is added to a mean in"
    " the time of a step vanishes there alone.",
    read=Equal(rate_of_mean("theta"), -eps * A * mean_of("theta")),
    scope="a quadratic loss",
)

x, xi, b, optimum = (letter(name, "real") for name in ("theta", "xi", "b", "o"))
step, a, noise, V = letters("eps a c V")
OFF = x - optimum
SLOPE = a * OFF + b * OFF**2 / 2  # of the loss a x^2/2 + b x^3/6, x from the optimum
NORMAL = -(OFF**2) / (2 * V) - xi**2 / 2

centred_on_any_loss = at(
    "sec1.centred_on_any_loss", "section 1, constant SGD as a sampler; section 6.1, after Eq. 29"
).claim(
    "The law is centred on the optimum of a loss with a cubic term",
    "A normal law of some variance $V$ about the optimum $o$ keeps its mean under a step, here in one"
    " dimension for a loss with a cubic term: without Assumption 4, under which $b$ is zero.",
    given=(A1, A2),
    states=(x, xi),
    derived=Equal(mean_under(NORMAL, x - step * SLOPE + step * noise * xi, x, xi), optimum),
    scope="one dimension, a cubic term",
)

rate_and_minibatch = sgd("sec1.rate_and_minibatch_matter", "section 1, tunable parameters").claim(
    "Learning rate and minibatch size shape the law",
    "The stationary covariance is proportional to the learning rate, and to one over the minibatch size."
    " (The third parameter is the preconditioner, of which section 4 speaks.)",
    read=All(FreeOf(Sigma / eps, eps), FreeOf(S * Sigma, S)),
)

scale_not_shape = momentum("sec1.scale_not_shape", "section 1, contribution 3").claim(
    "Momentum changes the scale, not the shape",
    "The stationary covariance with momentum is some multiple of that without it.",
    read=Equal(Sigma / trace(Sigma), elsewhere(Sigma, of="sgd") / tr(elsewhere(Sigma, of="sgd"))),
    kinds=(("mu", "up to one"),),
)

scaling_factor = momentum("sec1.scaling_factor", "section 1, contribution 3").claim(
    "The factor depends on the damping alone",
    "The multiple is a simple function of the damping coefficient: one over it.",
    read=Equal(Sigma, elsewhere(Sigma, of="sgd") / mu),
    kinds=(("mu", "up to one"),),
)
