"""SGLD over a model with two tensors, weight and bias, packed in one vector."""
import numpy as np


def unpack(x):
    k = x.shape[1] // 2
    return {"weight": x[:, :k], "bias": x[:, k:]}


def pack(tensors):
    return np.concatenate([tensors["weight"], tensors["bias"]], axis=1)


def step(theta, gradient, rng, lr, N):
    params, grads = unpack(theta), unpack(gradient(theta))
    out = {}
    for name in params:
        out[name] = params[name] - lr * N * grads[name]
    out[name] = out[name] + np.sqrt(lr) * rng.standard_normal(out[name].shape)
    return pack(out)
