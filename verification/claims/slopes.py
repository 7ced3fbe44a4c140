"""The error of one step in exact numbers, for a few polynomials, and the power of h it goes with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.taylor import Exactly, Taylor
from sgtheory.dynamics.walking import walk
from sgtheory.dynamics.weak import Random
from verification.refuter.places import Place

SIZES = (Fraction(1, 4**14), Fraction(1, 4**15))  # of the step, with rational roots
FINE = (Fraction(1, 4**40), Fraction(1, 4**41)), 250  # sizes, and digits of exponentials
_NOTHING = Fraction(1, 10**60)
_UNSETTLED = 0.1


@dataclass(frozen=True)
class OneStep:
    """A step (or a few with probabilities) of size h, the process it is meant for, and an order."""

    process: Diffusion
    steps: Random
    h: Any
    order: int

    @property
    def tests(self) -> list[Any]:
        """Monomials f on which an error shows."""
        return _tests(self.process.state)

    def slope(self, place: Place, known: Exactly) -> tuple[float, Any]:
        """The smallest slope over a few polynomials f; at finer steps where numbers are so large that
        slopes are not yet halves of whole numbers.
        """
        slopes = self._slopes(SIZES, _NOTHING, place, known)
        if any(abs(2 * s - round(2 * s)) > _UNSETTLED for s, _ in slopes):
            sizes, digits = FINE
            finer = Exactly(known.values, known.functions, known.digits and digits)
            slopes = self._slopes(sizes, Fraction(1, 10 ** (digits - 20)), place, finer)
        return min(slopes, key=lambda s: round(s[0], 2), default=(math.inf, self.tests[0]))

    def _slopes(
        self, sizes: tuple[Fraction, Fraction], nothing: Fraction, place: Place, known: Exactly
    ) -> list[tuple[float, Any]]:
        errors = [self.errors(h, place, known) for h in sizes]
        return [
            (math.log(abs(first / second)) / math.log(4) if first else 0.0, f)
            for f, first, second in zip(self.tests, *errors, strict=True)
            if abs(second) > nothing
        ]

    def errors(self, h: Fraction, place: Place, known: Exactly) -> list[Fraction]:
        """E f(X_h) less the expansion of the semigroup, for every f, as rational numbers."""
        tests = self.tests
        start = {s: place.scalars[s.name] for s in self.process.state}
        total = [Fraction(0)] * len(tests)
        for weight, step in self.steps:
            size = len(step.noises)
            drawn = {w: Taylor.variable(k, Fraction(0), size, None) for k, w in enumerate(step.noises)}
            after = step.run(known.but({**drawn, self.h: h}), start)
            zero = Taylor({}, size, None)
            local = known.but({s: zero + x for s, x in after.items()})
            for k, f in enumerate(tests):
                total[k] += Fraction(int(weight.p), int(weight.q)) * _mean(zero + walk(f, local))
        expansion = self._semigroup(h, start, known, tests)
        return [x - y for x, y in zip(total, expansion, strict=True)]

    def _semigroup(
        self, h: Fraction, start: Mapping[Any, Fraction], known: Exactly, tests: list[Any]
    ) -> list[Fraction]:
        """sum_k h^k/k! (L^k f)(start)."""
        coefficients = (*self.process.drift, *(e for row in self.process.noise for e in row))
        values = (
            {**known.values, self.h: h} if any(e.has(self.h) for e in coefficients) else known.values
        )
        used = {s for e in coefficients for s in e.free_symbols}
        powers = _generator_powers(
            self.process,
            self.order + 2,
            tuple(sorted(((s, x) for s, x in values.items() if s in used), key=str)),
            tuple((n, tuple(sorted(p.items()))) for n, p in sorted(known.functions.items())),
            tuple(start[s] for s in self.process.state),
            known.digits,
        )
        weights = [h**k / math.factorial(k) for k in range(self.order + 2)]
        return [sum(map(mul, weights, f), Fraction(0)) for f in powers]


@lru_cache(maxsize=512)  # a twin of a step is held against the same process, at the same places
def _generator_powers(
    process: Diffusion, terms: int, values: Any, functions: Any, start: Any, digits: int | None
) -> list[list[Fraction]]:
    """(L^k f)(start) for every f, k = 0, 1, ..., by Taylor series long enough for all derivatives."""
    n = process.dimension
    moving = {s: Taylor.variable(k, start[k], n, 2 * terms) for k, s in enumerate(process.state)}
    local = Exactly({**dict(values), **moving}, {name: dict(p) for name, p in functions}, digits)
    zero = Taylor({}, n, 2 * terms)
    drift = [zero + walk(b, local) for b in process.ito_drift]
    spread = [[zero + walk(a, local) for a in row] for row in process.covariance]
    found = []
    for f in _tests(process.state):
        g, powers = zero + walk(f, local), []
        for _ in range(terms):
            powers.append(g.constant)
            g = _generated(g, drift, spread)
        found.append(powers)
    return found


def _tests(states: tuple[Any, ...]) -> list[Any]:
    """Monomials on which an error shows."""
    degree = {1: 4, 2: 3}.get(len(states), 2)
    exponents = [e for e in product(range(degree + 1), repeat=len(states)) if 0 < sum(e) <= degree]
    ordered = sorted(exponents, key=lambda e: (sum(e), tuple(-k for k in e)))
    return [sp.Mul(*(s**k for s, k in zip(states, e, strict=True))) for e in ordered]


def _generated(g: Taylor, drift: list[Taylor], spread: list[list[Taylor]]) -> Taylor:
    total = Taylor({}, g.size, None if g.order is None else g.order - 2)
    half = Fraction(1, 2)
    for i, b in enumerate(drift):
        first = g.derivative(i)
        total = total + _cut(b, total) * _cut(first, total)
        for j in range(len(drift)):
            if spread[i][j].terms:
                total = total + _cut(spread[i][j], total) * first.derivative(j) * half
    return total


def _cut(x: Taylor, to: Taylor) -> Taylor:
    if to.order is None:
        return x
    return to.like({e: c for e, c in x.terms.items() if sum(e) <= to.order})


def _mean(x: Taylor) -> Fraction:
    """Over standard normal variables."""
    total = Fraction(0)
    for e, c in x.terms.items():
        if all(k % 2 == 0 for k in e):
            total += c * math.prod(math.prod(range(k - 1, 0, -2)) for k in e)
    return total


def noised(
    process: Diffusion, step: Step | Random, h: Any
) -> tuple[Step, tuple[tuple[Any, Any], ...]] | None:
    """A step whose noises come with sqrt(h) times the rows of the equation; the updates that changed.

    None where it is drawn at random, or has other noises than the equation.
    """
    if not isinstance(step, Step) or len(process.noise[0]) != len(step.noises):
        return None
    rows, updates, changed = dict(zip(process.state, process.noise, strict=True)), [], []
    for target, expr in step.updates:
        if expr.free_symbols & set(step.noises):
            if target not in rows:
                return None
            still = expr.subs(dict.fromkeys(step.noises, 0))
            new = still + sp.Add(
                *(sp.sqrt(h) * e * w for e, w in zip(rows[target], step.noises, strict=True))
            )
            changed.append((target, new))
            expr = new
        updates.append((target, expr))
    return replace(step, updates=tuple(updates)), tuple(changed)
