# Momentum as a chain of optax's parts
# check: optax_chain.py:make --like momentum --kind optax
# wave: 2
import optax


def make(eps, mu):
    return optax.chain(optax.trace(decay=1 - mu), optax.scale(-eps))
