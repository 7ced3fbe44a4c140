# SGD as in any course
# check: sgd_plain.py:step --like sgd
def step(theta, gradient, rng, eps):
    return theta - eps * gradient(theta)
