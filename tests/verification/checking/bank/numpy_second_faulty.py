"""Faulty samplers in NumPy, a second set: what is wrong with each is said in ``expected_second.py``."""

import numpy as np


def transposed_factor(theta, gradient, rng, eps, N, H):
    """Noise of covariance eps H by its factor of Cholesky."""
    L = np.linalg.cholesky(H)
    noise = rng.standard_normal(theta.shape) @ L
    return theta - 0.5 * eps * N * gradient(theta) @ H + np.sqrt(eps) * noise


def lmc_single_noise(theta, gradient, rng, gamma, N):
    drift = -gamma * N * gradient.full(theta)
    return theta + drift + np.sqrt(gamma) * rng.normal(size=theta.shape)


def annealed_drift_only(state, gradient, rng, eps, b, c, N):
    theta, n = state["theta"], state["n"]
    rate = eps * (b + n) ** (-c)
    noise = rng.normal(0.0, np.sqrt(eps), size=theta.shape)
    return {"theta": theta - rate / 2 * N * gradient(theta) + noise, "n": n + 1}


annealed_drift_only.init = lambda theta, rng: {"theta": theta, "n": 0}


def fisher_without_gain(theta, gradient, rng, eps, H, E):
    """The drift is preconditioned."""
    injected = np.sqrt(eps) * rng.standard_normal(theta.shape) @ E.T
    return theta - eps * gradient(theta) @ H + injected


def accumulates_two_batches(theta, gradient, rng, eps, H):
    """Accumulates gradients before it steps."""
    total = np.zeros_like(theta)
    for _ in range(2):
        total += gradient(theta)
    return theta - eps * (total / 2) @ H


def dampened_momentum(state, gradient, rng, eps, mu, H):
    """The running mean of gradients, as Adam keeps it."""
    mean = (1 - mu) * state["mean"] + mu * gradient(state["theta"])
    return {"theta": state["theta"] - eps * mean @ H, "mean": mean}


dampened_momentum.init = lambda theta, rng: {"theta": theta, "mean": np.zeros_like(theta)}


def looks_too_far_ahead(state, gradient, rng, eps, mu, H):
    theta, v = state["theta"], state["v"]
    ahead = gradient(theta + v)
    v = (1 - mu) * v - eps * ahead @ H
    return {"theta": theta + v, "v": v}


def average_counts_start(state, gradient, rng, eps, H):
    """A running mean that begins with what is there."""
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    n = state["n"]
    return {"theta": theta, "m": (n * state["m"] + theta) / (n + 1), "n": n + 1}


average_counts_start.init = lambda theta, rng: {"theta": theta, "m": theta.copy(), "n": 1}


def window_one_too_long(state, gradient, rng, eps, H, T):
    """Sums the iterates and begins again when the window is full."""
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    total, n = state["total"], state["n"]
    if n > int(T):
        total, n = np.zeros_like(total), 0
    total, n = total + theta, n + 1
    return {"theta": theta, "m": total / n, "total": total, "n": n}


window_one_too_long.init = lambda theta, rng: {
    "theta": theta,
    "m": np.zeros_like(theta),
    "total": np.zeros_like(theta),
    "n": 0,
}


