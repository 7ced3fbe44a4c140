"""A setting: a sampler on a model. Here every stochastic gradient becomes what the model says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, Model, Noise, Sampler, Update


@dataclass(frozen=True)
class Setting:
    """A sampler on a model.

    >>> from sgtheory import registry
    >>> Setting(registry.sampler("sgd"), registry.model("quadratic")).updates
    ((theta, -eps*Apply(H, Apply(A, theta) + Apply(B, w0)/sqrt(S)) + theta),)
    """

    sampler: Sampler
    model: Model

    @cached_property
    def updates(self) -> tuple[Update, ...]:
        """The sampler's updates with the model's gradients written out."""
        return tuple((target, self._write_out(expr)) for target, expr in self.sampler.updates)

    def _write_out(self, expr: Any) -> Any:
        model = self.model

        def stochastic(x: Any, draw: Any) -> Any:
            drawn = {w: self.gradient_noise(w, int(draw)) for w in model.noises}
            return model.gradient.xreplace({model.x: x, **drawn})

        expr = sp.sympify(expr).replace(Gradient, stochastic)
        return expr.replace(FullGradient, lambda x: model.full_gradient.xreplace({model.x: x}))

    def gradient_noise(self, w: Noise, draw: int) -> Noise:
        """The model's noise w as it enters the step's minibatch number ``draw``."""
        return type(w)(f"{w.name}{draw}", real=True)

    @cached_property
    def gradient_noises(self) -> tuple[Noise, ...]:
        """The noises of the minibatches, in the order in which they are drawn."""
        draws = self.sampler.gradients
        return tuple(self.gradient_noise(w, k) for k in draws for w in self.model.noises)

    @property
    def injected_noises(self) -> tuple[Noise, ...]:
        """The noises of the sampler itself."""
        return self.sampler.noises
