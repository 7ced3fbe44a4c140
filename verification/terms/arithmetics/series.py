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


class Truncated:
    """Functions of what is known to some order, by their series about where it starts.

    A kind of series says how many terms count (``terms``), and of what a start and what relative change
    each of them is made (``parted``); ``inverted`` and ``rooted`` are of the start.
    """

    def through(self: Any, away: Any, coefficient: Callable[[int], Any]) -> Any:
        """sum_k coefficient(k) away^k, of what is small."""
        last = self.terms(away) - 1
        found = self.number(coefficient(last))
        for k in reversed(range(last)):
            found = self.add(self.multiply(found, away), self.number(coefficient(k)))
        return found

    def relative(self: Any, away: Any) -> Any:
        """The exponential of what is small."""
        return self.through(away, lambda k: Fraction(1, math.factorial(k)))

    def inverse(self: Any, a: Any) -> Any:
        """One over a series."""
        start, away = self.parted(a)
        return self.multiply(self.inverted(start), self.through(away, lambda k: (-1) ** k))

    def root(self: Any, a: Any) -> Any:
        """The root of the start, and the binomial series."""
        start, away = self.parted(a)
        return self.multiply(self.rooted(start), self.through(away, _of_a_root))

    def powered(self: Any, a: Any, exponent: Fraction) -> Any:
        """Whole powers by products, halves by roots."""
        factor = self.root(a) if exponent.denominator == 2 else a
        factor, found = self.inverse(factor) if exponent < 0 else factor, self.number(1)
        for _ in range(abs(exponent.numerator)):
            found = self.multiply(found, factor)
        return found

    def arithmetic(self: Any, name: str, exact: bool, *names: str) -> Arithmetic:
        """As an arithmetic for ``walk``, with further operations by name."""
        every = ("add", "multiply", "negative", "exp", "root", "power", "partial", "apply", "derived")
        operations = {n: getattr(self, n) for n in (*every, "over_noise", *names)}
        operations["subtract"] = lambda a, b: self.add(a, self.negative(b))
        operations["over"] = lambda a, b: self.multiply(a, self.inverse(b))
        operations["put"] = lambda body, x, value: body(value)
        known = Arithmetic(name, self.number, operations, exact)
        operations["generated"] = lambda f, *parts: generated(known, f, *parts)
        return known


def _of_a_root(k: int) -> Fraction:
    return math.prod((Fraction(1, 2) - j for j in range(k)), start=Fraction(1)) / math.factorial(k)


@dataclass(frozen=True)
class Around(Truncated):
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
        cut, times, sign = a.cut or b.cut, self.base.multiply, self.base.sign
        degrees = [(f, sum(f), y) for f, y in b.terms.items()]
        for e, x in a.terms.items():
            left, is_constant = self.order - sum(e), not any(e)
            for f, degree, y in degrees:
                if degree <= left:
                    key = f if is_constant else tuple(map(int.__add__, e, f))
                    part = times(x, y)
                    found[key] = self.base.add(found[key], part) if key in found else part
                else:
                    cut = True
        return Jet({e: x for e, x in found.items() if sign(x) != 0}, cut)

    def terms(self, away: Jet) -> int:
        """How many powers of a change count."""
        if away.terms and self.order == math.inf:
            raise Unable("a series in what is not small")
        return int(self.order) + 1 if away.terms else 1

    def through(self, away: Jet, coefficient: Callable[[int], Any]) -> Jet:
        """What is a series is cut."""
        return Jet(super().through(away, coefficient).terms, away.cut or bool(away.terms))

    def off(self, a: Jet) -> Jet:
        """What a series is off its value."""
        return Jet({e: x for e, x in a.terms.items() if e != self.zero}, a.cut)

    def parted(self, a: Jet) -> tuple[Any, Jet]:
        """The value, and the change relative to it."""
        value = self.constant(a)
        return value, self.scaled(self.off(a), self.base.over(self.base.number(1), value))

    def inverted(self, value: Any) -> Jet:
        """One over a value."""
        return Jet({self.zero: self.base.over(self.base.number(1), value)})

    def rooted(self, value: Any) -> Jet:
        """The root of a value."""
        return Jet({self.zero: self.base.root(value)})

    def exp(self, a: Jet) -> Jet:
        """The exponential of the value, and its series."""
        return self.scaled(self.relative(self.off(a)), self.base.exp(self.constant(a)))

    def log(self, a: Jet) -> Jet:
        """The logarithm of the value, and its series."""
        value, away = self.parted(a)
        rest = self.through(away, lambda k: Fraction((-1) ** (k + 1), k) if k else 0)
        return self.add(Jet({self.zero: self.base.log(value)}), rest)

    def power(self, a: Jet, b: Jet) -> Jet:
        """Whole powers and halves as such, others by logarithms, or of the value alone."""
        exponent, moves = self.constant(b), any(any(e) for e in b.terms)
        for twice in () if moves else (1, 2):
            whole = _whole(self.base.multiply(exponent, self.base.number(twice)))
            if whole is not None:
                return self.powered(a, Fraction(whole, twice))
        if moves or any(any(e) for e in a.terms):
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
        return self.scaled(self.relative(self.negative(self.off(exponent))), self.base.number(FACTOR))

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
            if base.sign(wide[k][k]) in (0, -1):
                raise Undefined("a density that does not fall in all directions")
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

    def over_base(self) -> Arithmetic:
        """As an arithmetic, with what only numbers have."""
        names = ("log", "density", "log_integral", "mean_under", "pi")
        return self.arithmetic(f"series over {self.base.name}", self.base.exact, *names)

    def pi(self) -> Jet:
        """The number."""
        return Jet({self.zero: self.base.pi()})


def value_about(side: Term, base: Arithmetic, place: Mapping[str, Any]) -> Any:
    """What a term with words of calculus is worth at a place; what is added or multiplied, by itself."""
    if isinstance(side, Applied) and side.head in APART:
        return word(side.head).value(base, *(value_about(part, base, place) for part in side.of))
    asked = local(side) or Local((), 0, ())
    around = Around(base, len(asked.letters), asked.order)
    given = (a for a in side.letters if a not in asked.letters and a.kind != "variable")
    unknown = [a.name for a in asked.letters if a not in asked.bound and a.name not in place]
    if unknown:
        raise Unable(f"{unknown[0]} has no value")
    values = {a.name: around.number(place[a.name]) for a in given if a.name in place}
    for k, letter in enumerate(asked.letters):
        at = 0 if letter in asked.bound else place[letter.name]
        values[letter.name] = around.variable(k, at)
    return around.constant(walk(side, around.over_base(), values))


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
