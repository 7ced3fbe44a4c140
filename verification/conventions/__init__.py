"""Conventions of other libraries' samplers: cards, and translations of their parameters.

A file in ``shelf`` describes a library; it is found by scanning.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import MappingProxyType

from sgtheory.errors import UnusableInput
from sgtheory.finding import suggest
from verification.conventions.record import Entry, Library, Series

__all__ = ["entry", "libraries", "library_of", "names"]


@cache
def libraries() -> MappingProxyType[str, Library]:
    """All libraries by name.

    >>> "blackjax" in libraries()
    True
    """
    package = importlib.import_module(f"{__name__}.shelf")
    modules = [
        importlib.import_module(f"{package.__name__}.{m.name}")
        for m in pkgutil.iter_modules(package.__path__)
    ]
    found = [
        value for module in modules for value in vars(module).values() if isinstance(value, Library)
    ]
    return MappingProxyType({x.name: x for x in sorted(found, key=lambda x: x.name)})


def names() -> tuple[str, ...]:
    """Every entry as ``library.sampler``."""
    return tuple(f"{x.name}.{e.name}" for x in libraries().values() for e in x.entries)


def library_of(name: str) -> Library | None:
    """The library that a name begins with."""
    found = {x.name.lower(): x for x in libraries().values()}
    return found.get(name.partition(".")[0].lower())


def entry(name: str) -> Entry:
    """The entry of a name, such as ``blackjax.sgld``, or ``blackjax.sghmc:5`` of a series.

    >>> entry("posteriors.sghmc").wants.formula
    '-N g'
    """
    library = library_of(name)
    rest, _, word = name.partition(".")[2].partition(":")
    known = {} if library is None else {e.name.lower(): e for e in library.entries}
    if rest.lower() not in known:
        here = names() if library is None else [f"{library.name}.{e.name}" for e in library.entries]
        raise UnusableInput(
            "a sampler of a library that is described here",
            repr(name),
            suggest.remedy(name, here, f"choose one of: {', '.join(here)}"),
        )
    found = known[rest.lower()]
    return _member(found, word) if isinstance(found, Series) else _alone(found, word)


def _alone(found: Entry, word: str) -> Entry:
    if word:
        raise UnusableInput(f"{found.name} without a colon", f":{word}", "leave it out")
    return found


def _member(found: Series, word: str) -> Entry:
    if word and not (word.isdigit() and int(word) > 0):
        raise UnusableInput(
            f"{found.parameter}, a positive whole number, after the colon", word, "give one"
        )
    return _made(found, int(word or found.default))


@cache
def _made(found: Series, number: int) -> Entry:
    return found.make(number)
