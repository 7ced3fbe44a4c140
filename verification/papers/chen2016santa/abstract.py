"""The abstract: what is announced. The statements themselves are recorded where the paper makes them."""

from verification.statements import at

analogs = at("abstract.analogs", "abstract").opinion(
    "Stochastic gradient MCMC is the Bayesian analog of stochastic optimisation",
    "The connection of the two is said to be not well studied; section 2 lists it line by line.",
)

momentum_weights = at("abstract.static_momentum", "abstract").attribution(
    "Conventional methods share one static momentum weight",
    "Element-wise momentum weights that adapt are said to be new in optimisation.",
)

close_to_optima = at("abstract.global_optima", "abstract").opinion(
    "Annealing converges close to the global optima",
    "What is stated of it is Theorem 2, recorded with section 4.3.",
)

state_of_the_art = at("abstract.state_of_the_art", "abstract").opinion(
    "Results are the best among related optimisers",
    "Tables 1 and 2 are held against such sentences, with sections 5.2 to 5.4.",
)
