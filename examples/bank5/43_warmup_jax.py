"""SGD with a linear warm-up over the first five steps, in JAX.

The learning rate is lr/5 in the first step and lr from the fifth on.
"""

import jax.numpy as jnp

WARMUP_STEPS = 5


def linear_warmup(peak, t):
    return peak * jnp.minimum(1.0, t / WARMUP_STEPS)


def sgd_warmup(theta, gradient, key, lr, t):
    return theta - linear_warmup(lr, t) * gradient(theta, key)
