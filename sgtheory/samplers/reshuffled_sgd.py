"""Constant SGD with random reshuffling: an epoch meets every example once, in random order.

On a Gaussian model the minibatch noises of an epoch sum to zero; its N/S steps are one period.
"""

from sgtheory.declare import Card, Sampler, gradient, positive, positive_definite, state

theta = state("theta")
eps = positive("eps")
H = positive_definite("H")

RESHUFFLED_SGD = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * H @ gradient(theta)),),
    defaults=((H, "identity"),),
    batches="reshuffled",
    convention=Card(
        loss="mean",
        drift="$eps H$",
        order="$N/S$ minibatches without replacement to an epoch, in a new order every time",
    ),
    cites=("gurbuzbalaban2021",),
)
