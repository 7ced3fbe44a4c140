"""SVRG-LD in JAX."""
import jax
import jax.numpy as jnp


def step(state, gradient, key, lr, epoch, N, t):
    theta, s, g = state["theta"], state["s"], state["g"]
    fresh = jnp.mod(t, epoch) == 0
    s = jnp.where(fresh, theta, s)
    g = jnp.where(fresh, gradient.full(theta), g)
    kb, kn = jax.random.split(key)
    correction = gradient(s, kb) - g
    estimate = gradient(theta, kb) + correction
    noise = jax.random.normal(kn, theta.shape, theta.dtype)
    return {"theta": theta - 0.5 * lr * N * estimate + jnp.sqrt(lr) * noise, "s": s, "g": g}
