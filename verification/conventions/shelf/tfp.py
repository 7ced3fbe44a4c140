"""TensorFlow Probability's preconditioned SGLD optimizer, as read in version 0.25.0."""

from sympy import Rational, sqrt

from sgtheory.declare import N, curvature, gradient, local, nonnegative, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, rms = state("theta rms")
g, slope, P, dP = local("g slope P dP")
n = normal("n")
learning_rate, diagonal_bias = positive("learning_rate diagonal_bias")
preconditioner_decay_rate = decay = nonnegative("preconditioner_decay_rate")

WANTS = Wants("loss", "mean")

SGLD = Entry(
    "optimizer.StochasticGradientLangevinDynamics",
    "tfp.optimizer.StochasticGradientLangevinDynamics(learning_rate, preconditioner_decay_rate=0.95,"
    " data_size=N, burnin=25, diagonal_bias=1e-8)",
    WANTS,
    declared(
        "tfp.sgld",
        WANTS,
        state=(theta, rms),
        noises=(n,),
        updates=(
            (g, gradient(theta)),
            (slope, curvature(theta)),
            (rms, decay * rms + (1 - decay) * g * g),
            (P, ones / sqrt(rms + diagonal_bias * ones)),
            (dP, -(1 - decay) * g * slope * P**3),
            (theta, theta - learning_rate / 2 * (N * P * g - dP) + sqrt(learning_rate * P) * n),
        ),
        start=((rms, ones),),
        given=(decay < 1,),
        defaults=((decay, Rational(19, 20)), (diagonal_bias, "1/100000000")),
    ),
    "tensorflow_probability/python/optimizer/sgld.py",
    matches=(
        Match(
            "psgld:algorithm1",
            (("eps", learning_rate), ("alpha", decay), ("lambda", sqrt(diagonal_bias))),
            states=(("V", rms),),
            assumes=("no-prior",),
        ),
    ),
    notes=(
        "The update is that after the burn-in: in its first burnin + 1 steps no noise is added.",
        "The running mean of squares begins at 1, and sees the prior's part of the gradient.",
        "data_size is 1 unless it is given.",
    ),
)

TFP = Library(
    "tfp",
    "tensorflow-probability",
    "0.25.0",
    "https://github.com/tensorflow/probability",
    (SGLD,),
    install=("tensorflow-probability", "tensorflow", "tf-keras"),
    module="tensorflow_probability",
    unrun="it runs in graphs of TensorFlow 1 only, and takes the derivative of the loss itself",
)
