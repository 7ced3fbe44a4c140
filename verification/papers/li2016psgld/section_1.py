"""Introduction and related work: what is said of other methods."""

import sympy as sp

from verification.claims.definition import NotMathematical
from verification.statements import Compare, claim

a, d = sp.symbols("a d", positive=True)  # an entry of a precision of two rows, and its determinant
c = sp.Symbol("c", real=True)  # its other entries are c and (d + c^2)/a

announced = NotMathematical(
    "abstract.theory",
    at="abstract",
    title="Theory of convergence and risk, and experiments",
    says="Asymptotic convergence, predictive risk and state-of-the-art performance are announced.",
    because="opinion",
)

dropout = NotMathematical(
    "intro.dropout",
    at="introduction",
    title="Dropout as a Bayesian approximation",
    says="That dropout approximates Bayesian inference is ascribed to others.",
    because="attribution",
)

separable = claim(
    "intro.separable_underestimates",
    at="introduction, on variational inference",
    title="Separable normal posteriors underestimate uncertainty",
    says="In two dimensions: the separable normal law that is best in KL(law || posterior) has the"
    " precisions of the diagonal, and so never more variance than the posterior.",
    read=Compare(1 / a, "<=", (d + c**2) / (a * d)),
)

others_converge = NotMathematical(
    "intro.decreasing_steps",
    at="introduction, on stochastic gradient MCMC",
    title="Convergence with slowly decreasing steps",
    says="That such chains converge to the posterior with decreasing steps is ascribed to Teh et al. and"
    " Chen et al.",
    because="attribution",
)

same_cost = NotMathematical(
    "related.cost",
    at="related work",
    title="A step of SGLD costs as much as one of SGD",
    says="The costs per step of both are called nearly identical.",
    because="timing",
)

rmsprop = NotMathematical(
    "related.rmsprop",
    at="related work",
    title="RMSprop as a diagonal preconditioner",
    says="That RMSprop is a diagonal preconditioner is ascribed to Dauphin et al.",
    because="attribution",
)
