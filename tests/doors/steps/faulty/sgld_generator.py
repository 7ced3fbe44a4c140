# SGLD as a generator, which is no step
# check: sgld_generator.py:chain --like sgld
# verdict: crashed
# says: the step is a generator
# wave: 3
import numpy as np


def chain(theta, gradient, rng, eps, N):
    while True:
        noise = np.sqrt(eps) * rng.standard_normal(theta.shape)
        theta = theta - eps / 2 * N * gradient(theta) + noise
        yield theta
