"""The equations and steps of the paper, in its reparameterisation: p = u/h, Xi = alpha/h, h = sqrt(eta).

One coordinate unless a function says otherwise. ``x`` is theta; G is the metric of the force, K that of
the noise, both functions of theta that may be replaced.
"""

from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step

x, y, p, q, Xi, Ups, zeta = sp.symbols("x y p q Xi Upsilon zeta", real=True)
h, beta, g, r, c = sp.symbols("h beta g r c", positive=True)
U = sp.Function("U")(x)
G, K = (sp.Function(n, positive=True)(x) for n in "GK")
slope, half = U.diff(x), sp.Rational(1, 2)
STATE = (x, p, Xi)


def force(metric: Any, spread: Any) -> Any:
    """The drift of p in Eq. 1 without its friction."""
    return -metric * slope + metric.diff(x) / beta + metric * (Xi - spread) * spread.diff(x)


def equation(metric: Any, spread: Any, root: Any = None) -> Diffusion:
    """Eq. 1; ``root`` is the root of the noise's metric, where it is no function that has one."""
    amplitude = sp.sqrt(2 / beta) * (sp.sqrt(spread) if root is None else root)
    drift = (metric * p, force(metric, spread) - Xi * p, p**2 - 1 / beta)
    return Diffusion(STATE, drift, ((0,), (amplitude,), (0,)))


def density(spread: Any) -> Any:
    """The logarithm of Eq. 2."""
    return -beta * (U + p**2 / 2 + (Xi - spread) ** 2 / 2)


def euler(noise: Any, metric: Any = g, more: Any = 0, kick: Any = slope) -> Step:
    """Algorithm 1's exploration: friction, momentum, position; ``noise`` multiplies zeta in p."""
    new = (1 - h * Xi) * p - h * metric * kick + more + noise * zeta
    return Step(STATE, ((Xi, Xi + h * (p**2 - 1 / beta)), (p, new), (x, x + h * metric * p)), (zeta,))


def splitting(noise: Any, metric: Any = g, push: Any = None, early: bool = False) -> Step:
    """A-B-O-B-A with half steps of A and B; ``early`` takes the gradient before the first half step."""
    f = sp.Symbol("force", real=True)
    push = -metric * slope if push is None else push
    friction = (Xi, Xi + (p**2 - 1 / beta) * h / 2)
    move, damp = (x, x + metric * p * h / 2), (p, p * sp.exp(-Xi * h / 2))
    see = ((f, push),) if early else ()
    kick = (p, p + h * (f if early else push) + noise * zeta)
    return Step(STATE, (*see, move, friction, damp, kick, damp, friction, move), (zeta,))


def plane(metric: tuple[Any, Any], spread: tuple[Any, Any]) -> tuple[Diffusion, Any]:
    """Eq. 1 in two coordinates with diagonal metrics, and the logarithm of Eq. 2."""
    places, momenta, frictions = (x, y), (p, q), (Xi, Ups)
    potential = sp.Function("U")(x, y)
    drift = [a * v for a, v in zip(metric, momenta, strict=True)]
    for s, a, b, v, friction in zip(places, metric, spread, momenta, frictions, strict=True):
        pull = a * (friction - b) * sp.diff(b, s)
        drift.append(-a * potential.diff(s) - friction * v + sp.diff(a, s) / beta + pull)
    drift += [v**2 - 1 / beta for v in momenta]
    none = [(0, 0)] * 2
    amplitudes = [sp.sqrt(2 * b / beta) for b in spread]
    noise = (*none, (amplitudes[0], 0), (0, amplitudes[1]), *none)
    energy = potential + sum(v**2 for v in momenta) / 2
    energy += sum((s - b) ** 2 for s, b in zip(frictions, spread, strict=True)) / 2
    return Diffusion((*places, *momenta, *frictions), tuple(drift), noise), -beta * energy
