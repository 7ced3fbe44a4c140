"""SGNHT in JAX, vectorised over chains."""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def chain_step(q, p, xi, grad_u, key, h, A):
    z = jax.random.normal(key, p.shape, p.dtype)
    p = p - h * xi * p - h * grad_u + jnp.sqrt(2 * A * h) * z
    q = q + h * p
    xi = xi + h * (jnp.dot(p, p) - 1)
    return q, p, xi


chains_step = jax.jit(jax.vmap(chain_step, in_axes=(0, 0, 0, 0, 0, None, None)))


def step(state, gradient, rng, h, A, N):
    q = state["theta"]
    keys = jax.random.split(jax.random.key(int(rng.integers(2**31))), len(q))
    q, p, xi = chains_step(q, state["p"], state["xi"], N * gradient(q), keys, h, A)
    return {"theta": np.array(q), "p": np.array(p), "xi": np.array(xi)}
