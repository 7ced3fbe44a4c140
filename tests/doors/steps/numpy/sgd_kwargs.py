# SGD that takes what it needs and a catch-all
# check: sgd_kwargs.py:step --like sgd
def step(theta, gradient, rng, eps, **kwargs):
    return theta - eps * gradient(theta)
