"""devinterp's samplers of a posterior about trained weights, as read in version 2.0.1."""

from sympy import sqrt

from sgtheory.declare import gradient, local, nonnegative, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, V = state("theta V")
G, P = local("G P")
n = normal("n")
lr, nbeta, noise_level, eps, diffusion_factor = positive("lr nbeta noise_level eps diffusion_factor")
weight_decay, alpha = nonnegative("weight_decay alpha")

WANTS = Wants("loss", "mean")
TARGETS = "verification.conventions.targets.devinterp"
SOURCE = "src/devinterp/optim/sgmcmc.py"
PULL = (
    "With localization > 0 it is pulled to the weights that it was made with: what runs has none, for"
    " then positions have no law about a mode."
)

SGLD = Entry(
    "sgld",
    "devinterp.optim.SGMCMC.sgld(params, lr=0.01, noise_level=1, weight_decay=0, localization=0,"
    " nbeta=1)",
    WANTS,
    declared(
        "devinterp.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, nbeta * gradient(theta) + weight_decay * theta),
            (theta, theta - lr / 2 * G + sqrt(lr) * noise_level * n),
        ),
        defaults=((weight_decay, 0), (noise_level, 1)),
    ),
    SOURCE,
    matches=(
        Match(
            "sgfs",
            (("eps", lr * nbeta / 2), ("H", 1), ("E", noise_level * sqrt(2 / nbeta))),
            holds=((weight_decay, 0),),
        ),
    ),
    target=f"{TARGETS}:sgld",
    notes=(PULL, "nbeta is N over the temperature: with nbeta = N the posterior is sampled."),
)

SGNHT = Entry(
    "sgnht",
    "devinterp.optim.SGMCMC.sgnht(params, lr=0.01, diffusion_factor=0.01, nbeta=1)",
    WANTS,
    declared(
        "devinterp.sgnht",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (
                theta,
                theta - lr / 2 * nbeta * gradient(theta) + sqrt(2 * diffusion_factor * lr) * n,
            ),
        ),
        defaults=((diffusion_factor, "1/100"),),
    ),
    SOURCE,
    matches=(
        Match(
            "sgfs",
            (("eps", lr * nbeta / 2), ("H", 1), ("E", 2 * sqrt(diffusion_factor / nbeta))),
        ),
    ),
    target=f"{TARGETS}:sgnht",
    notes=(
        "The momentum and the thermostat that it keeps never reach the position: what runs is SGLD at"
        " temperature 2 diffusion_factor.",
    ),
)

RMSPROP = Entry(
    "rmsprop_sgld",
    "devinterp.optim.SGMCMC.rmsprop_sgld(params, lr=0.01, noise_level=1, nbeta=1, alpha=0.99, eps=0.1)",
    WANTS,
    declared(
        "devinterp.rmsprop_sgld",
        WANTS,
        state=(theta, V),
        noises=(n,),
        updates=(
            (G, gradient(theta)),
            (V, alpha * V + (1 - alpha) * G * G),
            (P, ones / (eps * ones + sqrt(V))),
            (theta, theta - lr / 2 * nbeta * P * G + sqrt(lr) * sqrt(P) * n),
        ),
        given=(alpha < 1,),
        defaults=((alpha, "99/100"), (eps, "1/10")),
    ),
    SOURCE,
    notes=(
        PULL,
        "The squares are those of the gradient before nbeta multiplies it. There is no Gamma: the step"
        " leaves out how the preconditioner changes with the position.",
    ),
    target=f"{TARGETS}:rmsprop_sgld",
)

DEVINTERP = Library(
    "devinterp",
    "devinterp",
    "2.0.1",
    "https://github.com/timaeus-research/devinterp",
    (SGLD, SGNHT, RMSPROP),
    install=("devinterp", "torch==2.14.1"),
    module="devinterp",
    others=(
        (
            "SGNHT",
            "deprecated there; its thermostat looks at a whole tensor, so that each chain needs an"
            " optimizer of its own",
        ),
    ),
)
