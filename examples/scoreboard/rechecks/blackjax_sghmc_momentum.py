"""The momentum of blackjax.sghmc at a temperature: how it is drawn. Needs blackjax and NumPy only."""

import json
from importlib.metadata import version

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

CHAINS, STEP, TEMPERATURE = 100_000, 0.1, 4.0
step = blackjax.sghmc(lambda position, minibatch: -position, num_integration_steps=1, alpha=0.1).step
keys = jax.random.split(jax.random.key(1), CHAINS)
start = jnp.array([3.0])
moved = np.asarray(jax.vmap(lambda k: step(k, start, None, STEP, TEMPERATURE))(keys))[:, 0] - 3.0
variance = moved.var() / STEP**2
error = np.sqrt(2 / CHAINS)

print(
    json.dumps(
        {
            "library": "blackjax",
            "version": version("blackjax"),
            "sampler": "sghmc",
            "fact": "Each call draws the momentum with variance 1, whatever the temperature; the law at"
            " temperature T has momenta of variance T. At temperature 1 the two are the same. With one"
            " integration step the position moves by step_size times that momentum, and no gradient"
            " enters; from two steps on it does.",
            "numbers": [
                ["variance of the momentum at temperature 4", TEMPERATURE, float(variance)],
                [
                    "mean move with one integration step, gradient -3, in standard errors",
                    0.0,
                    float(moved.mean() / (STEP / np.sqrt(CHAINS))),
                ],
            ],
            "holds": bool(abs(variance - 1) < 6 * error and abs(variance - TEMPERATURE) > 6 * error),
        }
    )
)
