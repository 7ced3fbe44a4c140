"""Other declared samplers that the target may be, their parameters in those of the one asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import MatrixName, Parameter
from sgtheory.errors import UnusableInput
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.variant import Variant
from verification.checking.faults.words import stability_of

_STEPS = ("eps", "eta", "gamma")  # letters for a step
_NAMED, _UPDATE = 0.9, 0.01  # cost of a declared sampler, and more of each of its updates
_TEMPERATURES = ("tau", "T")


def declared(sampler: Any) -> Iterator[tuple[str, Any]]:
    """All other declared samplers with independent minibatches, families word by word; of None, all."""
    for name in registry.samplers():
        try:
            first = registry.sampler(name)
        except UnusableInput:
            continue
        words = _words_of(name)
        for full in (f"{name}:{w}" for w in words) if words else (name,):
            try:
                other = registry.sampler(full) if words else first
            except UnusableInput:
                continue
            if other.batches == "independent" and (sampler is None or other.updates != sampler.updates):
                yield full, other


def _words_of(name: str) -> tuple[str, ...]:
    family = registry.family(name)
    return tuple(family.examples) if family is not None else ()


def same_parameters(sampler: Any) -> Iterator[Candidate]:
    """Declared samplers whose parameters are among those of the one asked for, or have defaults."""
    own = {p.name for p in sampler.parameters}
    for name, other in declared(sampler):
        needed = {p.name for p in other.parameters if other.default(p) is None}
        if needed <= own:
            given = _defaults(other, own)
            if given is not None:
                yield _of(name, other, given, _NAMED)


def itself(sampler: Any) -> Iterator[Candidate]:
    """The sampler with other values for one of its parameters, or two: they may be meant differently."""
    free = [p for p in sampler.parameters if isinstance(p, Parameter) and not p.is_integer]
    for p in free:
        yield _fitted(sampler.name, sampler, (p,), {}, 1.0)
    for p, q in combinations(free, 2):
        yield _fitted(sampler.name, sampler, (p, q), {}, 1.5)


def translated(sampler: Any) -> Iterator[Candidate]:
    """Other declared samplers with numbers for the parameters, to be fitted and then named."""
    own = {p.name for p in sampler.parameters}
    for name, other in declared(sampler):
        scalars = [p for p in other.parameters if isinstance(p, Parameter) and not p.is_integer]
        free = tuple(p for p in scalars if other.default(p) is None)
        if 0 < len(free) <= 3:
            given = _defaults(other, own, {p.name for p in free})
            if given is not None:
                yield _fitted(name, other, free, given, 2.0)


def _defaults(other: Any, own: set[str], free: Any = ()) -> Mapping[str, Any] | None:
    """What the parameters are that are not fitted: those of the same name, or defaults."""
    given: dict[str, Any] = {}
    for p in other.parameters:
        if p.name in free or p.name in own:
            continue
        value = other.default(p)
        if (
            value is None
            or (isinstance(p, MatrixName) and value != "identity")
            or hasattr(value, "rule")
        ):
            return None
        if not isinstance(p, MatrixName):
            given[p.name] = sp.sympify(value) if not isinstance(value, str) else sp.Rational(value)
    return given


def _of(name: str, other: Any, given: Mapping[str, Any], cost: float) -> Candidate:
    words = f"This is {name}: {_order(other)}."
    variant = Variant.of(other)
    cost += _UPDATE * len(other.updates)  # of two with the same positions, the one that does less
    return Candidate(f"follows {name}", words, variant, cost, given=tuple(given.items()), other=name)


def _order(other: Any) -> str:
    where = stability_of(other)
    return (other.convention.order or "another update") + (f"; it is {where}" if where else "")


def _fitted(name: str, other: Any, free: Any, given: Mapping[str, Any], cost: float) -> Candidate:
    shown = ", ".join(f"{p} = {{{k}}}" for k, p in enumerate(free))
    itself = cost < 2
    words = f"This is {name} with {shown}" + ("." if itself else f": {_order(other)}.")
    named = f"{name} with other {', '.join(map(str, free))}"
    return Candidate(
        named, words, Variant.of(other), cost, free, (1.0,) * len(free), tuple(given.items()), name
    )
