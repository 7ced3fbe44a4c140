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

close_to_optima = NotMathematical(
    "abstract.global_optima",
    at="abstract",
    title="Annealing converges close to the global optima",
    says="What is stated of it is Theorem 2, recorded with section 4.3.",
    because="opinion",
)

state_of_the_art = NotMathematical(
    "abstract.state_of_the_art",
    at="abstract",
    title="Results are the best among related optimisers",
    says="Tables 1 and 2 are held against such sentences, with sections 5.2 to 5.4.",
    because="opinion",
)
