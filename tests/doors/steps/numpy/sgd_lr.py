# SGD whose step size is called lr, said with --with
# check: sgd_lr.py:step --like sgd --with lr=eps
def step(params, grad, rng, lr=0.01):
    return params - lr * grad(params)
