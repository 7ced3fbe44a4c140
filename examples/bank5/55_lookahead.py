"""Lookahead (Zhang, Lucas, Hinton and Ba) around SGD, k = 3.

After every third step the slow weights move by ``alpha`` towards the fast ones, which start from there again.
"""

K = 3


def init(theta, rng):
    return {"theta": theta, "slow": theta.copy()}


def lookahead_sgd(state, gradient, rng, lr, alpha, t):
    fast, slow = state["theta"], state["slow"]
    fast = fast - lr * gradient(fast)
    if (t + 1) % K == 0:
        slow = (1 - alpha) * slow + alpha * fast
        fast = slow.copy()
    return {"theta": fast, "slow": slow}
