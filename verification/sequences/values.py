"""Statements about sums at exact places: finitely many paths of a few steps, all equally likely."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.display import Shown
from verification.sequences.words import DOWN, RANDOM, E, T

MOST_STEPS, MOST_RANDOM_STEPS = 4, 3
DIGITS, CLOSE = 60, Decimal("1e-40")
_PLAIN = tuple(map(Fraction, ("0", "1", "-1")))
_MORE = tuple(map(Fraction, ("0", "1", "-1", "2", "-2", "1/2", "3", "-1/2")))
_POSITIVE = tuple(map(Fraction, ("1", "2", "1/2", "3", "4", "1/4")))
_ABOVE = tuple(map(Fraction, ("4", "3", "2", "3/2", "1", "1/2", "1/3", "1/4")))
_WITHIN = tuple(map(Fraction, ("1", "-1", "0", "1/2", "-1/2")))
_FRACTIONS = tuple(map(Fraction, ("1/2", "1/4", "3/4", "9/10", "1/10")))


@dataclass(frozen=True)
class Sample(Shown):
    """So many steps; numbers of single letters, of sequences (from step 0 on), and of paths of them.

    A random letter has a row for each path; a random single letter has rows of one number.
    """

    steps: int
    single: Mapping[str, Fraction]
    rows: Mapping[str, tuple[Fraction, ...]]
    paths: Mapping[str, tuple[tuple[Fraction, ...], ...]]

    @property
    def count(self) -> int:
        """Of paths."""
        return max((len(p) for p in self.paths.values()), default=1)

    @property
    def cost(self) -> Fraction:
        """How much there is to read."""
        drawn = [x for r in self.rows.values() for x in r[: self.steps + 1]]
        drawn += [x for p in self.paths.values() for r in p for x in r]
        size = sum((_cost(x) for x in (*drawn, *self.single.values())), Fraction(0))
        return size + 5 * self.steps

    def to_json(self) -> dict[str, Any]:
        """Numbers as texts."""
        shown: dict[str, Any] = {"T": str(self.steps)}
        shown |= {n: str(x) for n, x in self.single.items()}
        shown |= {n: " ".join(map(str, r)) for n, r in self.rows.items()}
        return shown | {n: "; ".join(" ".join(map(str, r)) for r in p) for n, p in self.paths.items()}


def _cost(x: Fraction) -> Fraction:
    return Fraction(0) if x == 0 else Fraction(len(str(x)) + (x < 0)) + abs(x) / 10


def drawn(kinds: Mapping[Any, str], source: random.Random, simple: bool = False) -> Sample:
    """Numbers for letters of given kinds; few steps more often than many."""
    chance = [n for n, kind in kinds.items() if kind in RANDOM]
    steps = (
        source.choice((1, 1, 2, 2, MOST_RANDOM_STEPS))
        if chance
        else source.choice((1, 1, 2, 2, 3, MOST_STEPS))
    )
    single, rows = {}, {}
    for letter, kind in kinds.items():
        if kind in RANDOM:
            continue
        if isinstance(letter, sp.IndexedBase):
            rows[str(letter)] = _row(kind, steps + 2, source, simple)
        else:
            single[str(letter)] = _number(kind, source, simple)
    return Sample(steps, single, rows, _paths({n: kinds[n] for n in chance}, steps, source, simple))


def _number(kind: str, source: random.Random, simple: bool) -> Fraction:
    if kind == "fraction":
        return source.choice(_FRACTIONS)
    if kind in ("positive", *DOWN):
        return source.choice(_POSITIVE[:2] if simple else _POSITIVE)
    if kind == "at most one":
        return source.choice(_WITHIN)
    x = source.choice(_PLAIN if simple else _MORE)
    return abs(x) if kind == "nonnegative" else x


def _row(kind: str, size: int, source: random.Random, simple: bool) -> tuple[Fraction, ...]:
    if kind in DOWN:
        return tuple(sorted(source.sample(_ABOVE, size), reverse=True))
    return tuple(_number(kind, source, simple) for _ in range(size))


def _paths(
    kinds: Mapping[Any, str], steps: int, source: random.Random, simple: bool
) -> dict[str, tuple[tuple[Fraction, ...], ...]]:
    """All paths are equally likely: those of as many coins as there are steps and letters of signs."""
    coins = 1 + sum(kind == "signs" for kind in kinds.values())
    if not kinds:
        return {}
    ways = tuple(product((1, -1), repeat=coins * steps))
    found = {}
    for place, (letter, kind) in enumerate(kinds.items()):
        size = steps + 2 if isinstance(letter, sp.IndexedBase) else 1
        own = (place % coins) * steps
        rows = []
        sizes: dict[tuple[int, ...], Fraction] = {}
        for way in ways:
            row = []
            for s in range(size):
                if kind == "signs" and size == 1:
                    row.append(Fraction(way[own]))
                    continue
                coin = way[own + s - 1] if 1 <= s <= steps else 1
                if kind == "signs":
                    row.append(Fraction(coin if 1 <= s <= steps else 0))
                elif kind == "differences" and size > 1:
                    before = (s, *(way[own + r] for r in range(min(s - 1, steps))))
                    sizes.setdefault(before, _number("real", source, simple))
                    row.append(sizes[before] * coin if 1 <= s <= steps else Fraction(0))
                else:
                    row.append(_number("real", source, simple))
            rows.append(tuple(row))
        if kind == "differences" and size == 1:  # of mean zero
            mean = sum((r[0] for r in rows), Fraction(0)) / len(rows)
            rows = [(r[0] - mean,) for r in rows]
        found[str(letter)] = tuple(rows)
    return found


@dataclass(frozen=True)
class Reading:
    """How a statement is evaluated: sequences that are defined step by step, roots in decimals."""

    defined: tuple[tuple[Any, Any, Any], ...] = ()  # sequence, its value at t from that at t - 1, start
    decimal: bool = False

    def value(self, expr: Any, sample: Sample, path: int = 0) -> Any:
        """The value of an expression on one path."""
        if not self.decimal:
            return _Walk(self, sample, Fraction)(sp.sympify(expr), {}, path)
        with localcontext() as context:
            context.prec = DIGITS
            return _Walk(self, sample, _decimal)(sp.sympify(expr), {}, path)


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


class _Walk:
    """One evaluation; what is defined step by step is kept."""

    def __init__(self, reading: Reading, sample: Sample, number: Callable[[Fraction], Any]) -> None:
        self.defined = {str(s): (s, rule, start) for s, rule, start in reading.defined}
        self.sample, self.number = sample, number
        self.kept: dict[tuple[str, int, int], Any] = {}

    def __call__(self, e: Any, at: Mapping[Any, int], path: int) -> Any:
        if e.is_Rational:
            return self.number(Fraction(int(e.p), int(e.q)))
        if isinstance(e, sp.Indexed):
            return self.entry(str(e.base), self.whole(e.indices[0], at), path)
        if e.is_Symbol:
            return self.symbol(e, at, path)
        if e.is_Add or e.is_Mul:
            parts = [self(a, at, path) for a in e.args]
            found = parts[0]
            for part in parts[1:]:
                found = found + part if e.is_Add else found * part
            return found
        if e.is_Pow:
            return self.power(self(e.base, at, path), e.exp, at)
        if isinstance(e, sp.Sum):
            return self.summed(e.function, e.limits, at, path)
        if isinstance(e, sp.Abs):
            return abs(self(e.args[0], at, path))
        if isinstance(e, E):
            paths = range(self.sample.count)
            total = sum((self(e.args[0], at, p) for p in paths), self.number(Fraction(0)))
            return total / self.number(Fraction(len(paths)))
        raise TypeError(f"no rule for {e}")

    def summed(self, body: Any, limits: Any, at: Mapping[Any, int], path: int) -> Any:
        """A sum whose last index is the outermost."""
        if not limits:
            return self(body, at, path)
        index, first, last = limits[-1]
        steps = range(self.whole(first, at), self.whole(last, at) + 1)
        parts = (self.summed(body, limits[:-1], {**at, index: s}, path) for s in steps)
        return sum(parts, self.number(Fraction(0)))

    def whole(self, e: Any, at: Mapping[Any, int]) -> int:
        """An index."""
        if e.is_Symbol:
            return self.sample.steps if e == T else at[e]
        if e.is_Integer:
            return int(e)
        if e.is_Add and len(e.args) == 2 and e.args[0].is_Integer and e.args[1].is_Symbol:
            return int(e.args[0]) + self.whole(e.args[1], at)
        value = sp.sympify(e).subs({T: self.sample.steps, **at})
        if not value.is_Integer:
            raise TypeError(f"{e} is no step")
        return int(value)

    def symbol(self, e: Any, at: Mapping[Any, int], path: int) -> Any:
        """The number of a single letter."""
        if e == T or e in at:
            return self.number(Fraction(self.whole(e, at)))
        if e.name in self.sample.paths:
            return self.number(self.sample.paths[e.name][path][0])
        return self.number(self.sample.single[e.name])

    def power(self, base: Any, exponent: Any, at: Mapping[Any, int]) -> Any:
        """Whole powers, and roots in decimals."""
        if exponent.is_Rational and not exponent.is_Integer:
            if isinstance(base, Fraction):
                raise TypeError("a root wants decimals")
            if base < 0 or (base == 0 and exponent < 0):
                raise ZeroDivisionError
            return base.sqrt() ** int(2 * exponent)
        power = int(exponent) if exponent.is_Integer else self.whole(exponent, at)
        if power < 0 and base == 0:
            raise ZeroDivisionError
        return base**power

    def entry(self, name: str, step: int, path: int) -> Any:
        """The number of a sequence at a step."""
        if name in self.defined:
            if (name, step, path) not in self.kept:
                _, rule, start = self.defined[name]
                (index,) = sequence_index(rule, start)
                value = (
                    self(sp.sympify(start), {}, path)
                    if step == 0
                    else self(sp.sympify(rule), {index: step}, path)
                )
                self.kept[name, step, path] = value
            return self.kept[name, step, path]
        row = self.sample.paths[name][path] if name in self.sample.paths else self.sample.rows[name]
        if not 0 <= step < len(row):
            raise TypeError(f"{name} has no step {step}")
        return self.number(row[step])


def sequence_index(rule: Any, start: Any) -> tuple[Any]:
    """The index of a rule such as V[t] = a V[t-1] + x[t]."""
    found = {s for e in sp.sympify(rule).atoms(sp.Indexed) for s in e.indices[0].free_symbols} - {T}
    (index,) = found
    return (index,)
