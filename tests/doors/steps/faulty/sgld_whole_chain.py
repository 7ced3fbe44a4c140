# SGLD that returns the whole chain
# check: sgld_whole_chain.py:run --like sgld
# verdict: crashed
# says: returned a whole chain, of shape .1000
# wave: 3
import numpy as np


def run(theta, gradient, rng, eps, N, n_steps=1000):
    out = []
    for _ in range(n_steps):
        noise = np.sqrt(eps) * rng.standard_normal(theta.shape)
        theta = theta - eps / 2 * N * gradient(theta) + noise
        out.append(theta)
    return np.array(out)
