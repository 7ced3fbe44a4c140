"""Averages over chains whose steps have lengths of their own: exact errors, and sizes of printed bounds.

phi^ is the sum of eps_t phi(x_t) over t = 1, ..., T, over S_T = sum of eps_t. With L psi = phi - E phi
one step adds eps L psi, a martingale difference and a remainder to psi; powers of eps in these say which
sums bound the error of the average, for every schedule and start under which moments stay bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.dynamics.chain import Moments
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.poisson import poisson
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput

t = sp.Symbol("t", integer=True, positive=True)
k = sp.Symbol("k", integer=True, nonnegative=True)  # along a family
T = sp.Symbol("T", integer=True, positive=True)
S_T = sp.Symbol("S_T", positive=True)
eps_t = sp.Symbol("epsilon_t", positive=True)
DELTA = sp.Symbol("Delta_t", positive=True)  # E ||Delta V_t||^2: what a minibatch adds to a gradient
MSE, BIAS, VARIANCE = sp.symbols("MSE |bias| variance", positive=True)  # of phi^, about E phi
_DIGITS = 40


def powers_summed(p: Any, of: Any = 1) -> Any:
    """The sum over all steps of ``of`` times eps_t^p."""
    return sp.Sum(eps_t**p * of, (t, 1, T))


SQUARES, NOISE = powers_summed(2), powers_summed(2, DELTA)


@dataclass(frozen=True)
class Averages:
    """For each k a schedule ``steps`` (in t and k) of a length in k; ``words`` say what k does.

    The chain is linear with normal noises, ``h`` its step; phi is a power of a linear form.
    """

    words: str
    step: Step
    h: Any
    phi: Any
    steps: Any
    length: Any
    start: tuple[int, ...] = (0,)
    delta: Any = 0  # the constant E|DeltaV|^2
    equal: bool = False  # weights are one, not the steps

    def schedule(self, at: int) -> tuple[Decimal, ...]:
        """The steps."""
        count = int(sp.sympify(self.length).subs(k, at))
        steps = sp.sympify(self.steps)
        return _schedule(steps, at if steps.has(k) else 0, count)

    @property
    def mean(self) -> Any:
        """E phi under the stationary law of the chain's limit."""
        return _solved(self.step, self.h, self.phi).mean

    def values(self, at: int) -> Mapping[Any, Decimal]:
        """What the letters of a bound are worth for this k."""
        with localcontext() as context:
            context.prec = _DIGITS
            steps = self.schedule(at)
            first, second = _moments(self.step, self.h, self.phi, self.start, steps, self.equal)
            total, mean = Decimal(len(steps)) if self.equal else sum(steps), _decimal(self.mean)
            away = first / total - mean
            spread = (second - first * first) / total**2
            known: dict[Any, Decimal] = {MSE: spread + away**2, BIAS: abs(away), VARIANCE: spread}
            return known | {S_T: Decimal(sum(steps)), T: Decimal(len(steps))}

    def worth(self, expr: Any, at: int) -> Decimal:
        """The value of a printed side."""
        with localcontext() as context:
            context.prec = _DIGITS
            steps, known = self.schedule(at), dict(self.values(at))
            for s in sp.sympify(expr).atoms(sp.Sum):
                inside = s.function.subs(DELTA, sp.sympify(self.delta))
                known[s] = sum((_value(inside, {eps_t: e}) for e in steps), Decimal(0))
            return _value(sp.sympify(expr), known)

    @property
    def orders(self) -> tuple[int, int]:
        """The lowest powers of a step in the martingale's variance, and in the remainder."""
        return _orders(self.step, self.h, self.phi)

    def linear(self) -> tuple[Any, Any, Any, int]:
        """One step as matrices on states and noises; the linear form in phi and its power."""
        states = list(self.step.state)
        after = self.step.after({s: s for s in states})
        rows = sp.Matrix([sp.expand(after[s]) for s in states])
        by_state, by_noise = rows.jacobian(states), rows.jacobian(list(self.step.noises))
        degree = int(sp.Poly(self.phi, *states).total_degree())
        form = sp.Matrix([[sp.expand(self.phi).coeff(s, degree) for s in states]])
        direct = sp.expand(rows - by_state * sp.Matrix(states) - by_noise * sp.Matrix(self.step.noises))
        power = sp.expand((form * sp.Matrix(states))[0] ** degree - self.phi)
        if any(e != 0 for e in direct) or power != 0:
            raise UnusableInput(
                "a linear chain and a power of a state", str(self.phi), "choose x or x**2"
            )
        return by_state, by_noise, form, degree


