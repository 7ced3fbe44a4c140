"""What momentum_resample_steps of Fortuna's SGHMC does. Needs aws-fortuna and NumPy only."""

import json
from importlib.metadata import version

import jax
import jax.numpy as jnp
from fortuna.prob_model.posterior.sgmcmc.sghmc.sghmc_integrator import sghmc_integrator
from fortuna.prob_model.posterior.sgmcmc.sgmcmc_preconditioner import identity_preconditioner
from fortuna.prob_model.posterior.sgmcmc.sgmcmc_step_schedule import constant_schedule

KEPT = 0.9
made = sghmc_integrator(
    KEPT, 5, jax.random.PRNGKey(1), constant_schedule(0.01), identity_preconditioner()
)
flat = jnp.zeros(100_000)
state = made.init(flat)
for _ in range(6):  # the sixth begins with a momentum that is drawn anew
    state = made.update(flat, state)[1]
variance = float(state.momentum.var())

print(
    json.dumps(
        {
            "library": "fortuna",
            "version": version("aws-fortuna"),
            "sampler": "sghmc_integrator",
            "fact": "Where momentum_resample_steps says that the momentum is drawn anew, it is set to 0:"
            " it then has the variance of one kick, 2 (1 - momentum_decay), in place of about 1."
            " SGHMCPosteriorApproximator leaves that option off.",
            "numbers": [["variance of the momentum after such a step", 0.9**2 + 0.2, variance]],
            "holds": abs(variance - 2 * (1 - KEPT)) < 0.01,
        }
    )
)
