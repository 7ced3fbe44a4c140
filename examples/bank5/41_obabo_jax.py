"""OBABO for underdamped Langevin dynamics with stochastic gradients, in JAX, one chain, unit masses.

Half of the Ornstein-Uhlenbeck flow on either side of a velocity Verlet step; the two kicks have their own
minibatches.
"""

import jax
import jax.numpy as jnp


def ou(v, key, gamma, tau, h):
    decay = jnp.exp(-gamma * h)
    return decay * v + jnp.sqrt(tau * (1 - decay**2)) * jax.random.normal(key, v.shape)


def obabo_step(state, gradient, key, eps, gamma, tau, N):
    k_o1, k_b1, k_b2, k_o2 = jax.random.split(key, 4)
    q, v = state["theta"], state["v"]
    v = ou(v, k_o1, gamma, tau, eps / 2)
    v = v - eps / 2 * N * gradient(q, k_b1)
    q_new = q + eps * v
    v = v - eps / 2 * N * gradient(q, k_b2)
    v = ou(v, k_o2, gamma, tau, eps / 2)
    return {"theta": q_new, "v": v}
