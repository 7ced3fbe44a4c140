"""How hot langevin-sampling's SGLD with momentum is. Needs langevin-sampling and NumPy only."""

import json
from importlib.metadata import version

import torch
from langevin_sampling.SGLD import SGLD

MOMENTUM = 0.9
torch.manual_seed(1)
weights = torch.nn.Parameter(torch.zeros(100_000))
sampler = SGLD([weights], lr=0.002, momentum=MOMENTUM)
for _ in range(400):
    weights.grad = weights.detach().clone()  # of the loss w^2 / 2
    sampler.step()
variance = float(weights.detach().numpy().var())

print(
    json.dumps(
        {
            "library": "langevin_sampling",
            "version": version("langevin-sampling"),
            "sampler": "SGLD with momentum",
            "fact": "With momentum the pull to the mode grows by 1/(1 - momentum) and the noise does"
            " not: small steps sample at the temperature 1 - momentum, not at 1.",
            "numbers": [["variance for the loss w^2/2, momentum 0.9", 1.0, variance]],
            "holds": abs(variance - (1 - MOMENTUM)) < 0.02,
        }
    )
)
