"""SGD with a momentum buffer of gradients and coupled weight decay, as torch has it."""

from sgtheory.declare import Card, Sampler, gradient, positive, state

theta, v = state("theta v")
eps, rho, wd = positive("eps rho wd")

SGD_L2 = Sampler(
    state=(theta, v),
    updates=(
        (v, rho * v + gradient(theta) + wd * theta),
        (theta, theta - eps * v),
    ),
    convention=Card(loss="mean", drift="eps", order="buffer, then position"),
)
