"""SGLD in JAX that returns each second iterate."""
import jax
import jax.numpy as jnp


def step(theta, gradient, key, lr, N):
    def body(x, k):
        kg, kn = jax.random.split(k)
        noise = jax.random.normal(kn, x.shape, x.dtype)
        return x - lr * N * gradient(x, kg) + jnp.sqrt(2 * lr) * noise, None

    return jax.lax.scan(body, theta, jax.random.split(key, 2))[0]
