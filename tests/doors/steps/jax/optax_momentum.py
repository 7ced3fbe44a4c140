# optax's momentum in its own letters
# check: optax_momentum.py:make --like momentum --kind optax --with learning_rate=eps --with momentum=1-mu
import optax


def make(learning_rate, momentum):
    return optax.sgd(learning_rate, momentum=momentum)
