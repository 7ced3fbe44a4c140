"""Curvatures and noise covariances for routes of the tests' own."""

import numpy as np


def dense(d, seed):
    """Two positive-definite matrices that do not commute."""
    source = np.random.default_rng(seed)
    g, h = source.standard_normal((2, d, d))
    return g @ g.T + np.eye(d), h @ h.T + 0.1 * np.eye(d)