def usual_families(
    step: Step, h: Any, phi: Any, start: tuple[int, ...] = (1,), delta: Any = 0, most: Any = 1
) -> tuple[Averages, ...]:
    """Schedules that tell the usual sums apart; no step is longer than ``most`` over 2."""
    half, n = sp.Rational(1, 2) * most, 2 ** (k + 3)
    choices = (
        ("steps that shrink like T^(-1/2)", half * 2 ** (-k / 2), n),
        ("steps that shrink like T^(-1/5)", half * 2 ** (-k / 5), n),
        ("steps that fall like t^(-1/3)", half * t ** sp.Rational(-1, 3), n),
        ("one step for all T", half, n),
        ("steps 4/T", half * 8 / n, n),
    )
    return tuple(Averages(w, step, h, phi, s, c, start, delta) for w, s, c in choices)


@cache
def _schedule(steps: Any, at: int, count: int) -> tuple[Decimal, ...]:
    with localcontext() as context:
        context.prec = _DIGITS
        return tuple(_value(steps, {t: Decimal(s), k: Decimal(at)}) for s in range(1, count + 1))


@cache
def _solved(step: Step, h: Any, phi: Any) -> Any:
    return poisson(limit(step, h), phi)


@cache
def _orders(step: Step, h: Any, phi: Any) -> tuple[int, int]:
    process, moments = limit(step, h), Moments(step)
    psi = _solved(step, h, phi).psi
    after = moments.image(psi)
    rest = sp.expand(after - psi - h * process.generator(psi))
    spread = sp.expand(moments.image(sp.expand(psi**2)) - after**2)
    never = 10**6
    lowest = [min((m[0] for m in sp.Poly(e, h).monoms()), default=never) if e != 0 else never
              for e in (spread, rest)]  # fmt: skip
    return lowest[0], lowest[1]


@cache
def _rows(
    step: Step, h: Any, phi: Any, equal: bool
) -> tuple[tuple[Any, ...], tuple[tuple[tuple[int, tuple[Any, ...]], ...], ...]]:
    """How moments of the states and of A = sum h phi move: of each the others, polynomials in h."""
    total = sp.Symbol("_A", real=True)
    both = Step(
        (*step.state, total), ((total, total + (1 if equal else h) * phi), *step.updates), step.noises
    )
    moments = Moments(both)
    known = ((0,) * len(both.state), *moments.reached(total**2), *moments.reached(total))
    known = tuple(dict.fromkeys(known))
    place = {e: i for i, e in enumerate(known)}
    rows: list[tuple[tuple[int, tuple[Fraction, ...]], ...]] = [((0, (Fraction(1),)),)]
    for e in known[1:]:
        row = moments.row(e)
        rows.append(tuple((place[other], _in_powers(c, h)) for other, c in row.items()))
    return known, tuple(rows)


def _in_powers(c: Any, h: Any) -> tuple[Fraction, ...]:
    """Coefficients of h, lowest first."""
    found = sp.Poly(c, h).all_coeffs()[::-1]
    if not all(x.is_Rational for x in found):
        raise UnusableInput("rational numbers for all parameters", str(c), "put numbers into the step")
    return tuple(Fraction(int(x.p), int(x.q)) for x in found)


