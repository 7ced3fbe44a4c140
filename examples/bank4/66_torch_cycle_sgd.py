"""SGD in PyTorch with a saw-tooth learning rate of period 3 and an average of the weights."""
import torch


class SawTooth:
    def __init__(self, base, period=3):
        self.base, self.period = base, period

    def __call__(self, t):
        return self.base * (1 - (t % self.period) / self.period)


def step(state, gradient, generator, lr, rho, t):
    rate = SawTooth(lr)(t)
    with torch.no_grad():
        theta = state["theta"] - rate * gradient(state["theta"])
        m = torch.lerp(theta, state["m"], rho)
    return {"theta": theta, "m": m}