def ignores_beta(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    scale = np.sqrt(2 * alpha * eta * tau)
    new = (1 - alpha) * v - eta * N * gradient(theta) + scale * rng.standard_normal(v.shape)
    return {"theta": theta + v, "v": new}


def gradient_after_the_move(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    theta = theta + v
    scale = np.sqrt(2 * (alpha - beta) * eta * tau)
    v = (1 - alpha) * v - eta * N * gradient(theta) + scale * rng.standard_normal(v.shape)
    return {"theta": theta, "v": v}


def damps_the_kick(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    v = v - eta * N * gradient(theta)
    v = v + np.sqrt(2 * (alpha - beta) * eta * tau) * rng.standard_normal(v.shape)
    v = v * (1 - alpha)
    return {"theta": theta + v, "v": v}


def thermostat_of_the_sum(state, gradient, rng, eta, a, tau, N):
    theta, v, xi = state["theta"], state["v"], state["xi"]
    v = v - eta * xi * v - eta * N * gradient(theta)
    v = v + np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    theta = theta + eta * v
    kinetic = np.sum(v * v, axis=1, keepdims=True)
    return {"theta": theta, "v": v, "xi": xi + eta * (kinetic - tau)}


def euler_noise_in_exact_decay(state, gradient, rng, eps, gamma, tau, N):
    x, v = state["theta"], state["v"]
    v = v - eps / 2 * N * gradient(x)
    x = x + eps / 2 * v
    v = np.exp(-gamma * eps) * v + np.sqrt(2 * gamma * eps * tau) * rng.standard_normal(v.shape)
    x = x + eps / 2 * v
    return {"theta": x, "v": v - eps / 2 * N * gradient(x)}


def reuses_gradient(state, gradient, rng, eps, gamma, tau, N):
    """One gradient a step: that of the last kick is kept for the next step."""
    x, v, g = state["theta"], state["v"], state["g"]
    if state["k"] == 0:
        g = gradient(x)
    v = v - eps / 2 * N * g
    x = x + eps / 2 * v
    c = np.exp(-gamma * eps)
    v = c * v + np.sqrt(tau * (1 - c * c)) * rng.standard_normal(v.shape)
    x = x + eps / 2 * v
    g = gradient(x)
    return {"theta": x, "v": v - eps / 2 * N * g, "g": g, "k": state["k"] + 1}


reuses_gradient.init = lambda theta, rng: {
    "theta": theta,
    "v": np.zeros_like(theta),
    "g": np.zeros_like(theta),
    "k": 0,
}


def preconditioner_without_root(state, gradient, rng, eps, alpha, N, **params):
    lam = params.get("lambda", params.get("lam", 1e-5))
    theta, V = state["theta"], state["V"]
    g = gradient(theta)
    V = alpha * V + (1 - alpha) * g**2
    G = 1 / (lam + np.sqrt(V))
    noise = np.sqrt(eps) * G * rng.standard_normal(theta.shape)
    return {"theta": theta - eps / 2 * G * N * g + noise, "V": V}


def two_batches(state, gradient, rng, eps, m, N):
    """SVRG-LD."""
    x, s, g, k = state["theta"], state["s"], state["g"], state["k"]
    if k % int(m) == 0:
        s, g = x.copy(), gradient.full(x)
    estimate = gradient(x) - gradient(s) + g
    x = x - eps / 2 * N * estimate + np.sqrt(eps) * rng.standard_normal(x.shape)
    return {"theta": x, "s": s, "g": g, "k": k + 1}


two_batches.init = lambda theta, rng: {
    "theta": theta,
    "s": theta.copy(),
    "g": np.zeros_like(theta),
    "k": 0,
}


def unconditioned_kick(state, gradient, rng, eta, sigma, beta, gamma, C0, burnin, N, S, **params):
    """Santa by its symmetric splitting, as the supplement has it."""
    lam = params.get("lambda", params.get("lam", 1e-5))
    theta, u, alpha, v, t = (state[name] for name in ("theta", "u", "alpha", "v", "t"))
    if t == 0:
        u = np.sqrt(eta) * rng.standard_normal(theta.shape)
        alpha = np.full_like(theta, np.sqrt(eta) * C0)
    heat = eta / (beta * (t + 1) ** gamma)
    exploring = t + 1 < burnin
    f = N * gradient(theta)
    g_old = 1 / np.sqrt(lam + np.sqrt(v))
    v = sigma * v + (1 - sigma) / S**2 * f * f
    g = 1 / np.sqrt(lam + np.sqrt(v))
    theta = theta + g * u / 2
    if exploring:
        alpha = alpha + (u * u - heat) / 2
    u = np.exp(-alpha / 2) * u - eta * f
    if exploring:
        u = u + np.sqrt(2 * np.sqrt(eta) * heat * g_old) * rng.standard_normal(u.shape)
    u = np.exp(-alpha / 2) * u
    if exploring:
        alpha = alpha + (u * u - heat) / 2
    return {"theta": theta + g * u / 2, "u": u, "alpha": alpha, "v": v, "t": t + 1}


unconditioned_kick.init = lambda theta, rng: {
    "theta": theta,
    "u": np.zeros_like(theta),
    "alpha": np.zeros_like(theta),
    "v": np.zeros_like(theta),
    "t": 0,
}
