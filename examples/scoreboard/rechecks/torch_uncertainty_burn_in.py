"""How long the burn-in of TorchUncertainty's SGHMC is. Needs torch-uncertainty and NumPy only."""

import json
from importlib.metadata import version

import torch
from torch_uncertainty.optim.sghmc import SGHMC

ASKED, TENSORS = 200, 10
weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(TENSORS)]
sampler, moved = SGHMC(weights, lr=1e-3, burn_in_steps=ASKED), []
for step in range(ASKED):
    before = sampler.state[weights[0]].get("v_hat", torch.ones(2)).clone()
    for w in weights:
        w.grad = torch.full((2,), float(step + 2))
    sampler.step()
    moved.append(bool((sampler.state[weights[0]]["v_hat"] != before).any()))
lasted = sum(moved)

print(
    json.dumps(
        {
            "library": "torch_uncertainty",
            "version": version("torch-uncertainty"),
            "sampler": "SGHMC",
            "fact": "burn_in_steps counts tensors of weights, not steps: the burn-in of a model with ten"
            " tensors ends after a tenth of the steps that were asked for.",
            "numbers": [["steps of burn-in with 10 tensors", ASKED, lasted]],
            "holds": lasted == ASKED // TENSORS,
        }
    )
)
