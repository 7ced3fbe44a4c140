"""AdaGrad: each coordinate divided by the root of the sum of all its squared gradients.

The sum grows for ever, so that steps shrink like the root of time and there is no stationary law.
"""

from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, local, ones, positive, state

theta, V = state("theta V")
g = local("g")
eps, lam = positive("eps lambda")

ADAGRAD = Sampler(
    state=(theta, V),
    updates=(
        (g, gradient(theta)),
        (V, V + g * g),
        (theta, theta - eps * g / (lam * ones + sqrt(V))),
    ),
    convention=Card(
        loss="mean",
        drift="$eps$ over $lambda + sqrt(V)$, $V$ the sum of squared gradients",
        order="$V$ before the position, with one minibatch",
    ),
    cites=("duchi2011",),
)
