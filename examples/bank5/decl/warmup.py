"""SGD with a linear warm-up of five steps."""

from sympy import Piecewise
from sgtheory.declare import Card, Sampler, gradient, positive, state, t

theta = state("theta")
eps = positive("eps")
h = eps * Piecewise(((t + 1) / 5, t < 5), (1, True))

WARMUP = Sampler(
    state=(theta,),
    updates=((theta, theta - h * gradient(theta)),),
    convention=Card(loss="mean", drift="h: eps/5 in the first step, eps from the fifth on", order="one update"),
)
