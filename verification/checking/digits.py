"""How few digits positions are held with: numbers of 8 or 11 bits, a lattice, so many decimals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any

_MOST_BITS = 20  # single precision has 24
_MOST_DECIMALS = 6
_ENOUGH = 32  # different numbers: so many do not end in zeros by chance
_LOOKED_AT = 2_000  # chains
_KINDS = {8: "as bfloat16 has", 11: "as float16 (half precision) has"}


def bits(x: Array) -> int:
    """The smallest number of significant bits that all numbers have.

    >>> bits(np.array([0.75, 1.5, 5.0]))
    3
    """
    mantissa = np.frexp(x)[0]
    return next((p for p in range(1, 53) if (np.ldexp(mantissa, p) % 1 == 0).all()), 53)


def told(outcomes: Sequence[Any]) -> tuple[str, str] | None:
    """A name and words where all positions have few digits; None where they have as many as they can.

    >>> from types import SimpleNamespace
    >>> x = np.round(np.random.default_rng(0).standard_normal((99, 2)), 3)
    >>> one = SimpleNamespace(measured=SimpleNamespace(early=None, shown=x))
    >>> told([one])[1]
    'Positions are rounded to 3 decimals: they lie on a lattice.'
    """
    seen = [a[:_LOOKED_AT].ravel() for o in outcomes for a in (o.measured.early, o.measured.shown)
            if a is not None]  # fmt: skip
    x = np.unique(np.concatenate(seen)) if seen else np.zeros(0)
    if len(x) < _ENOUGH:
        return None
    significant = bits(x)
    if significant <= _MOST_BITS:
        kind = next((f", {said}" for p, said in _KINDS.items() if significant <= p), "")
        words = (
            f"Positions are rounded to {significant} significant bits{kind}: the precision is too low."
        )
        return "positions of low precision", words
    for k in range(_MOST_DECIMALS + 1):
        if (np.round(x, k) == x).all():
            words = f"Positions are rounded to {k} decimals: they lie on a lattice."
            return "positions on a lattice", words
    for k in range(_MOST_BITS + 1):
        if (np.ldexp(x, k) % 1 == 0).all():
            return "positions on a lattice", f"Positions are rounded to multiples of 2**-{k}: a lattice."
    return None
