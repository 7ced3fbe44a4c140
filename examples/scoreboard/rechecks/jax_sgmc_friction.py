"""How hot the noise of jax_sgmc's SGHMC is. Needs jax-sgmc and NumPy only."""

import json
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np
from jax_sgmc import integrator
from jax_sgmc.scheduler import schedule

STEP, FRICTION, CHAINS = 0.1, 0.25, 100_000
data = ((lambda **_: jnp.zeros(())), lambda state, information=False: (state, None), None)
flat = lambda position, batch, state=None: (jnp.sum(0 * position), state)  # noqa: E731 - no force
init, run, _ = integrator.friction_leapfrog(flat, data, steps=1, friction=FRICTION)
at = schedule(jnp.asarray(STEP), jnp.asarray(1.0), jnp.asarray(0.0), jnp.asarray(True))
after = run(init(jnp.zeros(CHAINS), jax.random.PRNGKey(1)), at)
before = np.asarray(after.positions) / STEP  # the momentum that moved it
noise = np.asarray(after.momentum) - (1 - STEP * FRICTION) * before

print(
    json.dumps(
        {
            "library": "jax_sgmc",
            "version": version("jax-sgmc"),
            "sampler": "friction_leapfrog, which alias.sghmc uses",
            "fact": "The injected noise is friction times sqrt(2 step_size), where SGHMC has"
            " sqrt(2 step_size friction). At friction 1, the default, both are one; at 1/4 the noise is"
            " that of temperature 1/4.",
            "numbers": [["variance of the noise", 2 * STEP * FRICTION, float(noise.var())]],
            "holds": bool(abs(noise.var() / (2 * STEP * FRICTION**2) - 1) < 0.03),
        }
    )
)
