"""SVRG-LD: Langevin dynamics with variance-reduced gradients.

Every ``epoch`` steps the snapshot is moved to the current position and the gradient of all the data is
computed there.
"""

import numpy as np


def svrg_step(state, gradient, rng, eps, epoch, N, t):
    theta, snapshot, anchor = state["theta"], state["s"], state["g"]
    if t % epoch == 0:
        snapshot = theta.copy()
        anchor = gradient.full(snapshot)
    batch = gradient.draw(theta)
    reduced = anchor + gradient(theta, batch) - gradient(snapshot, batch)
    proposal = theta - 0.5 * eps * N * reduced + rng.normal(scale=np.sqrt(eps), size=theta.shape)
    return {"theta": proposal, "s": snapshot, "g": anchor}
