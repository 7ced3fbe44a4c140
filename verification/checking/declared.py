"""A declaration as a foreign step: its updates, in NumPy, on the gradient that is handed in.

It shares nothing with our kernels but the declaration: a third reader, by which a check can be checked,
and which turns any corrupted declaration into a step that runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import MatrixName, Noise, ones, t
from sgtheory.errors import UnusableInput
from sgtheory.language import (
    Apply,
    Curvature,
    DiagonalOf,
    Dot,
    FullGradient,
    Gradient,
    Prior,
    PriorCurvature,
    Root,
)
from sgtheory.language import mode as mode_symbol
from sgtheory.onestep.full import symmetric_root

Array = Any
_CLOCK = "t of its own"


@dataclass(frozen=True, eq=False)
class DeclaredStep:
    """A step of the NumPy protocol, with ``init``; the state has a clock if the updates see it."""

    sampler: Any

    @property
    def parameters(self) -> tuple[str, ...]:
        """What it takes: all that its updates speak of."""
        return tuple(p.name for p in self.sampler.parameters)

    def __call__(self, state: Any, gradient: Any, rng: Any, **params: Any) -> dict[str, Array]:
        """All updates in order."""
        reader = _Reader(self.sampler, gradient, rng, params, dict(state), {})
        for target, expr in self.sampler.updates:
            value = reader.value(sp.sympify(expr))
            reader.known[target.name] = np.broadcast_to(value, state["theta"].shape).copy()
        kept = {s.name: reader.known[s.name] for s in self.sampler.state}
        return {**kept, _CLOCK: state[_CLOCK] + 1}

    def init(self, theta: Array, rng: Any, **params: Any) -> dict[str, Array]:
        """The declared start."""
        zero = {s.name: np.zeros_like(theta) for s in self.sampler.state}
        known = {**zero, "theta": theta, _CLOCK: np.zeros_like(theta)}
        reader = _Reader(self.sampler, None, rng, params, known, {})
        for target, expr in self.sampler.start:
            known[target.name] = np.broadcast_to(reader.value(sp.sympify(expr)), theta.shape).copy()
        return known


def step_of(sampler: Any) -> DeclaredStep:
    """A sampler, by name or declaration, as a foreign step.

    >>> from verification.checking import check
    >>> check(step_of("sgd"), like="sgd", dimensions=(1,)).verdict
    'conforms'
    """
    return DeclaredStep(registry.sampler(sampler))


@dataclass(frozen=True, eq=False)
class _Reader:
    """Values of expressions on all chains at once."""

    sampler: Any
    gradient: Any
    rng: Any
    params: Mapping[str, Any]
    known: dict[str, Array]
    drawn: dict[Any, Array]  # noises and minibatches of this step

    def value(self, e: Any) -> Any:
        """A number, or an array (chains, D)."""
        if isinstance(e, sp.Number | sp.NumberSymbol):
            return float(e)
        if isinstance(e, sp.Symbol):
            return self._letter(e)
        if isinstance(e, sp.Add):
            return sum(self.value(a) for a in e.args)
        if isinstance(e, sp.Mul):
            return math.prod(self.value(a) for a in e.args)
        if isinstance(e, sp.Pow):
            return self._power(e)
        if isinstance(e, sp.Piecewise):
            return next(self.value(x) for x, when in e.args if self._holds(when))
        return self._function(e)

    def _letter(self, e: Any) -> Any:
        short = dict(self.sampler.where)
        if e in short:
            return self.value(short[e])
        if isinstance(e, Noise):
            return self._once(e, lambda: self._noise(e))
        if e == ones:
            return np.ones_like(self.known["theta"])
        if e == mode_symbol:
            return self.params["mode"]
        if e == t:
            return float(self.known[_CLOCK].flat[0])
        if e.name == "D":
            return float(self.known["theta"].shape[1])
        return self.known[e.name] if e.name in self.known else self.params[e.name]

    def _noise(self, e: Any) -> Array:
        if e.law != "normal":
            raise UnusableInput("normal noise", e.law, "write the step yourself")
        return self.rng.standard_normal(self.known["theta"].shape)

    def _once(self, key: Any, draw: Any) -> Array:
        if key not in self.drawn:
            self.drawn[key] = draw()
        return self.drawn[key]

    def _power(self, e: Any) -> Any:
        base, power = self.value(e.args[0]), self.value(e.args[1])
        with np.errstate(all="ignore"):
            found = np.sqrt(base) if power == 0.5 else np.power(base, power)
        # a Python number leaves the type of arrays alone; a scalar of NumPy would not
        return float(found) if isinstance(base, float | int) else found

    def _holds(self, when: Any) -> bool:
        clock = int(self.known[_CLOCK].flat[0])
        numbers = {s: sp.nsimplify(self.params[s.name]) for s in when.free_symbols if s != t}
        return bool(when.subs({t: clock, **numbers}))

    def _function(self, e: Any) -> Any:
        if isinstance(e, Gradient | Curvature):
            point = np.broadcast_to(self.value(e.args[0]), self.known["theta"].shape)
            batch = self._once(("batch", e.args[1]), lambda: self.gradient.draw(point))
            return self.gradient(point, batch) if isinstance(e, Gradient) else self.gradient.slope(batch)
        args = [a if isinstance(a, MatrixName | Root) else self.value(a) for a in e.args]
        if isinstance(e, FullGradient):
            return self.gradient.full(args[0])
        if isinstance(e, Apply):
            return args[1] @ self._matrix(args[0]).T
        if isinstance(e, Dot):
            return (args[0] * args[1]).sum(axis=1, keepdims=True)
        if isinstance(e, DiagonalOf):
            return np.diag(self._matrix(args[0]))
        if isinstance(e, Prior | PriorCurvature):
            known = getattr(self.gradient, "prior", None)  # the problems of a check have none
            return known(args[0]) if known and isinstance(e, Prior) else 0.0
        if isinstance(e, sp.Mod):
            return np.mod(*args)
        found = getattr(np, type(e).__name__.lower(), None)
        if found is None:
            raise UnusableInput("a function of NumPy", str(e), "write the step yourself")
        with np.errstate(all="ignore"):
            return found(*args)

    def _matrix(self, e: Any) -> Array:
        if isinstance(e, Root):
            return symmetric_root(self._matrix(e.args[0]))
        return self.params[e.name]
