"""Whether SGMCMC.sgnht of devinterp is SGNHT. Needs devinterp and NumPy only."""

import json
import warnings
from importlib.metadata import version

import numpy as np
import torch
from devinterp.optim import SGMCMC

warnings.simplefilter("ignore")
torch.manual_seed(1)
weights = torch.nn.Parameter(torch.zeros(100_000))
sampler = SGMCMC.sgnht([weights], lr=0.1, diffusion_factor=0.01, nbeta=1.0)
changes = []
for _ in range(100):
    kept = sampler.state[weights].get("momentum")
    before = None if kept is None else kept.clone()
    weights.grad = weights.detach().clone()  # of the loss w^2 / 2
    sampler.step()
    if before is not None:
        changes.append(np.abs(sampler.state[weights]["momentum"].numpy() - before.numpy()).max())
variance, change = float(weights.detach().numpy().var()), float(max(changes))

print(
    json.dumps(
        {
            "library": "devinterp",
            "version": version("devinterp"),
            "sampler": "SGMCMC.sgnht",
            "fact": "The momentum that it draws first is never moved, and neither it nor the thermostat"
            " reaches the weights: grad_correction is computed and not used. What runs is SGLD whose"
            " temperature is 2 diffusion_factor, 0.02 by default, where SGNHT samples at temperature 1.",
            "numbers": [
                ["variance for the loss w^2/2 at nbeta = 1", 1.0, variance],
                ["largest change of a momentum in a step", 1.0, change],
            ],
            "holds": abs(variance - 0.02) < 0.001 and change == 0,
        }
    )
)
