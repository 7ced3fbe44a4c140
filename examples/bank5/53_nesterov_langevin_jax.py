"""SGHMC with Nesterov's gradient, in JAX: the force is taken where the velocity is about to lead.

``lr`` is the squared time step, ``friction`` what the velocity loses in a step.
"""

import jax
import jax.numpy as jnp


def look_ahead(theta, v, friction):
    return theta + (1 - friction) * v


def step(state, gradient, key, lr, friction, N):
    k1, k2 = jax.random.split(key)
    theta, v = state["theta"], state["v"]
    g = gradient(theta, k1)
    xi = jax.random.normal(k2, v.shape)
    v = (1 - friction) * v - lr * N * g + jnp.sqrt(friction * lr) * xi
    theta = look_ahead(theta, v, 0.0)
    return {"theta": theta, "v": v}
