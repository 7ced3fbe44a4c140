# Heavy ball as Polyak writes it, with the last two positions
# check: momentum_two_points.py:step --like momentum
def init(theta, rng):
    return {"theta": theta, "previous": theta.copy()}


def step(state, gradient, rng, eps, mu):
    x, x_old = state["theta"], state["previous"]
    return {"theta": x - eps * gradient(x) + (1 - mu) * (x - x_old), "previous": x}
