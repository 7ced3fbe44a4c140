"""Series in the root of a small letter, whose coefficients are polynomials in everything else.

At one point the derivatives of a function left open are independent numbers, so each is a letter. A
monomial is a whole number: its digits, which may be negative, are twice the powers of letters. So
products of monomials are sums, roots of positive letters are halves, and nothing has a denominator.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp
from flint import fmpq

from verification.terms.arithmetics.series import Truncated, normal_moment
from verification.terms.arithmetics.symbols import symbol
from verification.terms.term import Letter
from verification.terms.walking import Unable, Undefined
from verification.theories.operators.arguments import FreeOfArgument, IsZero

_BITS = 16
_HALF, _ALL = 1 << (_BITS - 1), (1 << _BITS) - 1
_PRIMES = (2, 3, 5, 7)  # whose roots may occur: the first digits
_OF_PRIMES = (1 << (_BITS * len(_PRIMES))) - 1

Polynomial = dict[int, Any]


@dataclass(frozen=True)
class Jet:
    """A derivative of a function at the letters that its arguments start from."""

    name: str
    home: tuple[Letter, ...]
    orders: tuple[int, ...]
    positive: bool = False

    def raised(self, k: int) -> Jet:
        """Once more by the k-th argument."""
        return Jet(self.name, self.home, tuple(n + (j == k) for j, n in enumerate(self.orders)))


@dataclass(frozen=True)
class Series:
    """Coefficients by half powers of the letter; those from ``known`` on are not known."""

    at: Mapping[int, Polynomial]
    known: int

    @property
    def first(self) -> int:
        """The lowest power."""
        return min(self.at, default=self.known)


@dataclass(frozen=True)
class Powers(Truncated):
    """Series in one letter up to a half power, under conditions on functions."""

    small: Letter
    most: int
    given: tuple[FreeOfArgument, ...] = ()
    smooth: Mapping[str, int] = field(default_factory=dict)  # derivatives that are bounded
    letters: list[Any] = field(default_factory=lambda: list(_PRIMES))
    digit: dict[Any, int] = field(default_factory=dict)
    shown: dict[int, Any] = field(default_factory=dict)

    # -- polynomials ----------------------------------------------------------------------------------

    def _monomial(self, letter: Any) -> int:
        if letter not in self.digit:
            self.digit[letter] = 1 << (_BITS * len(self.letters) + 1)
            self.letters.append(letter)
        return self.digit[letter]

    def powers(self, monomial: int) -> Iterator[tuple[int, int]]:
        """Which letters, and twice their powers."""
        k = 0
        while monomial:
            low = monomial & _ALL
            low -= (low >= _HALF) << _BITS
            if low:
                yield k, low
            monomial, k = (monomial - low) >> _BITS, k + 1

    def _times(self, p: Polynomial, q: Polynomial, into: Polynomial) -> None:
        for a, x in p.items():
            for b, y in q.items():
                m, c = a + b, x * y
                if m & _OF_PRIMES:
                    m, c = self._without_squares(m, c)
                into[m] = into[m] + c if m in into else c

    def _without_squares(self, monomial: int, c: Any) -> tuple[int, Any]:
        """Roots squared are what they are roots of."""
        for k, n in self.powers(monomial):
            if k >= len(_PRIMES):
                break
            whole = n // 2
            monomial, c = monomial - (2 * whole << (_BITS * k)), c * fmpq(_PRIMES[k]) ** whole
        return monomial, c

    def _slope(self, p: Polynomial, by: Letter) -> Polynomial:
        found: Polynomial = {}
        for m, c in p.items():
            for k, n in self.powers(m):
                letter, rest = self.letters[k], m - (2 << (_BITS * k))
                factor = c * fmpq(n, 2)
                if letter == by:
                    found[rest] = found.get(rest, 0) + factor
                elif isinstance(letter, Jet) and by in letter.home:
                    raised = rest + self._monomial(letter.raised(letter.home.index(by)))
                    found[raised] = found.get(raised, 0) + factor
        return {m: c for m, c in found.items() if c}

    def _vanishes(self, name: str, orders: tuple[int, ...]) -> bool:
        return any(c.name == name and (isinstance(c, IsZero) or orders[c.k] > 0) for c in self.given)

    def expression(self, p: Polynomial) -> Any:
        """A polynomial as an expression of SymPy."""
        return sp.Add(
            *(
                sp.Rational(int(c.p), int(c.q))
                * sp.Mul(*(self._shown(k) ** sp.Rational(n, 2) for k, n in self.powers(m)))
                for m, c in p.items()
            )
        )

    def _shown(self, k: int) -> Any:
        if k not in self.shown:
            self.shown[k] = self._in_symbols(self.letters[k])
        return self.shown[k]

    def _in_symbols(self, letter: Any) -> Any:
        if not isinstance(letter, Jet):
            return sp.Integer(letter) if isinstance(letter, int) else symbol(letter)
        home = [symbol(a) for a in letter.home]
        f = symbol(Letter(letter.name, "positive function" if letter.positive else "function"))(*home)
        by = [(x, n) for x, n in zip(home, letter.orders, strict=True) if n]
        return f.diff(*by) if by else f

    # -- series ---------------------------------------------------------------------------------------

    def of(self, at: Mapping[int, Polynomial], known: int) -> Series:
        """Without what is zero or not known."""
        tidied = ((k, {m: c for m, c in p.items() if c}) for k, p in at.items() if k < known)
        return Series({k: p for k, p in tidied if p}, known)

    def number(self, x: Any) -> Series:
        """A rational number."""
        q = Fraction(x)
        return self.of({0: {0: fmpq(q.numerator, q.denominator)}}, self.most)

    def letter(self, a: Letter) -> Any:
        """A letter; of a function its name."""
        if "function" in a.kind:
            return a
        power, monomial = (2, 0) if a == self.small else (0, self._monomial(a))
        return Series({power: {monomial: fmpq(1)}}, self.most)

    def add(self, a: Series, b: Series) -> Series:
        """Coefficient by coefficient."""
        found = {k: dict(p) for k, p in a.at.items()}
        for k, p in b.at.items():
            into = found.setdefault(k, {})
            for m, c in p.items():
                into[m] = into.get(m, 0) + c
        return self.of(found, min(a.known, b.known))

    def multiply(self, a: Series, b: Series) -> Series:
        """What is beyond the highest power is dropped."""
        known = min(a.known + b.first, b.known + a.first, self.most)
        found: dict[int, Polynomial] = {}
        for j, p in a.at.items():
            for k, q in b.at.items():
                if j + k < known:
                    self._times(p, q, found.setdefault(j + k, {}))
        return self.of(found, known)

    def negative(self, a: Series) -> Series:
        """With the other sign."""
        return self.of({k: {m: -y for m, y in p.items()} for k, p in a.at.items()}, a.known)

    def terms(self, away: Series) -> int:
        """How many powers of what vanishes count."""
        if away.at and away.first < 1:
            raise Unable("a series about what is no number")
        return -(-self.most // away.first) if away.at else 1

    def parted(self, a: Series) -> tuple[tuple[int, int, Any], Series]:
        """The first term, which has to be one monomial, and the rest divided by it."""
        if not a.at:
            raise Undefined("a division by zero")
        first = a.first
        if len(a.at[first]) > 1:
            raise Unable("a quotient by a sum")
        ((m, c),) = a.at[first].items()
        over = self.of({-first: {-m: 1 / c}}, self.most - first)
        rest = self.of({k: p for k, p in a.at.items() if k != first}, a.known)
        return (first, m, c), self.multiply(rest, Series(over.at, self.most + abs(first)))

    def inverted(self, start: tuple[int, int, Any]) -> Series:
        """One over a monomial."""
        first, m, c = start
        m, c = self._without_squares(-m, 1 / c)
        return Series({-first: {m: c}}, self.most - first)

    def rooted(self, start: tuple[int, int, Any]) -> Series:
        """The root of a monomial that is positive."""
        first, m, c = start
        if first % 2 or c < 0:
            raise Unable("no root of the first term")
        monomial, factor = self._root(int(c.p) * int(c.q))
        for k, n in self.powers(m):
            letter = self.letters[k]
            real = isinstance(letter, Letter) and letter.kind == "real"
            if n % 2 or real or (isinstance(letter, Jet) and not letter.positive):
                raise Unable("no root of the first term")
            monomial += n // 2 << (_BITS * k)
        return Series({first // 2: {monomial: factor / int(c.q)}}, self.most + first // 2)

    def _root(self, n: int) -> tuple[int, Any]:
        """Of a whole number, as a monomial and what is in front of it."""
        monomial, outside = 0, 1
        for k, prime in enumerate(_PRIMES):
            while n % prime**2 == 0:
                n, outside = n // prime**2, outside * prime
            if n % prime == 0:
                n, monomial = n // prime, monomial + (1 << (_BITS * k))
        if math.isqrt(n) ** 2 != n:
            raise Unable("the root of a large prime")
        return monomial, fmpq(outside * math.isqrt(n))

    def exp(self, a: Series) -> Series:
        """Of what vanishes."""
        return self.relative(a)

    def power(self, a: Series, b: Series) -> Series:
        """Whole powers and halves."""
        exponent = Fraction(str(b.at.get(0, {}).get(0, 0)))
        if exponent.denominator > 2 or set(b.at) > {0} or set(b.at.get(0, {})) > {0}:
            raise Unable("another power")
        return self.powered(a, exponent)

    def derived(self, f: Letter, orders: str, *arguments: Series) -> Series:
        """A derivative of a function by its Taylor series about where its arguments start."""
        by, homes = tuple(map(int, orders.split(","))), []
        for a in arguments:
            start = a.at.get(0, {})
            letters = [self.letters[k] for m in start for k, n in self.powers(m) if n == 2]
            if a.first < 0 or len(start) != 1 or len(letters) != 1 or set(start.values()) != {fmpq(1)}:
                raise Unable("a function of what starts at no letter")
            homes.append(letters[0])
        away = [self.of({k: p for k, p in a.at.items() if k}, a.known) for a in arguments]
        most = [-(-self.most // d.first) if d.at else 1 for d in away]
        raised = [[self.number(1)] for _ in away]
        for row, d, n in zip(raised, away, most, strict=True):
            for _ in range(n - 1):
                row.append(self.multiply(row[-1], d))
        found, kind = self.of({}, min(d.known for d in away)), f.kind == "positive function"
        for alpha in product(*(range(n) for n in most)):
            if sum(k * d.first for k, d in zip(alpha, away, strict=True)) >= self.most:
                continue
            total = tuple(n + k for n, k in zip(by, alpha, strict=True))
            if self._vanishes(f.name, total):
                continue
            jet = self._monomial(Jet(f.name, tuple(homes), total, kind and not any(total)))
            weight = fmpq(1, math.prod(map(math.factorial, alpha)))
            term = Series({0: {jet: weight}}, self.most)
            for row, k in zip(raised, alpha, strict=True):
                term = self.multiply(term, row[k]) if k else term
            found = self.add(found, term)
        moving = [d.first for d in away if d.at]
        left = self.smooth.get(f.name, math.inf) - sum(by)
        if left < 0:
            raise Unable("a derivative that need not exist")
        if left == math.inf or not moving:
            return found
        return self.of(found.at, min(found.known, int(left) * min(moving)))  # Taylor's remainder

    def apply(self, f: Letter, *arguments: Series) -> Series:
        """A function itself."""
        return self.derived(f, ",".join("0" * len(arguments)), *arguments)

    def partial(self, a: Series, x: Series) -> Series:
        """By a letter that does not move."""
        ((k, _),) = self.powers(next(iter(x.at[0])))
        return self.of({n: self._slope(p, self.letters[k]) for n, p in a.at.items()}, a.known)

    def over_noise(self, a: Series, *noises: Series) -> Series:
        """The mean over standard normal letters."""
        drawn = {k for w in noises for k, _ in self.powers(next(iter(w.at[0])))}
        found: dict[int, Polynomial] = {}
        for at, p in a.at.items():
            into = found.setdefault(at, {})
            for m, c in p.items():
                for k, n in self.powers(m):
                    if k in drawn:
                        m, c = m - (n << (_BITS * k)), c * normal_moment(n // 2)
                into[m] = into.get(m, 0) + c
        return self.of(found, a.known)
