"""Fortuna's SGHMC and cyclical SGLD, as read in version 0.2.0."""

from sympy import sqrt

from sgtheory.declare import N, local, nonnegative, normal, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, m = state("theta m")
G = local("G")
n = normal("n")
step_size = positive("step_size")
momentum_decay = nonnegative("momentum_decay")

WANTS = Wants("log density", "sum")
TARGETS = "verification.conventions.targets.fortuna"
FOLDER = "fortuna/prob_model/posterior/sgmcmc"

SGHMC = Entry(
    "sghmc",
    "fortuna.prob_model.SGHMCPosteriorApproximator(init_step_size=0.1, momentum_decay=0.01)",
    WANTS,
    declared(
        "fortuna.sghmc",
        WANTS,
        state=(theta, m),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (m, momentum_decay * m + sqrt(step_size) * G + sqrt(2 * (1 - momentum_decay)) * n),
            (theta, theta + sqrt(step_size) * m),
        ),
        given=(momentum_decay < 1,),
        defaults=((momentum_decay, "1/100"),),
    ),
    f"{FOLDER}/sghmc/sghmc_integrator.py",
    matches=(
        Match(
            "sghmc_velocity_first",
            (("eta", step_size), ("alpha", 1 - momentum_decay), ("beta", 0), ("tau", 1)),
            states=(("v", sqrt(step_size) * m),),
        ),
    ),
    target=f"{TARGETS}:sghmc",
    notes=(
        "momentum_decay is what the momentum keeps: 0.01 by default, so that a step forgets 99 %.",
        "With momentum_resample_steps it is set to 0 in these steps, and not drawn anew.",
    ),
)

SGLD = Entry(
    "cyclical_sgld",
    "fortuna.prob_model.CyclicalSGLDPosteriorApproximator(init_step_size=1e-5, cycle_length,"
    " exploration_ratio=0.25)",
    WANTS,
    declared(
        "fortuna.cyclical_sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta + step_size * G + sqrt(2 * step_size) * n),
        ),
    ),
    f"{FOLDER}/cyclical_sgld/cyclical_sgld_integrator.py",
    matches=(
        Match("sgld", (("eps", 2 * step_size), ("H", 1))),
        Match("sgfs", (("eps", N * step_size), ("H", 1), ("E", sqrt(2 / N)))),
    ),
    target=f"{TARGETS}:cyclical_sgld",
    notes=(
        "What runs is its sampling part at one step size, as its own integrator makes it: SGHMC that"
        " keeps nothing. In the exploring part of a cycle it adds no noise.",
    ),
)

FORTUNA = Library(
    "fortuna",
    "aws-fortuna",
    "0.2.0",
    "https://github.com/awslabs/fortuna",
    (SGHMC, SGLD),
    install=("aws-fortuna", "jax==0.4.38", "jaxlib==0.4.38"),
    module="fortuna",
)
