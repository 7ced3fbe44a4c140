"""Right samplers in JAX, for one chain each: ``step(state, gradient, key, **params)``."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


def sgd(theta, gradient, key, eps, H):
    return theta - eps * H @ gradient(theta)


def sgld(theta, gradient, key, eps, N, H):
    """The factor of the gain by its eigenvectors."""
    values, vectors = jnp.linalg.eigh(H)
    noise = vectors @ (jnp.sqrt(values) * jax.random.normal(key, theta.shape))
    return theta - 0.5 * eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * noise


def momentum(state, gradient, key, eps, mu, H):
    """A trace that decays, as optax has it."""
    trace = gradient(state["theta"]) + (1.0 - mu) * state["trace"]
    return {"theta": state["theta"] - eps * H @ trace, "trace": trace}


momentum.init = lambda theta, key: {"theta": theta, "trace": jnp.zeros_like(theta)}


class Phase(NamedTuple):
    theta: jax.Array
    v: jax.Array


def sghmc_velocity_first(state, gradient, key, eta, alpha, beta, tau, N):
    """The kick, then the drift, each a function of its own."""

    def kick(p: Phase):
        force = -eta * N * gradient(p.theta)
        noise = jnp.sqrt(2 * (alpha - beta) * eta * tau) * jax.random.normal(key, p.v.shape)
        return p._replace(v=p.v + force - alpha * p.v + noise)

    def drift(p: Phase):
        return p._replace(theta=p.theta + p.v)

    after = drift(kick(Phase(state["theta"], state["v"])))
    return {"theta": after.theta, "v": after.v}


def obabo(state, gradient, key, eps, gamma, tau, N):
    first, last = jax.random.split(key)

    def ornstein_uhlenbeck(v, k):
        decay = jnp.exp(-gamma * eps / 2)
        return decay * v + jnp.sqrt(tau * (1 - decay**2)) * jax.random.normal(k, v.shape)

    x, v = state["theta"], ornstein_uhlenbeck(state["v"], first)
    v = v - eps / 2 * N * gradient(x)
    x = x + eps * v
    v = v - eps / 2 * N * gradient(x)
    return {"theta": x, "v": ornstein_uhlenbeck(v, last)}


def fisher_scoring(theta, gradient, key, eps, H, E):
    xi = jax.random.normal(key, theta.shape)
    return theta - eps * (H @ gradient(theta)) + jnp.sqrt(eps) * (H @ (E @ xi))
