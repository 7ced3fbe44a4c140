"""Faulty samplers in JAX. What is wrong with each stands in an ``expected`` file, not here."""

import jax
import jax.numpy as jnp
from jax import random


def _root(H):
    return jnp.linalg.cholesky(H)


def langevin_half(theta, gradient, key, eps, N, H):
    """The drift of one convention, the noise of another."""
    noise = _root(H) @ random.normal(key, theta.shape)
    return theta - eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * noise


def full_step(theta, gradient, key, eps, N, H):
    noise = _root(H) @ random.normal(key, theta.shape)
    return theta - eps * N * (H @ gradient(theta)) + jnp.sqrt(2.0 * eps) * noise


def twice_the_same_key(state, gradient, key, eps, gamma, tau, N):
    c = jnp.exp(-gamma * eps / 2)
    thermostat = lambda v: c * v + jnp.sqrt(tau * (1 - c**2)) * random.normal(key, v.shape)  # noqa: E731
    x, v = state["theta"], thermostat(state["v"])
    v = v - eps / 2 * N * gradient(x)
    x = x + eps * v
    v = v - eps / 2 * N * gradient(x)
    return {"theta": x, "v": thermostat(v)}


def key_for_every_coordinate(theta, gradient, key, eps, N, H):
    """Mapped over coordinates, with one key for all."""
    draw = jax.vmap(lambda _: random.normal(key))
    return theta - 0.5 * eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * _root(H) @ draw(theta)


def fixed_key(theta, gradient, key, eps, N, H):
    xi = random.normal(random.PRNGKey(0), theta.shape)
    return theta - 0.5 * eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * _root(H) @ xi


def inverse_temperature(state, gradient, key, eta, alpha, beta, tau, N):
    x, v = state["theta"], state["v"]
    noise = jnp.sqrt(2 * (alpha - beta) * eta / tau) * random.normal(key, v.shape)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + noise}


def diffusion_for_deviation(state, gradient, key, eta, alpha, beta, tau, N):
    """The diffusion matrix where its root should be."""
    x, v = state["theta"], state["v"]
    diffusion = 2 * (alpha - beta) * tau
    noise = jnp.sqrt(diffusion) * eta * random.normal(key, v.shape)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + noise}


def unit_refresh(state, gradient, key, eta, alpha, beta, tau, N, L):
    anew, k = random.split(key)
    x = state["theta"]
    v = jnp.where(state["clock"] % L == 0, random.normal(anew, x.shape), state["v"])
    noise = jnp.sqrt(2 * (alpha - beta) * eta * tau) * random.normal(k, v.shape)
    v, x = (1 - alpha) * v - eta * N * gradient(x) + noise, x + v
    return {"theta": x, "v": v, "clock": state["clock"] + 1}


unit_refresh.init = lambda theta, key: {"theta": theta, "v": jnp.zeros_like(theta), "clock": 0}


def forgets_its_velocity(state, gradient, key, eps, mu, H):
    theta, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * H @ gradient(theta)
    return {"theta": theta + v, "v": jnp.zeros_like(v)}


def gain_on_noise_only(theta, gradient, key, eps, N, H):
    noise = jnp.sqrt(eps) * _root(H) @ random.normal(key, theta.shape)
    return jax.tree.map(lambda t, g, n: t - 0.5 * eps * N * g + n, theta, gradient(theta), noise)


def linear_variance(state, gradient, key, eps, gamma, tau, N):
    """BAOAB with 1 - c for 1 - c^2."""
    c = jnp.exp(-gamma * eps)
    v = state["v"] - eps / 2 * N * gradient(state["theta"])
    x = state["theta"] + eps / 2 * v
    v = c * v + jnp.sqrt((1 - c) * tau) * random.normal(key, v.shape)
    x = x + eps / 2 * v
    return {"theta": x, "v": v - eps / 2 * N * gradient(x)}


def half_the_friction(state, gradient, key, eps, gamma, tau, N):
    """BAOAB with the exponent of OBABO."""
    c = jnp.exp(-0.5 * gamma * eps)
    v = state["v"] - eps / 2 * N * gradient(state["theta"])
    x = state["theta"] + eps / 2 * v
    v = c * v + jnp.sqrt((1 - c**2) * tau) * random.normal(key, v.shape)
    x = x + eps / 2 * v
    return {"theta": x, "v": v - eps / 2 * N * gradient(x)}


def late_schedule(state, gradient, key, eps, b, c, N):
    n = state["n"] + 1
    step = eps * (b + n) ** (-c)
    theta = state["theta"]
    theta = theta - step / 2 * N * gradient(theta) + jnp.sqrt(step) * random.normal(key, theta.shape)
    return {"theta": theta, "n": n}


late_schedule.init = lambda theta, key: {"theta": theta, "n": 0}


def flat_noise(theta, gradient, key, eps, N, H):
    """Uniform between -1 and 1."""
    xi = random.uniform(key, theta.shape, minval=-1.0, maxval=1.0)
    return theta - 0.5 * eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * _root(H) @ xi


def wide_flat_noise(theta, gradient, key, eps, N, H):
    edge = jnp.sqrt(3.0)
    xi = random.uniform(key, theta.shape, minval=-edge, maxval=edge)
    return theta - 0.5 * eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * _root(H) @ xi


def unit_length_noise(theta, gradient, key, eps, N, H):
    """The noise divided by the root of the dimension, so that its length is about 1."""
    xi = random.normal(key, theta.shape) / jnp.sqrt(theta.size)
    return theta - 0.5 * eps * N * (H @ gradient(theta)) + jnp.sqrt(eps) * _root(H) @ xi


def noise_before_gradient(theta, gradient, key, eps, N, H):
    moved = theta + jnp.sqrt(eps) * _root(H) @ random.normal(key, theta.shape)
    return moved - 0.5 * eps * N * (H @ gradient(moved))


def root_of_a_negative(state, gradient, key, eta, alpha, beta, tau, N):
    x, v = state["theta"], state["v"]
    noise = jnp.sqrt(2 * (beta - alpha) * eta * tau) * random.normal(key, v.shape)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + noise}


def column_vector(theta, gradient, key, eps, N, H):
    return (theta - 0.5 * eps * N * (H @ gradient(theta)))[:, None]
