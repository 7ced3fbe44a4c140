# SGLD with two faults: noise of standard deviation eps, and no N
# check: sgld_pair_noise_and_n.py:step --like sgld
# never: sghmc momentum sgldfp underdamped sgnht
def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * gradient(theta) + eps * rng.standard_normal(theta.shape)
