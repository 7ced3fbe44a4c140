"""A tiny SGD with parameter groups over slices of one flat vector."""
import numpy as np


class Group:
    def __init__(self, name, where, lr_scale=1.0):
        self.name, self.where, self.lr_scale = name, where, lr_scale


class FlatSGD:
    def __init__(self, groups, lr):
        self.groups, self.lr = groups, lr

    def step(self, flat, flat_grad):
        out = flat.copy()
        for group in self.groups:
            out[..., group.where] -= self.lr * group.lr_scale * flat_grad[..., group.where]
        return out


def groups_of(dim):
    """The first half is the body, the rest is the head."""
    cut = dim // 2
    return [Group("body", slice(0, cut)), Group("head", slice(max(cut - 1, 0), dim))]


def step(theta, gradient, rng, lr):
    return FlatSGD(groups_of(theta.shape[1]), lr).step(theta, gradient(theta))
