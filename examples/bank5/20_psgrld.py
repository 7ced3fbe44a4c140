"""Stochastic gradient Riemannian Langevin dynamics with the metric G(x) = 1/(1 + x^2), in JAX, one chain.

The curvature term is the derivative of G; every coordinate has its own metric.
"""

import jax
import jax.numpy as jnp


def metric(x):
    return 1.0 / (1.0 + x * x)


metric_slope = jax.vmap(jax.grad(metric))


def riemann_step(theta, gradient, key, eps, N):
    key_g, key_n = jax.random.split(key)
    G, dG = metric(theta), metric_slope(theta)
    drift = dG - N * G * gradient(theta, key_g)
    noise = G * jax.random.normal(key_n, theta.shape)
    return theta + 0.5 * eps * drift + jnp.sqrt(eps) * noise
