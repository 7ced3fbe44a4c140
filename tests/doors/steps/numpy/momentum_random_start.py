# Momentum with its first state as an attribute of the step, begun at random velocities
# check: momentum_random_start.py:step --like momentum
def step(state, gradient, rng, eps, mu):
    v = state["v"] * (1 - mu) - eps * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}


step.init = lambda theta, rng, **params: {"theta": theta, "v": rng.standard_normal(theta.shape)}
