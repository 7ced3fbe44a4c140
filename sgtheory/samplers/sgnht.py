"""The stochastic gradient Nose-Hoover thermostat: one friction, driven by the energy of all coordinates.

``xi`` is one number; it is carried as a vector whose coordinates are all the same.
"""

from sympy import sqrt

from sgtheory.declare import (
    Card,
    D,
    N,
    Sampler,
    dot,
    gradient,
    nonnegative,
    normal,
    ones,
    positive,
    state,
)

theta, v, xi = state("theta v xi")
zeta = normal("zeta")
eta, tau = positive("eta tau")
a = nonnegative("a")

SGNHT = Sampler(
    state=(theta, v, xi),
    noises=(zeta,),
    updates=(
        (v, v - eta * xi * v - eta * N * gradient(theta) + sqrt(2 * a * eta * tau) * zeta),
        (theta, theta + eta * v),
        (xi, xi + eta * (dot(v, v) / D - tau) * ones),
    ),
    defaults=((tau, 1),),
    start=((v, sqrt(tau) * zeta), (xi, a * ones)),
    kinetic=((v, 1),),
    limit="step",
    convention=Card(
        loss="mean",
        drift="$eta N$ on the velocity",
        noise="$sqrt(2*a*eta*tau)$ times a standard normal vector, on the velocity",
        N="the update multiplies the mean gradient by $N$",
        temperature="$tau$ is the mean square of a velocity that the friction steers to; masses are 1",
        order="velocity, position, friction, each with the new values",
    ),
    cites=("ding2014 Algorithm 2",),
)
