"""Keras's optimizers, as read in version 3.15.1."""

from sgtheory.declare import nonnegative, positive
from verification.conventions.optimizers import Source
from verification.conventions.record import Library

learning_rate, epsilon = positive("learning_rate epsilon")
momentum, rho, beta_1, beta_2 = nonnegative("momentum rho beta_1 beta_2")

OURS = Source("keras", "verification.conventions.targets.keras")
CALL = "keras.optimizers."
SGD = "keras/src/optimizers/sgd.py"

KERAS = Library(
    "keras",
    "keras",
    "3.15.1",
    "https://github.com/keras-team/keras",
    (
        OURS.sgd("sgd", f"{CALL}SGD(learning_rate=0.01)", SGD, learning_rate),
        OURS.momentum(
            "sgd_momentum",
            f"{CALL}SGD(learning_rate=0.01, momentum)",
            SGD,
            learning_rate,
            momentum,
            inside=True,
            notes=(
                "The step size stands in the buffer: where it changes, the buffer keeps the old one.",
            ),
        ),
        OURS.momentum(
            "sgd_nesterov",
            f"{CALL}SGD(learning_rate=0.01, momentum, nesterov=True)",
            SGD,
            learning_rate,
            momentum,
            nesterov=True,
            inside=True,
        ),
        OURS.rmsprop(
            "rmsprop",
            f"{CALL}RMSprop(learning_rate=0.001, rho=0.9, epsilon=1e-7)",
            "keras/src/optimizers/rmsprop.py",
            learning_rate,
            rho,
            epsilon,
            inside=True,
        ),
        OURS.adam(
            "adam",
            f"{CALL}Adam(learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7)",
            "keras/src/optimizers/adam.py",
            (learning_rate, beta_1, beta_2, epsilon),
            late=True,
        ),
    ),
    install=("keras", "jax==0.10.2"),
    module="keras",
)
