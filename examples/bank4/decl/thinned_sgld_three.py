"""Three steps of SGLD taken as one."""
from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta = state("theta")
eps = positive("eps")
XI = [normal(f"xi{k}") for k in range(3)]


def one(k):
    return (theta, theta - eps / 2 * N * gradient(theta, k) + sqrt(eps) * XI[k])


THINNED_THREE = Sampler(
    state=(theta,),
    noises=(*XI,),
    updates=(one(0), one(1), one(2)),
    convention=Card(loss="mean", drift="eps/2 N", order="three steps"),
)
