"""SGLD in JAX, vmapped over chains with a key for each."""
import jax
import jax.numpy as jnp


@jax.jit
def _one(x, g, key, lr):
    return x - lr * g + jnp.sqrt(2 * lr) * jax.random.normal(key, x.shape, x.dtype)


def step(theta, gradient, key, lr, num_data):
    key_batch, key_noise = jax.random.split(key)
    grads = num_data * gradient(theta, key_batch)
    keys = jax.random.split(key_noise, theta.shape[0])
    return jax.vmap(_one, in_axes=(0, 0, 0, None))(theta, grads, keys, lr)
