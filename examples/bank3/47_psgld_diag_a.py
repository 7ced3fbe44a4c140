"""Preconditioned SGLD with the preconditioner of RMSprop (Li et al. 2016), without the term Gamma."""
import numpy as np


class RMSPreconditioner:
    def __init__(self, alpha, damping):
        self.alpha, self.damping = alpha, damping

    def accumulate(self, V, grad):
        return self.alpha * V + (1 - self.alpha) * grad**2

    def diagonal(self, V):
        return 1.0 / (self.damping + np.sqrt(V))


def psgld_step(theta, V, grad, num_data, eps, preconditioner, rng):
    V = preconditioner.accumulate(V, grad)
    G = preconditioner.diagonal(V)
    noise = np.sqrt(eps * G) * rng.standard_normal(theta.shape)
    return theta - 0.5 * eps * G * num_data * grad + noise, V


def step(state, gradient, rng, eps, alpha, damping, N):
    theta, V = psgld_step(
        state["theta"], state["V"], gradient(state["theta"]), N, eps, RMSPreconditioner(alpha, damping), rng
    )
    return {"theta": theta, "V": V}
