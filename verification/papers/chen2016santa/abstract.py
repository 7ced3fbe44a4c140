"""The abstract: what is announced. The statements themselves are recorded where the paper makes them."""

from verification.claims.definition import NotMathematical

analogs = NotMathematical(
    "abstract.analogs",
    at="abstract",
    title="Stochastic gradient MCMC is the Bayesian analog of stochastic optimisation",
    says="The connection of the two is said to be not well studied; section 2 lists it line by line.",
    because="opinion",
)

momentum_weights = NotMathematical(
    "abstract.static_momentum",
    at="abstract",
    title="Conventional methods share one static momentum weight",
    says="Element-wise momentum weights that adapt are said to be new in optimisation.",
    because="attribution",
)
