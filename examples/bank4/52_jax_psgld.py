"""pSGLD in JAX, curvature term dropped."""
import jax
import jax.numpy as jnp


def step(state, gradient, key, lr, decay, lam, N):
    theta, V = state["theta"], state["V"]
    kg, kn = jax.random.split(key)
    g = gradient(theta, kg)
    V = decay * V + (1 - decay) * g**2
    G = 1.0 / (jnp.sqrt(V) + lam)
    noise = jnp.sqrt(lr * G) * jax.random.normal(kn, g.shape, g.dtype)
    return {"theta": theta - 0.5 * lr * N * g + noise, "V": V}
