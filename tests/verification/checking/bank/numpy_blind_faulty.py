"""Samplers in NumPy as they are handed in for review: none of them has the law that it should."""

import numpy as np


def _lam(settings):
    """``lambda`` is a word of Python's own, so that it comes with the rest."""
    return next(value for key, value in settings.items() if key.startswith("lam"))


# Langevin dynamics


def tempered(theta, gradient, rng, eps, N, H):
    """Drift of the summed loss, noise of the mean one."""
    noise = rng.standard_normal(theta.shape) @ np.linalg.cholesky(H).T
    return theta - 0.5 * eps * N * gradient(theta) @ H + np.sqrt(eps / N) * noise


def two_books(theta, gradient, rng, eps, N, H):
    """Half a step of drift and the noise of a whole one."""
    values, vectors = np.linalg.eigh(H)
    noise = rng.normal(size=theta.shape) * np.sqrt(values) @ vectors.T
    return theta - eps / 2 * N * (gradient(theta) @ H) + np.sqrt(2 * eps) * noise


def factored(theta, gradient, rng, eps, N, H):
    """Noise by the factor of Cholesky."""
    factor = np.linalg.cholesky(H)
    noise = rng.standard_normal(theta.shape) @ factor
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise


def column_of_noise(theta, gradient, rng, eps, N, H):
    root = np.linalg.cholesky(H)
    noise = np.broadcast_to(rng.standard_normal((len(theta), 1)), theta.shape) @ root.T
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise


def thrifty(state, gradient, rng, eps, N, H):
    """Noise where the number of the step is even."""
    theta, k = state["theta"], state["k"]
    theta = theta - eps / 2 * N * gradient(theta) @ H
    if k % 2 == 0:
        theta = theta + np.sqrt(eps) * rng.standard_normal(theta.shape) @ np.linalg.cholesky(H).T
    return {"theta": theta, "k": k + 1}


thrifty.init = lambda theta, rng: {"theta": theta, "k": 0}


def drawn_at_first(state, gradient, rng, eps, N, H):
    """Normals that are prepared beforehand."""
    theta, z = state["theta"], state["z"]
    move = -eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * z @ np.linalg.cholesky(H).T
    return {"theta": theta + move, "z": z}


drawn_at_first.init = lambda theta, rng: {"theta": theta, "z": rng.standard_normal(theta.shape)}


def boxy(theta, gradient, rng, eps, N, H):
    """Noise of mean 0 and variance 1, without the cost of a normal."""
    xi = rng.uniform(-np.sqrt(3), np.sqrt(3), size=theta.shape)
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * xi @ np.linalg.cholesky(H).T


def well_behaved(theta, gradient, rng, eps, N, H):
    """No surprises from the normals."""
    xi = np.clip(rng.standard_normal(theta.shape), -1.5, 1.5)
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * xi @ np.linalg.cholesky(H).T


def tamed(theta, gradient, rng, eps, N, H):
    """Steps of a size that does no harm."""
    force = np.clip(N * gradient(theta), -5.0, 5.0)
    noise = rng.standard_normal(theta.shape) @ np.linalg.cholesky(H).T
    return theta - eps / 2 * force @ H + np.sqrt(eps) * noise


def economical(theta, gradient, rng, gamma, N):
    return theta - gamma * N * gradient(theta) + np.sqrt(2 * gamma) * rng.normal(size=theta.shape)


def control_variate(state, gradient, rng, eps, m, N):
    """SVRG-LD: the position, the snapshot, and the mean there."""
    x, s, g, k = state["theta"], state["s"], state["g"], state["k"]
    if k % int(m) == 0:
        s, g = x.copy(), gradient.full(x)
    estimate = gradient(x) - gradient(s) + g
    x = x - eps / 2 * N * estimate + np.sqrt(eps) * rng.standard_normal(x.shape)
    return {"theta": x, "s": s, "g": g, "k": k + 1}


control_variate.init = lambda theta, rng: {
    "theta": theta,
    "s": theta.copy(),
    "g": np.zeros_like(theta),
    "k": 0,
}


def scored(theta, gradient, rng, eps, H, E):
    """Fisher scoring: descend, then shake."""
    descended = theta - eps * gradient(theta) @ H.T
    return descended + np.sqrt(eps) * rng.standard_normal(theta.shape) @ E.T


# Descent


def pulled_in(theta, gradient, rng, eps, H):
    return 0.98 * theta - eps * gradient(theta) @ H


def asynchronous(state, gradient, rng, eps, H):
    """One worker computes while the other one moves."""
    theta, waiting = state["theta"], state["waiting"]
    return {"theta": theta - eps * gradient(waiting) @ H, "waiting": theta}


asynchronous.init = lambda theta, rng: {"theta": theta, "waiting": theta.copy()}


def geared(state, gradient, rng, eps, mu, H):
    """The gain turns the velocity, and the step."""
    v = (1 - mu) * state["v"] - eps * gradient(state["theta"]) @ H
    return {"v": v, "theta": state["theta"] + v @ H}


