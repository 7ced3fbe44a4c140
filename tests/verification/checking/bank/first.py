"""Steps in NumPy, right ones and faulty ones, with what is wrong with each."""

import numpy as np


def normal(rng, theta):
    return rng.standard_normal(theta.shape)


def lower(H):
    return np.linalg.cholesky(H)


def sgd(theta, gradient, rng, eps, H):
    return theta - eps * gradient(theta) @ H


def sgld(theta, gradient, rng, eps, N, H):
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * normal(rng, theta) @ lower(H).T


def momentum(state, gradient, rng, eps, mu, H):
    theta, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * gradient(theta) @ H
    return {"theta": theta + v, "v": v}


def sghmc(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = np.sqrt(2 * (alpha - beta) * eta * tau) * normal(rng, v)
    return {"theta": theta + v, "v": (1 - alpha) * v - eta * N * gradient(theta) + noise}


def baoab(state, gradient, rng, eps, gamma, tau, N):
    """Its own names for the states, and its own first state."""
    x, p = state["theta"], state["p"] - eps / 2 * N * gradient(state["theta"])
    x = x + eps / 2 * p
    c = np.exp(-gamma * eps)
    p = c * p + np.sqrt((1 - c**2) * tau) * normal(rng, p)
    x = x + eps / 2 * p
    return {"theta": x, "p": p - eps / 2 * N * gradient(x)}


baoab.init = lambda theta, rng: {"theta": theta, "p": np.zeros_like(theta)}

RIGHT = [("sgd", sgd), ("sgld", sgld), ("momentum", momentum), ("sghmc", sghmc)]


def sgld_noise_eps(theta, gradient, rng, eps, N, H):
    return theta - eps / 2 * N * gradient(theta) @ H + eps * normal(rng, theta) @ lower(H).T


def sgld_without_n(theta, gradient, rng, eps, H):
    return theta - eps / 2 * gradient(theta) @ H + np.sqrt(eps) * normal(rng, theta) @ lower(H).T


def sgld_without_half(theta, gradient, rng, eps, N, H):
    return theta - eps * N * gradient(theta) @ H + np.sqrt(eps) * normal(rng, theta) @ lower(H).T


def sgld_without_gain_in_noise(theta, gradient, rng, eps, N, H):
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * normal(rng, theta)


def sghmc_temperature_squared(state, gradient, rng, eta, alpha, beta, tau, N):
    return sghmc(state, gradient, rng, eta, alpha, beta, tau**2, N)


def sghmc_other_order(state, gradient, rng, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = np.sqrt(2 * (alpha - beta) * eta * tau) * normal(rng, v)
    v = (1 - alpha) * v - eta * N * gradient(theta) + noise
    return {"theta": theta + v, "v": v}


# the target, what it is held against, and what the diagnosis must say
FAULTY = [
    (sgld_noise_eps, "sgld", "standard deviation eps, should be sqrt(eps)"),
    (sgld_without_n, "sgld", "factor -eps/2, should be -eps*N/2"),
    (sgld_without_half, "sgld", "factor -eps*N, should be -eps*N/2"),
    (sghmc_temperature_squared, "sghmc", "tau"),
    (sghmc_other_order, "sghmc", "sghmc_velocity_first"),
]


def never_moves(theta, gradient, rng, eps=0.0):
    return theta.copy()


def writes_into_its_state(theta, gradient, rng, eps, H):
    theta -= eps * gradient(theta) @ H
    return theta


def not_finite(theta, gradient, rng, eps=0.0):
    return theta / 0.0


def ignores_its_seed(theta, gradient, rng, eps, N, H):
    return sgld(theta, gradient, np.random.default_rng(), eps, N, H)


def drops_a_coordinate(theta, gradient, rng, eps=0.0):
    return theta[:, :-1]


def returns_nothing(theta, gradient, rng, eps=0.0):
    gradient(theta)


def raises(theta, gradient, rng, eps=0.0):
    raise RuntimeError("out of cheese")


def hangs(theta, gradient, rng, eps=0.0):
    while True:
        pass


def ends_its_process(theta, gradient, rng, eps=0.0):
    import os

    os._exit(3)


# each is told by its name, whatever it is held against
BROKEN = [
    (never_moves, "never moves"),
    (writes_into_its_state, "mutates its state"),
    (not_finite, "not finite"),
    (ignores_its_seed, "ignores its seed"),
    (drops_a_coordinate, "shape"),
    (returns_nothing, "shape"),
    (raises, "crashed"),
]
