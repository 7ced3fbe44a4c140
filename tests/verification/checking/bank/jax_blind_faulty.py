"""Samplers in JAX as they are handed in for review: none of them has the law that it should."""

import jax
import jax.numpy as jnp


def _lam(settings):
    """``lambda`` is a word of Python's own, so that it comes with the rest."""
    return next(value for key, value in settings.items() if key.startswith("lam"))


def reproducible(theta, gradient, key, eps, N, H):
    """Langevin dynamics with a seed."""
    noise = jnp.linalg.cholesky(H) @ jax.random.normal(jax.random.PRNGKey(0), theta.shape)
    return theta - eps / 2 * N * H @ gradient(theta) + jnp.sqrt(eps) * noise


def elementwise(theta, gradient, key, eps, N, H):
    """Langevin dynamics with a gain for each coordinate."""
    gain = jnp.diag(H)
    noise = jnp.sqrt(eps * gain) * jax.random.normal(key, theta.shape)
    return theta - eps / 2 * N * gain * gradient(theta) + noise


def one_key(state, gradient, key, eps, gamma, tau, N):
    """OBABO."""

    def o(v):
        c = jnp.exp(-gamma * eps / 2)
        return c * v + jnp.sqrt(tau * (1 - c**2)) * jax.random.normal(key, v.shape)

    x, v = state["theta"], o(state["v"])
    v = v - eps / 2 * N * gradient(x)
    x = x + eps * v
    v = v - eps / 2 * N * gradient(x)
    return {"theta": x, "v": o(v)}


def warm(state, gradient, key, eps, gamma, tau, N):
    """BAOAB."""
    x, v = state["theta"], state["v"]
    c = jnp.exp(-gamma * eps)
    v = v - eps / 2 * N * gradient(x)
    x = x + eps / 2 * v
    v = c * v + jnp.sqrt(1 - c**2) * jax.random.normal(key, v.shape)
    x = x + eps / 2 * v
    return {"theta": x, "v": v - eps / 2 * N * gradient(x)}


def balanced(state, gradient, key, eta, alpha, beta, tau, N):
    """SGHMC: friction and the noise that belongs to it."""
    x, v = state["theta"], state["v"]
    kick = jnp.sqrt(2 * alpha * eta * tau) * jax.random.normal(key, v.shape)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + kick}


def accelerated(state, gradient, key, eps, mu, H):
    """A velocity, and a step along it."""
    inertia = (1 - mu) * state["v"]
    v = inertia - eps * H @ gradient(state["theta"] + inertia)
    return {"theta": state["theta"] + v, "v": v}


def isothermal(state, gradient, key, eta, a, tau, N):
    """One friction for all coordinates."""
    x, v, xi = state["theta"], state["v"], state["xi"]
    kick = jnp.sqrt(2 * a * eta * tau) * jax.random.normal(key, v.shape)
    v = (1 - eta * xi) * v - eta * N * gradient(x) + kick
    return {"theta": x + eta * v, "v": v, "xi": xi + eta * (jnp.vdot(v, v) - tau)}


def preconditioned(state, gradient, key, eps, alpha, N, **settings):
    """Drift and noise, each times the preconditioner."""
    x, g = state["theta"], gradient(state["theta"])
    V = alpha * state["V"] + (1 - alpha) * g**2
    G = 1 / (_lam(settings) + jnp.sqrt(V))
    return {
        "theta": x + G * (-eps / 2 * N * g + jnp.sqrt(eps) * jax.random.normal(key, x.shape)),
        "V": V,
    }


def moments(state, gradient, key, eta, b1, sigma, **settings):
    """Adam."""
    g = gradient(state["theta"])
    u = (1 - b1) * state["u"] + b1 * g
    v = sigma * state["v"] + (1 - sigma) * g**2
    return {"theta": state["theta"] - eta * u / (_lam(settings) + jnp.sqrt(v)), "u": u, "v": v}


def curved(theta, gradient, key, eps, N):
    """Riemannian Langevin dynamics with the metric 1/(1 + x^2)."""
    G = 1 / (1 + theta**2)
    return (
        theta
        - eps / 2 * N * G * gradient(theta)
        + jnp.sqrt(eps * G) * jax.random.normal(key, theta.shape)
    )
