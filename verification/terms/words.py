"""Words: what can stand in a term beside letters and numbers. A theory declares its own.

A word says what it is worth with the operations of any arithmetic. So it has a value in exact
numbers, in enclosures, in symbols and as Python text.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sgtheory.errors import UnusableInput

SUM, SIGN, PRODUCT, POWER, WHOLE = range(5)  # how tightly a printed form holds together


@dataclass(frozen=True)
class Word:
    """A word: its name, its value, and how it is written.

    ``value(operations, *parts)`` is worked out with the operations of an arithmetic. ``latex`` and
    ``text`` take the parts as ``printing.Written`` and return the form with how tightly it holds.
    """

    name: str
    value: Callable[..., Any]
    latex: Callable[..., tuple[str, int]]
    text: Callable[..., tuple[str, int]]
    spoken: str  # with {0}, {1} for its parts


@cache
def lexicon() -> Mapping[str, Word]:
    """All words of all theories, by name."""
    return {word.name: word for word, _ in _declared()}


@cache
def owners() -> Mapping[str, str]:
    """The theory that each word belongs to."""
    return {word.name: theory for word, theory in _declared()}


def word(name: str) -> Word:
    """A word by its name."""
    found = lexicon().get(name)
    if found is None:
        raise UnusableInput(
            "a word of a theory", repr(name), f"known are {', '.join(sorted(lexicon()))}"
        )
    return found


@cache
def _declared() -> tuple[tuple[Word, str], ...]:
    from verification import theories

    found: list[tuple[Word, str]] = []
    for folder in filter(lambda one: one.ispkg, pkgutil.iter_modules(theories.__path__)):
        module = importlib.import_module(f"{theories.__name__}.{folder.name}.words")
        found += [(word, folder.name) for word in module.WORDS]
    return tuple(found)
