# SGD with a first state of its own, elsewhere than where it is told to begin
# check: sgd_own_init.py:step --like sgd
def init(theta, rng):
    return theta + rng.standard_normal(theta.shape)


def step(theta, gradient, rng, eps):
    return theta - eps * gradient(theta)
