"""OBABO: a leapfrog step between two half refreshments of the velocity."""
import numpy as np


def refresh(velocity, h, gamma, tau, rng):
    keep = np.exp(-0.5 * gamma * h)
    return keep * velocity + np.sqrt((1 - keep * keep) * tau) * rng.standard_normal(velocity.shape)


def leapfrog(position, velocity, h, grad):
    force = -grad(position)
    velocity = velocity + 0.5 * h * force
    position = position + h * velocity
    velocity = velocity + 0.5 * h * force
    return position, velocity


def obabo(position, velocity, h, gamma, tau, grad, rng):
    velocity = refresh(velocity, h, gamma, tau, rng)
    position, velocity = leapfrog(position, velocity, h, grad)
    return position, refresh(velocity, h, gamma, tau, rng)


def step(state, gradient, rng, h, gamma, tau, N):
    position, velocity = obabo(
        state["theta"], state["v"], h, gamma, tau, lambda x: N * gradient(x), rng
    )
    return {"theta": position, "v": velocity}
