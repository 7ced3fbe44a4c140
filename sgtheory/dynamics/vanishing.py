"""What a chain follows as its step vanishes, where some of its states settle at once.

A state that moves without a step, such as an average of squared gradients, is at rest long before the
position has moved: as eps goes to zero it can be put where it rests for this position. The position
then follows a diffusion, whose drift and noise are those of one step with the state at rest. (What the
state is away from rest is of order sqrt(eps), and so is what that adds to drift and noise.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.declare import Sampler
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step, substituted
from sgtheory.errors import UnusableInput
from sgtheory.language import Curvature, Gradient, Prior, PriorCurvature, ones


@dataclass(frozen=True)
class Loss:
    """A mean loss in one coordinate x by its gradient, and the share of it that examples have.

    The rest is the prior's. ``sign`` is that of the examples' share, where roots of its square occur;
    a ``Curvature`` without the ``PriorCurvature`` is the slope of the examples' share.
    """

    x: Any
    gradient: Any
    examples: Any
    sign: int = 1


@dataclass(frozen=True)
class AtRest:
    """Where other states rest, what they keep of a distance from it, and the position's diffusion."""

    rest: Mapping[Any, Any]
    keeps: Mapping[Any, Any]
    process: Diffusion


def at_rest(
    sampler: Sampler, loss: Loss | Sequence[Loss], params: Mapping[str, Any] | None = None
) -> AtRest:
    """The diffusion of the position as the step vanishes, and how it came about.

    Several losses are examples, one of which is drawn in each step: then no state may remember.

    >>> from sgtheory import registry
    >>> x, N, lam = sp.symbols("x N lambda", positive=True)
    >>> U, G = (sp.Function(n, positive=True)(x) for n in "UG")
    >>> loss = Loss(x, U.diff(x) / N, 1 / G - lam)
    >>> found = at_rest(registry.sampler("psgld:algorithm1"), loss)
    >>> sp.factor(2 * found.process.drift[0] + G * U.diff(x)), found.process.noise[0][0]
    (-(alpha - 1)*Derivative(G(x), x), sqrt(G(x)))
    >>> list(found.rest.values()), list(found.keeps.values())
    ([(-lambda + 1/G(x))**2], [alpha])
    """
    losses = (loss,) if isinstance(loss, Loss) else tuple(loss)
    found = [_one(sampler, one, dict(params or {})) for one in losses]
    if len(found) == 1:
        return found[0]
    if any(k != 0 for one in found for k in one.keeps.values()):
        raise UnusableInput(
            "states that forget at once", "one that remembers other examples", "set its memory to 0"
        )
    share = sp.Rational(1, len(found))
    drift = sp.Add(*(share * one.process.drift[0] for one in found))
    spread = sp.Add(*(share * one.process.covariance[0][0] for one in found))
    return AtRest({}, {}, Diffusion((losses[0].x,), (drift,), ((sp.sqrt(spread),),)))


def _one(sampler: Sampler, loss: Loss, params: dict[str, Any]) -> AtRest:
    (position,) = [s for s in sampler.state if s.name == "theta"]
    size = sp.Dummy("size", positive=True)  # of the examples' share: roots of its square are it
    bend, prior_bend, whole = sp.symbols("_bend _prior_bend _whole", real=True)
    step = Step.of(sampler)

    def written(e: Any) -> Any:
        e = e.replace(Gradient, lambda *_: whole).replace(Curvature, lambda *_: bend + prior_bend)
        e = e.replace(PriorCurvature, lambda *_: prior_bend)
        e = e.replace(Prior, lambda *_: whole - loss.sign * size).subs(ones, 1)
        return e.subs({s: params[s.name] for s in e.free_symbols if s.name in params})

    step = Step(step.state, tuple((a, written(e)) for a, e in step.updates), step.noises)
    (eps,) = {s for s in step.parameters if s.name == "eps"}
    after = step.after({s: s for s in step.state})
    rest, keeps = {}, {}
    for s in step.state:
        still = after[s].subs(eps, 0)
        if sp.expand(still - s) == 0:
            continue
        keeps[s] = sp.diff(still, s)
        if s == position or any(keeps[s].has(other) for other in (*step.state, size)):
            raise UnusableInput(
                "other states that settle linearly", f"{s} <- {still}", "look at it alone"
            )
        rest[s] = sp.cancel((still - keeps[s] * s) / (1 - keeps[s]))
    moved = _tidied(substituted(after[position], rest) - position)
    (xi,) = step.noises
    drift, noise = moved.subs(xi, 0) / eps, sp.diff(moved, xi) / sp.sqrt(eps)
    known = sp.sympify(loss.gradient).free_symbols | sp.sympify(loss.examples).free_symbols
    back = {size: loss.sign * loss.examples, whole: loss.gradient, bend: sp.diff(loss.examples, loss.x)}
    back[prior_bend] = sp.diff(loss.gradient - loss.examples, loss.x)
    back |= {p: s for p in step.parameters for s in known if p.name == s.name}
    drift, noise = (sp.expand(sp.simplify(e.subs(back).doit())) for e in (drift, noise))
    if drift.has(eps) or noise.has(eps):
        raise UnusableInput("a step with drift eps and noise sqrt(eps)", str(moved), "rescale its step")
    shown = {s: e.subs(back) for s, e in rest.items()}
    return AtRest(shown, keeps, Diffusion((loss.x,), (drift,), ((noise,),)))


def _tidied(expr: Any) -> Any:
    """Roots of what is a square once it is multiplied out."""
    return expr.replace(
        lambda e: e.is_Pow and e.exp.is_Rational and not e.exp.is_Integer,
        lambda e: sp.factor(sp.expand(e.base)) ** e.exp,
    )
