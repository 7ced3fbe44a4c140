"""What the weight decay of torch_optimizer.SGDW does. Needs torch-optimizer and NumPy only."""

import json
from importlib.metadata import version

import numpy as np
import torch
import torch_optimizer

LR, DECAY = 0.1, 0.5
weights = torch.nn.Parameter(torch.tensor([-2.0, 0.0, 4.0]))
weights.grad = torch.zeros(3)
torch_optimizer.SGDW([weights], lr=LR, weight_decay=DECAY).step()
after = weights.detach().numpy()

print(
    json.dumps(
        {
            "library": "torch_optimizer",
            "version": version("torch-optimizer"),
            "sampler": "SGDW",
            "fact": "Its weight decay subtracts lr weight_decay from every weight, whatever the weight"
            " is: the factor theta is missing. A weight below 0 is driven away from 0.",
            "numbers": [
                [f"weight {w} after a step without a gradient", w * (1 - LR * DECAY), float(x)]
                for w, x in zip((-2.0, 0.0, 4.0), after, strict=True)
            ],
            "holds": bool(np.allclose(after, np.array([-2.0, 0.0, 4.0]) - LR * DECAY)),
        }
    )
)
