"""A declared step in one coordinate, in letters that a weak expansion reads.

L is the mean loss, R its part that no example has a share in (the prior's). What is no polynomial in a
state, such as 1/(lambda + sqrt(V)), becomes the square of a positive function of that state, so that
its root can be taken: nothing that follows depends on which function it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declaring.noises import Normal
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import AppliedFar, Inconsistent
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import LOSS, NoRule
from sgtheory.errors import UnusableInput
from sgtheory.language import (
    Apply,
    Curvature,
    D,
    Dot,
    FullGradient,
    Gradient,
    MatrixName,
    Prior,
    PriorCurvature,
    S,
    Table,
    ones,
    step_in,
)
from sgtheory.language import t as clock
from sgtheory.notation.sentence import say

REFUSED = (UnusableInput, NoRule, Inconsistent)
_C = sp.Symbol("C", positive=True)
PRIOR = "R"
_PATIENCE = 400  # scalings that are tried
_TRIED = (-3, -1, sp.Rational(-1, 5), sp.Rational(1, 5), 1, 3)


@dataclass(frozen=True)
class Scaling:
    """States as ``factor * new`` and parameters in powers of h: (symbol, what it is)."""

    states: tuple[tuple[Any, tuple[Any, Any]], ...] = ()
    sizes: tuple[tuple[Any, Any], ...] = ()

    def equations(self) -> Iterator[tuple[Any, Any]]:
        """What old letters are in new ones."""
        yield from ((s, new * factor) for s, (new, factor) in self.states)
        yield from self.sizes


@dataclass(frozen=True)
class Declared:
    """A declared step, the symbol of its step size, and what its functions stand for."""

    step: Step
    h: Any
    functions: tuple[tuple[Any, Any], ...] = ()  # a function squared, and what that is
    held: tuple[tuple[Any, Any], ...] = ()  # what was put for letters that see the clock
    scaling: Scaling = Scaling()

    @classmethod
    def of(cls, sampler: Any, quotients: bool = True) -> Declared:
        """By the sampler's name or declaration; without ``quotients``, terms over a state left out.

        >>> found = Declared.of("sgld")
        >>> found.step.noises, found.h
        ((xi, w_0), eps)
        >>> Declared.of("psgld:no_gamma").functions
        ((r_V(V)**2, 1/(lambda + sqrt(V))),)
        """
        found = registry.sampler(sampler)
        tables = [s.name for s in found.state if isinstance(s, Table)]
        if tables:
            raise UnusableInput(
                "states of one value each",
                f"the table {tables[0]}, a value for each example",
                "simulate it",
            )
        if found.batches == "reshuffled":
            raise UnusableInput("minibatches drawn anew in each step", found.name, "unroll a period")
        gains = {str(getattr(m, "name", m)) for m, value in found.defaults if value == "identity"}
        where: dict[Any, Any] = dict(found.where)
        written = [(t, _number(sp.sympify(e), gains).subs(where)) for t, e in found.updates]
        written, held = _clock_held(found, written)
        letters = {*found.state, *(t for t, _ in written)}
        if not quotients:
            copies = {t for t, e in written if e in found.state}
            written = [(t, _without_quotients(e, {*found.state, *copies})) for t, e in written]
        plainly = {s: sp.Symbol(s.name, real=True) for s in letters}
        state = tuple(plainly[s] for s in found.state)
        draws: dict[Any, Any] = {}
        updates = [(plainly[t], _with_loss(e.xreplace(plainly), state[0], draws)) for t, e in written]
        named = _Named(state)
        step = Step(state, tuple(named.rewrite(updates)), (*found.noises, *draws.values()))
        free = set(_without_default(found))
        size = found.step if found.step in free else step_in(sp.Add(*free))
        return cls(step, size, tuple(named.functions.values()), held)

    def rescaled(self, scales: Mapping[str, tuple[Any, Any]], sizes: Mapping[str, Any]) -> Declared:
        """In other variables and powers of the step, all by name."""
        if not scales and not sizes:
            return self
        states = {s.name: s for s in self.step.state}
        parameters = {s.name: s for s in (*self.step.parameters, self.h)}
        unknown = [n for n in (*scales, *sizes) if n not in {**states, **parameters}]
        if unknown:
            raise UnusableInput(
                "names of states and parameters", ", ".join(unknown), "see the declaration"
            )
        changed = {states[n]: scaled for n, scaled in scales.items()}
        powers = {parameters[n]: value for n, value in sizes.items()}
        step = _rescaled(self.step, changed, powers)
        scaling = Scaling(tuple(changed.items()), tuple(powers.items()))
        return Declared(step, sp.Symbol("h", positive=True), self.functions, self.held, scaling)

    def with_limit(self) -> Declared:
        """Itself, or in the first scaling found in which every state solves an equation.

        >>> found = Declared.of("momentum").with_limit()
        >>> [f"{old} = {new}" for old, new in found.scaling.equations()]
        ['v = h*p_v', 'eps = h**2', 'mu = c_mu*h']
        """
        first: Exception | None = None
        for declared in (self, *self._scalings()):
            try:
                process = limit(declared.step, declared.h)
                if declared is self or self._all_move(process):
                    return declared
            except REFUSED as refused:
                first = first or refused
        assert first is not None
        raise self._worded(first)

    def _worded(self, refused: Exception) -> Exception:
        """Of a function that stands for one of a state: that the state jumps."""
        roots = [f.base for f, _ in self.functions]
        jumps = [
            r.args[0] for r in roots if isinstance(refused, AppliedFar) and r.name == refused.function
        ]
        if not jumps:
            return refused
        words = (
            "${}$ does not stay near where it is as the step vanishes, also where momenta go with the"
        )
        return Inconsistent(say(f"{words} step, and memories fade with it", jumps[0]))

    def _all_move(self, process: Diffusion) -> bool:
        """Whether every state that a step changes at all has an equation in which something happens."""
        still = {s for s in self.step.state if all(e == t for t, e in self.step.updates if t == s)}
        rows = zip(self.step.state, process.drift, process.noise, strict=True)
        return all(s in still or b != 0 or any(e != 0 for e in row) for s, b, row in rows)

    def _scalings(self) -> Iterator[Declared]:
        """Few changes first: momenta with the step, memories that fade with it."""
        h = sp.Symbol("h", positive=True)
        inner = {a for f, _ in self.functions for a in min(f.atoms(sp.Function), key=str).args}
        free = [s for s in self.step.state[1:] if s not in inner]
        fading = [p for p in self.step.parameters if p.name in ("mu", "alpha", "b1", "sigma")]
        changes: list[tuple[str, str, Any]] = []
        for s in free:
            new = sp.Symbol(f"p_{s}", real=True)
            changes += [("state", s.name, (new, h)), ("state", s.name, (new, 1 / h))]
        for p in fading:
            rate = sp.Symbol(f"c_{p}", positive=True)
            changes += [("size", p.name, rate * h), ("size", p.name, 1 - rate * h)]
        tried = 0
        for many in range(1, len(free) + len(fading) + 1):
            for chosen, power in product(combinations(changes, many), (1, 2)):
                if len({(kind, name) for kind, name, _ in chosen}) < many or tried > _PATIENCE:
                    continue
                tried += 1
                scales = {name: v for kind, name, v in chosen if kind == "state"}
                sizes = {self.h.name: h**power} | {n: v for kind, n, v in chosen if kind == "size"}
                yield self.rescaled(scales, sizes)


def _without_default(found: Any) -> Iterator[Any]:
    given = {p for p, _ in found.defaults}
    return (p for p in found.parameters if p not in given and not isinstance(p, MatrixName))


def _rescaled(step: Step, scales: Mapping[Any, tuple[Any, Any]], sizes: Mapping[Any, Any]) -> Step:
    """The updates with old letters written in new ones; each scaled state is kept in its own units."""
    if not scales:
        return step.put(sizes)
    factors = {s: sp.sympify(f).subs(sizes) for s, (_, f) in scales.items()}
    old = {s: new * factors[s] for s, (new, _) in scales.items()}
    updates = []
    for target, e in step.updates:
        written = sp.expand(e.subs(sizes).xreplace(old))
        if target in scales:
            written = sp.expand(written / factors[target])
            target = scales[target][0]
        updates.append((target, sp.powsimp(written)))
    state = tuple(scales[s][0] if s in scales else s for s in step.state)
    return Step(state, tuple(updates), step.noises)


def _clock_held(found: Any, written: list[Any]) -> tuple[list[Any], tuple[tuple[Any, Any], ...]]:
    """The first of the cases that the clock decides; long after the start; constant where it may be."""
    updates = [(t, e.replace(sp.Piecewise, lambda *cases: cases[0][0])) for t, e in written]
    zero = {p: sp.Integer(0) for p, v in found.defaults if v == 0}
    quiet = [(t, e.subs(zero)) for t, e in updates]
    put = tuple((p, v) for p, v in zero.items() if any(e.has(p) for _, e in updates))
    if not any(e.has(clock) for _, e in quiet):
        return quiet, put
    late = [(t, _late(e)) for t, e in quiet]
    if any(e.has(clock) for _, e in late):
        raise UnusableInput(
            "steps that are alike, or become so", f"those of {found.name}, at any time", "simulate it"
        )
    return late, (*put, (clock, sp.oo))


def _without_quotients(expr: Any, states: set[Any]) -> Any:
    def over(term: Any) -> bool:
        return any(p.base in states and p.exp.is_negative for p in term.atoms(sp.Pow))

    return sp.Add(*(a for a in sp.Add.make_args(expr) if not over(a)))


def _late(expr: Any) -> Any:
    """Powers of what is forgotten are 0 long after the start."""

    def forgotten(e: Any) -> bool:
        return bool(e.is_Pow and e.exp.has(clock) and sp.diff(e.exp, clock) == 1)

    return expr.replace(forgotten, lambda e: sp.Integer(0))


def _number(expr: Any, gains: set[Any]) -> Any:
    """In one coordinate: matrices are positive numbers, a gain that defaults to the identity is 1."""

    def factor(matrix: Any) -> Any:
        name = str(matrix.args[0] if matrix.args else matrix)
        value = sp.Integer(1) if name in gains else sp.Symbol(name, positive=True)
        return sp.sqrt(value) if matrix.args else value

    found = expr.replace(Dot, lambda x, y: x * y)
    while found.has(Apply):
        found = found.replace(Apply, lambda matrix, inner: factor(matrix) * inner)
    return found.subs({ones: 1, D: 1})


def _with_loss(expr: Any, x: Any, draws: dict[Any, Any]) -> Any:
    """Gradients as derivatives of L, with the noise of their minibatch."""

    def slope(at: Any, name: str = LOSS, order: int = 1) -> Any:
        inner = sp.Function(name)(x).diff(x, order)
        return inner if at == x else sp.Subs(inner, x, at)

    def drawn(at: Any, k: Any = 0) -> Any:
        noise = draws.setdefault(k, Normal(f"w_{k}", real=True))
        return slope(at) + sp.sqrt(_C) / sp.sqrt(S) * noise

    found = expr.replace(FullGradient, slope).replace(Gradient, drawn)
    found = found.replace(Curvature, lambda at, _: slope(at, LOSS, 2))
    found = found.replace(PriorCurvature, lambda at: slope(at, PRIOR, 2))
    return found.replace(Prior, lambda at: slope(at, PRIOR))


class _Named:
    """Squares of positive functions for what is no polynomial in one state."""

    def __init__(self, state: tuple[Any, ...]) -> None:
        self._state = state
        self.functions: dict[Any, tuple[Any, Any]] = {}  # by state
        self._written: dict[Any, Any] = {}  # locals that are functions of one state, in it

    def rewrite(self, updates: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """The updates; of a local that is such a function only its letters remain."""
        for target, e in updates:
            inside = e.xreplace(self._written)
            s = self._alone(inside)
            if s is not None and target not in self._state:
                self._written[target] = inside
                yield target, self._function(inside, s)
            else:
                yield target, self._factors(e)

    def _alone(self, expr: Any) -> Any:
        """The one state in an expression that is no polynomial in it; None where there is none."""
        seen = [s for s in self._state if expr.has(s)]
        letters = {s for s in expr.free_symbols if not s.is_positive and not s.is_nonnegative}
        if len(seen) != 1 or letters - {seen[0]} or expr.atoms(sp.core.function.AppliedUndef):
            return None
        if seen[0] != self._state[0]:  # a friction's exponential is a series where it goes with the step
            expr = expr.replace(sp.exp, lambda inner: sp.Integer(1))
        return None if expr.is_polynomial(seen[0]) else seen[0]

    def _factors(self, expr: Any) -> Any:
        """Each product's part that depends on one state only."""
        if expr.is_Add:
            return sp.Add(*(self._factors(a) for a in expr.args))
        if expr.is_Pow and expr.exp == sp.Rational(1, 2) and expr.base.is_Mul:
            return sp.Mul(*(self._factors(sp.sqrt(a)) for a in expr.base.args))
        inside = [(a, a.xreplace(self._written)) for a in sp.Mul.make_args(expr)]
        for s in self._state:
            mine = [
                (a, b) for a, b in inside if b.has(s) and not b.has(*(z for z in self._state if z != s))
            ]
            part = sp.Mul(*(b for _, b in mine))
            if self._alone(part) == s:
                rest = sp.Mul(*(a for a, b in inside if (a, b) not in mine))
                return self._factors(rest) * self._function(part, s)
        return expr

    def _function(self, expr: Any, s: Any) -> Any:
        """In the function of that state, or in its derivative."""
        if s not in self.functions:
            _check_positive(expr, s)
            r = sp.Function(f"r_{s}")(s)
            self.functions[s] = (r**2, expr)
            return r**2
        (square, meaning) = self.functions[s]
        r = square.base
        y = sp.Symbol(f"y_{s}", positive=True)
        given, known = expr.subs(s, y), meaning.subs(s, y)
        for power in (1, 2, 3, 4):
            ratio = _simple(given / known ** sp.Rational(power, 2))
            if not ratio.has(y):
                return ratio * r**power
        ratio = _simple(given / sp.diff(known, y))
        if not ratio.has(y):
            return 2 * ratio * r * r.diff(s)
        raise UnusableInput(f"one function of {s} and its slope", str(expr), "name it")


def _simple(expr: Any) -> Any:
    return sp.powsimp(
        sp.simplify(sp.powdenest(sp.factor(sp.powdenest(expr, force=True)), force=True)), force=True
    )


def _check_positive(expr: Any, s: Any) -> None:
    """Wherever it is a real number; a running mean of squares is never negative."""
    letters = dict.fromkeys(expr.free_symbols - {s}, sp.Rational(2, 7))
    values = [sp.sympify(expr.subs(letters).subs(s, at)).evalf() for at in _TRIED]
    if any(v.is_real and not v.is_positive for v in values):
        raise UnusableInput(
            "a factor that is positive", f"{expr}, for a state of any sign", "see its card"
        )
