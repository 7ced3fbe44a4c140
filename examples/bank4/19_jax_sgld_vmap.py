"""SGLD in JAX; the update of one chain is vmapped over chains."""
import jax
import jax.numpy as jnp


def step(theta, gradient, key, lr, num_data):
    key_batch, key_noise = jax.random.split(key)
    grads = gradient(theta, key_batch)

    def update(x, g):
        noise = jax.random.normal(key_noise, x.shape, x.dtype)
        return x - 0.5 * lr * num_data * g + jnp.sqrt(lr) * noise

    return jax.vmap(update)(theta, grads)
