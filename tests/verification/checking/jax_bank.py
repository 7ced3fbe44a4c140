"""Steps in JAX, right ones and faulty ones, with what is wrong with each."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


def normal(key, theta):
    return jax.random.normal(key, theta.shape, theta.dtype)


def lower(H):
    return jnp.linalg.cholesky(jnp.asarray(H))


def sgd(theta, gradient, key, eps, H):
    return theta - eps * H @ gradient(theta)


def sgld(theta, gradient, key, eps, N, H):
    return theta - eps / 2 * N * H @ gradient(theta) + jnp.sqrt(eps) * lower(H) @ normal(key, theta)


def sgld_of_the_sum(theta, gradient, key, eps, H):
    return theta - eps / 2 * H @ gradient(theta) + jnp.sqrt(eps) * lower(H) @ normal(key, theta)


sgld_of_the_sum.loss = "sum"


def sgld_in_single_precision(theta, gradient, key, eps, N, H):
    return sgld(theta, gradient, key, eps, N, H).astype(jnp.float32)


def sghmc(state, gradient, key, eta, alpha, beta, tau, N):
    theta, v = state["theta"], state["v"]
    noise = jnp.sqrt(2 * (alpha - beta) * eta * tau) * normal(key, v)
    return {"theta": theta + v, "v": (1 - alpha) * v - eta * N * gradient(theta) + noise}


def sghmc_where_jax_has_no_doubles(state, gradient, key, eta, alpha, beta, tau, N):
    return sghmc(state, gradient, key, eta, alpha, beta, tau, N)


sghmc_where_jax_has_no_doubles.dtype = "float32"


class Moving(NamedTuple):
    position: jax.Array
    momentum: jax.Array


class Obabo:
    """An object with init and step; two minibatches in a step; noise from a split key."""

    @staticmethod
    def init(theta, key):
        return Moving(theta, jnp.zeros_like(theta))

    @staticmethod
    def step(state, gradient, rng_key, eps, gamma, tau, N):
        c = np.exp(-gamma * eps / 2)
        one, two = jax.random.split(rng_key)
        x, p = state
        p = c * p + np.sqrt((1 - c**2) * tau) * normal(one, x)
        p = p - eps / 2 * N * gradient(x)
        x = x + eps * p
        p = p - eps / 2 * N * gradient(x)
        return Moving(x, c * p + np.sqrt((1 - c**2) * tau) * normal(two, x))


def two_steps_of_sgd(theta, gradient, key, eps, H):
    """With a loop inside, whose body JAX traces once."""
    return jax.lax.fori_loop(0, 2, lambda _, x: x - eps * H @ gradient(x), theta)


def two_steps_of_sgd_with_one_minibatch(theta, gradient, key, eps, H):
    batch = gradient.draw(theta)
    return jax.lax.fori_loop(0, 2, lambda _, x: x - eps * H @ gradient(x, batch), theta)


def two_steps_of_sgd_with_keys(theta, gradient, key, eps, H):
    return jax.lax.scan(lambda x, k: (x - eps * H @ gradient(x, k), None), theta, jax.random.split(key))[
        0
    ]


RIGHT = [
    (sgd, "sgd"),
    (sgld, "sgld"),
    (sgld_of_the_sum, "sgld"),
    (sgld_in_single_precision, "sgld"),
    (sghmc, "sghmc"),
    (sghmc_where_jax_has_no_doubles, "sghmc"),
    (Obabo, "underdamped:OBABO"),
]


def sqrt_missing(theta, gradient, key, eps, N, H):
    return theta - eps / 2 * N * H @ gradient(theta) + eps * lower(H) @ normal(key, theta)


def n_missing(theta, gradient, key, eps, H):
    return sgld(theta, gradient, key, eps, 1, H)


def key_ignored(theta, gradient, key, eps, N, H):
    return sgld(theta, gradient, jax.random.PRNGKey(0), eps, N, H)


def key_kept(state, gradient, key, eps, N, H):
    return state | {"theta": sgld(state["theta"], gradient, state["key"], eps, N, H)}


key_kept.init = lambda theta, key: {"theta": theta, "key": key}


def single_precision_n_missing(theta, gradient, key, eps, H):
    return n_missing(theta, gradient, key, eps, H)


single_precision_n_missing.dtype = "float32"

# the target and what the diagnosis must say, held against SGLD
FAULTY = [
    (sqrt_missing, "should be sqrt(eps)"),
    (n_missing, "-eps*N/2"),
    (single_precision_n_missing, "-eps*N/2"),
    (key_ignored, "draws nothing from its key"),
    (key_kept, "every step|drawn once"),
]


def noise_of_numpy(theta, gradient, key, eps, N, H):
    noise = np.random.default_rng().standard_normal(theta.shape)
    return theta - eps / 2 * N * H @ gradient(theta) + np.sqrt(eps) * lower(H) @ noise


def half_precision(theta, gradient, key, eps, N, H):
    return sgld(theta, gradient, key, eps, N, H).astype(jnp.float16)


def whole_numbers(theta, gradient, key, eps=0.0):
    return jnp.round(theta).astype(int)


def drops_a_coordinate(theta, gradient, key, eps=0.0):
    return theta[:-1]


def another_form(theta, gradient, key, eps=0.0):
    return {"theta": theta}


def not_finite(theta, gradient, key, eps=0.0):
    return theta / 0.0


def returns_nothing(theta, gradient, key, eps=0.0):
    gradient(theta)


def branches_in_python(theta, gradient, key, eps=0.0):
    return theta if theta[0] > 0 else -theta


def wrong_gradient_shape(theta, gradient, key, eps=0.0):
    return theta - gradient(theta[:, None])


# each is told by its name, whatever it is held against
BROKEN = [
    (noise_of_numpy, "ignores its seed"),
    (half_precision, "number type"),
    (whole_numbers, "number type"),
    (drops_a_coordinate, "shape"),
    (another_form, "shape"),
    (not_finite, "not finite"),
    (returns_nothing, "shape"),
    (branches_in_python, "crashed"),
    (wrong_gradient_shape, "shape"),
]
