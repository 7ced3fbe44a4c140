"""Optax: SGD with momentum, and with noise, as read in version 0.2.8."""

from sympy import sqrt

from sgtheory.declare import local, nonnegative, normal, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, trace = state("theta trace")
G = local("G")
n = normal("n")
learning_rate, eta = positive("learning_rate eta")
momentum = nonnegative("momentum")

WANTS = Wants("loss", "mean")
TARGETS = "verification.conventions.targets.optax"
SOURCE = "optax/transforms/_accumulation.py"
REMEMBER = (trace, G + momentum * trace)

PLAIN = Entry(
    "sgd",
    "optax.sgd(learning_rate)",
    WANTS,
    declared(
        "optax.sgd",
        WANTS,
        state=(theta,),
        updates=((G, WANTS(theta)), (theta, theta - learning_rate * G)),
    ),
    "optax/_src/alias.py",
    matches=(Match("sgd", (("eps", learning_rate), ("H", 1))),),
    target=f"{TARGETS}:sgd",
)

MOMENTUM = Entry(
    "sgd_momentum",
    "optax.sgd(learning_rate, momentum)",
    WANTS,
    declared(
        "optax.sgd_momentum",
        WANTS,
        state=(theta, trace),
        updates=((G, WANTS(theta)), REMEMBER, (theta, theta - learning_rate * trace)),
        given=(momentum < 1,),
    ),
    SOURCE,
    matches=(
        Match(
            "momentum",
            (("eps", learning_rate), ("mu", 1 - momentum), ("H", 1)),
            states=(("v", -learning_rate * trace),),
        ),
    ),
    target=f"{TARGETS}:sgd_momentum",
)

NESTEROV = Entry(
    "sgd_nesterov",
    "optax.sgd(learning_rate, momentum, nesterov=True)",
    WANTS,
    declared(
        "optax.sgd_nesterov",
        WANTS,
        state=(theta, trace),
        updates=(
            (G, WANTS(theta)),
            REMEMBER,
            (theta, theta - learning_rate * (G + momentum * trace)),
        ),
        given=(momentum < 1,),
    ),
    SOURCE,
    matches=(
        Match(
            "nesterov",
            (("eps", learning_rate), ("mu", 1 - momentum), ("H", 1)),
            states=(
                ("theta", theta + momentum * learning_rate * trace),
                ("v", -learning_rate * trace),
            ),
        ),
    ),
    target=f"{TARGETS}:sgd_nesterov",
    notes=("The parameters that it shows are where the gradient is taken: theta + (1 - mu) v here.",),
)

NOISY = Entry(
    "noisy_sgd",
    "optax.noisy_sgd(learning_rate, eta=0.01, gamma=0, key=key)",
    WANTS,
    declared(
        "optax.noisy_sgd",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=((G, WANTS(theta)), (theta, theta - learning_rate * (G + sqrt(eta) * n))),
        defaults=((eta, "1/100"),),
    ),
    "optax/transforms/_adding.py",
    matches=(Match("sgfs", (("eps", learning_rate), ("H", 1), ("E", sqrt(learning_rate * eta)))),),
    target=f"{TARGETS}:noisy_sgd",
    notes=("eta is a variance; with gamma > 0 (0.55 by default) it is divided by (1 + t)^gamma.",),
)

OPTAX = Library(
    "optax",
    "optax",
    "0.2.8",
    "https://github.com/google-deepmind/optax",
    (PLAIN, MOMENTUM, NESTEROV, NOISY),
    install=("optax",),
    module="optax",
)
