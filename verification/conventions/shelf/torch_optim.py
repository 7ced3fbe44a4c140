"""PyTorch's optimizers, as read in version 2.14.1."""

from sympy import sqrt

from sgtheory.declare import nonnegative, ones, positive
from verification.conventions.optimizers import WANTS, G, Source, V, buffer, theta
from verification.conventions.record import Library, Match

lr, eps, weight_decay = positive("lr eps weight_decay")
momentum, alpha, beta1, beta2, dampening = nonnegative("momentum alpha beta1 beta2 dampening")

OURS = Source("torch", "verification.conventions.targets.torch_optim")
SGD = "torch/optim/sgd.py"

PLAIN = OURS.sgd("sgd", "torch.optim.SGD(params, lr)", SGD, lr)
MOMENTUM = OURS.momentum(
    "sgd_momentum",
    "torch.optim.SGD(params, lr, momentum, dampening=0)",
    SGD,
    lr,
    momentum,
    notes=(
        "With dampening d each gradient but the first enters with the factor 1 - d: eps = lr (1 - d).",
    ),
)
NESTEROV = OURS.momentum(
    "sgd_nesterov",
    "torch.optim.SGD(params, lr, momentum, nesterov=True)",
    SGD,
    lr,
    momentum,
    nesterov=True,
)
DAMPENED = OURS.entry(
    "sgd_dampening",
    "torch.optim.SGD(params, lr, momentum, dampening)",
    SGD,
    {
        "state": (theta, buffer),
        "updates": (
            (G, WANTS(theta)),
            (buffer, momentum * buffer + (1 - dampening) * G),
            (theta, theta - lr * buffer),
        ),
        "given": (momentum < 1, dampening < 1),
    },
    matches=(
        Match(
            "momentum",
            (("eps", lr * (1 - dampening)), ("mu", 1 - momentum), ("H", 1)),
            states=(("v", -lr * buffer),),
            back=((dampening, 0),),
        ),
    ),
    notes=(
        "Its first gradient enters whole: the buffer begins as that gradient, not as 1 - d of it.",
        "What runs is the step after that one.",
    ),
)
DECAYED = OURS.entry(
    "sgd_weight_decay",
    "torch.optim.SGD(params, lr, weight_decay)",
    SGD,
    {
        "state": (theta,),
        "updates": ((G, WANTS(theta) + weight_decay * theta), (theta, theta - lr * G)),
    },
    notes=("The decay is of the loss: weight_decay theta is added to the gradient.",),
)
RMSPROP = OURS.rmsprop(
    "rmsprop",
    "torch.optim.RMSprop(params, lr=0.01, alpha=0.99, eps=1e-8)",
    "torch/optim/rmsprop.py",
    lr,
    alpha,
    eps,
    inside=False,
)
ADAGRAD = OURS.entry(
    "adagrad",
    "torch.optim.Adagrad(params, lr=0.01, eps=1e-10)",
    "torch/optim/adagrad.py",
    {
        "state": (theta, V),
        "updates": (
            (G, WANTS(theta)),
            (V, V + G * G),
            (theta, theta - lr * G / (eps * ones + sqrt(V))),
        ),
    },
    matches=(Match("adagrad", (("eps", lr), ("lambda", eps))),),
)
ADAM = OURS.adam(
    "adam",
    "torch.optim.Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-8)",
    "torch/optim/adam.py",
    (lr, beta1, beta2, eps),
)

TORCH = Library(
    "torch",
    "torch",
    "2.14.1",
    "https://github.com/pytorch/pytorch",
    (PLAIN, MOMENTUM, NESTEROV, DAMPENED, DECAYED, RMSPROP, ADAGRAD, ADAM),
    install=("torch",),
    module="torch",
)
