"""SGHMC as an optimizer with momentum buffers, for a Bayesian neural network."""
import math

import torch

torch.set_num_threads(1)


class SGHMC(torch.optim.Optimizer):
    """v <- (1 - decay) v - lr grad U + N(0, 2 decay lr T), theta <- theta + v"""

    def __init__(self, params, lr, momentum_decay, num_train, temperature=1.0, generator=None):
        defaults = dict(lr=lr, momentum_decay=momentum_decay, temperature=temperature)
        super().__init__(params, defaults)
        self.num_train = num_train
        self.generator = generator

    def _noise_std(self, group):
        return math.sqrt(2.0 * group["momentum_decay"] * group["lr"] * group["temperature"])

    @torch.no_grad()
    def step(self, closure):
        with torch.enable_grad():
            loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                buf = self.state[p].setdefault("momentum_buffer", torch.zeros_like(p))
                buf.mul_(1.0 - group["momentum_decay"])
                buf.add_(p.grad, alpha=-group["lr"] * self.num_train)
                buf.add_(torch.randn(p.shape, generator=self.generator, dtype=p.dtype) * self._noise_std(group))
                p.add_(buf)
        return loss


def step(state, gradient, rng, lr, momentum_decay, temperature, num_train):
    p = torch.nn.Parameter(torch.tensor(state["theta"]))
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    optimizer = SGHMC([p], lr, momentum_decay, num_train, temperature, generator)
    optimizer.state[p]["momentum_buffer"] = torch.tensor(state["v"])

    def closure():
        optimizer.zero_grad()
        loss = (p * torch.tensor(gradient(p.detach().numpy()))).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return {"theta": p.detach().numpy(), "v": optimizer.state[p]["momentum_buffer"].numpy()}
