# SGD uphill
# check: sgd_sign.py:step --like sgd
# never: momentum sgld sghmc nesterov
def step(theta, gradient, rng, eps):
    return theta + eps * gradient(theta)
