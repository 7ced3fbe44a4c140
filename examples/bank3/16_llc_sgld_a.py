"""SGLD for the local learning coefficient, after Lau et al. (2023)."""
import torch

torch.set_num_threads(1)


class LocalSGLD(torch.optim.Optimizer):
    """SGLD tempered by ``nbeta`` and tied to the parameters at which it was made.

    w <- w - lr/2 (nbeta grad L_m(w) + localization (w - w0) + weight_decay w) + N(0, lr)
    """

    def __init__(self, params, lr=1e-3, nbeta=30.0, localization=0.0, weight_decay=0.0, generator=None):
        super().__init__(params, dict(lr=lr, nbeta=nbeta, localization=localization, weight_decay=weight_decay))
        self.generator = generator
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["initial_param"] = p.detach()

    @torch.no_grad()
    def step(self, closure=None):
        loss = None if closure is None else closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                dw = group["nbeta"] * p.grad
                if group["weight_decay"]:
                    dw.add_(p, alpha=group["weight_decay"])
                if group["localization"]:
                    dw.add_(p - self.state[p]["initial_param"], alpha=group["localization"])
                p.add_(dw, alpha=-0.5 * group["lr"])
                noise = torch.normal(0.0, 1.0, size=p.shape, generator=self.generator, dtype=p.dtype)
                p.add_(noise, alpha=group["lr"] ** 0.5)
        return loss


def step(theta, gradient, rng, lr, nbeta, localization, weight_decay, mode):
    w = torch.nn.Parameter(torch.tensor(mode).expand(theta.shape).clone())
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    optimizer = LocalSGLD([w], lr, nbeta, localization, weight_decay, generator)
    w.data.copy_(torch.tensor(theta))
    w.grad = torch.as_tensor(gradient(theta))
    optimizer.step()
    return w.detach().numpy()
