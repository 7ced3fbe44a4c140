"""Adam in JAX."""
import jax.numpy as jnp


def moment(old, new, decay):
    return decay * old + (1 - decay) * new


def step(state, gradient, key, lr, b1, b2, eps, t):
    g = gradient(state["theta"], key)
    u = moment(state["u"], g, b1)
    v = moment(jnp.sqrt(state["v"]), g, b2) ** 2
    u_hat = u / (1 - b1 ** (t + 1))
    v_hat = v / (1 - b2 ** (t + 1))
    return {"theta": state["theta"] - lr * u_hat / (jnp.sqrt(v_hat) + eps), "u": u, "v": v}
