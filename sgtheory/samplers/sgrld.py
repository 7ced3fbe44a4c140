"""SGRLD with a given metric: Riemannian Langevin dynamics whose metric is a function of each coordinate.

The metric is a text such as ``1/(1 + x**2)``, read as potentials are; its derivative is taken here.
"""

from typing import Any

import sympy as sp

from sgtheory.declare import Card, Family, N, Sampler, gradient, local, normal, positive, state
from sgtheory.errors import UnusableInput
from sgtheory.reader.potentials import at_every_coordinate, parsed

theta = state("theta")
G, Gamma = local("G Gamma")
xi = normal("xi")
eps = positive("eps")

METRICS = ("1/(1 + x**2)", "exp(-x**2/2)", "(2 + x**2)/(1 + x**2)")
_TRIED = (-9, -2, -1, sp.Rational(-1, 3), 0, sp.Rational(1, 2), 1, 3, 10)


def with_metric(text: str) -> Sampler:
    """The sampler with a metric; Gamma is added to G times the drift."""
    return declared(text, inside=False)


def declared(text: str, inside: bool) -> Sampler:
    """Gamma stands outside of G, where it belongs, or inside, as Eq. 3 of the pSGLD paper prints it."""
    metric = parsed(text)
    if not metric.free_symbols:
        raise UnusableInput("a metric that depends on x", text, "take sgld with a gain")
    (x,) = metric.free_symbols
    if not all(sp.sympify(metric.subs(x, at)).is_positive for at in _TRIED):
        raise UnusableInput("a metric that is positive everywhere", text, "write 1/(1 + x**2)")
    drift: Any = G * (Gamma - N * gradient(theta)) if inside else Gamma - N * G * gradient(theta)
    return Sampler(
        state=(theta,),
        noises=(xi,),
        updates=(
            (G, at_every_coordinate(metric, theta)),
            (Gamma, at_every_coordinate(sp.diff(metric, x), theta)),
            (theta, theta + eps / 2 * drift + sp.sqrt(eps * G) * xi),
        ),
        word=("metric", text),
        convention=Card(
            loss="mean",
            drift="$(eps/2)$ ($N G$ times the gradient, and $Gamma = G'$"
            + (", times $G$)" if inside else ")"),
            noise="$sqrt(eps G)$ times a standard normal vector",
            N="the update multiplies the mean gradient by $N$",
            temperature="fixed at 1",
            order="the metric and its derivative at the old position, then the position",
        ),
        cites=("patterson2013", "li2016psgld Eq. 3"),
    )


SGRLD = Family("metric", METRICS[0], METRICS, with_metric)
