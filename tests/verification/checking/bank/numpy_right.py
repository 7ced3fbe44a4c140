"""Right samplers in NumPy, in the conventions in which libraries write them."""

import numpy as np


def _root(M):
    """A factor that is not symmetric: any R with R R^T = M does."""
    return np.linalg.cholesky(M)


def plain_sgd(theta, gradient, rng, eps, H):
    return theta - eps * gradient(theta) @ H


def heavy_ball(state, gradient, rng, eps, mu, H):
    """Polyak's form: two positions, no velocity."""
    now, before = state["theta"], state["before"]
    after = now - eps * gradient(now) @ H + (1 - mu) * (now - before)
    return {"theta": after, "before": now}


heavy_ball.init = lambda theta, rng: {"theta": theta, "before": theta.copy()}


def momentum_with_buffer(state, gradient, rng, eps, mu, H):
    """As torch and optax: the buffer has no step in it, and the other sign."""
    buffer = (1 - mu) * state["buffer"] + gradient(state["theta"])
    return {"theta": state["theta"] - eps * buffer @ H, "buffer": buffer}


momentum_with_buffer.init = lambda theta, rng: {"theta": theta, "buffer": np.zeros_like(theta)}


def nesterov_of_sutskever(state, gradient, rng, eps, mu, H):
    theta, v = state["theta"], state["v"]
    ahead = theta + (1 - mu) * v
    v = ahead - theta - eps * gradient(ahead) @ H
    return {"v": v, "theta": theta + v}


class Langevin:
    """SGLD as an object, with the drift written as that of a log density."""

    def __init__(self, power):
        self.power = power

    def grad_log_density(self, x, gradient, N):
        return -N * gradient(x)

    def __call__(self, theta, gradient, rng, eps, N, H):
        drift = self.grad_log_density(theta, gradient, N) @ H
        values, vectors = np.linalg.eigh(H)
        root = vectors * values**self.power
        return theta + eps / 2 * drift + np.sqrt(eps) * rng.standard_normal(theta.shape) @ root.T


langevin = Langevin(power=0.5)


def unadjusted_langevin(theta, gradient, rng, gamma, N):
    """With the full step in the drift and two of them in the noise."""
    noise = rng.normal(scale=np.sqrt(2 * gamma), size=theta.shape)
    return theta - gamma * (N * gradient.full(theta)) + noise


def fisher_scoring(theta, gradient, rng, eps, H, E):
    """The noise is drawn from its covariance, chain by chain."""
    covariance = eps * H @ E @ E.T @ H.T
    z = rng.multivariate_normal(np.zeros(theta.shape[1]), covariance, size=theta.shape[0])
    return theta - eps * gradient(theta) @ H.T + z


def hamiltonian_in_physical_units(state, gradient, rng, eta, alpha, beta, tau, N):
    """Momentum p and step h instead of a velocity per step: v = h p, eta = h^2."""
    h = np.sqrt(eta)
    q, p = state["theta"], state["p"]
    force = -N * gradient(q)
    kick = np.sqrt(2 * (alpha - beta) * tau) * rng.standard_normal(p.shape)
    return {"theta": q + h * p, "p": (1 - alpha) * p + h * force + kick}


hamiltonian_in_physical_units.init = lambda theta, rng: {"theta": theta, "p": np.zeros_like(theta)}


def hamiltonian_refreshed(state, gradient, rng, eta, alpha, beta, tau, N, L):
    q, v, k = state["theta"], state["v"], state["k"]
    if k % int(L) == 0:
        v = rng.normal(0, np.sqrt(eta * tau), size=q.shape)
    g = gradient(q)
    new = (
        v - alpha * v - eta * N * g + np.sqrt(2 * eta * tau * (alpha - beta)) * rng.normal(size=q.shape)
    )
    return {"theta": q + v, "v": new, "k": k + 1}


hamiltonian_refreshed.init = lambda theta, rng: {"theta": theta, "v": np.zeros_like(theta), "k": 0}


def baoab_by_letters(state, gradient, rng, eps, gamma, tau, N):
    x, v = state["theta"], state["v"]
    for letter in "BAOAB":
        if letter == "A":
            x = x + eps / 2 * v
        elif letter == "B":
            v = v - eps / 2 * N * gradient(x)
        else:
            decay = np.exp(-gamma * eps)
            v = decay * v + np.sqrt(-np.expm1(-2 * gamma * eps) * tau) * rng.standard_normal(x.shape)
    return {"theta": x, "v": v}


def obabo(state, gradient, rng, eps, gamma, tau, N):
    decay = np.exp(-gamma * eps / 2)
    spread = np.sqrt(tau * (1 - decay**2))
    q, p = state["theta"], state["v"]
    p = decay * p + spread * rng.standard_normal(p.shape)
    p = p - eps * N * gradient(q) / 2
    q = q + eps * p
    p = p - eps * N * gradient(q) / 2
    return {"theta": q, "v": decay * p + spread * rng.standard_normal(p.shape)}


def annealed_langevin(state, gradient, rng, eps, b, c, N):
    """The step shrinks; the state carries its clock."""
    step = eps / (b + state["n"]) ** c
    x = state["theta"]
    x = x - step * N / 2 * gradient(x) + rng.standard_normal(x.shape) * step**0.5
    return {"theta": x, "n": state["n"] + 1}


annealed_langevin.init = lambda theta, rng: {"theta": theta, "n": 0}


def polyak_averaging(state, gradient, rng, eps, H):
    """The average is updated by its distance to the new iterate."""
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    count = state["count"] + 1
    return {"theta": theta, "m": state["m"] + (theta - state["m"]) / count, "count": count}


polyak_averaging.init = lambda theta, rng: {"theta": theta, "m": np.zeros_like(theta), "count": 0}


def nose_hoover(state, gradient, rng, eta, a, tau, N):
    q, p, friction = state["theta"], state["v"], state["xi"]
    p = (
        (1 - eta * friction) * p
        - eta * N * gradient(q)
        + np.sqrt(2 * a * eta * tau) * rng.normal(size=p.shape)
    )
    kinetic = np.mean(p**2, axis=1, keepdims=True)
    return {"theta": q + eta * p, "v": p, "xi": friction + eta * (kinetic - tau)}


def variance_reduced(state, gradient, rng, eps, m, N):
    """SVRG-LD: the same minibatch at the position and at the snapshot."""
    x, s, g, k = state["theta"], state["s"], state["g"], state["k"]
    if k % int(m) == 0:
        s, g = x, gradient.full(x)
    batch = gradient.draw(x)
    estimate = gradient(x, batch) - gradient(s, batch) + g
    x = x - eps / 2 * N * estimate + np.sqrt(eps) * rng.standard_normal(x.shape)
    return {"theta": x, "s": s, "g": g, "k": k + 1}


variance_reduced.init = lambda theta, rng: {
    "theta": theta,
    "s": theta.copy(),
    "g": np.zeros_like(theta),
    "k": 0,
}
