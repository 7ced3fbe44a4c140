"""Power series about a point over any other arithmetic: derivatives and Gaussian integrals are read off.

A letter by which something is differentiated is its value and a small change; what is worked out with
such letters are polynomials in the changes, cut at the order that is needed. No rule of calculus is
used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verification.terms.term import Applied, Term
from verification.terms.walking import Arithmetic, Unable, Undefined, walk
from verification.terms.words import Local, local, word

Exponents = tuple[int, ...]
APART = ("+", "-", "*", "/", "negative")  # whose parts may each be worked out by themselves
FACTOR = Fraction(3, 7)  # the value of a density at the point: it has a free constant factor


@dataclass(frozen=True)
class Jet:
    """A polynomial in small changes: coefficients in another arithmetic by exponents.

    ``cut`` says that higher orders were left out: there is no integral of such a one.
    """

    terms: Mapping[Exponents, Any]
    cut: bool = False


@dataclass(frozen=True)
class Around:
    """Series of some order in some changes, over an arithmetic."""

    base: Arithmetic
    size: int
    order: float

    @property
    def zero(self) -> Exponents:
        """The exponents of the constant."""
        return (0,) * self.size

    def number(self, x: Any) -> Jet:
        """A number is a constant; of a polynomial the coefficients are taken over."""
        if isinstance(x, Mapping):
            return Jet({e: self.base.number(c) for e, c in x.items()})
        return Jet({self.zero: self.base.number(x)})

    def variable(self, k: int, x: Any) -> Jet:
        """A value and its small change."""
        unit = tuple(int(j == k) for j in range(self.size))
        return Jet({self.zero: self.base.number(x), unit: self.base.number(1)})

    def constant(self, a: Jet) -> Any:
        """The value at the point."""
        return a.terms.get(self.zero, self.base.number(0))

    def add(self, a: Jet, b: Jet) -> Jet:
        """Coefficient by coefficient."""
        found = dict(a.terms)
        for e, c in b.terms.items():
            found[e] = self.base.add(found[e], c) if e in found else c
        return Jet(found, a.cut or b.cut)

    def scaled(self, a: Jet, c: Any) -> Jet:
        """A multiple."""
        return Jet({e: self.base.multiply(x, c) for e, x in a.terms.items()}, a.cut)

    def negative(self, a: Jet) -> Jet:
        """With the other sign."""
        return Jet({e: self.base.negative(x) for e, x in a.terms.items()}, a.cut)

    def multiply(self, a: Jet, b: Jet) -> Jet:
        """What is beyond the order is dropped."""
        found: dict[Exponents, Any] = {}
        cut = a.cut or b.cut
        for e, x in a.terms.items():
            left = self.order - sum(e)
            for f, y in b.terms.items():
                if sum(f) <= left:
                    key = tuple(i + j for i, j in zip(e, f, strict=True))
                    part = self.base.multiply(x, y)
                    found[key] = self.base.add(found[key], part) if key in found else part
                else:
                    cut = True
        return Jet({e: x for e, x in found.items() if self.base.sign(x) != 0}, cut)

    def through(self, a: Jet, series: Callable[[int], Any]) -> Jet:
        """sum_k series(k) (a - its constant)^k."""
        away = Jet({e: x for e, x in a.terms.items() if e != self.zero})
        most = self.order if away.terms else 0
        if most == math.inf:
            raise Unable("a series in what is not small")
        most = int(most)
        found = Jet({self.zero: series(most)})
        for k in reversed(range(most)):
            found = self.add(self.multiply(found, away), Jet({self.zero: series(k)}))
        return Jet(found.terms, a.cut or bool(away.terms))

    def inverse(self, a: Jet) -> Jet:
        """One over a series."""
        base = self.base
        one = base.over(base.number(1), self.constant(a))
        return self.through(
            a, lambda k: base.multiply(base.number((-1) ** k), base.power(one, base.number(k + 1)))
        )

    def exp(self, a: Jet) -> Jet:
        """The exponential of the value, and its series."""
        return self.scaled(self.relative(a), self.base.exp(self.constant(a)))

    def relative(self, a: Jet) -> Jet:
        """The exponential of what a series is off its value."""
        return self.through(a, lambda k: self.base.number(Fraction(1, math.factorial(k))))

    def log(self, a: Jet) -> Jet:
        """The logarithm of the value, and its series."""
        base, value = self.base, self.constant(a)
        one = base.over(base.number(1), value)

        def series(k: int) -> Any:
            if k == 0:
                return base.log(value)
            return base.multiply(
                base.power(one, base.number(k)), base.number(Fraction((-1) ** (k + 1), k))
            )

        return self.through(a, series)

    def root(self, a: Jet) -> Jet:
        """The root of the value, and the binomial series."""
        base, value = self.base, self.constant(a)
        first = base.root(value)
        if not any(any(e) for e in a.terms):
            return Jet({self.zero: first})
        one = base.over(base.number(1), value)

        def series(k: int) -> Any:
            half = math.prod((Fraction(1, 2) - j for j in range(k)), start=Fraction(1)) / math.factorial(
                k
            )
            return base.multiply(
                base.multiply(first, base.number(half)), base.power(one, base.number(k))
            )

        return self.through(a, series)

    def power(self, a: Jet, b: Jet) -> Jet:
        """Whole powers by products, halves by roots, others of constants."""
        exponent = self.constant(b)
        if any(any(e) for e in b.terms):
            return self.exp(self.multiply(b, self.log(a)))
        for take, twice in ((lambda x: x, 1), (self.root, 2)):
            whole = _whole(self.base.multiply(exponent, self.base.number(twice)))
            if whole is not None:
                found, factor = self.number(1), take(a if whole >= 0 else self.inverse(a))
                for _ in range(abs(whole)):
                    found = self.multiply(found, factor)
                return found
        if any(any(e) for e in a.terms):
            return self.exp(self.multiply(b, self.log(a)))
        return Jet({self.zero: self.base.power(self.constant(a), exponent)})

    def partial(self, a: Jet, x: Jet) -> Jet:
        """By a letter; what had the highest order is lost."""
        (unit,) = (e for e in x.terms if any(e))
        k = unit.index(1)
        lowered = {
            (*e[:k], e[k] - 1, *e[k + 1 :]): self.base.multiply(c, self.base.number(e[k]))
            for e, c in a.terms.items()
            if e[k]
        }
        return Jet(lowered, a.cut)

    def apply(self, polynomial: Jet, *arguments: Jet) -> Jet:
        """A polynomial that stands for a function."""
        found = self.number(0)
        powers = [[self.number(1), x] for x in arguments]
        for e, c in polynomial.terms.items():
            if len(e) != len(arguments):
                raise Undefined("a function of another number of arguments")
            term = Jet({self.zero: c})
            for known, n in zip(powers, e, strict=True):
                while len(known) <= n:
                    known.append(self.multiply(known[-1], known[1]))
                term = self.multiply(term, known[n]) if n else term
            found = self.add(found, term)
        return found

    def derived(self, polynomial: Jet, orders: str, *arguments: Jet) -> Jet:
        """A derivative of such a polynomial, so often by each argument."""
        by = tuple(map(int, orders.split(",")))
        lowered = {
            tuple(n - k for n, k in zip(e, by, strict=True)): self.base.multiply(
                c, self.base.number(math.prod(map(math.perm, e, by)))
            )
            for e, c in polynomial.terms.items()
            if all(n >= k for n, k in zip(e, by, strict=True))
        }
        return self.apply(Jet(lowered), *arguments)

    def generated(self, f: Jet, *parts: Jet) -> Jet:
        """The generator of a diffusion applied to a function."""
        return generated(self.arithmetic(), f, *parts)

    def over_noise(self, a: Jet, *noises: Jet) -> Jet:
        """The mean over standard normal letters of a polynomial in them."""
        at = [next(e for e in w.terms if any(e)).index(1) for w in noises]
        found = self.number(0)
        for e, c in a.terms.items():
            others = tuple(0 if k in at else n for k, n in enumerate(e))
            mean = self.base.number(math.prod(normal_moment(e[k]) for k in at))
            found = self.add(found, Jet({others: self.base.multiply(c, mean)}))
        return found

    def density(self, exponent: Jet) -> Jet:
        """exp(-H)/Z with the Z that makes it a certain number at the point."""
        return self.scaled(self.relative(self.negative(exponent)), self.base.number(FACTOR))

    def quadratic(self, a: Jet, over: tuple[Jet, ...]) -> tuple[list[int], list[list[Any]], list[Any]]:
        """Which letters they are, minus the second derivatives of a form in them, and the first."""
        base, at = self.base, [next(e for e in y.terms if any(e)).index(1) for y in over]
        if a.cut or any(sum(e) > 2 or set(_places(e)) - set(at) for e in a.terms):
            raise Unable("an integral that is not Gaussian")

        def part(*which: int) -> Any:
            e = tuple(which.count(j) for j in range(self.size))
            return a.terms.get(e, base.number(0))

        two = base.number(2)
        rows = [
            [base.negative(base.multiply(part(i, j), two) if i == j else part(i, j)) for j in at]
            for i in at
        ]
        return at, rows, [part(i) for i in at]

    def mean_under(self, a: Jet, f: Jet, *over: Jet) -> Jet:
        """Of a polynomial f, under exp(a), by E[(x - mu) g] = C E[grad g]."""
        base = self.base
        at, rows, sides = self.quadratic(a, over)
        if f.cut:
            raise Unable("a polynomial of too high a degree")
        n = len(at)
        wide = [
            [*row, *(base.number(int(i == j)) for j in range(n)), sides[i]] for i, row in enumerate(rows)
        ]
        for k in range(n):
            wide[k] = [base.over(x, wide[k][k]) for x in wide[k]]
            for i in range(n):
                if i != k:
                    share = wide[i][k]
                    pairs = zip(wide[i], wide[k], strict=True)
                    wide[i] = [base.subtract(x, base.multiply(share, y)) for x, y in pairs]

        def mean(e: tuple[int, ...]) -> Any:
            i = next((k for k, times in enumerate(e) if times), None)
            if i is None:
                return base.number(1)
            rest = tuple(times - (k == i) for k, times in enumerate(e))
            total = base.multiply(wide[i][-1], mean(rest))
            for j, times in enumerate(rest):
                if times:
                    fewer = tuple(m - (k == j) for k, m in enumerate(rest))
                    weight = base.multiply(wide[i][n + j], base.number(times))
                    total = base.add(total, base.multiply(weight, mean(fewer)))
            return total

        found = self.number(0)
        for e, c in f.terms.items():
            own = tuple(e[k] for k in at)
            others = tuple(0 if k in at else times for k, times in enumerate(e))
            found = self.add(found, Jet({others: base.multiply(c, mean(own))}))
        return found

    def log_integral(self, a: Jet, *over: Jet) -> Jet:
        """Of exp(a) over letters in which a is quadratic: by completing the square."""
        base, two, value = self.base, self.base.number(2), self.constant(a)
        at, rows, sides = self.quadratic(a, over)
        for k in range(len(at)):
            pivot = rows[k][k]
            square = base.over(base.multiply(sides[k], sides[k]), base.multiply(two, pivot))
            grown = base.over(base.log(base.over(base.multiply(two, base.pi()), pivot)), two)
            value = base.add(base.add(value, square), grown)
            for i in range(k + 1, len(at)):
                share = base.over(rows[i][k], pivot)
                sides[i] = base.subtract(sides[i], base.multiply(share, sides[k]))
                rows[i] = [
                    base.subtract(x, base.multiply(share, y))
                    for x, y in zip(rows[i], rows[k], strict=True)
                ]
        return Jet({self.zero: value})

    def arithmetic(self) -> Arithmetic:
        """As an arithmetic for ``walk``."""
        names = ("add", "negative", "multiply", "exp", "log", "root", "power", "partial", "apply")
        also = ("density", "log_integral", "mean_under", "derived", "generated", "over_noise")
        operations = {n: getattr(self, n) for n in (*names, *also)}
        operations["subtract"] = lambda a, b: self.add(a, self.negative(b))
        operations["over"] = lambda a, b: self.multiply(a, self.inverse(b))
        operations["put"] = lambda body, x, value: body(value)
        operations["pi"] = lambda: Jet({self.zero: self.base.pi()})
        return Arithmetic(f"series over {self.base.name}", self.number, operations, self.base.exact)


def value_about(side: Term, base: Arithmetic, place: Mapping[str, Any]) -> Any:
    """What a term with words of calculus is worth at a place; what is added or multiplied, by itself."""
    if isinstance(side, Applied) and side.head in APART:
        return word(side.head).value(base, *(value_about(part, base, place) for part in side.of))
    asked = local(side) or Local((), 0, ())
    around = Around(base, len(asked.letters), asked.order)
    given = (a for a in side.letters if a not in asked.letters and a.kind != "variable")
    values = {a.name: around.number(place[a.name]) for a in given}
    for k, letter in enumerate(asked.letters):
        at = 0 if letter in asked.bound else place[letter.name]
        values[letter.name] = around.variable(k, at)
    return around.constant(walk(side, around.arithmetic(), values))


def generated(o: Any, f: Any, *parts: Any) -> Any:
    """Drift times slopes and half the covariance times second derivatives, in an arithmetic.

    ``parts`` are n states, n drifts, and the n(n + 1)/2 entries of the lower half of the covariance.
    """
    n = next(n for n in range(1, len(parts)) if n * (n + 5) == 2 * len(parts))
    states, drift, rows = parts[:n], parts[n : 2 * n], iter(parts[2 * n :])
    slopes = [o.partial(f, x) for x in states]
    found = o.number(0)
    for i in range(n):
        found = o.add(found, o.multiply(drift[i], slopes[i]))
        for j in range(i + 1):
            share = o.multiply(next(rows), o.number(Fraction(1, 2) if i == j else 1))
            found = o.add(found, o.multiply(share, o.partial(slopes[i], states[j])))
    return found


def normal_moment(k: int) -> int:
    """The mean of the k-th power of a standard normal number.

    >>> [normal_moment(k) for k in range(5)]
    [1, 0, 1, 0, 3]
    """
    return 0 if k % 2 else math.prod(range(k - 1, 0, -2))


def _whole(x: Any) -> int | None:
    if hasattr(x, "q"):
        return int(x.p) if x.q == 1 else None
    return int(x.unique_fmpz()) if x.is_integer() else None


def _places(e: Sequence[int]) -> list[int]:
    return [k for k, n in enumerate(e) if n]
