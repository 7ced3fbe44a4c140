# SGD with a preconditioning matrix
# check: sgd_preconditioned.py:step --like sgd
def step(theta, gradient, rng, eps, H):
    return theta - eps * gradient(theta) @ H.T
