"""SGD, and an exponential moving average of the weights for evaluation."""


class EMA:
    def __init__(self, decay):
        self.decay = decay

    def __call__(self, shadow, value):
        return shadow + self.decay * (value - shadow)


def step(state, gradient, rng, lr, rho):
    theta = state["theta"] - lr * gradient(state["theta"])
    return {"theta": theta, "m": EMA(rho)(state["m"], theta)}
