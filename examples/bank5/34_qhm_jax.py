"""Quasi-hyperbolic momentum (Ma and Yarats, 2019): a mean of plain SGD and of momentum, for one chain in JAX.

``nu`` discounts the plain gradient: at nu = 0 this is SGD, at nu = 1 it is SGD with (normalised) momentum.
"""

import jax.numpy as jnp


def qhm(state, gradient, key, lr, beta, nu):
    theta, buffer = state["theta"], state["m"]
    g = gradient(theta, key)
    buffer = beta * buffer + (1.0 - beta) * g
    weights = jnp.array([nu, 1.0 - nu])
    direction = weights[0] * g + weights[1] * buffer
    return {"theta": theta - lr * direction, "m": buffer}
