# An optax transform from a function of the step
# check: optax_sgd.py:optimizer --like sgd --kind optax
import optax


def optimizer(eps):
    return optax.sgd(eps)
