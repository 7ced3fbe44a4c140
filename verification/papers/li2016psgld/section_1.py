"""Introduction and related work: what is said of other methods."""

import sympy as sp

from verification.statements import Compare, Order, at, growing

a, d = sp.symbols("a d", positive=True)  # an entry of a precision of two rows, and its determinant
c = sp.Symbol("c", real=True)  # its other entries are c and (d + c^2)/a

announced = at("abstract.theory", "abstract").reference(
    "Theory of convergence and risk, and experiments",
    "Asymptotic convergence, predictive risk and state-of-the-art performance are announced.",
)

dropout = at("intro.dropout", "introduction").attribution(
    "Dropout as a Bayesian approximation",
    "That dropout approximates Bayesian inference is ascribed to others.",
)

separable = at("intro.separable_underestimates", "introduction, on variational inference").claim(
    "Separable normal posteriors underestimate uncertainty",
    "In two dimensions: the separable normal law that is best in KL(law || posterior) has the"
    " precisions of the diagonal, here $a$ and $(d + c^2)/a$, and so never more variance than the"
    " posterior ($c$ off the diagonal, $d$ the determinant).",
    read=Compare(1 / a, "<=", (d + c**2) / (a * d)),
    scope="two dimensions",
)

others_converge = at("intro.decreasing_steps", "introduction, on stochastic gradient MCMC").attribution(
    "Convergence with slowly decreasing steps",
    "That such chains converge to the posterior with decreasing steps is ascribed to Teh et al. and"
    " Chen et al.",
)

n, w = sp.symbols("n w", positive=True)  # examples of a minibatch; weights, of which each is drawn noise
same_cost = at("related.cost", "related work").claim(
    "A step of SGLD costs as much as one of SGD",
    "Nearly: a gradient takes operations for each example and weight, noise a few for each weight.",
    read=Order(n * w + 4 * w, "~", n * w, growing(n)),
)

rmsprop = at("related.rmsprop", "related work").attribution(
    "RMSprop as a diagonal preconditioner",
    "That RMSprop is a diagonal preconditioner is ascribed to Dauphin et al.",
)
