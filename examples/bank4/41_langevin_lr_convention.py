"""SGLD with learning rate lr: drift lr, noise of variance 2 lr, tensor by tensor."""
import numpy as np


def split(x):
    k = (x.shape[1] + 1) // 2
    return [x[:, :k], x[:, k:]]


def step(theta, gradient, rng, lr, num_data):
    out = []
    for p, g in zip(split(theta), split(gradient(theta))):
        noise = rng.standard_normal(p.shape)
        out.append(p - lr * num_data * g + np.sqrt(2 * lr) * noise)
    return np.concatenate(out, axis=1)
