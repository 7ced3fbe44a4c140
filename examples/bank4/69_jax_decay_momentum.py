"""Momentum SGD with weight decay, in JAX."""
import jax


@jax.jit
def decay(theta, lr, wd):
    return (1 + lr * wd) * theta


def step(state, gradient, key, lr, beta, wd):
    theta, v = state["theta"], state["v"]
    v = beta * v + gradient(theta, key)
    theta = decay(theta, lr, wd) - lr * v
    return {"theta": theta, "v": v}
