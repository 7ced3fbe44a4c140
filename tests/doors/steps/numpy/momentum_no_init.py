# Heavy ball on a dict, without a first state of its own
# check: momentum_no_init.py:step --like momentum
def step(state, gradient, rng, eps, mu):
    theta, v = state["theta"], state["v"]
    v = (1 - mu) * v - eps * gradient(theta)
    return {"theta": theta + v, "v": v}
