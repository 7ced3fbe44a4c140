"""What a run may be of in place of what was declared: steps with one number that is to be fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.declare import Gradient, Noise, Parameter
from verification.checking.faults.candidate import scale
from verification.checking.faults.variant import Numbers, Variant
from verification.finished.steps import Step

Array = Any


@dataclass(frozen=True)
class Suspect:
    """A step with a factor that is fitted; ``told`` makes words of the factor."""

    name: str
    step: Callable[[float], Step]
    told: Callable[[float], str]


@dataclass(frozen=True, eq=False)
class Declared:
    """The sampler that a run should be of, its numbers, and how many steps lie between two draws."""

    sampler: Any
    numbers: Numbers
    every: int
    extra: Array = 0.0

    def step(self, variant: Variant | None = None, numbers: Numbers | None = None) -> Step:
        """From one draw to the next, as declared or with other updates or numbers."""
        made = Step.of(variant or Variant.of(self.sampler), numbers or self.numbers, extra=self.extra)
        return made.every(self.every)

    def with_noise(self, factor: float) -> Declared:
        """Where what the examples' curvatures add to the noise is so many times as large."""
        return replace(self, extra=self.extra * factor)


def suspects(declared: Declared) -> Iterator[Suspect]:
    """Another step, temperature, size of gradients or of their noise, or value of a parameter."""
    sampler, numbers = declared.sampler, declared.numbers
    variant = Variant.of(sampler)
    own = [p for p in sampler.parameters if isinstance(p, Parameter) and not p.is_integer]
    own.sort(key=lambda p: p != sampler.step)
    s = scale(positive=True)

    def parameter(p: Any) -> Suspect:
        value = numbers.scalars[p.name]

        def told(x: float) -> str:
            how = "step" if p == sampler.step else f"value of {p}"
            return (
                f"Its {how} is another: {p} = {value * x:.4g} in place of {value:.4g},"
                f" {x:.4g} times as large."
            )

        return Suspect(
            "step" if p == sampler.step else "parameter",
            lambda x: declared.with_noise(x * x if p == sampler.step else 1.0).step(
                numbers=numbers.with_scalars(**{p.name: value * x})
            ),
            told,
        )

    yield from (parameter(p) for p in own if p == sampler.step)
    for name, kind, words in (
        ("temperature", Noise, "It runs at {0} times the temperature that it should have: so much more"
         " variance has the injected noise."),
        ("gradients", Gradient, "Gradients are {0} times what they should be: the curvature, N, or a"
         " loss that is summed and not averaged."),
    ):  # fmt: skip
        atoms = {a: s * a for _, e in variant.updates for a in e.atoms(kind)}
        if atoms:
            made = replace(variant, updates=tuple((t, e.xreplace(atoms)) for t, e in variant.updates))
            root = 0.5 if kind is Noise else 1.0
            yield Suspect(
                name,
                lambda x, made=made, root=root: declared.with_noise(  # type: ignore[misc]
                    x * x if root == 1 else 1.0
                ).step(made, numbers.with_scalars(**{s.name: x**root})),
                lambda x, words=words: words.replace("{0}", f"{x:.4g}"),  # type: ignore[misc]
            )
    if np.any(numbers.case.noise_root):
        size = float(numbers.scalars["S"])
        yield Suspect(
            "gradient noise",
            lambda x: declared.with_noise(x).step(numbers=_noisier(declared, x)),
            lambda x: (
                f"The noise of gradients has {x:.4g} times the covariance that it should have, as"
                f" minibatches of {size / x:.4g} examples in place of {size:.4g} would make it."
            ),
        )
    yield from (parameter(p) for p in own if p != sampler.step)


def _noisier(declared: Declared, x: float) -> Numbers:
    case = declared.numbers.case
    factor = Fraction(x)
    C = tuple(tuple(c * factor for c in row) for row in case.problem.matrices["C"])
    matrices = MappingProxyType({**case.problem.matrices, "C": C})
    return replace(
        declared.numbers, case=replace(case, problem=replace(case.problem, matrices=matrices))
    )
