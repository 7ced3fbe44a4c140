"""SGLD with decreasing steps: eps_t = eps (b + t)^(-c), t from 0; papers call the first factor a.

With 1/2 < c <= 1 the steps have an infinite sum and a finite sum of squares, as papers ask.
"""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, nonnegative, normal, positive, state, t

theta = state("theta")
xi = normal("xi")
eps, b = positive("eps b")
c = nonnegative("c")

SGLD_DECREASING = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=(
        (
            theta,
            theta - eps * (b + t) ** -c / 2 * N * gradient(theta) + sqrt(eps) * (b + t) ** (-c / 2) * xi,
        ),
    ),
    defaults=((b, 1), (c, "11/20")),
    convention=Card(
        loss="mean",
        drift="$(eps_t/2) N$ with $eps_t = eps*(b + t)^(-c)$, $t = 0$ in the first step",
        noise="$sqrt(eps_t)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$",
        temperature="fixed at 1",
    ),
    aliases=(("a", "eps"),),
    cites=("welling2011", "li2016psgld Eq. 2"),
)