@cache
def _moments(
    step: Step, h: Any, phi: Any, start: tuple[int, ...], steps: tuple[Decimal, ...], equal: bool
) -> tuple[Decimal, Decimal]:
    """E A and E A^2 after all steps, in forty digits."""
    known, rows = _rows(step, h, phi, equal)
    begin = (*start, 0)
    values = [Decimal(1)] * len(known)
    for i, e in enumerate(known):
        for x, power in zip(begin, e, strict=True):
            values[i] *= Decimal(x) ** power if power else 1
    made: dict[Decimal, Any] = {}  # steps often repeat
    for size in steps:
        if size not in made:
            made = {size: [[(j, _horner(c, size)) for j, c in row] for row in rows]}
        values = [sum([c * values[j] for j, c in row]) for row in made[size]]
    places = {e: i for i, e in enumerate(known)}
    nothing = (0,) * len(step.state)
    return values[places[(*nothing, 1)]], values[places[(*nothing, 2)]]


def _horner(c: tuple[Fraction, ...], x: Decimal) -> Decimal:
    value = Decimal(0)
    for q in reversed(c):
        value = value * x + Decimal(q.numerator) / Decimal(q.denominator)
    return value


def _decimal(x: Any) -> Decimal:
    x = sp.Rational(x)
    return Decimal(int(x.p)) / Decimal(int(x.q))


def _value(expr: Any, known: Mapping[Any, Decimal]) -> Decimal:
    if expr in known:
        return known[expr]
    if expr.is_Rational:
        return _decimal(expr)
    parts = [_value(a, known) for a in expr.args]
    if expr.is_Add:
        return sum(parts, Decimal(0))
    if expr.is_Mul:
        value = Decimal(1)
        for p in parts:
            value *= p
        return value
    if isinstance(expr, sp.floor):
        return parts[0].to_integral_value(ROUND_FLOOR)
    if expr.is_Pow:
        return parts[0] ** parts[1] if parts[0] != 0 else Decimal(0)
    raise UnusableInput("sums, products and powers", str(expr), "write it with these")


# -- which sums bound which, for all schedules -----------------------------------------------------

Exponents = tuple[Fraction, Fraction, Fraction]  # of S_T, of the sum of eps_t^p, of T


def exponents(term: Any) -> tuple[Exponents, int | None] | None:
    """A positive monomial as its exponents and the p of its sum; None where it is something else."""
    found, p = [Fraction(0)] * 3, None
    for factor in sp.Mul.make_args(sp.sympify(term)):
        base, power = factor.as_base_exp()
        if factor.is_positive and factor.is_number:
            continue
        if not power.is_Rational:
            return None
        times = Fraction(int(power.p), int(power.q))
        if base == S_T:
            found[0] += times
        elif base == T:
            found[2] += times
        elif isinstance(base, sp.Sum):
            inside = base.function.as_base_exp()
            if inside[0] != eps_t or not inside[1].is_Integer or p not in (None, int(inside[1])):
                return None
            p, found[1] = int(inside[1]), found[1] + times
        else:
            return None
    return (found[0], found[1], found[2]), p


def rays(p: int) -> tuple[tuple[int, int, int], ...]:
    """Logarithms of (S_T, sum of eps^p, T) that schedules reach, where S_T >= 1 and all eps <= 1.

    One long step and ever more tiny ones; steps 1/T; steps 1. All others are sums of multiples of these:
    sum of eps^p <= S_T, and S_T^p <= T^(p-1) times it.
    """
    return (0, 0, 1), (0, 1 - p, 1), (1, 1, 1)


def dominated(term: Exponents, others: tuple[Exponents, ...], p: int) -> bool:
    """Whether some weighted geometric mean of the others is at least a multiple of the term, always."""
    shares = [Fraction(i, 4) for i in range(5)]
    for weights in product(shares, repeat=len(others)):
        if sum(weights) != 1:
            continue
        mean = [sum(w * e[i] for w, e in zip(weights, others, strict=True)) for i in range(3)]
        if all(
            sum((m - e) * r for m, e, r in zip(mean, term, ray, strict=True)) >= 0 for ray in rays(p)
        ):
            return True
    return False
