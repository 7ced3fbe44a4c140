"""NumPyro's optimizers, which are those of JAX's examples, as read in version 0.22.0."""

from sgtheory.declare import nonnegative, positive
from verification.conventions.optimizers import Source
from verification.conventions.record import Library

step_size, eps = positive("step_size eps")
mass, gamma, b1, b2 = nonnegative("mass gamma b1 b2")

OURS = Source("numpyro", "verification.conventions.targets.numpyro")
CALL = "numpyro.optim."
SOURCE = "jax/example_libraries/optimizers.py, in the repository of JAX"

NUMPYRO = Library(
    "numpyro",
    "numpyro",
    "0.22.0",
    "https://github.com/pyro-ppl/numpyro",
    (
        OURS.sgd("sgd", f"{CALL}SGD(step_size)", SOURCE, step_size),
        OURS.momentum("momentum", f"{CALL}Momentum(step_size, mass)", SOURCE, step_size, mass),
        OURS.rmsprop(
            "rmsprop", f"{CALL}RMSProp(step_size, gamma=0.9, eps=1e-8)", SOURCE, step_size, gamma, eps,
            inside=True,
        ),
        OURS.adam(
            "adam", f"{CALL}Adam(step_size, b1=0.9, b2=0.999, eps=1e-8)", SOURCE,
            (step_size, b1, b2, eps),
        ),
    ),
    install=("numpyro", "jax==0.10.2"),
    module="numpyro",
)  # fmt: skip
