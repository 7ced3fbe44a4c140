"""Optax: SGD with momentum, with noise, RMSprop and Adam, as read in version 0.2.8."""

from sympy import sqrt

from sgtheory.declare import nonnegative, normal, positive
from verification.conventions.optimizers import WANTS, G, Source, theta
from verification.conventions.record import Library, Match

n = normal("n")
learning_rate, eta, eps = positive("learning_rate eta eps")
momentum, decay, b1, b2 = nonnegative("momentum decay b1 b2")

OURS = Source("optax", "verification.conventions.targets.optax")
ALIAS, TRACE = "optax/_src/alias.py", "optax/transforms/_accumulation.py"

PLAIN = OURS.sgd("sgd", "optax.sgd(learning_rate)", ALIAS, learning_rate)
MOMENTUM = OURS.momentum(
    "sgd_momentum", "optax.sgd(learning_rate, momentum)", TRACE, learning_rate, momentum
)
NESTEROV = OURS.momentum(
    "sgd_nesterov",
    "optax.sgd(learning_rate, momentum, nesterov=True)",
    TRACE,
    learning_rate,
    momentum,
    nesterov=True,
)
RMSPROP = OURS.rmsprop(
    "rmsprop",
    "optax.rmsprop(learning_rate, decay=0.9, eps=1e-8)",
    ALIAS,
    learning_rate,
    decay,
    eps,
    inside=True,
)
ADAM = OURS.adam(
    "adam",
    "optax.adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8)",
    ALIAS,
    (learning_rate, b1, b2, eps),
)

NOISY = OURS.entry(
    "noisy_sgd",
    "optax.noisy_sgd(learning_rate, eta=0.01, gamma=0, key=key)",
    "optax/transforms/_adding.py",
    {
        "state": (theta,),
        "noises": (n,),
        "updates": ((G, WANTS(theta)), (theta, theta - learning_rate * (G + sqrt(eta) * n))),
        "defaults": ((eta, "1/100"),),
    },
    matches=(Match("sgfs", (("eps", learning_rate), ("H", 1), ("E", sqrt(learning_rate * eta)))),),
    notes=("eta is a variance; with gamma > 0 (0.55 by default) it is divided by (1 + t)^gamma.",),
)

OPTAX = Library(
    "optax",
    "optax",
    "0.2.8",
    "https://github.com/google-deepmind/optax",
    (PLAIN, MOMENTUM, NESTEROV, NOISY, RMSPROP, ADAM),
    install=("optax", "jax==0.10.2"),
    module="optax",
)
