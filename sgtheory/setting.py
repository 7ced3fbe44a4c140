"""A setting: a sampler on a model. Here every stochastic gradient becomes what the model says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.declare import (
    Apply,
    BatchMean,
    Curvature,
    FullGradient,
    Gradient,
    Local,
    Model,
    N,
    Noise,
    Prior,
    PriorCurvature,
    S,
    Sampler,
    Spread,
    State,
    Update,
    f,
    mode,
    ones,
    t,
)
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.quantities import TIMES
from sgtheory.reader.potentials import slope

# Of a reshuffled epoch: the sum of the gradient noises so far, which the last one brings to zero.
EPOCH = State("epoch", real=True)


@dataclass(frozen=True)
class Setting:
    """A sampler on a model.

    >>> from sgtheory import registry
    >>> Setting(registry.sampler("sgd"), registry.model("quadratic")).updates
    ((theta, -eps*Apply(H, Apply(A, theta) + Apply(B, w0)/sqrt(S)) + theta),)
    """

    sampler: Sampler
    model: Model
    read: int | None = None  # only the first updates of a step: what is seen when reading there
    sampled: bool = False  # real minibatches of a data model, not their first two moments
    unrolled: int | None = None  # so many steps as one: a whole period of updates that see the clock

    def __post_init__(self) -> None:
        """A sampler and a model may be given as everywhere: by a name, a file, or a module of ours."""
        from sgtheory import registry

        if not isinstance(self.sampler, Sampler):
            object.__setattr__(self, "sampler", registry.sampler(self.sampler))
        if not isinstance(self.model, Model):
            object.__setattr__(self, "model", registry.model(self.model))

    @cached_property
    def state(self) -> tuple[State, ...]:
        """What the chain carries: the sampler's states, and the memory of a reshuffled epoch."""
        return (*self.sampler.state, EPOCH) if self.reshuffled else self.sampler.state

    @property
    def reshuffled(self) -> bool:
        """Whether the minibatches of an epoch share no example."""
        return self.sampler.batches == "reshuffled"

    @cached_property
    def updates(self) -> tuple[Update, ...]:
        """The sampler's updates with the model's gradients written out."""
        written = tuple((target, self._write_out(expr)) for target, expr in self.sampler.updates)
        if self.reshuffled:
            written = self._remember(written)
        if self.unrolled is not None:
            written = tuple(u for k in range(self.unrolled) for u in self._copy(written, k))
        return written if self.read is None else written[: self.read]

    def unroll(self, steps: int) -> Setting:
        """A whole period of this many steps as one step, for a sampler that sees the clock.

        >>> from sgtheory import registry
        >>> Setting(registry.sampler("iasg"), registry.model("quadratic")).unroll(2).period
        1
        """
        return replace(self, unrolled=steps)

    def _copy(self, updates: tuple[Update, ...], clock: int) -> tuple[Update, ...]:
        """The updates at one time of the clock, with noises of their own."""
        names = {w: self._copied(w, clock) for w in self._once}
        names |= {
            target: Local(f"{target.name}_{clock}", real=True)
            for target, _ in updates
            if target not in self.state
        }
        period = replace(self, unrolled=None).period
        length = (
            {period: sp.Integer(self.unrolled)}
            if period is not None and sp.sympify(period).is_Symbol
            else {}
        )
        size = {N: self.unrolled * S} if period == N / S else length
        return tuple(
            (names.get(target, target), sp.sympify(e).subs({t: clock} | size).xreplace(names))
            for target, e in updates
        )

    def _copied(self, w: Noise, clock: int) -> Noise:
        return type(w)(f"{w.name}_{clock}", real=True)

    def reading(self, read: int) -> Setting:
        """The same setting, seen after the first ``read`` updates of a step."""
        return replace(self, read=read)

    def _write_out(self, expr: Any) -> Any:
        model = self.model

        def stochastic(x: Any, draw: Any) -> Any:
            if self.sampled or model.nonlinear:
                return BatchMean(sp.sympify(model.example).xreplace({model.x: x}), draw)
            drawn: dict[Any, Any] = {w: self.gradient_noise(w, int(draw)) for w in model.noises}
            drawn[Spread(0)] = Spread(int(draw))
            return model.gradient.xreplace({model.x: x, **drawn})

        def full(x: Any) -> Any:
            if x == mode and (self.sampled or model.nonlinear):
                return sp.Integer(0)
            return model.full_gradient.xreplace({model.x: x})

        expr = sp.sympify(expr).replace(Gradient, stochastic)
        expr = expr.replace(Curvature, lambda x, draw: slope(model, x, draw))
        expr = expr.replace(Prior, lambda x: model.prior.xreplace({model.x: x}))
        bend = sp.diff(model.prior, model.x) * ones  # a ridge: the same everywhere
        expr = expr.replace(PriorCurvature, lambda _: bend)
        expr = expr.replace(FullGradient, full)
        return expr.replace(Apply, lambda matrix, x: Apply(matrix, x) if x != 0 else sp.Integer(0))

    def _remember(self, updates: tuple[Update, ...]) -> tuple[Update, ...]:
        """Updates whose gradient noises sum to zero over an epoch of N/S steps.

        Exchangeable Gaussian noises with that sum are drawn one by one: given the sum so far, the
        next has mean -sum/r and the variance below, r the steps of the epoch that are left. The
        variance of each alone is that of a minibatch without replacement, (N - S)/(N - 1).
        """
        if len(self._drawn) != 1:
            drawn = (
                "real minibatches of data" if not self._drawn else f"{len(self._drawn)} noises in a step"
            )
            raise UnusableInput(
                f"one Gaussian gradient noise in each step of {self.sampler.name}",
                f"{drawn} ({self.model.name})",
                'take the quadratic model with the same A and C, or sgd with "replacement": false',
            )
        (w,) = self._drawn
        (drive,) = {a for _, e in updates for a in e.atoms(Apply) if a.args[1] == w}
        u = Local(f"u{w.name}", real=True)
        left = N / S - sp.Mod(t, N / S)
        fresh = sp.sqrt(N / sp.Max(N - 1, 1)) * sp.sqrt(1 - 1 / left)
        inside = tuple((target, expr.xreplace({drive: u, sp.sqrt(f): 1})) for target, expr in updates)
        return ((u, -EPOCH / left + fresh * drive), *inside, (EPOCH, EPOCH + u))

    def gradient_noise(self, w: Noise, draw: int) -> Noise:
        """The model's noise w as it enters the step's minibatch number ``draw``."""
        return type(w)(f"{w.name}{draw}", real=True)

    @cached_property
    def gradient_noises(self) -> tuple[Noise, ...]:
        """The noises of the minibatches, in the order in which they are drawn."""
        return self._each_copy(self._drawn)

    @cached_property
    def injected_noises(self) -> tuple[Noise, ...]:
        """The noises of the sampler itself."""
        return self._each_copy(self.sampler.noises)

    @property
    def _drawn(self) -> tuple[Noise, ...]:
        if self.sampled:
            return ()
        draws = self.sampler.gradients
        return tuple(self.gradient_noise(w, k) for k in draws for w in self.model.noises)

    @property
    def _once(self) -> tuple[Noise, ...]:
        return (*self._drawn, *self.sampler.noises)

    def _each_copy(self, noises: tuple[Noise, ...]) -> tuple[Noise, ...]:
        if self.unrolled is None:
            return noises
        return tuple(self._copied(w, k) for k in range(self.unrolled) for w in noises)

    @property
    def times(self) -> tuple[str, ...]:
        """The times in which there is a stationary law: a sampler that sees the clock has no limit.

        Neither has one whose step is not in proportion to its size where that is small.

        >>> from sgtheory import registry
        >>> quadratic = registry.model("quadratic")
        >>> [Setting(registry.sampler(n), quadratic).times for n in ("sgd", "iasg", "averaged_sgd")]
        [('discrete', 'continuous'), ('discrete',), ()]
        """
        from sgtheory.onestep.affine import has_limit

        if self.period is None:
            return ()
        return TIMES if self.period == 1 and has_limit(self) else TIMES[:1]

    @cached_property
    def period(self) -> Any:
        """How many steps until the updates repeat: 1, an expression, or None if they never do.

        >>> from sgtheory import registry
        >>> Setting(registry.sampler("iasg"), registry.model("quadratic")).period
        T
        """
        periods = set()
        for _, expr in self.updates:
            for clock in expr.atoms(sp.Mod):
                if clock.args[0] == t:
                    periods.add(clock.args[1])
            hidden = expr.replace(sp.Mod, lambda a, b: sp.Integer(0) if a == t else sp.Mod(a, b))
            if t in hidden.free_symbols:
                return None
        return sp.Mul(*periods)
