"""torch-optimizer: SGD with decoupled decay, quasi-hyperbolic momentum, as read in version 0.3.0."""

from sgtheory.declare import nonnegative, positive
from verification.conventions.optimizers import WANTS, G, Source, buffer, theta
from verification.conventions.record import Library

lr, weight_decay = positive("lr weight_decay")
momentum, nu = nonnegative("momentum nu")

OURS = Source("torch_optimizer", "verification.conventions.targets.torch_optimizer")

SGDW = OURS.entry(
    "sgdw",
    "torch_optimizer.SGDW(params, lr=0.001, weight_decay)",
    "torch_optimizer/sgdw.py",
    {
        "state": (theta,),
        "updates": ((G, WANTS(theta)), (theta, theta - lr * G - lr * weight_decay * theta)),
    },
    notes=(
        "The update is that of the paper that its page cites. As released it subtracts lr weight_decay"
        " from every weight, whatever the weight is: the factor theta is missing.",
    ),
)
QHM = OURS.entry(
    "qhm",
    "torch_optimizer.QHM(params, lr=0.001, momentum=0, nu=0.7)",
    "torch_optimizer/qhm.py",
    {
        "state": (theta, buffer),
        "updates": (
            (G, WANTS(theta)),
            (buffer, momentum * buffer + (1 - momentum) * G),
            (theta, theta - lr * nu * buffer - lr * (1 - nu) * G),
        ),
        "given": (momentum < 1, nu <= 1),
    },
)

TORCH_OPTIMIZER = Library(
    "torch_optimizer",
    "torch-optimizer",
    "0.3.0",
    "https://github.com/jettify/pytorch-optimizer",
    (SGDW, QHM),
    install=("torch-optimizer", "torch==2.14.1"),
    module="torch_optimizer",
)
