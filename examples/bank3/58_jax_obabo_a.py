"""OBABO in JAX: partial refreshments around a velocity Verlet step."""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


@jax.jit
def partial_refresh(key, v, eps, gamma, tau):
    a = jnp.exp(-gamma * eps / 2)
    return a * v + jnp.sqrt(tau * (1 - a**2)) * jax.random.normal(key, v.shape, v.dtype)


@jax.jit
def kick(v, grad, eps):
    return v - eps / 2 * grad


class OBABO:
    def __init__(self, gradient_u, eps, gamma, tau):
        self.gradient_u = gradient_u
        self.eps, self.gamma, self.tau = eps, gamma, tau

    def __call__(self, key, x, v):
        first = last = key
        v = partial_refresh(first, v, self.eps, self.gamma, self.tau)
        v = kick(v, self.gradient_u(x), self.eps)
        x = x + self.eps * v
        v = kick(v, self.gradient_u(x), self.eps)
        return x, partial_refresh(last, v, self.eps, self.gamma, self.tau)


def step(state, gradient, rng, eps, gamma, tau, N):
    sampler = OBABO(lambda x: N * jnp.asarray(gradient(np.array(x))), eps, gamma, tau)
    key = jax.random.key(int(rng.integers(2**31)))
    x, v = sampler(key, jnp.asarray(state["theta"]), jnp.asarray(state["v"]))
    return {"theta": np.array(x), "v": np.array(v)}
