"""Declared samplers as the updates that train a network: nothing about a method is typed a second time.

``verification.checking.written`` reads a declaration on any arrays and any gradient. Here gains that
are identities are left out, so that no matrix of the network's dimension is needed, and steps may
change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, MatrixName
from verification.checking.written import DeclaredStep


@dataclass(frozen=True)
class Method:
    """A row of a table: a declared sampler, its letters, and the one that is its step."""

    label: str
    sampler: str
    step: str  # the letter that a schedule multiplies
    params: Mapping[str, float] = field(hash=False)
    averages: bool = False  # predictions are averaged over samples, not those of the last


@dataclass(frozen=True, eq=False)
class Normals:
    """Standard normal numbers in the type and on the device of the parameters."""

    rng: Any
    dtype: Any

    def standard_normal(self, shape: tuple[int, ...]) -> Any:
        """An array of them."""
        return self.rng.standard_normal(shape, dtype=self.dtype)


def without_gains(sampler: Any) -> Any:
    """A sampler whose gains, identities by default, are left out.

    >>> without_gains(registry.sampler("sgd")).updates[0][1].has(Apply)
    False
    """
    identities = {letter.name for letter, value in sampler.defaults if value == "identity"}

    def plain(e: Any) -> Any:
        (gain,) = e.args[0].atoms(MatrixName)
        if gain not in identities:
            raise UnusableInput("gains that are identities by default", str(e), "choose another sampler")
        return e.args[1]

    kept = tuple(
        (name, sp.sympify(e).replace(lambda x: isinstance(x, Apply), plain))
        for name, e in sampler.updates
    )
    left = tuple(d for d in sampler.defaults if d[1] != "identity")
    return replace(sampler, updates=kept, defaults=left, needs=(), rules=())


def letters(sampler: Any, given: Mapping[str, float]) -> dict[str, float]:
    """All letters of its updates: those given, and its defaults.

    >>> letters(registry.sampler("psgld:no_gamma"), {"eps": 0.5, "N": 10})["alpha"]
    0.99
    """
    found = {letter.name: float(sp.Rational(str(value))) for letter, value in sampler.defaults}
    return found | dict(given)


def train(
    method: Method, gradient: Any, theta: Any, normals: Any, sizes: Mapping[str, float], steps: int,
    schedule: Callable[[int], float] = lambda k: 1.0,
) -> Iterator[Any]:  # fmt: skip
    """Parameters (runs, D) after each step; ``schedule(k)`` multiplies the step's letter, k from 0."""
    sampler = without_gains(registry.sampler(method.sampler))
    params = letters(sampler, {**sizes, **method.params})
    step = DeclaredStep(sampler)
    state = step.init(theta, normals, **params)
    for k in range(steps):
        now = {**params, method.step: params[method.step] * schedule(k)}
        with np.errstate(all="ignore"):  # a run that diverges is a result
            state = step(state, gradient, normals, **now)
        yield state["theta"]
