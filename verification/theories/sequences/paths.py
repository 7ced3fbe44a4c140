"""Terms about sequences for a given number of steps: on each of finitely many paths, all as likely.

A path is a row of coins. What is random has a letter for each path; of mean zero given the past it is a
letter for each row of earlier coins, with the coin of its own step for a sign.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from sgtheory.errors import DeclarationError
from verification.terms.arithmetics.rational import exactly
from verification.terms.term import (
    INFINITY,
    MINUS_INFINITY,
    Applied,
    Letter,
    Name,
    Term,
    number,
    term,
    total,
)
from verification.theories.sequences.words import CHANCE, ENTRIES

_FAIR = ("centred", "differences")  # their signs are coins


def is_random(side: Term) -> bool:
    """Whether something random is in a term outside of all means."""
    if isinstance(side, Letter):
        return side.kind in CHANCE
    if isinstance(side, Applied) and side.head == "mean":
        return False
    return any(map(is_random, side.parts))


def of_chance(kinds: set[str]) -> str:
    """What the names of random numbers at a place mean."""
    coins = "+ and - are the sides of fair coins" if kinds & {"random", "random sequence"} else ""
    fair = (
        "how far a letter is off its mean has the sign + or -, each with probability 1/2"
        if kinds & {*_FAIR}
        else ""
    )
    told = "; ".join(filter(None, (coins, fair)))
    return f"({told})" if told and "noises" not in kinds else ""


@dataclass(frozen=True)
class Path:
    """A number of steps, the letters that are random, and the coins of one path.

    ``rules`` and ``starts`` say of sequences what their entries are, as ``Steps`` has them.
    """

    count: Letter | None
    steps: int
    chance: tuple[Letter, ...]
    rules: tuple[tuple[Letter, Letter, Term], ...]
    starts: tuple[tuple[Any, Term], ...]
    coins: tuple[int, ...] = ()

    @property
    def all(self) -> Iterator[Path]:
        """Every path: rows of coins for each letter of signs, and one for all others."""
        signs = sum(a.kind in ("sign", "signs") for a in self.chance)
        fair = any(a.kind in _FAIR for a in self.chance)
        rows = product((1, -1), repeat=self.steps * (signs + fair)) if signs or fair else ((1,), (-1,))
        return (replace(self, coins=row) for row in (rows if self.chance else ((),)))

    def out(self, side: Term, known: Mapping[Letter, Any] | None = None) -> Term:
        """A term without sums and means, its letters single numbers."""
        known = {} if known is None else known
        if isinstance(side, Letter):
            if side == self.count:
                return number(self.steps)
            return number(known[side]) if side in known else self._single(side)
        if not isinstance(side, Applied):
            return side
        if side.head == "sum":
            body, running, first, last = side.of
            assert isinstance(running, Letter)
            steps = range(math.ceil(self._end(first, known)), math.floor(self._end(last, known)) + 1)
            terms = [self.out(body, {**known, running: k}) for k in steps]
            return total(terms) if terms else number(0)
        if side.head == "mean":
            parts = [path.out(side.of[0], known) for path in self.all]
            return total(parts) / number(len(parts)) if len(parts) > 1 else parts[0]
        if side.head == "at":
            return self._entry(side.of[0], self._whole(side.of[1], known))
        return side.with_parts(tuple(self.out(part, known) for part in side.of))

    def _entry(self, name: Any, at: Fraction) -> Term:
        for start, value in self.starts:
            if start == Applied("at", (name, term(at))):
                return self.out(value)
        first = [self._whole(s.of[1], {}) for s, _ in self.starts if s.of[0] == name]
        for sequence, running, rule in self.rules:
            if sequence == name and not any(at < step for step in first):
                return self.out(rule, {running: at})
        if name.kind == "autocovariances" and at > self._far:
            return number(0)
        called = f"{name}[{at}]"
        if name.kind == "noises":
            told = "state it of sums over a chain, for every number of steps"
            raise DeclarationError("what has finitely many values", f"the normal {called}", told)
        if name not in self.chance:
            return Letter(called, ENTRIES[name.kind])
        if name.kind == "random sequence":
            return Letter(f"{called} on {self._told(self.coins)}", "real")
        if not 1 <= at <= self.steps:
            return number(0)
        coin, before = self._coin(name, int(at))
        if name.kind == "signs":
            return number(coin)
        called += f" after {self._told(before)}" if before else ""
        return _signed(coin, Letter(called, "real"))

    def _single(self, letter: Letter) -> Term:
        if letter.kind not in CHANCE:
            return letter
        if letter.kind == "random":
            return Letter(f"{letter} on {self._told(self.coins)}", "real")
        coin, _ = self._coin(letter, 1)
        return number(coin) if letter.kind == "sign" else _signed(coin, Letter(letter.name, "real"))

    def _coin(self, letter: Letter, step: int) -> tuple[int, tuple[int, ...]]:
        """The coin of a step, and those before."""
        signs = [a for a in self.chance if a.kind in ("sign", "signs")]
        row = self.coins[len(signs) * self.steps :]
        if letter in signs:
            row = self.coins[signs.index(letter) * self.steps :]
        return row[step - 1], row[: step - 1]

    @property
    def _far(self) -> int:
        """From where on autocovariances are taken to be zero."""
        return 2 * self.steps + 1

    def _end(self, end: Term, known: Mapping[Letter, Any]) -> Fraction:
        ends = {INFINITY: Fraction(self._far), MINUS_INFINITY: -Fraction(self._far)}
        return ends[end] if isinstance(end, Name) else self._whole(end, known)

    @staticmethod
    def _told(coins: tuple[int, ...]) -> str:
        return "".join("+" if coin > 0 else "-" for coin in coins)

    def _whole(self, step: Term, known: Mapping[Letter, Any]) -> Fraction:
        """The number of a step."""
        values = {**known, **({} if self.count is None else {self.count: self.steps})}
        free = [a for a in step.letters if a not in values]
        if free:
            told = "sum over it, with over()"
            raise DeclarationError("a step over which a sum runs", str(free[0]), told)
        found: Fraction = exactly(step, {a.name: x for a, x in values.items()})
        return found


def _signed(coin: int, letter: Letter) -> Term:
    return letter if coin > 0 else -letter
