"""torch-sgld: SGLD and SGHMC as one PyTorch optimizer, as read in version 0.1.0."""

from sympy import sqrt

from sgtheory.declare import N, local, normal, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, buffer = state("theta buffer")
G = local("G")
n = normal("n")
lr, temperature, momentum = positive("lr temperature momentum")

WANTS = Wants("loss", "sum")
TARGETS = "verification.conventions.targets.torch_sgld"
SOURCE = "torch_sgld/sgld.py"

SGLD = Entry(
    "sgld",
    "torch_sgld.SGLD(params, lr, temperature=1)",
    WANTS,
    declared(
        "torch_sgld.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta - lr * G + sqrt(2 * lr * temperature) * n),
        ),
        defaults=((temperature, 1),),
    ),
    SOURCE,
    matches=(
        Match("sgld", (("eps", 2 * lr), ("H", 1)), holds=((temperature, 1),)),
        Match("sgfs", (("eps", N * lr), ("H", 1), ("E", sqrt(2 * temperature / N)))),
    ),
    target=f"{TARGETS}:sgld",
)

SGHMC = Entry(
    "sghmc",
    "torch_sgld.SGLD(params, lr, momentum, temperature=1)",
    WANTS,
    declared(
        "torch_sgld.sghmc",
        WANTS,
        state=(theta, buffer),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (buffer, (1 - momentum) * buffer - lr * G + sqrt(2 * lr * momentum * temperature) * n),
            (theta, theta + buffer),
        ),
        given=(momentum < 1,),
        defaults=((temperature, 1),),
    ),
    SOURCE,
    matches=(
        Match(
            "sghmc_velocity_first",
            (("eta", lr), ("alpha", momentum), ("beta", 0), ("tau", temperature)),
            states=(("v", buffer),),
        ),
    ),
    target=f"{TARGETS}:sghmc",
    notes=(
        "momentum is the friction: 1 minus what torch.optim.SGD calls momentum.",
        "The buffer begins at 0, and again at 0 after each reset_momentum().",
    ),
)

TORCH_SGLD = Library(
    "torch_sgld",
    "torch-sgld",
    "0.1.0",
    "https://github.com/activatedgeek/torch-sgld",
    (SGLD, SGHMC),
    install=("torch-sgld", "torch==2.14.1"),
    module="torch_sgld",
)
