"""Unadjusted Hamiltonian Monte Carlo: new momenta, then two leapfrog steps, nothing is rejected.

Gradients are over all the data.
"""

STEPS = 2


def leapfrog(q, p, force, dt, count):
    p = p + dt * force(q)
    for _ in range(count):
        q = q + dt * p
        f = force(q)
        p = p + dt * f
    return q, p - 0.5 * dt * f


def trajectory(state, gradient, rng, eps, N):
    q = state["theta"]
    p = rng.standard_normal(q.shape)
    q, p = leapfrog(q, p, lambda x: -N * gradient.full(x), eps, STEPS)
    return {"theta": q, "v": p}
