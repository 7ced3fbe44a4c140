"""Joint moments of a minibatch's means, exactly, from means of products over examples.

Places in a minibatch hold examples; the moment of a product of means is a sum over which of the
factors look at the same place. Without replacement places differ, which is a second such sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Blocks = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Drawing:
    """Minibatches of S out of N examples."""

    N: int
    S: int
    replacement: bool = True

    @property
    def share(self) -> Fraction:
        """The variance of a mean over a minibatch, in that of one example.

        >>> Drawing(10, 4).share, Drawing(10, 4, replacement=False).share
        (Fraction(1, 4), Fraction(1, 6))
        """
        finite = Fraction(1) if self.replacement else Fraction(self.N - self.S, max(self.N - 1, 1))
        return finite / self.S

    def moment(self, factors: Sequence[Any], mean: Callable[[Sequence[Any]], Any]) -> Any:
        """The mean of a product of minibatch means; ``mean`` of some factors is over all examples.

        Factors have mean zero over the examples.

        >>> values = (-1, -1, 2)
        >>> mean = lambda factors: Fraction(sum(x ** len(factors) for x in values), 3)
        >>> Drawing(3, 2).moment("xx", mean), Drawing(3, 3, replacement=False).moment("xx", mean)
        (Fraction(1, 1), Fraction(0, 1))
        """
        total: Any = 0
        for blocks in partitions(tuple(factors)):
            ways = Fraction(math.perm(self.S, len(blocks)), self.S ** len(factors))
            if ways:
                apart = self._independent if self.replacement else self._distinct
                total = total + ways * apart(blocks, mean)
        return total

    def _independent(self, blocks: Blocks, mean: Callable[[Sequence[Any]], Any]) -> Any:
        if any(len(b) == 1 for b in blocks):
            return 0
        return math.prod(mean(b) for b in blocks)

    def _distinct(self, blocks: Blocks, mean: Callable[[Sequence[Any]], Any]) -> Any:
        """Sums over different examples, from sums over all: Moebius' inversion on partitions."""
        total: Any = 0
        for groups in partitions(blocks):
            merged = [sum(g, ()) for g in groups]
            if any(len(m) == 1 for m in merged):
                continue
            sign = math.prod((-1) ** (len(g) - 1) * math.factorial(len(g) - 1) for g in groups)
            total = total + sign * math.prod(self.N * mean(m) for m in merged)
        return total * Fraction(1, math.perm(self.N, len(blocks)))


def partitions(items: tuple[Any, ...]) -> Iterator[Blocks]:
    """All ways to put items, told apart by their places, into blocks.

    >>> [len(list(partitions(tuple("abcd"[:n])))) for n in range(5)]
    [1, 1, 2, 5, 15]
    """
    if not items:
        yield ()
        return
    first, rest = items[0], items[1:]
    for blocks in partitions(rest):
        yield ((first,), *blocks)
        for k, block in enumerate(blocks):
            yield (*blocks[:k], (first, *block), *blocks[k + 1 :])
