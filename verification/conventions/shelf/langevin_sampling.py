"""langevin-sampling: SGLD and pSGLD as PyTorch optimizers, as read in version 1.4."""

from sympy import sqrt

from sgtheory.declare import N, local, nonnegative, normal, ones, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, buffer, V = state("theta buffer V")
G, P = local("G P")
n = normal("n")
lr, Lambda = positive("lr Lambda")
momentum, beta = nonnegative("momentum beta")

WANTS = Wants("loss", "sum")
TARGETS = "verification.conventions.targets.langevin_sampling"

SGLD = Entry(
    "sgld",
    "langevin_sampling.SGLD.SGLD(params, lr)",
    WANTS,
    declared(
        "langevin_sampling.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=((G, WANTS(theta)), (theta, theta - lr * G + sqrt(2 * lr) * n)),
    ),
    "langevin_sampling/SGLD.py",
    matches=(
        Match("sgld", (("eps", 2 * lr), ("H", 1))),
        Match("sgfs", (("eps", N * lr), ("H", 1), ("E", sqrt(2 / N)))),
    ),
    target=f"{TARGETS}:sgld",
)

MOMENTUM = Entry(
    "sgld_momentum",
    "langevin_sampling.SGLD.SGLD(params, lr, momentum)",
    WANTS,
    declared(
        "langevin_sampling.sgld_momentum",
        WANTS,
        state=(theta, buffer),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (buffer, momentum * buffer + G),
            (theta, theta - lr * buffer + sqrt(2 * lr) * n),
        ),
        given=(momentum < 1,),
    ),
    "langevin_sampling/SGLD.py",
    target=f"{TARGETS}:sgld_momentum",
    notes=(
        "The noise is added to the position, not to the buffer, and is that without momentum: it is no"
        " SGHMC, and small steps sample about 1 - momentum of the temperature.",
    ),
)

PSGLD = Entry(
    "psgld",
    "langevin_sampling.precondSGLD.pSGLD(params, lr=0.01, beta=0.99, Lambda=1e-15)",
    WANTS,
    declared(
        "langevin_sampling.psgld",
        WANTS,
        state=(theta, V),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (V, beta * V + (1 - beta) * G * G),
            (P, ones / (sqrt(V) + Lambda * ones)),
            (theta, theta - lr * P * G + sqrt(2 * lr * P) * n),
        ),
        given=(beta < 1,),
        defaults=((beta, "99/100"), (Lambda, "1/1000000000000000")),
    ),
    "langevin_sampling/precondSGLD.py",
    matches=(
        Match(
            "psgld:no_gamma",
            (("eps", 2 * lr / N), ("alpha", beta), ("lambda", Lambda / N)),
            states=(("V", V / N**2),),
            assumes=("no-prior",),
        ),
    ),
    target=f"{TARGETS}:psgld",
    notes=("The squares that are averaged are those of the summed gradient.",),
)

LANGEVIN_SAMPLING = Library(
    "langevin_sampling",
    "langevin-sampling",
    "1.4",
    "https://github.com/alisiahkoohi/Langevin-dynamics",
    (SGLD, MOMENTUM, PSGLD),
    install=("langevin-sampling", "torch==2.14.1"),
    module="langevin_sampling",
)
