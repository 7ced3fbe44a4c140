"""Which momentum moves the position and the thermostat of posteriors' SGNHT. Needs posteriors only."""

import json
from importlib.metadata import version

import torch
from posteriors.sgmcmc import sgnht

STEP = 0.25
torch.manual_seed(1)
transform = sgnht.build(
    lambda x, _: (-1.5 * (x**2).sum(), torch.empty(0)), lr=STEP, alpha=0.1, momenta=2.0
)
before = transform.init(torch.tensor([1.0], dtype=torch.float64))
after, _ = transform.update(before, None)
moved = float(after.params - before.params)
old, new = float(before.momenta), float(after.momenta)
heated = float(after.xi - before.xi)

print(
    json.dumps(
        {
            "library": "posteriors",
            "version": version("posteriors"),
            "sampler": "sgnht",
            "fact": "The position and the thermostat move by the momentum before its update, as its"
            " documentation says. Algorithm 2 of Ding et al. (2014) moves both by the new momentum.",
            "numbers": [
                ["move, were it by the new momentum", STEP * new, moved],
                ["move, were it by the old momentum", STEP * old, moved],
                ["change of the thermostat, were it by the new momentum", STEP * (new**2 - 1), heated],
                ["change of the thermostat, were it by the old momentum", STEP * (old**2 - 1), heated],
            ],
            "holds": abs(moved - STEP * old) < 1e-6
            and abs(heated - STEP * (old**2 - 1)) < 1e-6
            and abs(moved - STEP * new) > 1e-3,
        }
    )
)
