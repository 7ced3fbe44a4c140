"""Arithmetics, a file each: rational numbers, balls, symbols, exponentials, Python text in decimals.

A file may offer an exact arithmetic with signs for comparing numbers at places (``COMPARES``), with a
cost: they are found by scanning and tried before balls, the cheap ones first.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from verification.terms.arithmetics.balls import balls
from verification.terms.arithmetics.decimals import DECIMALS
from verification.terms.arithmetics.flows import FLOWS
from verification.terms.arithmetics.rational import RATIONAL
from verification.terms.arithmetics.symbols import SYMBOLS
from verification.terms.walking import Arithmetic

__all__ = ["DECIMALS", "FLOWS", "RATIONAL", "SYMBOLS", "balls", "exact"]


@cache
def exact() -> tuple[Arithmetic, ...]:
    """The exact arithmetics in which numbers are compared."""
    files = (importlib.import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    offered: list[tuple[int, Arithmetic]] = [m.COMPARES for m in files if hasattr(m, "COMPARES")]
    return tuple(arithmetic for _, arithmetic in sorted(offered, key=lambda pair: pair[0]))
