"""RMSprop: each coordinate divided by the root of a running mean of its squared gradient.

No noise is injected: at a constant step the minibatch's noise alone keeps the chain moving.
"""

from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, local, nonnegative, ones, positive, state

theta, V = state("theta V")
g = local("g")
eps, lam = positive("eps lambda")
alpha = nonnegative("alpha")

RMSPROP = Sampler(
    state=(theta, V),
    updates=(
        (g, gradient(theta)),
        (V, alpha * V + (1 - alpha) * g * g),
        (theta, theta - eps * g / (lam * ones + sqrt(V))),
    ),
    given=(alpha < 1,),
    convention=Card(
        loss="mean",
        drift="$eps$ over $lambda + sqrt(V)$, $V$ the running mean of squared gradients",
        order="$V$ before the position, with one minibatch",
    ),
    cites=("li2016psgld Eq. 4-5", "tieleman2012"),
)
