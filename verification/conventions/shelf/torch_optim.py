"""PyTorch's SGD, with and without momentum, as read in version 2.13.0."""

from sgtheory.declare import local, nonnegative, positive, state
from verification.conventions.record import Entry, Library, Match, Wants, declared

theta, buf = state("theta buf")
G = local("G")
lr = positive("lr")
momentum = nonnegative("momentum")

WANTS = Wants("loss", "mean")
TARGETS = "verification.conventions.targets.torch_optim"
SOURCE = "torch/optim/sgd.py"
REMEMBER = (buf, momentum * buf + G)
SHOWN = "The parameters that it shows are where the gradient is taken: theta + (1 - mu) v here."

PLAIN = Entry(
    "sgd",
    "torch.optim.SGD(params, lr)",
    WANTS,
    declared(
        "torch.sgd",
        WANTS,
        state=(theta,),
        updates=((G, WANTS(theta)), (theta, theta - lr * G)),
    ),
    SOURCE,
    matches=(Match("sgd", (("eps", lr), ("H", 1))),),
    target=f"{TARGETS}:sgd",
)

MOMENTUM = Entry(
    "sgd_momentum",
    "torch.optim.SGD(params, lr, momentum, dampening=0)",
    WANTS,
    declared(
        "torch.sgd_momentum",
        WANTS,
        state=(theta, buf),
        updates=((G, WANTS(theta)), REMEMBER, (theta, theta - lr * buf)),
        given=(momentum < 1,),
    ),
    SOURCE,
    matches=(
        Match(
            "momentum",
            (("eps", lr), ("mu", 1 - momentum), ("H", 1)),
            states=(("v", -lr * buf),),
        ),
    ),
    target=f"{TARGETS}:sgd_momentum",
    notes=(
        "With dampening d each gradient but the first enters with the factor 1 - d: eps = lr (1 - d).",
    ),
)

NESTEROV = Entry(
    "sgd_nesterov",
    "torch.optim.SGD(params, lr, momentum, nesterov=True)",
    WANTS,
    declared(
        "torch.sgd_nesterov",
        WANTS,
        state=(theta, buf),
        updates=((G, WANTS(theta)), REMEMBER, (theta, theta - lr * (G + momentum * buf))),
        given=(momentum < 1,),
    ),
    SOURCE,
    matches=(
        Match(
            "nesterov",
            (("eps", lr), ("mu", 1 - momentum), ("H", 1)),
            states=(("theta", theta + momentum * lr * buf), ("v", -lr * buf)),
        ),
    ),
    target=f"{TARGETS}:sgd_nesterov",
    notes=(SHOWN,),
)

TORCH = Library(
    "torch",
    "torch",
    "2.13.0",
    "https://github.com/pytorch/pytorch",
    (PLAIN, MOMENTUM, NESTEROV),
    install=("torch",),
    module="torch",
)
