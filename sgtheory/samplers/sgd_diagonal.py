"""Constant SGD with a diagonal gain: every coordinate has a step of its own."""

from sgtheory.declare import Card, N, Rule, S, Sampler, diagonal, gradient, positive, state
from sgtheory.notation.matrixwords import C, Diagonal

theta = state("theta")
eps = positive("eps")
H = diagonal("H")

SGD_DIAGONAL = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * H @ gradient(theta)),),
    defaults=((eps, 1),),
    convention=Card(loss="mean", drift="$eps H$, $H$ diagonal"),
    rules=(Rule("H", 2 * S / (eps * N) * Diagonal(C) ** -1, "mandt2017 Corollary 3"),),
    cites=("mandt2017 Corollary 3",),
)