def window_of_iterates(state, gradient, rng, eps, T, H):
    """The mean of a window, updated in place."""
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    m = theta if state["k"] == 0 else state["m"] + (theta - state["m"]) / T
    return {"theta": theta, "m": m, "k": state["k"] + 1}


window_of_iterates.init = lambda theta, rng: {"theta": theta, "m": np.zeros_like(theta), "k": 0}


def from_the_beginning(state, gradient, rng, eps, H):
    """The mean of all that the chain has been."""
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    total, count = state["total"] + theta, state["count"] + 1
    return {"theta": theta, "m": total / count, "total": total, "count": count}


from_the_beginning.init = lambda theta, rng: {
    "theta": theta,
    "m": theta.copy(),
    "total": theta.copy(),
    "count": 1,
}


# Hamiltonian dynamics


def at_a_temperature(state, gradient, rng, eta, alpha, beta, tau, N):
    """tau is how hot it is."""
    theta, v = state["theta"], state["v"]
    spread = np.sqrt(2 * (alpha - beta) * eta / tau)
    after = (1 - alpha) * v - eta * N * gradient(theta) + spread * rng.standard_normal(v.shape)
    return {"theta": theta + v, "v": after}


def in_place(state, gradient, rng, eta, alpha, beta, tau, N):
    """No copy more than it takes."""
    theta, v = state["theta"].copy(), state["v"].copy()
    theta += v
    v *= 1 - alpha
    v -= eta * N * gradient(theta)
    v += np.sqrt(2 * (alpha - beta) * eta * tau) * rng.standard_normal(v.shape)
    return {"theta": theta, "v": v}


def damped(state, gradient, rng, eta, alpha, beta, tau, N):
    """Velocity first."""
    v = (1 - alpha) * state["v"]
    v = v - alpha * v - eta * N * gradient(state["theta"])
    v = v + np.sqrt(2 * (alpha - beta) * eta * tau) * rng.standard_normal(v.shape)
    return {"v": v, "theta": state["theta"] + v}


def thermalised(state, gradient, rng, eta, alpha, beta, tau, N, L):
    """A Maxwellian every L steps."""
    theta, v, k = state["theta"], state["v"], state["k"]
    if k % int(L) == 0:
        v = np.sqrt(tau) * rng.standard_normal(v.shape)
    g = gradient(theta)
    spread = np.sqrt(2 * (alpha - beta) * eta * tau)
    after = (1 - alpha) * v - eta * N * g + spread * rng.standard_normal(v.shape)
    return {"theta": theta + v, "v": after, "k": k + 1}


thermalised.init = lambda theta, rng: {"theta": theta, "v": np.zeros_like(theta), "k": 0}


def started_once(state, gradient, rng, eta, alpha, beta, tau, N, L):
    """Trajectories of L steps, velocity first."""
    v, k = state["v"], state["k"]
    if k == 0:
        v = np.sqrt(eta * tau) * rng.standard_normal(v.shape)
    kick = np.sqrt(2 * (alpha - beta) * eta * tau) * rng.standard_normal(v.shape)
    v = (1 - alpha) * v - eta * N * gradient(state["theta"]) + kick
    return {"theta": state["theta"] + v, "v": v, "k": k + 1}


started_once.init = lambda theta, rng: {"theta": theta, "v": np.zeros_like(theta), "k": 0}


def cooling(state, gradient, rng, eta, alpha, b, c, beta, tau, N):
    """Steps shrink by a power."""
    theta, v, t = state["theta"], state["v"], state["t"]
    rate = (b + t) ** -c
    kick = np.sqrt(2 * (alpha - beta) * eta * tau) * rate * rng.standard_normal(v.shape)
    after = (1 - alpha) * v - eta * rate * N * gradient(theta) + kick
    return {"theta": theta + v, "v": after, "t": t + 1}


cooling.init = lambda theta, rng: {"theta": theta, "v": np.zeros_like(theta), "t": 0}


def baoab_short(state, gradient, rng, eps, gamma, tau, N):
    x, v = state["theta"], state["v"]
    c = np.exp(-gamma * eps)
    v = v - eps / 2 * N * gradient(x)
    x = x + eps / 2 * v
    v = c * v + np.sqrt(tau * (1 - c)) * rng.standard_normal(v.shape)
    x = x + eps / 2 * v
    return {"theta": x, "v": v - eps / 2 * N * gradient(x)}


def baoab_once_per_step(state, gradient, rng, eps, gamma, tau, N):
    """As in molecular dynamics: one force to a step."""
    x, v, force = state["theta"], state["v"], state["force"]
    if state["k"] == 0:
        force = -N * gradient(x)
    c = np.exp(-gamma * eps)
    v = v + eps / 2 * force
    x = x + eps / 2 * v
    v = c * v + np.sqrt(tau * (1 - c**2)) * rng.standard_normal(v.shape)
    x = x + eps / 2 * v
    force = -N * gradient(x)
    return {"theta": x, "v": v + eps / 2 * force, "force": force, "k": state["k"] + 1}


