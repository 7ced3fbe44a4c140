# Nesterov in two sequences, as optimizers print it
# check: nesterov_two_sequences.py:step --like nesterov --with beta=1-mu
# wave: 2
def init(theta, rng):
    return {"theta": theta, "y": theta.copy()}


def step(state, gradient, rng, eps, beta):
    y = state["y"]
    x = y - eps * gradient(y)
    return {"theta": x, "y": x + beta * (x - state["theta"])}
