"""Constant SGD with a square-root gain: coordinates divided by the deviation of their gradient.

What AdaGrad and RMSprop do once their accumulators have settled: the gain is the inverse square root
of the diagonal of C, unless the problem gives another diagonal H.
"""

from sgtheory.declare import Card, D, Derived, N, Rule, S, Sampler, diagonal, gradient, positive, state
from sgtheory.notation import matrixwords as words
from sgtheory.notation.matrixwords import C, trace
from sgtheory.reader import exact

theta = state("theta")
eps = positive("eps")
H = diagonal("H")

SGD_SQUARE_ROOT = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * H @ gradient(theta)),),
    defaults=(
        (
            H,
            Derived(
                "diag(C)^(-1/2)",
                lambda _, matrices: tuple(
                    1 / exact.root(row[k], "an entry of C") for k, row in enumerate(matrices["C"])
                ),
            ),
        ),
    ),
    convention=Card(loss="mean", drift="$eps H$, $H = diag(C)^(-1/2)$"),
    rules=(Rule("eps", 2 * D * S / (N * trace(C * words.H)), "mandt2017 Eq. 47"),),
    cites=("mandt2017 Theorem 7",),
)
