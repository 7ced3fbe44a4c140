"""The stationary density of an integrator, as a series in its step, for unspecified functions.

With E f(X_h) = f + h L f + h^2 A_2 f + ... and a density pi that L leaves as it is, the step leaves
pi (1 + h g_1 + h^2 g_2 + ...) as it is where L*(pi g_m) = -sum_k A_k*(pi g_(m+1-k)). Each equation is
solved for a g that is a polynomial in states and derivatives of the functions: linear equations, whose
contradiction proves that there is no such g.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Formal
from sgtheory.dynamics.letters import PRIMES, Letters
from sgtheory.dynamics.limit import limit
from sgtheory.dynamics.linear import Contradiction, Solved, solvable, solve
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import walk
from sgtheory.dynamics.weak import Operator, letters_for, step_operator
from sgtheory.errors import UnusableInput

_ONE = sp.Integer(1)
_MOST = 2_000  # unknowns


@dataclass(frozen=True)
class Modified:
    """The density is that of ``log_density`` times 1 + h g_1 + h^2 g_2 + ..., up to a constant."""

    log_density: Any
    terms: tuple[Any, ...]

    @property
    def order(self) -> int | None:
        """The power of h with which the stationary law is off; None where no term is left."""
        return next((m for m, g in enumerate(self.terms, start=1) if g != 0), None)

    @property
    def first(self) -> Any:
        """The first term."""
        return next((g for g in self.terms if g != 0), sp.Integer(0))


@dataclass(frozen=True)
class NotLocal:
    """No polynomial of these letters is the m-th term; the terms before it are known."""

    terms: tuple[Any, ...]
    tried: int
    contradiction: Contradiction | None = field(repr=False)


def modified(
    step: Step,
    h: Any,
    log_density: Any,
    order: int = 1,
    after: Step | None = None,
    degree: int | None = None,
    prove: bool = True,
) -> Modified | NotLocal:
    """The stationary density of a step to an order in h; ``after`` is done to what is looked at.

    ``degree`` bounds that in states which are written out; without it, as on the right-hand side.
    Where there is no such term, that is known without a proof to hand over, which ``prove`` adds.

    >>> x, h, xi = sp.symbols("x h xi", real=True)
    >>> T = sp.Symbol("T", positive=True)
    >>> U = sp.Function("U")(x)
    >>> euler = Step((x,), ((x, x - h * U.diff(x) + sp.sqrt(2 * T * h) * xi),), (xi,))
    >>> modified(euler, h, -U / T).first
    -Derivative(U(x), (x, 2))/2 + Derivative(U(x), x)**2/(4*T)

    The method of Leimkuhler and Matthews is Euler's with each noise used twice. It is a chain and a
    half-step of noise that is looked through, and has no first term:

    >>> there = x + sp.sqrt(T * h / 2) * xi
    >>> chain = Step((x,), ((x, x - h * U.diff(x).subs(x, there) + sp.sqrt(2 * T * h) * xi),), (xi,))
    >>> modified(chain, h, -U / T, after=Step((x,), ((x, there),), (xi,))).terms
    (0,)
    """
    search = _Search(step, h, log_density, order, after, degree)
    if search.dual(search.operators[1], search.one):
        raise UnusableInput(
            "a density that the step's limit leaves as it is",
            str(log_density),
            "ask examine() what is left",
        )
    found = [search.one]
    for m in range(1, order + 1):
        solved = search.solve(m, found)
        if solved is None:
            columns, right = search.equations(m, found)
            proof = solve(columns, right) if prove else None
            assert not isinstance(proof, Solved)
            return NotLocal(tuple(search.shown(g) for g in found[1:]), len(columns), proof)
        if m == order and after is None:
            return Modified(log_density, (*(search.shown(g) for g in found[1:]), search.sum(solved)))
        found.append(search.ring(search.sum(solved)))
    seen = found
    if after is not None:
        looked = step_operator(after, h, search.letters)
        seen = [search.total(looked, found, m) for m in range(order + 1)]
    return Modified(log_density, tuple(_without_constants(search.shown(g), step) for g in seen[1:]))


def modified_slope(step: Step, h: Any, log_density: Any, order: int, after: Step | None = None) -> Any:
    """The slope of g_order in one dimension, where all terms before it are polynomials.

    The limit has to be reversible: L*(pi g) is then the slope of a pi g'/2, and both sides of the
    equation for g are slopes of something. The term itself need be no polynomial:

    >>> x, h, xi = sp.symbols("x h xi", real=True)
    >>> U = sp.Function("U")(x)
    >>> euler = Step((x,), ((x, x - h * U.diff(x) + sp.sqrt(2 * h) * xi),), (xi,))
    >>> isinstance(modified(euler, h, -U, order=2), NotLocal)
    True
    >>> found, first = modified_slope(euler, h, -U, 2), modified(euler, h, -U).first

    In a parabola the law is normal with 1 - h/2 for its precision, so log(1 + h g_1 + h^2 g_2) has no
    term in h^2:

    >>> sp.expand((found - first * first.diff(x)).subs(U, x**2 / 2).doit())
    0
    """
    search = _Search(step, h, log_density, order, after, None)
    if len(step.state) != 1 or any(limit(step, h).current(log_density)):
        raise UnusableInput("one dimension and a reversible limit", str(step.state), "use modified()")
    found = [search.one]
    for m in range(1, order):
        solved = search.solve(m, found)
        if solved is None:
            raise UnusableInput(
                "terms before it that are polynomials", f"term {m} is none", "lower the order"
            )
        found.append(search.ring(search.sum(solved)))
    letters = search.letters
    flux = sum(
        (search.flux(search.operators[k], found[order + 1 - k]) for k in range(2, order + 2)),
        letters.zero,
    )
    spread = search.operators[1][(2,)]  # a/2
    last = letters.tidy(-flux * Formal(letters, h).inverse(Formal(letters, h).series(spread)).c[0])
    if after is None:
        return search.shown(last)
    looked = step_operator(after, h, letters)
    before = sum((search.dual(looked[k], found[order - k]) for k in range(1, order + 1)), letters.zero)
    return search.shown(letters.tidy(last + letters.derivative(before, 0)))


def _without_constants(expr: Any, step: Step) -> Any:
    """A density is known up to a constant."""
    terms = sp.Add.make_args(sp.expand(expr))
    return sp.Add(*(t for t in terms if t.free_symbols & set(step.state)))


Combined = list[tuple[Any, Any]]  # coefficients, and monomials of the ring


@dataclass(frozen=True)
class _Search:
    """The equations of the terms, over the ring of weak expansions."""

    step: Step
    h: Any
    log_density: Any
    order: int
    after: Step | None
    degree: int | None

    @cached_property
    def letters(self) -> Letters:
        """The ring."""
        process: Diffusion = limit(self.step, self.h)
        density = Step((process.state[0],), ((process.state[0], self.log_density),))
        steps = [self.step, density, *([self.after] if self.after else [])]
        return letters_for(process, tuple((_ONE, s) for s in steps), self.h, self.order + 1)

    @cached_property
    def one(self) -> Any:
        """1."""
        return self.letters.zero + 1

    def ring(self, expr: Any) -> Any:
        """An expression without h."""
        return self.letters.tidy(walk(sp.sympify(expr), Formal(self.letters, self.h)).c[0])

    @cached_property
    def score(self) -> list[Any]:
        """grad log pi."""
        density = self.ring(sp.expand(self.log_density))
        return [self.letters.derivative(density, k) for k in range(len(self.letters.states))]

    @cached_property
    def operators(self) -> list[Operator]:
        """1, L, A_2, ..."""
        return step_operator(self.step, self.h, self.letters)

    def dual(self, operator: Operator, g: Any) -> Any:
        """A*(pi g)/pi."""
        total = self.letters.zero
        for alpha, c in operator.items():
            term = self.letters.tidy(c * g)
            for k, times in enumerate(alpha):
                for _ in range(times):
                    term = self.letters.tidy(-self.letters.derivative(term, k) - term * self.score[k])
            total += term
        return self.letters.tidy(total)

    def flux(self, operator: Operator, g: Any) -> Any:
        """What A*(pi g) is the slope of, over pi, in one dimension."""
        total = self.letters.zero
        for (times,), c in operator.items():
            term = -self.letters.tidy(c * g)
            for _ in range(times - 1):
                term = self.letters.tidy(-self.letters.derivative(term, 0) - term * self.score[0])
            total += term
        return self.letters.tidy(total)

    def total(self, operators: Sequence[Operator], found: Sequence[Any], m: int) -> Any:
        """sum_k A_k*(pi g_(m-k))/pi."""
        parts = (self.dual(operators[k], found[m - k]) for k in range(m + 1) if m - k < len(found))
        return self.letters.tidy(sum(parts, self.letters.zero))

    def rest(self, m: int, found: Sequence[Any]) -> Any:
        """What L*(pi g_m)/pi has to be."""
        return self.letters.zero - self.total(self.operators, found, m + 1)

    def equations(self, m: int, found: Sequence[Any]) -> tuple[list[dict[Any, Any]], dict[Any, Any]]:
        """What each candidate for the m-th term adds, and what they have to add up to."""
        right, generator = self.rest(m, found), self.operators[1]
        columns = [self.collected(self.dual(generator, c)) for c in self.candidates(m, right)]
        return columns, self.collected(right)

    def solve(self, m: int, found: Sequence[Any]) -> Combined | None:
        """The m-th term."""
        solved = solvable(*self.equations(m, found))
        if solved is None:
            return None
        return list(zip(solved.values, self.candidates(m, self.rest(m, found)), strict=True))

    def sum(self, combined: Combined) -> Any:
        """As an expression, its terms in the order of the candidates."""
        return sp.Add(*(c * self.shown(m) for c, m in combined if c != 0))

    def candidates(self, m: int, right: Any) -> list[Any]:
        """Monomials of functions and derivatives up to weight 2 m, and of states written out."""
        states = self._written(right)
        powers = product(*(range(d + 1) for d in states.values()))
        most = self.degree if self.degree is not None else max(states.values(), default=0)
        plain = [e for e in powers if sum(e) <= most]
        found = [
            jets * self._monomial(dict(zip(states, e, strict=True)))
            for jets in self._jets(2 * m)
            for e in plain
        ]
        if len(found) > _MOST:
            raise UnusableInput(
                f"at most {_MOST} unknowns", str(len(found)), "lower the order or the degree"
            )
        return [c for c in found if c != self.one]

    def _written(self, right: Any) -> dict[int, int]:
        """States that occur in coefficients, and the degree of each that is tried."""
        n = len(self.letters.states)
        used = [*self.score, *(c for o in self.operators[1:] for c in o.values()), right]
        found = {}
        for k in range(n):
            if any(powers[k] for p in used if p for powers, _ in p.terms()):
                own = max((powers[k] for powers, _ in right.terms()), default=0)
                whole = max((sum(powers[:n]) for powers, _ in right.terms()), default=0)
                found[k] = self.degree if self.degree is not None else max(own, whole)
        return found

    def _monomial(self, powers: Mapping[int, int]) -> Any:
        found = self.one
        for k, e in powers.items():
            found = found * self.letters.state(k) ** e
        return found

    def _jets(self, weight: int) -> list[Any]:
        """Products of derivatives, by how often is differentiated in all; at most ``weight``.

        A function itself counts as two: noise that is too large raises the temperature of a potential.
        """
        letters = self.letters
        weighed = [
            (sum(o) or 2, sum(o) == 0, letters.generators[g]) for (_, o), g in letters.jets.items()
        ]
        known = [(size, g) for size, last, g in sorted(weighed, key=lambda w: w[1]) if size <= weight]

        def products(left: int, first: int) -> Iterator[Any]:
            yield self.one
            for k in range(first, len(known)):
                size, g = known[k]
                if size <= left:
                    for rest in products(left - size, k):
                        yield g * rest

        return list(products(weight, 0))

    def collected(self, p: Any) -> dict[Any, Any]:
        """Monomials in states and jets, with their coefficients in parameters."""
        letters = self.letters
        n, m = len(letters.states), len(letters.parameters)
        begin = n + len(letters.noises)
        names = [*(sp.sqrt(s) for s in letters.parameters), *(1 / s for s in letters.parameters)]
        names += [sp.sqrt(prime) for prime in PRIMES]
        found: dict[Any, Any] = {}
        for powers, c in letters.tidy(p).terms():
            end = begin + 2 * m + len(PRIMES)
            held = zip(names, powers[begin:end], strict=True)
            value = sp.Mul(
                sp.Rational(int(c.numerator), int(c.denominator)), *(s**e for s, e in held if e)
            )
            key = (powers[:n], tuple((k, e) for k, e in enumerate(powers[end:]) if e))
            found[key] = found.get(key, sp.Integer(0)) + value
        return found

    def shown(self, p: Any) -> Any:
        """As an expression."""
        applied: dict[str, Any] = {
            name: sp.Function(name)(*(self.letters.states[k] for k in places))
            for name, places in self.letters.functions.items()
        }
        return self.letters.expression(p, applied)
