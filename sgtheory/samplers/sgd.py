"""Constant SGD: a gradient step with a scalar step, a gain, or both."""

from sgtheory.declare import (
    Card,
    Sampler,
    Translation,
    gradient,
    positive,
    positive_definite,
    state,
)

theta = state("theta")
eps = positive("eps")
H = positive_definite("H")

SGD = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * H @ gradient(theta)),),
    defaults=((eps, 1), (H, "identity")),
    needs=(eps, H),
    convention=Card(
        loss="mean",
        drift="eps H (eps alone: H = I; H alone: eps = 1)",
        translations=(
            Translation("torch.optim.SGD", "lr = eps, momentum = 0, on the mean loss"),
            Translation("optax.sgd", "learning_rate = eps, on the mean loss"),
        ),
    ),
    aliases=(("gamma", "eps/N"),),
    cites=("mandt2017 Eq. 5", "mandt2017 section 4.1", "brosse2018 section 2"),
)
