"""Right samplers in NumPy, in other people's hands: other units, axes, factors and orders."""

import numpy as np


def _lam(settings):
    """``lambda`` is a word of Python's own, so that it comes with the rest."""
    return next(value for key, value in settings.items() if key.startswith("lam"))


def columns_of_chains(theta, gradient, rng, eps, N, H):
    """SGLD on columns, with the symmetric root of the gain and h^2 = eps."""
    h = np.sqrt(eps)
    values, vectors = np.linalg.eigh(H)
    root = (vectors * np.sqrt(values)) @ vectors.T
    x, g = theta.T, gradient(theta).T
    x = x - h**2 / 2 * N * (H @ g) + h * (root @ rng.standard_normal(x.shape))
    return x.T


def upper_factor(theta, gradient, rng, eps, N, H):
    """SGLD with the transpose of Cholesky's factor, where rows ask for it."""
    upper = np.linalg.cholesky(eps * H).T
    return theta - eps / 2 * N * gradient(theta) @ H + rng.standard_normal(theta.shape) @ upper


def chains_in_blocks(theta, gradient, rng, eps, N, H):
    """SGLD with normals for some of the chains at a time, one column to a chain."""
    root, drift = np.linalg.cholesky(H), gradient(theta) @ H
    blocks = [len(rows) for rows in np.array_split(theta, 7)]
    noise = np.concatenate([(root @ rng.standard_normal((theta.shape[1], n))).T for n in blocks])
    return theta - eps * N * drift / 2 + eps**0.5 * noise


def noise_then_drift(theta, gradient, rng, gamma, N):
    """Langevin Monte Carlo: shaken first, descended with the force from before."""
    force = N * gradient.full(theta)
    theta = theta + np.sqrt(2.0) * np.sqrt(gamma) * rng.standard_normal(theta.shape)
    return theta - gamma * force


def scored_in_the_gradient(theta, gradient, rng, eps, H, E):
    """Fisher scoring with the noise on the gradient, before both are multiplied by the gain."""
    noisy = gradient(theta) - rng.standard_normal(theta.shape) @ E.T / np.sqrt(eps)
    return theta - eps * np.einsum("ij,cj->ci", H, noisy)


def unit_velocity(state, gradient, rng, eps, mu, H):
    """Momentum with a velocity per step size."""
    m = state["m"] - mu * state["m"] - gradient(state["theta"]) @ H
    return {"theta": state["theta"] + eps * m, "m": m}


unit_velocity.init = lambda theta, rng: {"theta": theta, "m": np.zeros_like(theta)}


def averaging_momentum(state, gradient, rng, eps, mu, H):
    """Momentum as a moving average of gradients, with a step that makes up for its weights."""
    average = (1 - mu) * state["average"] + mu * gradient(state["theta"])
    return {"theta": state["theta"] - eps / mu * average @ H, "average": average}


averaging_momentum.init = lambda theta, rng: {"theta": theta, "average": np.zeros_like(theta)}


def look_ahead(state, gradient, rng, eps, mu, H):
    """Nesterov's own two sequences."""
    y = state["y"]
    theta = y - eps * gradient(y) @ H
    return {"theta": theta, "y": theta + (1 - mu) * (theta - state["theta"])}


look_ahead.init = lambda theta, rng: {"theta": theta, "y": theta.copy()}


def summed_window(state, gradient, rng, eps, T, H):
    """IASG with a sum that is emptied at the end of a window."""
    theta = state["theta"] - eps * gradient(state["theta"]) @ H
    full = state["count"] == int(T)
    total, count = (theta, 1) if full else (state["total"] + theta, state["count"] + 1)
    return {"theta": theta, "m": total / count, "total": total, "count": count}


summed_window.init = lambda theta, rng: {
    "theta": theta,
    "m": np.zeros_like(theta),
    "total": np.zeros_like(theta),
    "count": 0,
}


def by_friction(state, gradient, rng, eta, alpha, beta, tau, N):
    """SGHMC, velocity first, with momenta, a step h = sqrt(eta) and a friction alpha/h."""
    h = np.sqrt(eta)
    friction, estimate = alpha / h, beta / h
    x, p = state["theta"], state["p"]
    p = p - h * (N * gradient(x) + friction * p)
    p = p + np.sqrt(2 * (friction - estimate) * tau * h) * rng.standard_normal(x.shape)
    return {"theta": x + h * p, "p": p}


by_friction.init = lambda theta, rng: {"theta": theta, "p": np.zeros_like(theta)}


