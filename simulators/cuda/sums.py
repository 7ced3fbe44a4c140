"""Sums of monomials over blocks of chains, and blocks of each problem by a fixed tree, on a device."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulators.cuda.devices import Device
from simulators.moments import LANES, Monomials

Array = np.ndarray[Any, Any]


def monomial_sums(
    on: Device, x: Any, index: Any, centres: Array, chains: int, each: int, columns: int
) -> Any:
    """A table with a row for each block, whose first columns are the sums of monomials.

    ``each`` blocks belong to a problem, which has ``chains`` chains and a row of ``centres``.
    """
    rows = on.empty((len(x), columns), np.float64)
    args = (
        x, index, np.int64(len(index)), on.put(np.asarray(centres, np.float64)), np.int64(chains),
        np.int64(each), rows, np.int64(columns),
    )  # fmt: skip
    on.launch("sum_monomials", len(x) * len(index), args)
    return rows


def block_rows(on: Device, x: Any, monomials: Monomials, centres: Array, chains: int, each: int) -> Any:
    """What the tree adds up, a row for each block: ``moments.Monomials.rows``."""
    index, size = on.put(monomials.index), monomials.size
    pairs = len(monomials.index) - size
    rows = monomial_sums(on, x, index, centres, chains, each, monomials.columns)
    args = (rows, index, np.int64(size), np.int64(pairs), np.int64(chains // LANES), np.int64(each))
    on.launch("spread_blocks", len(x) * pairs, args)
    return rows


def folded(on: Device, rows: Any, each: int) -> Any:
    """One level of the tree of every problem, which has ``each`` of the rows."""
    half, columns = (each + 1) // 2, rows.shape[1]
    out = on.empty((len(rows) // each * half, columns), np.float64)
    args = (rows, out, np.int64(each), np.int64(columns))
    on.launch("fold_pairs", len(out) * columns, args)
    return out


def totals(on: Device, rows: Any, each: int) -> Array:
    """A row for each problem: what ``reduce.Tree`` makes of its ``each`` rows.

    A row without a partner goes up as it is. In the tree it waits, and is added to what is left of it
    when all rows are there: the same sum.
    """
    while each > 1:
        rows, each = folded(on, rows, each), (each + 1) // 2
    return on.get(rows)
