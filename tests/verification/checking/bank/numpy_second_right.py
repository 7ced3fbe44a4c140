"""Right samplers in NumPy, a second set, in other conventions than those of the declarations."""

import numpy as np


def momentum_of_means(state, gradient, rng, eps, mu, H):
    """The running mean of gradients, and a step that makes up for its weights."""
    mean = state["mean"] + mu * (gradient(state["theta"]) - state["mean"])
    return {"theta": state["theta"] - eps / mu * mean @ H, "mean": mean}


momentum_of_means.init = lambda theta, rng: {"theta": theta, "mean": np.zeros_like(theta)}


def nesterov_by_two_points(state, gradient, rng, eps, mu, H):
    """Nesterov's own form: extrapolate, then descend from there."""
    now, before = state["theta"], state["before"]
    ahead = now + (1 - mu) * (now - before)
    return {"theta": ahead - eps * gradient(ahead) @ H, "before": now}


nesterov_by_two_points.init = lambda theta, rng: {"theta": theta, "before": theta.copy()}


def noisy_gradient_hamiltonian(state, gradient, rng, eta, alpha, beta, tau, N):
    """SGD with momentum, whose gradient has the noise in it."""
    xi = rng.standard_normal(state["theta"].shape)
    noisy = N * gradient(state["theta"]) - np.sqrt(2 * (alpha - beta) * tau / eta) * xi
    v = (1 - alpha) * state["v"] - eta * noisy
    return {"theta": state["theta"] + v, "v": v}


def aboba_by_flows(state, gradient, rng, eps, gamma, tau, N):
    """As functions of a phase point, one for each flow."""

    def move(x, v):
        return x + eps / 2 * v, v

    def kick(x, v):
        return x, v - eps / 2 * (N * gradient(x))

    def bath(x, v):
        spread = np.sqrt(-tau * np.expm1(-2 * gamma * eps))
        return x, np.exp(-gamma * eps) * v + rng.normal(scale=spread, size=v.shape)

    x, v = state["theta"], state["v"]
    for flow in (move, kick, bath, kick, move):
        x, v = flow(x, v)
    return {"theta": x, "v": v}


def preconditioned_langevin(state, gradient, rng, eps, alpha, N, **params):
    """With gradients of the summed loss and a learning rate: lr = eps/2, temperature 1."""
    lam = params.get("lambda", params.get("lam", 1e-5))
    theta, lr = state["theta"], eps / 2
    summed = N * gradient(theta)
    V = state["V"] + (1 - alpha) * ((summed / N) ** 2 - state["V"])
    G = 1 / (np.sqrt(V) + lam)
    noise = np.sqrt(2 * lr) * np.sqrt(G) * rng.standard_normal(theta.shape)
    return {"theta": theta - lr * G * summed + noise, "V": V}


def thermostat_with_a_number(state, gradient, rng, eta, a, tau, N):
    """With the step in the momentum (p = eta v) and in the friction (z = eta xi), as Ding has them."""
    q, p, z = state["theta"], eta * state["v"], eta * state["xi"]
    force = -N * gradient(q)
    noise = rng.standard_normal(q.shape) * np.sqrt(2 * a * tau * eta**3)
    p = p - z * p + eta**2 * force + noise
    energy = np.einsum("cd,cd->c", p, p)[:, None] / q.shape[1]
    z = z + energy - eta**2 * tau
    return {"theta": q + p, "v": p / eta, "xi": z / eta}


def window_by_sums(state, gradient, rng, eps, H, T):
    """Keeps the sum of its window and how many are in it."""
    if state["n"] == int(T):
        total, n = np.zeros_like(state["total"]), 0
    else:
        total, n = state["total"], state["n"]
    theta = state["theta"] - (eps * H @ gradient(state["theta"]).T).T
    total, n = total + theta, n + 1
    return {"theta": theta, "m": total / n, "total": total, "n": n}


window_by_sums.init = lambda theta, rng: {
    "theta": theta,
    "m": np.zeros_like(theta),
    "total": np.zeros_like(theta),
    "n": 0,
}


def riemannian_langevin(theta, gradient, rng, eps, N):
    """With the metric tensor M = 1 + x^2 of which G is the inverse: G' = -M'/M^2."""
    M = 1 + theta**2
    divergence = -2 * theta / M**2
    noise = np.sqrt(eps) * rng.standard_normal(theta.shape) / np.sqrt(M)
    return theta + eps / 2 * (divergence - N * gradient(theta) / M) + noise
