"""One step of an algorithm in symbols: ordered updates of states, locals, standard normal noises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy as sp

from sgtheory.declare import Apply, Sampler
from sgtheory.dynamics.walking import Arithmetic, walk
from sgtheory.errors import UnusableInput


@dataclass(frozen=True)
class Step:
    """Updates are carried out in order, each seeing what the ones before it wrote.

    A target that is no state is forgotten after the step. Functions may stay unspecified: U(y) with a
    local y is U there.

    >>> x, v, h, xi = sp.symbols("x v h xi", real=True)
    >>> step = Step((x, v), ((v, v - h * x), (x, x + h * v)))
    >>> step.after({x: x, v: v})[x].expand()
    -h**2*x + h*v + x
    """

    state: tuple[Any, ...]
    updates: tuple[tuple[Any, Any], ...]
    noises: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        targets = {t for t, _ in self.updates}
        missing = [s for s in self.state if s not in targets]
        if len(missing) == len(self.state):
            raise UnusableInput("an update of a state", str(self.updates), "write (x, new value of x)")
        object.__setattr__(self, "updates", tuple((t, sp.sympify(e)) for t, e in self.updates))

    @classmethod
    def of(cls, sampler: Sampler) -> Step:
        """A declared sampler's step; abbreviations are written out, gains that default to I are 1."""
        gains = {m.name: sp.Integer(1) for m, value in _gains(sampler) if value == "identity"}
        written = [(t, _coordinate(e, gains).subs(dict(sampler.where))) for t, e in sampler.updates]
        return cls(tuple(sampler.state), tuple(written), tuple(sampler.noises))

    @classmethod
    def map(cls, state: Sequence[Any], new: Sequence[Any], noises: Sequence[Any] = ()) -> Step:
        """All states at once, from the old values."""
        names = [sp.Dummy(f"{s}_new", real=True) for s in state]
        both = (*zip(names, new, strict=True), *zip(state, names, strict=True))
        return cls(tuple(state), both, tuple(noises))

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What is neither state nor noise nor local."""
        own = {*self.state, *self.noises, *(t for t, _ in self.updates)}
        bound = {v for _, e in self.updates for s in e.atoms(sp.Subs) for v in s.variables}
        found = {s for _, e in self.updates for s in e.free_symbols} - own - bound
        return tuple(sorted(found, key=lambda s: s.name))

    def put(self, values: Mapping[Any, Any]) -> Self:
        """Symbols replaced on the right-hand sides."""
        return replace(self, updates=tuple((t, e.subs(values)) for t, e in self.updates))

    def after(self, values: Mapping[Any, Any]) -> dict[Any, Any]:
        """The new states in terms of old ones, by substitution."""
        known = dict(values)
        for target, expr in self.updates:
            known[target] = substituted(expr, known)
        return {s: known[s] for s in self.state}

    def run(self, at: Arithmetic, values: Mapping[Any, Any]) -> dict[Any, Any]:
        """The new states in some arithmetic."""
        known = dict(values)
        for target, expr in self.updates:
            known[target] = walk(expr, at.but(known))
        return {s: known[s] for s in self.state}


def substituted(expr: Any, known: Mapping[Any, Any]) -> Any:
    """Symbols replaced everywhere, also where a function is applied."""
    return sp.sympify(expr).xreplace(dict(known))


def _gains(sampler: Sampler) -> list[tuple[Any, Any]]:
    return [(getattr(m, "name", m), value) for m, value in sampler.defaults]


def _coordinate(expr: Any, gains: Mapping[str, Any]) -> Any:
    """In one coordinate a matrix is a number; a gain that defaults to the identity is 1."""

    def applied(matrix: Any, inner: Any) -> Any:
        name = str(matrix.args[0] if matrix.args else matrix)
        if name not in gains:
            raise UnusableInput("scalar coefficients", f"the matrix {name}", "choose a scalar gain")
        return inner

    found: Any = sp.sympify(expr)
    while found.has(Apply):
        found = found.replace(Apply, applied)
    return found
