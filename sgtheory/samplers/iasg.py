"""Iterate averaging over windows: the mean of T successive iterates of SGD is one sample.

The window is one pass over the data, T = N/S, unless the problem says otherwise. At the end of a window
m is its mean; from the next step on m gathers the next window.
"""

from typing import Any

from sympy import Mod

from sgtheory.declare import (
    Card,
    Derived,
    N,
    Rule,
    S,
    Sampler,
    gradient,
    positive,
    positive_definite,
    state,
    t,
    whole,
)

theta, m = state("theta m")
eps = positive("eps")
H = positive_definite("H")
T = whole("T")
k = Mod(t, T)  # how many iterates the window has already


def _pass(scalars: Any, _: Any) -> Any:
    """A pass over the data, in minibatches."""
    return scalars["N"] / scalars["S"]


IASG = Sampler(
    state=(theta, m),
    updates=(
        (theta, theta - eps * H @ gradient(theta)),
        (m, k / (k + 1) * m + 1 / (k + 1) * theta),
    ),
    defaults=((H, "identity"), (T, Derived("N/S", _pass))),
    convention=Card(loss="mean", drift="$eps H$", order="the iterate, then the mean of its window"),
    sample=m,
    rules=(Rule("T", N / S, "mandt2017 section 6.2"),),
    cites=("mandt2017 Algorithm 1",),
)
