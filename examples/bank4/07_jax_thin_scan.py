"""SGLD in JAX that returns each third iterate; the inner loop is a scan."""
import jax
import jax.numpy as jnp


def step(theta, gradient, key, eps, N):
    key_batch, key_noise = jax.random.split(key)

    def body(x, k):
        noise = jax.random.normal(k, x.shape, x.dtype)
        return x - eps / 2 * N * gradient(x, key_batch) + jnp.sqrt(eps) * noise, None

    theta, _ = jax.lax.scan(body, theta, jax.random.split(key_noise, 3))
    return theta
