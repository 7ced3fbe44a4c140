"""Faulty samplers in NumPy. What is wrong with each stands in ``expected.py``, not here."""

import itertools
import time

import numpy as np


def _z(rng, like):
    return rng.standard_normal(like.shape)


# --- powers of the step, of N and of S, signs -----------------------------------------------------


def langevin_scale(x, gradient, rng, gamma, N):
    return x - gamma * N * gradient.full(x) + rng.normal(0, 2 * gamma, size=x.shape)


class BatchLangevin:
    """SGLD of a library whose losses are means."""

    def drift(self, g, N, S):
        return (N / S) * g

    def __call__(self, theta, gradient, rng, eps, N, S, H):
        step = 0.5 * eps * self.drift(gradient(theta), N, S) @ H
        return theta - step + np.sqrt(eps) * _z(rng, theta) @ np.linalg.cholesky(H).T


batch_langevin = BatchLangevin()


def langevin_of_sums(theta, gradient, rng, eps, N, H):
    grad_sum = N * gradient(theta)
    return theta - 0.5 * eps * N * grad_sum @ H + np.sqrt(eps) * _z(rng, theta) @ np.linalg.cholesky(H).T


def ascent(theta, gradient, rng, eps, N, H):
    grad_potential = N * gradient(theta)
    return theta + eps / 2 * grad_potential @ H + np.sqrt(eps) * _z(rng, theta) @ np.linalg.cholesky(H).T


def sgd_of_sums(w, gradient, rng, eps, N, H):
    return w - eps * N * gradient(w) @ H


# --- preconditioners ------------------------------------------------------------------------------


def noise_then_scale(theta, gradient, rng, eps, N, H):
    direction = -eps / 2 * N * gradient(theta) + np.sqrt(eps) * _z(rng, theta)
    return theta + direction @ H


def turned_factor(theta, gradient, rng, eps, N, H):
    L = np.linalg.cholesky(H)
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * _z(rng, theta) @ L


def scoring_without_gain(theta, gradient, rng, eps, H, E):
    return theta - eps * gradient(theta) @ H + np.sqrt(eps) * _z(rng, theta) @ E.T


# --- momentum -------------------------------------------------------------------------------------


def dampened(state, gradient, rng, eps, mu, H):
    """A running mean of gradients."""
    m = (1 - mu) * state["m"] + mu * gradient(state["theta"])
    return {"theta": state["theta"] - eps * m @ H, "m": m}


dampened.init = lambda theta, rng: {"theta": theta, "m": np.zeros_like(theta)}


def position_first(state, gradient, rng, eps, mu, H):
    x, v = state["theta"], state["v"]
    return {"theta": x + v, "v": (1 - mu) * v - eps * gradient(x) @ H}


def friction_for_memory(state, gradient, rng, eps, mu, H):
    v = mu * state["v"] - eps * gradient(state["theta"]) @ H
    return {"theta": state["theta"] + v, "v": v}


def late_gradient(state, gradient, rng, eps, H):
    """A worker's gradient arrives one step late."""
    arrived, x = state["sent"], state["theta"]
    return {"theta": x - eps * arrived @ H, "sent": gradient(x)}


late_gradient.init = lambda theta, rng: {"theta": theta, "sent": np.zeros_like(theta)}


def one_minibatch(state, gradient, rng, eps, N, H):
    """The loader is asked once."""
    x, batch = state["theta"], state["batch"]
    if not state["loaded"]:
        batch = gradient.draw(x)
    noise = np.sqrt(eps) * _z(rng, x) @ np.linalg.cholesky(H).T
    after = x - eps / 2 * N * gradient(x, batch) @ H + noise
    return {"theta": after, "batch": batch, "loaded": True}


one_minibatch.init = lambda theta, rng: {"theta": theta, "batch": np.zeros_like(theta), "loaded": False}


def two_minibatches(state, gradient, rng, eps, m, N):
    """SVRG-LD whose loader is asked once for each gradient."""
    x, s, g, k = state["theta"], state["s"], state["g"], state["k"]
    if k % int(m) == 0:
        s, g = x, gradient.full(x)
    estimate = gradient(x) - gradient(s) + g
    x = x - eps / 2 * N * estimate + np.sqrt(eps) * _z(rng, x)
    return {"theta": x, "s": s, "g": g, "k": k + 1}


def snapshot_never_renewed(state, gradient, rng, eps, m, N):
    """SVRG-LD whose counter is not."""
    x, s, g, k = state["theta"], state["s"], state["g"], state["k"]
    if k % int(m) == 0:
        s, g = x, gradient.full(x)
    batch = gradient.draw(x)
    estimate = gradient(x, batch) - gradient(s, batch) + g
    x = x - eps / 2 * N * estimate + np.sqrt(eps) * _z(rng, x)
    return {"theta": x, "s": s, "g": g, "k": 1}


for _reduced in (two_minibatches, snapshot_never_renewed):
    _reduced.init = lambda theta, rng: {"theta": theta, "s": theta.copy(), "g": 0 * theta, "k": 0}


# --- Hamiltonian ones -----------------------------------------------------------------------------


def noise_estimate_forgotten(state, gradient, rng, eta, alpha, tau, N, beta):
    del beta  # it names the estimate and does not use it
    x, v = state["theta"], state["v"]
    kick = np.sqrt(2 * alpha * eta * tau) * _z(rng, v)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + kick}


def refresh_cold(state, gradient, rng, eta, alpha, beta, tau, N, L):
    x, v, t = state["theta"], state["v"], state["t"]
    if t % int(L) == 0:
        v = np.sqrt(eta) * _z(rng, x)
    kick = np.sqrt(2 * (alpha - beta) * eta * tau) * _z(rng, x)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + kick, "t": t + 1}


