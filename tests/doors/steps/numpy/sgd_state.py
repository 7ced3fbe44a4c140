# SGD on a dict with the position under theta
# check: sgd_state.py:step --like sgd
def step(state, gradient, rng, eps):
    return {"theta": state["theta"] - eps * gradient(state["theta"])}


def init(theta, rng):
    return {"theta": theta}
