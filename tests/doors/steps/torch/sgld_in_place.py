# SGLD on tensors, in place
# check: sgld_in_place.py:step --like sgld
# wave: 2
import torch


@torch.no_grad()
def step(theta, gradient, generator, eps, N):
    g = gradient(theta)
    theta.sub_(g, alpha=eps / 2 * N)
    theta.add_(torch.empty_like(theta).normal_(generator=generator), alpha=eps**0.5)
    return theta


step.in_place = True
