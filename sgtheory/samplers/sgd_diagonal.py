"""Constant SGD with a diagonal gain: every coordinate has a step of its own."""

from sgtheory.declare import Card, Sampler, diagonal, gradient, positive, state

theta = state("theta")
eps = positive("eps")
H = diagonal("H")

SGD_DIAGONAL = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * H @ gradient(theta)),),
    defaults=((eps, 1),),
    convention=Card(loss="mean", drift="eps H, H diagonal"),
    cites=("mandt2017 Corollary 3",),
)
