"""Two backward passes for each optimizer step."""
import torch

torch.set_num_threads(1)


class Engine:
    """Accumulates ``accumulation`` micro-batches in .grad, then steps."""

    def __init__(self, parameter, velocity, lr, momentum, accumulation=2):
        self.parameter, self.velocity = parameter, velocity
        self.lr, self.momentum, self.accumulation = lr, momentum, accumulation

    def backward(self, gradient):
        g = torch.tensor(gradient(self.parameter.detach().numpy().copy()))
        loss = (self.parameter * g).sum() / self.accumulation
        loss.backward()

    @torch.no_grad()
    def apply(self):
        self.velocity.mul_(self.momentum).sub_(self.parameter.grad, alpha=self.lr)
        self.parameter.add_(self.velocity)
        self.parameter.grad = None


def step(state, gradient, rng, lr, momentum):
    engine = Engine(
        torch.nn.Parameter(torch.tensor(state["theta"])), torch.tensor(state["v"]), lr, momentum
    )
    for _ in range(engine.accumulation):
        engine.backward(gradient)
        engine.apply()
    return {"theta": engine.parameter.detach().numpy(), "v": engine.velocity.numpy()}
