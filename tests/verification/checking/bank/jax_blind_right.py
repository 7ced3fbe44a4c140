"""Right samplers in JAX, for one chain each, with what JAX has of its own."""

import jax
import jax.numpy as jnp


def drawn_from_covariance(theta, gradient, key, eps, N, H):
    """SGLD whose noise is a draw of a normal with a covariance."""
    mean = theta - eps / 2 * N * jnp.einsum("ij,j->i", H, gradient(theta))
    return jax.random.multivariate_normal(key, mean, eps * H)


def middle_with_own_key(state, gradient, key, eps, gamma, tau, N):
    """ABOBA, whose middle is a function of a key of its own."""
    _, own = jax.random.split(key)
    c = jnp.exp(-gamma * eps)
    x = state["theta"] + eps / 2 * state["v"]
    v = state["v"] - eps / 2 * N * gradient(x)
    v = c * v + jnp.sqrt(tau * -jnp.expm1(-2 * gamma * eps)) * jax.random.normal(own, v.shape)
    v = v - eps / 2 * N * gradient(x)
    return {"theta": x + eps / 2 * v, "v": v}


def metric_by_derivative(theta, gradient, key, eps, N):
    """SGRLD with the derivative of its metric by JAX."""

    def metric(x):
        return 1 / (1 + x**2)

    G, Gamma = metric(theta), jax.vmap(jax.grad(metric))(theta)
    noise = jnp.sqrt(eps * G) * jax.random.normal(key, theta.shape)
    return theta + eps / 2 * (Gamma - N * G * gradient(theta)) + noise


def refreshed(state, gradient, key, eta, alpha, beta, tau, N, L):
    """SGHMC, velocity first and refreshed, without a branch."""
    fresh_key, kick_key = jax.random.split(key)
    x, v, k = state["theta"], state["v"], state["k"]
    v = jnp.where(k % L == 0, jnp.sqrt(eta * tau) * jax.random.normal(fresh_key, v.shape), v)
    kick = jnp.sqrt(2 * (alpha - beta) * eta * tau) * jax.random.normal(kick_key, v.shape)
    v = v - alpha * v - eta * N * gradient(x) + kick
    return {"theta": x + v, "v": v, "k": k + 1}


refreshed.init = lambda theta, key: {"theta": theta, "v": jnp.zeros_like(theta), "k": jnp.zeros(())}
