"""Functions of a text: their primes, and where no place stands behind them; names that are none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from verification.texts.unclear import Unclear
from verification.texts.words import FUNCTIONS as WORDS

AFTER = re.compile(r"\s*(?:\\left\s*)?\(")  # the brackets of what a function is of
GRADIENT = re.compile(r"\\nabla\s*(?:_\{?\w+\}?\s*)?(\\?[A-Za-z]+)")
_PRIMES = re.compile(r"\s*(?:\^\s*\{?\s*((?:\\prime\s*)+)\}?|(['′]+))")


def with_primes(body: str, at: int) -> tuple[str, int]:
    """How often a function is derived, as primes, and how long that is.

    >>> with_primes("f''(x)", 1), with_primes(r"f^{\\prime}(x)", 1), with_primes("f^2", 1)
    (("''", 2), ("'", 9), ('', 0))
    """
    found = _PRIMES.match(body, at)
    if found is None:
        return "", 0
    return "'" * (found[1].count("prime") if found[1] else len(found[2])), found.end() - at


def unknown(name: str, known: Mapping[str, Any], said: Iterable[str], prose: bool, at: int) -> Unclear:
    """A name that is no letter, with what is near it."""
    near = difflib.get_close_matches(name, [*known, *(WORDS if len(name) > 1 else ()), *said], 2, 0.6)
    if prose and len(name) > 2:
        alike = f"near it can be said: {' or '.join(near)}"
        told = alike if near else "leave it out, or say it otherwise"
        return Unclear("a phrase of statements or a letter", name, told, at)
    table = f"add a line to the table of letters: {name} | positive"
    return Unclear("a letter of the table", name, table, at)
