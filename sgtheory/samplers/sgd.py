"""Constant SGD: a gradient step with a scalar step, a gain, or both."""

from sgtheory.declare import (
    Card,
    D,
    N,
    Rule,
    S,
    Sampler,
    gradient,
    positive,
    positive_definite,
    state,
)
from sgtheory.notation import matrixwords as words
from sgtheory.notation.matrixwords import C, trace

theta = state("theta")
eps = positive("eps")
H = positive_definite("H")

SGD = Sampler(
    state=(theta,),
    updates=((theta, theta - eps * H @ gradient(theta)),),
    defaults=((eps, 1), (H, "identity")),
    needs=(eps, H),
    convention=Card(
        loss="mean",
        drift="$eps H$ ($eps$ alone: $H = I$; $H$ alone: $eps = 1$)",
    ),
    aliases=(("gamma", "eps/N"),),
    rules=(
        Rule("eps", 2 * D * S / (N * trace(C * words.H)), "mandt2017 Eqs. 15, 47"),
        Rule("H", 2 * S / (eps * N) * C**-1, "mandt2017 Eq. 17"),
    ),
    cites=("mandt2017 Eq. 5", "mandt2017 section 4.1", "brosse2018 section 2"),
)
