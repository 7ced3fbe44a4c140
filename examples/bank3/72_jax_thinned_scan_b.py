"""Each third iterate of SGD: a compiled update and a plain loop for the data."""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

THIN = 3


@jax.jit
def sgd(theta, grad, lr):
    return theta - lr * grad


def thinned(theta, gradient, lr, thin=THIN):
    """The last two iterates of a stretch of ``thin`` steps."""
    previous = lagged = theta
    for _ in range(thin):
        previous = theta
        theta = sgd(theta, jnp.asarray(gradient(np.array(lagged))), lr)
        lagged = previous
    return previous, theta


def step(state, gradient, rng, lr):
    w, theta = thinned(jnp.asarray(state["theta"]), gradient, lr)
    return {"theta": np.array(theta), "w": np.array(w)}
