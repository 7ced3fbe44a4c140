# SGD that takes its parameters from a catch-all
# check: sgd_only_kwargs.py:update --like sgd
def update(theta, gradient, rng, **params):
    return theta - params["eps"] * gradient(theta)
