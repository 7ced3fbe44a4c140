"""Runs of NumPy loops that know nothing of the toolkit, right ones and wrong twins."""

import numpy as np

A = np.array([[2.0, 1.0], [1.0, 1.5]])
C = np.array([[1.0, 0.25], [0.25, 2.0]])
PROBLEM = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4,
    "params": {"eps": "1/500"},
}  # fmt: skip


def sgld(seed, draws=2000, chains=2, start=(0, 0), eps=1 / 500, S=4, temperature=1.0, mode=(0, 0),
         factor=1.0, every=1, cubic=0.0, warm=200, bias=0.0):  # fmt: skip
    """Positions (chains, draws, 2); every keyword but the first few makes a wrong twin."""
    rng = np.random.default_rng(seed)
    x, root = np.tile(np.asarray(start, float), (chains, 1)), np.linalg.cholesky(C / S)
    out = np.empty((chains, draws, 2))
    for k in range(warm + draws * every):
        away = x - np.asarray(mode)
        gradient = factor * (away @ A + cubic * away**3 + rng.standard_normal((chains, 2)) @ root.T)
        noise = rng.standard_normal((chains, 2)) + bias
        x = x - eps / 2 * 40 * gradient + np.sqrt(eps * temperature) * noise
        if k >= warm and (k - warm) % every == every - 1:
            out[:, (k - warm) // every] = x
    return out


def heavy_ball(seed, draws=3000, chains=2, eta=1 / 2000, alpha=0.1, tau=1.0, warm=400):
    """SGHMC with beta = 0, of which the position alone is kept."""
    rng = np.random.default_rng(seed)
    x, v = np.zeros((chains, 2)), np.zeros((chains, 2))
    root, out = np.linalg.cholesky(C / 4), np.empty((chains, draws, 2))
    for k in range(warm + draws):
        gradient = x @ A + rng.standard_normal((chains, 2)) @ root.T
        x = x + v
        v = (1 - alpha) * v - eta * 40 * gradient
        v += np.sqrt(2 * alpha * eta * tau) * rng.standard_normal((chains, 2))
        if k >= warm:
            out[:, k - warm] = x
    return out
