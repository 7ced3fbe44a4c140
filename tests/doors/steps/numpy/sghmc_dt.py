# SGHMC with a time step and a friction: v = dt r
# check: sghmc_dt.py:step --like sghmc_velocity_first --with dt=sqrt(eta) --with C=alpha/sqrt(eta) --fix beta=0 --fix tau=1
# wave: 2
import numpy as np


def init(theta, rng):
    return {"theta": theta, "r": np.zeros_like(theta)}


def step(state, gradient, rng, dt, C, N):
    r = state["r"]
    r = (
        r
        - dt * N * gradient(state["theta"])
        - dt * C * r
        + np.sqrt(2 * C * dt) * rng.standard_normal(r.shape)
    )
    return {"theta": state["theta"] + dt * r, "r": r}
