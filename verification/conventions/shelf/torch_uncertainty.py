"""TorchUncertainty's SGLD and SGHMC, as read in version 0.13.0."""

from sympy import Rational, sqrt

from sgtheory.declare import N, local, normal, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, buffer = state("theta buffer")
G = local("G")
P = 1 / (1 + Rational(1, 10**6))  # of v_hat = 1, and the small number that it adds to its root
n = normal("n")
lr, noise_factor, friction = positive("lr noise_factor friction")

WANTS = Wants("loss", "sum")
TARGETS = "verification.conventions.targets.torch_uncertainty"

SGLD = Entry(
    "sgld",
    "torch_uncertainty.optim.SGLD(params, lr=0.001, noise_factor=0.01, weight_decay=0)",
    WANTS,
    declared(
        "torch_uncertainty.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta - lr * G + noise_factor * sqrt(2 * lr) * n),
        ),
        defaults=((noise_factor, "1/100"),),
    ),
    "src/torch_uncertainty/optim/sgld.py",
    matches=(
        Match("sgld", (("eps", 2 * lr), ("H", 1)), holds=((noise_factor, 1),)),
        Match("sgfs", (("eps", N * lr), ("H", 1), ("E", noise_factor * sqrt(2 / N)))),
    ),
    target=f"{TARGETS}:sgld",
    notes=("noise_factor squared is the temperature: 1/10000 by default, on the summed loss.",),
)

SGHMC = Entry(
    "sghmc",
    "torch_uncertainty.optim.SGHMC(params, lr=0.01, friction=0.05, burn_in_steps=200,"
    " noise_factor=0.01)",
    WANTS,
    declared(
        "torch_uncertainty.sghmc",
        WANTS,
        state=(theta, buffer),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (
                buffer,
                (1 - friction) * buffer
                - P * lr**2 * G
                + noise_factor * sqrt(2 * P * lr**2 * friction - lr**4) * n,
            ),
            (theta, theta + buffer),
        ),
        given=(friction < 1, lr**2 < 2 * P * friction),
        defaults=((friction, "1/20"), (noise_factor, "1/100")),
    ),
    "src/torch_uncertainty/optim/sghmc.py",
    target=f"{TARGETS}:sghmc",
    notes=(
        "What runs is the step after the burn-in, whose scale is 1 over the root of v_hat; without one"
        " v_hat stays 1.",
        "burn_in_steps counts tensors, not steps: with 10 tensors of weights it ends after 20 steps.",
    ),
)

TORCH_UNCERTAINTY = Library(
    "torch_uncertainty",
    "torch-uncertainty",
    "0.13.0",
    "https://github.com/torch-uncertainty/torch-uncertainty",
    (SGLD, SGHMC),
    install=("torch-uncertainty", "torch==2.14.1"),
    module="torch_uncertainty",
)
