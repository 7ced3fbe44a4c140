"""Localised, tempered SGLD in JAX: the loss of N examples times an inverse temperature, and a Gaussian around w0.

One chain; ``elasticity`` is the strength of the spring, ``prior`` the precision of a prior at zero.
"""

import jax
import jax.numpy as jnp


def sgld_local(theta, gradient, key, eps, beta, elasticity, prior, N, mode):
    kb, kn = jax.random.split(key)
    score = -beta * N * gradient(theta, kb) - elasticity * (theta - mode) - prior * theta
    scale = jnp.sqrt(eps / beta)
    return theta + eps / 2 * score + scale * jax.random.normal(kn, theta.shape)
