"""Lightning UQ Box's SGLD optimizer, as read in version 0.2.0."""

from sympy import sqrt

from sgtheory.declare import N, local, normal, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta = state("theta")
G = local("G")
n = normal("n")
lr, noise_factor = positive("lr noise_factor")

WANTS = Wants("loss", "sum")

SGLD = Entry(
    "sgld",
    "lightning_uq_box.uq_methods.sgld.SGLD(params, lr, noise_factor, weight_decay=0)",
    WANTS,
    declared(
        "lightning_uq_box.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta - lr * G + noise_factor * sqrt(2 * lr) * n),
        ),
    ),
    "lightning_uq_box/uq_methods/sgld.py",
    matches=(
        Match("sgld", (("eps", 2 * lr), ("H", 1)), holds=((noise_factor, 1),)),
        Match("sgfs", (("eps", N * lr), ("H", 1), ("E", noise_factor * sqrt(2 / N)))),
    ),
    target="verification.conventions.targets.lightning_uq_box:sgld",
    notes=(
        "noise_factor squared is the temperature, where the loss is summed over all examples.",
        "Its training loop hands it the mean loss of a minibatch: the temperature is then N times that.",
    ),
)

LIGHTNING_UQ_BOX = Library(
    "lightning_uq_box",
    "lightning-uq-box",
    "0.2.0",
    "https://github.com/lightning-uq-box/lightning-uq-box",
    (SGLD,),
    install=("lightning-uq-box", "torch==2.14.1"),
    module="lightning_uq_box",
)