baoab_once_per_step.init = lambda theta, rng: {
    "theta": theta,
    "v": np.zeros_like(theta),
    "force": np.zeros_like(theta),
    "k": 0,
}


def obabo_symmetric(state, gradient, rng, eps, gamma, tau, N):
    decay = np.exp(-gamma * eps)
    spread = np.sqrt(tau * -np.expm1(-2 * gamma * eps))
    x, v = state["theta"], state["v"]
    v = decay * v + spread * rng.standard_normal(v.shape)
    v = v - eps / 2 * N * gradient(x)
    x = x + eps * v
    v = v - eps / 2 * N * gradient(x)
    return {"theta": x, "v": decay * v + spread * rng.standard_normal(v.shape)}


# Thermostats


def thermometer(state, gradient, rng, eta, a, tau, N):
    """The friction follows the mean energy."""
    x, v, xi = state["theta"], state["v"], state["xi"]
    kick = np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    v = v - eta * xi * v - eta * N * gradient(x) + kick
    return {"theta": x + eta * v, "v": v, "xi": xi + eta * (np.mean(v**2) - tau)}


def restoring(state, gradient, rng, eta, a, tau, N):
    x, v, xi = state["theta"], state["v"], state["xi"]
    kick = np.sqrt(2 * a * eta * tau) * rng.standard_normal(v.shape)
    v = v - eta * xi * v - eta * N * gradient(x) + kick
    energy = np.mean(v**2, axis=-1, keepdims=True)
    return {"theta": x + eta * v, "v": v, "xi": xi + eta * (tau - energy)}


def many_thermostats(state, gradient, rng, eta, beta, N):
    """One friction to a coordinate."""
    x, u, alpha = state["theta"], state["u"], state["alpha"]
    kick = np.sqrt(2 * eta / beta) * rng.standard_normal(u.shape)
    u = (1 - eta * alpha) * u - eta * N * gradient(x) + kick
    alpha = alpha + eta * ((u**2).mean(axis=1, keepdims=True) - 1 / beta)
    return {"theta": x + eta * u, "u": u, "alpha": alpha}


# Adaptive steps


def forgetful(state, gradient, rng, eps, alpha, N, **settings):
    """RMSprop inside of Langevin dynamics."""
    x, g = state["theta"], gradient(state["theta"])
    V = (1 - alpha) * state["V"] + alpha * g**2
    G = 1 / (_lam(settings) + np.sqrt(V))
    return {"theta": x - eps / 2 * N * G * g + np.sqrt(eps * G) * rng.standard_normal(x.shape), "V": V}


def by_the_mean_square(state, gradient, rng, eps, alpha, **settings):
    """RMSprop."""
    g = gradient(state["theta"])
    V = alpha * state["V"] + (1 - alpha) * g * g
    return {"theta": state["theta"] - eps * g / (_lam(settings) + V), "V": V}


class Santa:
    """Santa's symmetric splitting while it explores, and after; with what changes from user to user."""

    def __init__(self, share, of_a_batch):
        self.share, self.of_a_batch = share, of_a_batch

    def init(self, theta, rng):
        nothing = np.zeros_like(theta)
        return {"theta": theta, "u": nothing, "alpha": nothing, "v": nothing, "k": 0}

    def __call__(self, state, gradient, rng, eta, beta, sigma, gamma, C0, burnin, N, S, **settings):
        x, u, alpha, v, k = (state[name] for name in ("theta", "u", "alpha", "v", "k"))
        if k == 0:
            u = np.sqrt(eta) * rng.standard_normal(x.shape)
            alpha = np.full_like(x, np.sqrt(eta) * C0)
        lam, heat, exploring = _lam(settings), eta / (beta * (k + 1) ** gamma), k + 1 < burnin
        force = N * gradient(x)
        seen = force / S if self.of_a_batch else force
        g_old = 1 / np.sqrt(lam + np.sqrt(v))
        v = sigma * v + (1 - sigma) * seen**2
        g = 1 / np.sqrt(lam + np.sqrt(v))
        x = x + g * u / 2
        if exploring:
            alpha = alpha + self.share * (u * u - heat)
        u = np.exp(-alpha / 2) * u - eta * g * force
        if exploring:
            u = u + np.sqrt(2 * np.sqrt(eta) * heat * g_old) * rng.standard_normal(x.shape)
        u = np.exp(-alpha / 2) * u
        if exploring:
            alpha = alpha + self.share * (u * u - heat)
        return {"theta": x + g * u / 2, "u": u, "alpha": alpha, "v": v, "k": k + 1}


santa_whole = Santa(share=1.0, of_a_batch=True)
santa_summed = Santa(share=0.5, of_a_batch=False)
