"""Names that are nearly right: what a person may have meant, for every kind of name there is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3  # suggestions
_LONGEST = 100  # letters of a name that are compared


def near(name: str, known: Iterable[str]) -> list[str]:
    """The names that begin as this one does, or else are spelled nearly so; the nearest first.

    >>> near("mandt", ["brosse2018", "mandt2016poster", "mandt2017", "mandt2017.appF.kl"])
    ['mandt2017', 'mandt2016poster']
    >>> near("momentun", ["momentum", "sgd"]), near("sgdl", ["sgd", "sgld"]), near("xyz", ["sgd"])
    (['momentum'], ['sgld'], [])
    """
    name, among = name[:_LONGEST], [str(one) for one in known]
    begun = [one for one in among if len(name) > 1 and one.lower().startswith(name.lower())]
    if begun:
        there = set(begun)  # of a paper and its claims, the paper
        begun = [one for one in begun if there.isdisjoint(_above(one))]
        return sorted(begun, key=lambda one: (len(one), one))[:_MOST]
    swapped = [one for one in among if sorted(one.lower()) == sorted(name.lower())]
    return swapped[:_MOST] or difflib.get_close_matches(name, among, 1)


def _above(name: str) -> list[str]:
    """What a name with dots stands under."""
    parts = name.split(".")
    return [".".join(parts[:k]) for k in range(1, len(parts))]


def remedy(name: str, known: Iterable[str], otherwise: str, quote: str = "") -> str:
    """The question whether a near name was meant; where there is none, what to do otherwise.

    Names that stand in quotes where they are written, as in a problem file, are quoted.

    >>> remedy("momentun", ["momentum", "sgd"], "see sgtheory list samplers")
    'did you mean momentum?'
    """
    found = near(name, known)
    return f"did you mean {' or '.join(quote + one + quote for one in found)}?" if found else otherwise
