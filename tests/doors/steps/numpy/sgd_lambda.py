# SGD as a lambda
# check: sgd_lambda.py:step --like sgd
# wave: 2
step = lambda theta, gradient, rng, eps: theta - eps * gradient(theta)  # noqa: E731
