"""Whether the splitting kernels of SGMCMCJax move their positions. Needs sgmcmcjax only."""

import json
from importlib.metadata import version

import jax
import jax.numpy as jnp
from sgmcmcjax import kernels

data = (jnp.arange(10.0),)
model = (lambda theta, x: -0.5 * (x - theta) ** 2, lambda theta: 0.0, data, 5)


def reach(kernel, steps=50):
    """The largest distance from the start."""
    init, step, position = kernel
    key = jax.random.PRNGKey(1)
    state, far = init(key, jnp.array(0.0)), 0.0
    for i in range(steps):
        key, sub = jax.random.split(key)
        state = step(i, sub, state)
        far = max(far, abs(float(position(state))))
    return far


baoab = reach(kernels.build_baoab_kernel(0.01, *model, gamma=1.0))
badodab = reach(kernels.build_badodab_kernel(0.01, *model))
sgld = reach(kernels.build_sgld_kernel(0.01, *model))

print(
    json.dumps(
        {
            "library": "sgmcmcjax",
            "version": version("sgmcmcjax"),
            "sampler": "baoab, badodab",
            "fact": "The kernels that build_baoab_kernel and build_badodab_kernel return leave the"
            " position where it began: the pair of updates is unpacked into one name twice, so that the"
            " second, which moves the velocity only, is called in place of the first.",
            "numbers": [
                ["largest distance from the start in 50 steps, BAOAB against SGLD", sgld, baoab],
                ["largest distance from the start in 50 steps, BADODAB against SGLD", sgld, badodab],
            ],
            "holds": baoab == 0 and badodab == 0 and sgld > 0,
        }
    )
)
