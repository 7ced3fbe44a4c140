"""Stationarity of every moment, with the gradient expanded at the minimiser, order by order.

Let x = theta - theta*. One step is x_a - gamma sum_J (U_aJ + B_aJ) x^J / J! + sqrt(q) xi_a, where U_aJ
are derivatives of U at theta*, B_aJ those of the minibatch's U less these (mean 0), and q = 2 gamma T.
Every quantity has a grade, its power of a small e: x has 1; and either (as 1/N = e^2 vanishes) gamma U
and gamma B have 0 and q has 2, or (as eta = e^2 vanishes) they have 2 and q has 4. In each grade the
moments of each degree solve a linear equation whose right-hand side is known, from high degrees to low.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

Powers = tuple[int, ...]
Key = tuple[int, ...]  # sorted coordinates of a derivative: (0, 1) is d^2 U / dx_0 dx_1


@dataclass(frozen=True, order=True)
class Letter:
    """What a term has beside a number: derivatives of U and of B, powers of gamma and q."""

    mean: tuple[Key, ...] = ()
    noise: tuple[Key, ...] = ()
    gamma: int = 0
    q: int = 0

    def __mul__(self, other: Letter) -> Letter:
        return Letter(
            tuple(sorted(self.mean + other.mean)),
            tuple(sorted(self.noise + other.noise)),
            self.gamma + other.gamma,
            self.q + other.q,
        )


Term = tuple[Powers, Powers, Letter]  # of x, of xi
Terms = Mapping[Term, Fraction]


@dataclass(frozen=True)
class Kind:
    """Which expansion: its size, what noise there is, and in what it is."""

    D: int
    order: int
    multiplicative: bool
    additive: bool

    @property
    def first(self) -> int:
        """The grade of gamma U."""
        return 2 if self.additive else 0

    @property
    def last(self) -> int:
        """The highest grade in an equation."""
        return 2 * self.order + self.first

    def grade(self, letter: Letter) -> int:
        """The grade of a letter."""
        return self.first * letter.gamma + (self.first + 2) * letter.q


@cache
def equations(kind: Kind) -> Mapping[Powers, Mapping[tuple[Powers, Letter], Fraction]]:
    """To each monomial x^k the mean of (x')^k - x^k, as a sum of moments with letters.

    >>> found = equations(Kind(1, 1, multiplicative=False, additive=False))[(1,)]
    >>> [(powers, letter.mean, letter.gamma, str(c)) for (powers, letter), c in found.items()]
    [((1,), ((0, 0),), 1, '-1'), ((2,), ((0, 0, 0),), 1, '-1/2')]
    """
    steps = [_component(kind, a) for a in range(kind.D)]
    found = {}
    products: dict[Powers, Terms] = {
        (0,) * kind.D: {((0,) * kind.D, (0,) * kind.D, Letter()): Fraction(1)}
    }
    for degree in range(1, 2 * kind.order + 1):
        for powers in monomials(kind.D, degree):
            a = next(k for k, p in enumerate(powers) if p)
            lower = (*powers[:a], powers[a] - 1, *powers[a + 1 :])
            products[powers] = _times(kind, products[lower], steps[a])
            found[powers] = _expected(kind, powers, products[powers])
    return found


def monomials(D: int, degree: int) -> list[Powers]:
    """All powers of D variables of this degree."""
    return [
        tuple(chosen.count(k) for k in range(D))
        for chosen in combinations_with_replacement(range(D), degree)
    ]


def _component(kind: Kind, a: int) -> Terms:
    """One coordinate of the step."""
    zero = (0,) * kind.D
    unit = tuple(int(k == a) for k in range(kind.D))
    # the root of q comes with xi, whose odd moments vanish: a pair of them is one q
    found: dict[Term, Fraction] = {
        (unit, zero, Letter()): Fraction(1),
        (zero, unit, Letter()): Fraction(1),
    }
    for degree in range(2 * kind.order + 1):
        for powers in monomials(kind.D, degree):
            key = tuple(sorted((a, *(k for k, p in enumerate(powers) for _ in range(p)))))
            weight = Fraction(-1, math.prod(map(math.factorial, powers)))
            if degree:
                found[powers, zero, Letter(mean=(key,), gamma=1)] = weight
            if (degree and kind.multiplicative) or (not degree and kind.additive):
                found[powers, zero, Letter(noise=(key,), gamma=1)] = weight
    return found


def _times(kind: Kind, one: Terms, other: Terms) -> Terms:
    found: dict[Term, Fraction] = {}
    for (x, xi, letter), c in one.items():
        for (y, eta, more), d in other.items():
            powers, drawn, both = _sum(x, y), _sum(xi, eta), letter * more
            half = (kind.first + 2) * sum(drawn)  # twice the grade of the roots of q
            if 2 * (kind.grade(both) + sum(powers)) + half <= 2 * kind.last:
                term = powers, drawn, both
                found[term] = found.get(term, Fraction(0)) + c * d
    return found


def _sum(x: Powers, y: Powers) -> Powers:
    return tuple(map(int.__add__, x, y))


def _expected(kind: Kind, powers: Powers, terms: Terms) -> Mapping[tuple[Powers, Letter], Fraction]:
    found: dict[tuple[Powers, Letter], Fraction] = {}
    for (x, xi, letter), c in sorted(terms.items()):
        if (
            any(k % 2 for k in xi)
            or len(letter.noise) == 1
            or (x == powers and letter == Letter() and not any(xi))
        ):
            continue
        drawn = math.prod(math.prod(range(1, k, 2)) for k in xi)
        key = x, letter * Letter(q=sum(xi) // 2)
        found[key] = found.get(key, Fraction(0)) + c * drawn
    return found


@dataclass(frozen=True)
class Values:
    """Letters as elements of a field: numbers, or rational functions."""

    derivative: Callable[[Key], Any]  # of U
    moment: Callable[[tuple[Key, ...]], Any]  # the mean of a product of B
    gamma: Any
    q: Any
    one: Any

    def __call__(self, letter: Letter) -> Any:
        """The value of a product of letters."""
        found = self.one
        for key in letter.mean:
            found = found * self.derivative(key)
        if letter.noise:
            found = found * self.moment(letter.noise)
        for base, power in ((self.gamma, letter.gamma), (self.q, letter.q)):
            found = found * base**power if power else found
        return found


def moments(kind: Kind, values: Values) -> Mapping[tuple[Powers, int], Any]:
    """The moment of x^k in each grade up to twice the order.

    >>> quarter, half = Fraction(1, 4), Fraction(1, 2)
    >>> values = Values(lambda key: Fraction(len(key)), None, quarter, half, Fraction(1))
    >>> found = moments(Kind(1, 1, multiplicative=False, additive=False), values)
    >>> str(found[(2,), 2]), str(found[(1,), 2])  # q/(1 - (1 - gamma U2)^2), -U3/(2 U2) times that
    ('2/3', '-1/2')
    """
    zero = values.one - values.one
    known: dict[tuple[Powers, int], Any] = {((0,) * kind.D, 0): values.one}
    evaluated: dict[Letter, Any] = {}

    def value(letter: Letter) -> Any:
        if letter not in evaluated:
            evaluated[letter] = values(letter)
        return evaluated[letter]

    written = equations(kind)
    for n in range(2, 2 * kind.order + 1, 2):
        for degree in range(n, 0, -1):
            unknown = monomials(kind.D, degree)
            rows, right = [], []
            for powers in unknown:
                row, rest = dict.fromkeys(unknown, zero), zero
                for (x, letter), c in written[powers].items():
                    left = n + kind.first - kind.grade(letter)
                    if left == n and x in row:
                        row[x] = row[x] + value(letter) * _in_field(c, values.one)
                    elif (x, left) in known:
                        rest = rest - known[x, left] * value(letter) * _in_field(c, values.one)
                rows.append([row[x] for x in unknown])
                right.append(rest)
            for x, found in zip(unknown, solved(rows, right), strict=True):
                known[x, n] = found
    return known


def _in_field(c: Fraction, one: Any) -> Any:
    return one * c.numerator / c.denominator


def solved(rows: list[list[Any]], right: list[Any]) -> list[Any]:
    """A linear system over a field, by elimination."""
    table = [[*row, b] for row, b in zip(rows, right, strict=True)]
    size = len(table)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: _weight(table[i][k]))
        if not table[pivot][k]:
            raise ZeroDivisionError("moments that the step does not determine")
        table[k], table[pivot] = table[pivot], table[k]
        for i in range(size):
            if i != k and table[i][k]:
                factor = table[i][k] / table[k][k]
                table[i] = [a - factor * b for a, b in zip(table[i], table[k], strict=True)]
    return [table[k][size] / table[k][k] for k in range(size)]


def _weight(x: Any) -> float:
    return abs(x) if isinstance(x, float) else float(bool(x))