def refresh_rarely(state, gradient, rng, eta, alpha, beta, tau, N, L):
    """Counts from 0 to L and only then draws anew."""
    x, v, left = state["theta"], state["v"], state["t"]
    if left == 0:
        v = np.sqrt(eta * tau) * _z(rng, x)
        left = int(L) + 1
    kick = np.sqrt(2 * (alpha - beta) * eta * tau) * _z(rng, x)
    return {"theta": x + v, "v": (1 - alpha) * v - eta * N * gradient(x) + kick, "t": left - 1}


for _refresh in (refresh_cold, refresh_rarely):
    _refresh.init = lambda theta, rng: {"theta": theta, "v": np.zeros_like(theta), "t": 0}


def euler_friction(state, gradient, rng, eps, gamma, tau, N):
    """The friction of BAOAB as a first-order step, its noise as the textbook's."""
    x, p = state["theta"], state["v"]
    p = p - eps / 2 * N * gradient(x)
    x = x + eps / 2 * p
    p = (1 - gamma * eps) * p + np.sqrt(2 * gamma * eps * tau) * _z(rng, p)
    x = x + eps / 2 * p
    return {"theta": x, "v": p - eps / 2 * N * gradient(x)}


class CachedForce:
    """Molecular dynamics style: one force a step, that of the end is that of the next beginning."""

    @staticmethod
    def init(theta, rng):
        return {"theta": theta, "v": np.zeros_like(theta), "force": np.zeros_like(theta), "fresh": False}

    def __call__(self, state, gradient, rng, eps, gamma, tau, N):
        x, v = state["theta"], state["v"]
        force = state["force"] if state["fresh"] else -N * gradient(x)
        v = v + eps / 2 * force
        x = x + eps / 2 * v
        c = np.exp(-gamma * eps)
        v = c * v + np.sqrt((1 - c * c) * tau) * _z(rng, v)
        x = x + eps / 2 * v
        force = -N * gradient(x)
        return {"theta": x, "v": v + eps / 2 * force, "force": force, "fresh": True}


cached_force = CachedForce()


# --- clocks ---------------------------------------------------------------------------------------


def schedule_in_drift_only(state, gradient, rng, eps, b, c, N):
    n, x = state["n"], state["theta"]
    step = eps * (b + n) ** -c
    return {"theta": x - step / 2 * N * gradient(x) + np.sqrt(eps) * _z(rng, x), "n": n + 1}


schedule_in_drift_only.init = lambda theta, rng: {"theta": theta, "n": 0}

_calls = itertools.count()


def warming_up(theta, gradient, rng, eps, N, H):
    """The step grows during the first calls of a session."""
    step = eps * min(1.0, 0.5 + next(_calls) / 200)
    return (
        theta
        - step / 2 * N * gradient(theta) @ H
        + np.sqrt(step) * _z(rng, theta) @ np.linalg.cholesky(H).T
    )


# --- noise that is not a normal vector of its own --------------------------------------------------


def laplace_noise(x, gradient, rng, gamma, N):
    return (
        x - gamma * N * gradient.full(x) + np.sqrt(2 * gamma) * rng.laplace(scale=2**-0.5, size=x.shape)
    )


def rare_jumps(x, gradient, rng, gamma, N):
    """An escape now and then."""
    jump = (rng.random(len(x)) < 0.001)[:, None] * 8.0
    return x - gamma * N * gradient.full(x) + np.sqrt(2 * gamma) * (1 + jump) * _z(rng, x)


def one_draw_for_all_chains(x, gradient, rng, gamma, N):
    return x - gamma * N * gradient.full(x) + np.sqrt(2 * gamma) * rng.standard_normal(x.shape[-1])


def one_draw_for_all_coordinates(x, gradient, rng, gamma, N):
    return x - gamma * N * gradient.full(x) + np.sqrt(2 * gamma) * rng.standard_normal((len(x), 1))


def clipped(theta, gradient, rng, eps, H):
    g = gradient(theta)
    norm = np.linalg.norm(g, axis=-1, keepdims=True)
    return theta - eps * (g * np.minimum(1.0, 1.0 / norm)) @ H


def half_precision(theta, gradient, rng, gamma, N):
    x = theta.astype(np.float16)
    noise = (np.sqrt(2 * gamma) * _z(rng, x)).astype(np.float16)
    return x - (gamma * N * gradient.full(x)).astype(np.float16) + noise


# --- thermostats ----------------------------------------------------------------------------------


def thermostat_of_the_sum(state, gradient, rng, eta, a, tau, N):
    x, p, xi = state["theta"], state["v"], state["xi"]
    p = p - eta * xi * p - eta * N * gradient(x) + np.sqrt(2 * a * eta * tau) * _z(rng, p)
    x = x + eta * p
    xi = xi + eta * ((p**2).sum(axis=1, keepdims=True) - tau)
    return {"theta": x, "v": p, "xi": xi}


# --- what no statistics is needed for --------------------------------------------------------------


def frozen(theta, gradient, rng, eps, N, H):
    proposal = theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * _z(rng, theta)
    accept = np.zeros((len(theta), 1), bool)
    return np.where(accept, proposal, theta)


def in_place(x, gradient, rng, gamma, N):
    x -= gamma * N * gradient.full(x)
    x += np.sqrt(2 * gamma) * _z(rng, x)
    return x


def waits_for_convergence(theta, gradient, rng, eps, H):
    """Inner iterations until the gradient is zero, which a noisy one never is."""
    while np.abs(gradient(theta)).max() > 1e-12:
        time.sleep(0.001)
    return theta


def singular(theta, gradient, rng, eps, N, H):
    metric = np.zeros_like(H)
    return theta - eps / 2 * N * gradient(theta) @ np.linalg.inv(metric)
