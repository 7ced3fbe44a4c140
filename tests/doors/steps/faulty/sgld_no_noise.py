# SGLD that forgot its noise
# check: sgld_no_noise.py:step --like sgld
# never: sghmc momentum underdamped sgnht
# says: noise
def step(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta)
