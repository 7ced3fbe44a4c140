# SGD with half the step
# check: sgd_half.py:step --like sgd
# never: momentum sgld sghmc sgfs
# says: eps
def step(theta, gradient, rng, eps):
    return theta - eps / 2 * gradient(theta)
