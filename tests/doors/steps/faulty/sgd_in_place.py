# SGD that writes into the state that it was given, and is told so
# check: sgd_in_place.py:step --like sgd
# verdict: crashed
# never: momentum sgld sghmc nesterov
# says: state that it was given
def step(theta, gradient, rng, eps):
    theta -= eps * gradient(theta)
    return theta
