"""devinterp's own estimate of a local learning coefficient, beside what its chain's law foretells.

    pip install devinterp==2.0.1 torch numpy
    python devinterp_run.py > devinterp_run.json

A loss in two parameters, w A w/2, whose minibatches add a normal gradient of covariance C/S:
devinterp's optimiser takes the steps, and its ``compute_llc`` makes the estimate of its chains.
"""

import json
import sys
from types import SimpleNamespace

import numpy as np
import torch
import xarray as xr
from devinterp.optim import SGMCMC
from devinterp.slt.llc import compute_llc

A, C, N, S = [[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]], 1000, 20
BETA, GAMMA, DRAWS, CHAINS = 1 / 7, 30.0, 1000, 2000


def chains(lr: float, seed: int) -> np.ndarray:
    """The losses that every chain sees before each step, whole data: (chain, step)."""
    torch.manual_seed(seed)
    torch.set_default_dtype(torch.float64)
    a, root = torch.tensor(A), torch.linalg.cholesky(torch.tensor(C)) / S**0.5
    w = torch.nn.Parameter(torch.zeros(CHAINS, 2))
    optimiser = SGMCMC.sgld([w], lr=lr, nbeta=N * BETA, localization=GAMMA)
    seen = []
    for _ in range(DRAWS):
        optimiser.zero_grad()
        losses = ((w @ a) * w).sum(1) / 2
        noise = torch.randn(CHAINS, 2) @ root.T
        (losses + (noise * w).sum(1)).sum().backward()
        seen.append(losses.detach().numpy().copy())
        optimiser.step()
    return np.stack(seen, axis=1)


def estimate(losses: np.ndarray):
    """What ``compute_llc`` says of them."""
    dims = ("chain", "step", "batch_sampling", "token_pos")
    data = xr.Dataset(
        {"sampling_loss_micro": (dims, losses[:, :, None, None]), "init_loss": ("x", np.zeros(1))}
    )
    data["metadata"] = xr.DataArray(0)
    tree = SimpleNamespace(dataset=Stored(data))
    return compute_llc(tree).llc_per_chain.values


class Stored:
    """A dataset with the settings that devinterp keeps beside it."""

    def __init__(self, data):
        self.sampling_loss_micro, self.init_loss = data.sampling_loss_micro, data.init_loss
        self.metadata = {"config": {"sampler": {"n_beta": N * BETA}}}


rows = []
for seed, lr in enumerate((1 / 2000, 1 / 10_000, 1 / 50_000)):
    found = estimate(chains(lr, seed))
    rows.append(
        {
            "lr": lr,
            "mean": float(found.mean()),
            "standard_error": float(found.std() / CHAINS**0.5),
            "scatter": float(found.std()),
        }
    )
    print(rows[-1], file=sys.stderr)
json.dump(
    {"devinterp": "2.0.1", "torch": torch.__version__, "chains": CHAINS, "draws": DRAWS, "rows": rows},
    sys.stdout,
    indent=1,
)
