"""Localised SGLD: a tempered posterior near the mode, as local learning coefficients need it."""

from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, mode, nonnegative, normal, positive, state

theta = state("theta")
xi = normal("xi")
eps, beta = positive("eps beta")
gamma, delta = nonnegative("gamma delta")

LOCAL_SGLD = Sampler(
    state=(theta,),
    noises=(xi,),
    updates=(
        (
            theta,
            theta
            - eps / 2 * (N * beta * gradient(theta) + gamma * (theta - mode) + delta * theta)
            + sqrt(eps) * xi,
        ),
    ),
    defaults=((gamma, 0), (delta, 0)),
    target=(beta, gamma + delta),
    convention=Card(
        loss="mean",
        drift="$(eps/2) N beta$; $eps/2$ of a spring $gamma$ to the mode and of weight decay $delta$",
        noise="$sqrt(eps)$ times a standard normal vector",
        N="the update multiplies the mean gradient by $N$, and by the inverse temperature $beta$",
        temperature="$1/beta$ of the posterior; $N beta$ is one number where people write $n beta$",
    ),
    cites=("lau2023",),
)
