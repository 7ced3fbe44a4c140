"""The multivariate thermostat as the Santa paper prints it: each coordinate has its own friction."""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, local, normal, ones, positive, state

theta, u, alpha = state("theta u alpha")
f0 = local("f0")
zeta = normal("zeta")
eta, beta = positive("eta beta")

MSGNHT = Sampler(
    state=(theta, u, alpha),
    noises=(zeta,),
    updates=(
        (f0, gradient(theta)),
        (u, (ones - eta * alpha) * u - eta * N * f0 + sqrt(2 * eta / beta) * zeta),
        (theta, theta + eta * u),
        (alpha, alpha + eta * (u * u - ones / beta)),
    ),
    defaults=((beta, 1),),
    start=((u, zeta / sqrt(beta)), (alpha, ones)),
    kinetic=((u, 1 / beta),),
    limit="step",
    convention=Card(
        loss="mean",
        drift="$eta N$ on the momentum",
        noise="$sqrt(2 eta / beta)$ times a standard normal vector, on the momentum",
        N="the update multiplies the mean gradient by $N$",
        temperature="$1 / beta$ is the mean square of each momentum that its friction steers to",
        order="momentum, position, friction, each with the new values",
    ),
    cites=("chen2016santa section 2",),
)
