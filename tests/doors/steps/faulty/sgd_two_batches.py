# SGD that averages two minibatches
# check: sgd_two_batches.py:step --like sgd
# never: momentum sgld sghmc svrg saga
def step(theta, gradient, rng, eps):
    return theta - eps * (gradient(theta) + gradient(theta)) / 2