def refreshed_at_the_end(state, gradient, rng, eta, alpha, beta, tau, N, L):
    """SGHMC: the velocity for the next L steps is drawn when the last of them ends."""
    x, p, k = state["theta"], state["p"], state["k"]
    h = np.sqrt(eta)
    if k == 0:
        p = np.sqrt(tau) * rng.standard_normal(x.shape)
    change = -alpha * p - h * N * gradient(x)
    change = change + np.sqrt(2 * (alpha - beta) * tau) * rng.standard_normal(x.shape)
    x, p, k = x + h * p, p + change, k + 1
    fresh = np.sqrt(tau) * rng.standard_normal(x.shape)
    return {"theta": x, "p": fresh if k % int(L) == 0 else p, "k": k}


refreshed_at_the_end.init = lambda theta, rng: {"theta": theta, "p": np.zeros_like(theta), "k": 0}


def symplectic_langevin(state, gradient, rng, eps, gamma, tau, N):
    """BAO in units in which a momentum is eps times a velocity."""
    c = np.exp(-gamma * eps)
    x, p = state["theta"], state["p"] - eps**2 * N * gradient(state["theta"])
    x = x + p
    spread = eps * np.sqrt(tau) * np.sqrt((1 - c) * (1 + c))
    return {"theta": x, "p": c * p + spread * rng.standard_normal(x.shape)}


symplectic_langevin.init = lambda theta, rng: {"theta": theta, "p": np.zeros_like(theta)}


def position_verlet(state, gradient, rng, eps, gamma, tau, N):
    """OABAO, each letter a function."""
    half = eps / 2

    def o(v):
        decay = np.exp(-gamma * half)
        return decay * v + np.sqrt(tau * -np.expm1(-gamma * eps)) * rng.standard_normal(v.shape)

    v = o(state["v"])
    x = state["theta"] + half * v
    v = v - eps * N * gradient(x)
    x = x + half * v
    return {"theta": x, "v": o(v)}


def nose_hoover_by_norms(state, gradient, rng, eta, a, tau, N):
    """SGNHT with the friction in one number a chain, and an injected diffusion of sqrt(2 a tau)."""
    x, v, xi = state["theta"], state["v"], state["xi"][:, :1]
    v = (
        v
        - eta * (xi * v + N * gradient(x))
        + np.sqrt(eta) * rng.normal(0, np.sqrt(2 * a * tau), v.shape)
    )
    kinetic = np.linalg.norm(v, axis=1, keepdims=True) ** 2 / v.shape[1]
    xi = xi - eta * (tau - kinetic)
    return {"theta": x + eta * v, "v": v, "xi": np.repeat(xi, v.shape[1], axis=1)}


def coordinates_with_thermostats(state, gradient, rng, eta, beta, N):
    """mSGNHT, a coordinate at a time."""
    x, u, alpha = (state[name].copy() for name in ("theta", "u", "alpha"))
    force = -N * gradient(x)
    for i in range(x.shape[1]):
        kick = np.sqrt(2 * eta / beta) * rng.standard_normal(len(x))
        u[:, i] += eta * (force[:, i] - alpha[:, i] * u[:, i]) + kick
        x[:, i] += eta * u[:, i]
        alpha[:, i] += eta * (u[:, i] ** 2 - 1 / beta)
    return {"theta": x, "u": u, "alpha": alpha}


def rms_langevin(state, gradient, rng, eps, alpha, N, **settings):
    """pSGLD without Gamma, with half the step as the rate and noise of twice that."""
    rate, g = eps / 2, gradient(state["theta"])
    V = state["V"] + (1 - alpha) * (g**2 - state["V"])
    scale = _lam(settings) + np.sqrt(V)
    noise = rng.normal(scale=np.sqrt(2 * rate / scale))
    return {"theta": state["theta"] - rate * N * g / scale + noise, "V": V}


def adam_with_one_rate(state, gradient, rng, eta, b1, sigma, **settings):
    """Adam with both of its corrections in the rate, as its paper proposes in passing."""
    g, k = gradient(state["theta"]), state["k"] + 1
    m = state["m"] + b1 * (g - state["m"])
    s = sigma * state["s"] + (1 - sigma) * g**2
    root = np.sqrt(1 - sigma**k)
    rate = eta * root / (1 - (1 - b1) ** k)
    return {
        "theta": state["theta"] - rate * m / (np.sqrt(s) + root * _lam(settings)),
        "m": m,
        "s": s,
        "k": k,
    }


adam_with_one_rate.init = lambda theta, rng: {
    "theta": theta,
    "m": np.zeros_like(theta),
    "s": np.zeros_like(theta),
    "k": 0,
}


def own_clock(state, gradient, rng, eps, b, c, N):
    """SGLD with decreasing steps, by the logarithm of the rate."""
    rate = eps * np.exp(-c * np.log(b + state["t"]))
    x = state["theta"]
    noise = rng.multivariate_normal(np.zeros(x.shape[1]), rate * np.eye(x.shape[1]), size=len(x))
    return {"theta": x - rate / 2 * N * gradient(x) + noise, "t": state["t"] + 1}


own_clock.init = lambda theta, rng: {"theta": theta, "t": 0}
