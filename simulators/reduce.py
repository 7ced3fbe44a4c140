"""Sums over blocks of chains by a fixed binary tree.

Which numbers are added to which depends on the number of blocks only: blocks 2k and 2k+1 first,
then pairs of pairs. Neither the chunks in which blocks arrive nor the workers that made them enter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Tree:
    """A growing sum of rows; rows come in order, in chunks of any size.

    >>> tree = Tree()
    >>> tree.add(np.array([[1.0], [2.0], [4.0]]))
    >>> tree.add(np.array([[8.0], [16.0]]))
    >>> tree.total()
    array([31.])
    """

    def __init__(self) -> None:
        self.blocks = 0  # of chains, that the rows so far stand for
        self._rows = 0
        self._waiting: list[Array | None] = []  # at each level, a left sibling without its right

    def add(self, rows: Array, level: int = 0, blocks: int | None = None) -> None:
        """Add the rows that follow those added before, each already the sum of ``2**level`` of them."""
        place = self._rows >> level
        assert place << level == self._rows, "a subtree begins where its size says"
        self._rows += len(rows) << level
        self.blocks += len(rows) << level if blocks is None else blocks
        while len(rows):
            while level >= len(self._waiting):
                self._waiting.append(None)
            if place % 2:
                left = self._waiting[level]
                assert left is not None
                rows, place = np.concatenate([left[None], rows]), place - 1
                self._waiting[level] = None
            if len(rows) % 2:
                self._waiting[level] = rows[-1].copy()
                rows = rows[:-1]
            rows, place, level = rows[0::2] + rows[1::2], place // 2, level + 1

    def add_all(self, parts: Sequence[Rows]) -> None:
        """Add subtrees that follow one another."""
        for part in parts:
            self.add(part.values, part.level, part.blocks)

    def arrays(self) -> dict[str, Array]:
        """The state of the sum, as arrays by name."""
        waiting = {f"level{k}": row for k, row in enumerate(self._waiting) if row is not None}
        counts = {"rows": self._rows, "blocks": self.blocks, "levels": len(self._waiting)}
        return {name: np.array(count) for name, count in counts.items()} | waiting

    @classmethod
    def of(cls, arrays: Mapping[str, Array]) -> Tree:
        """The sum whose state that was; what can be none is a ValueError.

        >>> tree = Tree()
        >>> tree.add(np.array([[1.0], [2.0], [4.0]]))
        >>> Tree.of(tree.arrays()).total()
        array([7.])
        """
        tree = cls()
        tree._rows, tree.blocks = int(arrays["rows"]), int(arrays["blocks"])
        if min(tree._rows, tree.blocks) < 0 or int(arrays["levels"]) != tree._rows.bit_length():
            raise ValueError("rows and levels that contradict one another")
        tree._waiting = [arrays.get(f"level{k}") for k in range(tree._rows.bit_length())]
        # a left sibling waits where a binary digit of the number of rows is 1
        if sum(1 << k for k, row in enumerate(tree._waiting) if row is not None) != tree._rows:
            raise ValueError("rows that are missing, or too many")
        return tree

    def fits(self, columns: int, blocks: int, single: bool) -> bool:
        """Whether this is a part of a sum of so many numbers over so many blocks, a row for each."""
        rows = [row for row in self._waiting if row is not None]
        alike = all(row.shape == (columns,) and row.dtype == np.float64 for row in rows)
        return (
            alike and self._rows <= self.blocks <= blocks and (not single or self._rows == self.blocks)
        )

    def total(self) -> Array:
        """The sum of all rows."""
        total: Array | None = None
        for left in self._waiting:
            if left is not None:
                total = left if total is None else left + total
        assert total is not None, "no rows were added"
        return total


@dataclass(frozen=True, eq=False)
class Rows:
    """Consecutive rows, each the sum of ``2**level`` rows of the tree's lowest level.

    Where an engine adds up blocks in a way of its own, a row stands for all of them: ``blocks``.
    """

    values: Any
    level: int = 0
    blocks: int | None = None


def subtrees(rows: Any, first: int, fold: Callable[[Any], Any]) -> list[Rows]:
    """Rows ``first``, ``first + 1``, ... as the largest subtrees that they make, in order.

    ``fold`` adds rows 2k and 2k+1 of its argument, wherever that lies. What a tree makes of the
    subtrees is what it makes of the rows.

    >>> rows = np.array([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]])
    >>> found = subtrees(rows, 3, lambda rows: rows[0::2] + rows[1::2])
    >>> [(float(s.values[0, 0]), s.level) for s in found]
    [(1.0, 0), (30.0, 2), (32.0, 0)]
    """
    before: list[Rows] = []
    after: list[Rows] = []
    level = 0
    while len(rows):
        if first % 2:
            before.append(Rows(rows[:1], level))
            rows, first = rows[1:], first + 1
        if len(rows) % 2:
            after.append(Rows(rows[-1:], level))
            rows = rows[:-1]
        if len(rows):
            rows = fold(rows)
        first, level = first // 2, level + 1
    return before + after[::-1]


def summed(rows: Array, first: int) -> list[Rows]:
    """The same for rows in an array, of which nothing else is held on to."""
    found = subtrees(rows, first, lambda r: r[0::2] + r[1::2])
    return [Rows(part.values.copy(), part.level) for part in found]


def beside(rows: list[Rows], more: list[Rows]) -> list[Rows]:
    """Rows with more columns, of the same blocks; where a row stands for all blocks, so does theirs.

    >>> one, two = ([Rows(np.array([[float(k)]]))] for k in (1, 2))
    >>> beside(one, two)[0].values
    array([[1., 2.]])
    """
    if len(rows) == 1 and rows[0].blocks is not None:
        more = [Rows(np.add.reduce([part.values[0] for part in more])[None])]
    return [
        Rows(np.concatenate([a.values, b.values], axis=1), a.level, a.blocks)
        for a, b in zip(rows, more, strict=True)
    ]


def digest_of(sums: Array) -> str:
    """The hash that tells whether two runs are the same."""
    # every nan counts as the same: its payload is not part of the result
    plain = np.where(np.isnan(sums), np.nan, sums).astype("<f8")
    return hashlib.sha256(plain.tobytes()).hexdigest()
