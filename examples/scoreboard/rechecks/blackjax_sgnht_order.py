"""Which momentum moves the position of blackjax.sgnht. Needs blackjax and NumPy only."""

import json
from importlib.metadata import version

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from blackjax.sgmcmc.sgnht import SGNHTState

jax.config.update("jax_enable_x64", True)

STEP = 0.25
state = SGNHTState(jnp.array([1.0]), jnp.array([2.0]), jnp.array(0.5))
step = blackjax.sgnht(lambda position, minibatch: -3 * position, alpha=0.1).step
after = step(jax.random.key(1), state, None, STEP)
moved = float(after.position[0] - state.position[0])
by_old, by_new = STEP * float(state.momentum[0]), STEP * float(after.momentum[0])

print(
    json.dumps(
        {
            "library": "blackjax",
            "version": version("blackjax"),
            "sampler": "sgnht",
            "fact": "The position moves by the momentum before its update, the thermostat by the one"
            " after it. Algorithm 2 of Ding et al. (2014) moves both by the new momentum.",
            "numbers": [
                ["move, were it by the new momentum", by_new, moved],
                ["move, were it by the old momentum", by_old, moved],
            ],
            "holds": bool(np.isclose(moved, by_old) and not np.isclose(moved, by_new)),
        }
    )
)
