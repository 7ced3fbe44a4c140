"""Generators of a partially commutative monoid: dividing one product by another, and an order.

A product whose factors partly commute is a partial order of generators, written in any of its
linear extensions. Dividing and ordering must not depend on which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from sgtheory.matrices.letters import Factor, Letter, Word, place
from sgtheory.matrices.words import Pairs, commute

Generators = tuple[Factor, ...]
_MOST_EXTENSIONS = 24  # of one left-hand side; more would only repeat the same overlaps


def split(word: Word, halved: frozenset[Letter]) -> Generators:
    """The word as single generators: letters, inverses, and roots where roots occur."""
    out: list[Factor] = []
    for f in word:
        step = Fraction(1, 2 if f.base in halved else 1)
        step = step if f.power > 0 else -step
        out += [f._replace(power=step)] * int(f.power / step)
    return tuple(out)


def rooted(words: Iterable[Word]) -> frozenset[Letter]:
    """The letters of which half powers occur."""
    factors = (f for w in words for f in w)
    return frozenset(f.base for f in factors if isinstance(f.base, Letter) and f.power.denominator == 2)


def apart(g: Factor, h: Factor, pairs: Pairs) -> bool:
    """Whether two generators may change places: they commute and are not powers of one thing."""
    return g.base != h.base and commute(g, h, pairs)


def divide(word: Generators, by: Generators, pairs: Pairs) -> tuple[Generators, Generators] | None:
    """Words u and v with word = u * by * v, or None.

    >>> A, B = (Factor(Letter(n), Fraction(1)) for n in "AB")
    >>> divide((A, B, A), (B, A), frozenset()) == ((A,), ())
    True
    """
    for chosen in _places(word, by, pairs):
        behind = _reached(word, chosen, pairs, forwards=True)
        if behind & _reached(word, chosen, pairs, forwards=False):
            continue  # something stands between the chosen factors and cannot leave
        before = tuple(g for i, g in enumerate(word) if i not in chosen and i not in behind)
        return before, tuple(word[i] for i in sorted(behind))
    return None


def _places(word: Generators, by: Generators, pairs: Pairs) -> Iterator[frozenset[int]]:
    """Sets of places at which the factors of ``by`` stand, in an order that is one of its own."""

    def extend(chosen: tuple[int, ...]) -> Iterator[frozenset[int]]:
        k = len(chosen)
        if k == len(by):
            yield frozenset(chosen)
            return
        bound = max(
            (c for c, g in zip(chosen, by, strict=False) if not apart(g, by[k], pairs)), default=-1
        )
        for i in range(bound + 1, len(word)):
            if word[i] == by[k] and i not in chosen:
                yield from extend((*chosen, i))

    return extend(())


def _reached(word: Generators, chosen: frozenset[int], pairs: Pairs, forwards: bool) -> set[int]:
    """The other places that must stay behind (or before) the chosen ones."""
    out: set[int] = set()
    n = len(word)
    seen: list[int] = []
    for i in range(n) if forwards else range(n - 1, -1, -1):
        if i in chosen:
            seen.append(i)
        elif any(not apart(word[j], word[i], pairs) for j in seen):
            out.add(i)
            seen.append(i)
    return out


def extensions(word: Generators, pairs: Pairs) -> list[Generators]:
    """The ways to write a product, not more of them than are useful."""
    found = [word]
    for known in found:
        for i in range(len(known) - 1):
            if apart(known[i], known[i + 1], pairs):
                other = (*known[:i], known[i + 1], known[i], *known[i + 2 :])
                if other not in found and len(found) < _MOST_EXTENSIONS:
                    found.append(other)
    return found


def rank(g: Factor) -> tuple[int, bool, str, bool]:
    """Sums are eliminated before letters, inverses before letters, late names before early ones."""
    kind, name, transposed = place(g)
    return kind, g.power < 0, name, transposed


class Order:
    """A total order of products that multiplication from either side preserves.

    First by length. Then, where nothing commutes, from left to right by rank. Otherwise by the
    projections to pairs of generators that do not commute, each by length and then by rank: a
    projection is a homomorphism to a free monoid, so it keeps that order under multiplication;
    together they determine the product.
    """

    def __init__(self, alphabet: Iterable[Factor], pairs: Pairs) -> None:
        gens = sorted(set(alphabet), key=rank, reverse=True)
        tied = [(g, h) for g, h in combinations_with_replacement(gens, 2) if not apart(g, h, pairs)]
        self._free = len(tied) == len(gens) * (len(gens) + 1) // 2
        self._tied = [frozenset(pair) for pair in tied]

    def key(self, word: Generators) -> tuple[Any, ...]:
        """What to compare."""
        ranks = [rank(g) for g in word]
        if self._free:
            return len(word), ranks
        projections = [[r for g, r in zip(word, ranks, strict=True) if g in pair] for pair in self._tied]
        return len(word), [(len(p), p) for p in projections]
