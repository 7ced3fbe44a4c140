"""SGD-M as the Santa paper prints it: the velocity has no step in it, the position multiplies by it.

The gradient is that of the summed loss. The position is printed first but takes the new velocity.
"""

from sgtheory.declare import Card, N, Sampler, Translation, gradient, positive, state

theta, u = state("theta u")
eta, alpha = positive("eta alpha")

SGD_M = Sampler(
    state=(theta, u),
    updates=(
        (u, (1 - alpha) * u - N * gradient(theta)),
        (theta, theta + eta * u),
    ),
    given=(alpha <= 1,),
    convention=Card(
        loss="sum",
        drift="$N$ on the velocity, $eta$ on the position",
        N="the update multiplies the mean gradient by $N$",
        order="velocity first, then the position with the new velocity",
        translations=(
            Translation(
                "torch.optim.SGD", "momentum = 1 - alpha, lr = eta, on the summed loss; u = -buffer"
            ),
        ),
    ),
    cites=("chen2016santa section 2",),
)
