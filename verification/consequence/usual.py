"""Numbers of usual size: a thousand examples, minibatches of ten, a step at which the chain settles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice
from typing import Any

from verification.refuter.kinds import scalar_is, triangular_root
from verification.refuter.places import Place, Space
from verification.terms.comparing import OTHER
from verification.terms.term import MORE

# What letters are worth in an experiment of usual size: the first that is of the letter's kind.
_USUAL: Mapping[str, tuple[int | str, ...]] = {
    "N": (1_000, 1_024), "S": (10, 16), "T": (1_000, 1_024), "L": (1_000, 1_024), "K": (1_000, 1_024),
    "n": (1_000, 1_024), "p": (10, 16), "mu": ("1/10", "1/9"),
}  # fmt: skip
_STEPS = ("eps", "epsilon", "h", "eta", "gamma", "delta")
# Their sizes, the largest first: of a loss that is a mean, and of one that is a sum over examples.
_SIZES = tuple(map(Fraction, ("1/50", "1/100", "1/5000", "1/10000", "1/500000", "1/1000000")))
_SMALL_PLACES = 40


def usual_places(space: Space, shown: Mapping[str, Any] | None = None) -> Iterator[Place]:
    """Places with sizes and steps as they are in use, the rest as small as it may be.

    First with the numbers of a counterexample, where there is one; of the steps the largest first.

    >>> space = Space({}, {"N": "count", "eps": "positive", "x": "positive"})
    >>> next(usual_places(space)).to_json()
    {'N': '1000', 'eps': '1/50', 'x': '1'}
    """
    counts = {name: _first(space, name, _usual(name)) for name in space.scalars}
    known = {name: value for name, value in counts.items() if value is not None}
    steps = [name for name in _STEPS if name in space.scalars][:1]  # others are no steps beside it
    like = () if shown is None else _as_place(space, shown)
    for small in chain(like, islice(space.small(), _SMALL_PLACES)):
        for size in _SIZES if steps else (Fraction(1),):
            sized = {name: size for name in steps if scalar_is(space.scalars[name], size)}
            place = small.but(**known, **sized) if known or sized else small
            if (known or sized) and (sized or not steps) and space.has(place):
                yield place


def _as_place(space: Space, shown: Mapping[str, Any]) -> Iterator[Place]:
    """The place of a counterexample, where it has all letters and the noise a rational factor."""
    flat = {**shown, **shown.get("params", {})}
    given = {"A": flat.get("hessian"), "C": flat.get("noise"), **flat}
    matrices = {n: _rows(given.get(n) or ()) for n in space.matrices}
    if "B" in matrices and given["C"] is not None:
        matrices["B"] = triangular_root(_rows(given["C"])) or ()
    scalars = {n: Fraction(given[n]) for n in space.scalars if n in given}
    names = set(space.scalars) - (set() if space.follows is None else set(space.follows.names))
    if all(matrices.values()) and names <= set(scalars):
        yield Place(matrices, scalars, space.follows)


def _rows(given: Sequence[Sequence[str]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, row)) for row in given)


def _usual(name: str) -> tuple[int | str, ...]:
    """What a letter is usually worth; a large one with a word is of its kind, such as N_data.

    A second value of a letter is another one.
    """
    if name.endswith((MORE, OTHER)):
        return ()
    letter, _, word = name.partition("_")
    return _USUAL.get(letter if letter.isupper() and word.isalpha() else name, ())


def _first(space: Space, name: str, values: tuple[int | str, ...]) -> Fraction | None:
    kind = space.scalars.get(name)
    fitting = (Fraction(x) for x in values if kind is not None and scalar_is(kind, Fraction(x)))
    return next(fitting, None)
