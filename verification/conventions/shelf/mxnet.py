"""MXNet's SGD and SGLD, as read in version 1.9.1."""

from sympy import sqrt

from sgtheory.declare import nonnegative, normal, positive
from verification.conventions.optimizers import G, Source, theta
from verification.conventions.record import Entry, Library, Match, Wants, declared

n = normal("n")
learning_rate = positive("learning_rate")
momentum = nonnegative("momentum")

WANTS = Wants("loss", "sum")
OURS = Source("mxnet", "verification.conventions.targets.mxnet")
SOURCE = "python/mxnet/optimizer/optimizer.py"

SGLD = Entry(
    "sgld",
    "mxnet.optimizer.SGLD(learning_rate=0.01, wd=0)",
    WANTS,
    declared(
        "mxnet.sgld",
        WANTS,
        state=(theta,),
        noises=(n,),
        updates=(
            (G, WANTS(theta)),
            (theta, theta - learning_rate / 2 * G + sqrt(learning_rate) * n),
        ),
    ),
    SOURCE,
    matches=(Match("sgld", (("eps", learning_rate), ("H", 1))),),
    target="verification.conventions.targets.mxnet:sgld",
    notes=("It is called Riemannian there; its metric is the identity.",),
)

MXNET = Library(
    "mxnet",
    "mxnet",
    "1.9.1",
    "https://github.com/apache/mxnet",
    (
        OURS.sgd("sgd", "mxnet.optimizer.SGD(learning_rate=0.01)", SOURCE, learning_rate),
        OURS.momentum(
            "sgd_momentum", "mxnet.optimizer.SGD(learning_rate=0.01, momentum)", SOURCE, learning_rate,
            momentum, inside=True,
        ),
        SGLD,
    ),
    install=("mxnet", "numpy<2"),
    module="mxnet",
)  # fmt: skip
