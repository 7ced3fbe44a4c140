"""What a problem holds: its keys, kinds and numbers, with an error that says what to mend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from sgtheory import registry
from sgtheory.errors import UnusableInput, shown
from sgtheory.finding import suggest
from sgtheory.reader import exact, schemas
from sgtheory.reader.exact import Matrix, Vector

_OWN_KEYS = ("model", "N", "S", "params", "start")
_DATA_KEYS = ("data", "replacement")
_ALIASES = {"p": "S"}
_WORD = "[A-Za-z][A-Za-z0-9_]{0,59}"


def check_keys(content: Mapping[str, Any], known: Any, what: str = "key") -> None:
    """Refuses a key that is not known, and names the nearest that is."""
    for key in content:
        if key not in known:
            name = str(key)[:40]
            remedy = suggest.remedy(name, known, f"remove the {what} {name!r}", "'")
            raise UnusableInput(f"a known {what}", repr(name), remedy)


def keys(model: Any) -> tuple[str, ...]:
    """The keys that a problem file may have for a model."""
    own = (*_OWN_KEYS, *_ALIASES, *model.keys)
    return own if model.example is None else (*own, *_DATA_KEYS)


def check_kinds(content: Mapping[str, Any], model: Any) -> None:
    """Refuses a problem of which a key is not known, or holds another kind of thing than it should."""
    check_keys(content, keys(model))
    kinds: dict[str, Any] = {"params": dict[str, Any], "start": dict[str, Any]}
    if model.potential:
        kinds["U"] = str
    if model.example is not None:
        kinds |= {"data": str, "replacement": bool}
    counts = model.shape.counts if model.shape else ()
    kinds |= {key: int for key, _ in counts}
    schemas.check_fields(content, kinds, "a problem", "see the README")


def params(params: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    """Samplers' parameters, exact: numbers, matrices, lists as diagonals, words.

    Whose they are is not known yet: a sampler of the user's own has letters of its own.
    """
    for key in params:
        _check_name(key, "parameter")
    return _each(params, dimension)


def _check_name(key: Any, what: str) -> None:
    if not re.fullmatch(_WORD, str(key)):
        raise UnusableInput(f"the name of a {what}", shown(key), "take letters, digits and underscores")


def check_meant(
    params: Mapping[str, Any], start: Mapping[str, Any], sizes: Mapping[str, Any], sampler: Any
) -> None:
    """Refuses letters that are neither a sampler's own nor of any other that a problem may be for."""
    own = letters(sampler)
    check_keys(params, (*sorted(own), *_known_parameters()), "parameter")
    check_keys(start, (*(s.name for s in sampler.state), *_known_states()), "state")
    for letter, name in _ALIASES.items():
        if letter in params and letter not in own and params[letter] != sizes.get(name):
            told = f"{sizes.get(name, 'none')} and {params[letter]}"
            raise UnusableInput(f"one value for {name}, which is {letter} too", told, "give it once")


def letters(sampler: Any) -> set[str]:
    """The names of a sampler's parameters, also those that other papers have for them."""
    own = {p.name for p in sampler.parameters} | {letter for letter, _ in sampler.aliases}
    return own | ({sampler.word[0]} if sampler.word else set())


def unread(params: Mapping[str, Any], start: Mapping[str, Any], sampler: Any) -> list[str]:
    """What a problem says for other samplers: this one has no such letter, or no such state."""
    states = {s.name for s in sampler.state}
    others = [name for name in params if name not in {*letters(sampler), *_ALIASES}]
    return others + [f"the start of {name}" for name in start if name not in states]


def row(value: Any) -> Any:
    """A row of data as a tuple; a number as it is."""
    return tuple(value) if hasattr(value, "__len__") else value


@cache
def _known_parameters() -> tuple[str, ...]:
    found = {"T", *_ALIASES}  # T is the averaging window
    for sampler in registry.samplers().values():
        found |= letters(sampler)
    # the letters of the papers, so that one file can serve samplers that are still to come
    found |= {"eps", "mu", "H", "E", "gamma", "beta", "alpha", "lambda", "sigma", "eta"}
    return tuple(sorted(found))


def matrices(content: Mapping[str, Any], model: Any) -> dict[str, Matrix]:
    """The matrices that a model reads, symmetric and definite as they must be."""
    matrices: dict[str, Matrix] = {}
    standard = dict(model.standard)
    for key, name in model.reads:
        if key not in content and name not in standard:
            raise UnusableInput(f'the key "{key}"', "none", f'add "{key}": [[1, 0], [0, 1]]')
        matrices[name] = exact.matrix(content.get(key, standard.get(name)), key)
        exact.check_symmetric(matrices[name], key)
        exact.check_definite(matrices[name], key, strictly=name != "C")
    (first, one), *others = ((key, len(matrices[name])) for key, name in model.reads)
    for key, dimension in others:
        if dimension != one:
            raise UnusableInput(
                f"{first} and {key} of one dimension", f"{one} and {dimension}", "make them agree"
            )
    return matrices


def sizes(content: Mapping[str, Any], params: Mapping[str, Any], model: Any) -> dict[str, Fraction]:
    """The whole numbers N and S, wherever they are written; else what is usual for the model."""
    sizes: dict[str, Fraction] = {}
    for key in ("N", "S", *_ALIASES):
        for place in (content, params):
            if key in place:
                if place is params and key in _ALIASES and _is_own(place[key], sizes.get(_ALIASES[key])):
                    continue
                size, name = exact.number(place[key], key), _ALIASES.get(key, key)
                if size.denominator != 1 or size < 1:
                    raise UnusableInput(f"{key} as a whole number from 1", str(size), "count")
                if sizes.setdefault(name, size) != size:
                    raise UnusableInput(
                        f"one value for {name}", f"{sizes[name]} and {size}", "give it once"
                    )
    usual = {key: Fraction(value) for key, value in model.standard if key in ("N", "S")}
    return {**usual, **sizes}


def _is_own(value: Any, size: Fraction | None) -> bool:
    """Whether the p among parameters is no number of examples, but a letter of the sampler."""
    found = exact.number(value, "p") if not isinstance(value, list | tuple) else Fraction(1, 2)
    return found.denominator != 1 or found < 1 or size not in (None, found)


def _each(params: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in params.items():
        if key in ("N", "S"):  # read as what they are
            continue
        if key in registry.words():
            if not isinstance(value, str) or not 0 < len(value) <= 100:
                raise UnusableInput(f"{key} as a word", shown(value), "see sgtheory list samplers")
            read[key] = value
        elif isinstance(value, list | tuple) and value and not isinstance(value[0], list | tuple):
            read[key] = exact.diagonal(exact.vector(value, key, dimension))
        elif isinstance(value, list | tuple):
            read[key] = exact.matrix(value, key)
            if len(read[key]) != dimension:
                raise UnusableInput(
                    f"{key} as a {dimension} x {dimension} matrix",
                    f"{len(read[key])} x {len(read[key])}",
                    "match the dimension of the problem",
                )
        else:
            read[key] = _number_or_word(value, key)
    return read


def _number_or_word(value: Any, key: str) -> Any:
    """A number; of a family of the user's own, a word."""
    try:
        return exact.number(value, key)
    except UnusableInput:
        if isinstance(value, str) and key not in _known_parameters() and re.fullmatch(_WORD, value):
            return value
        raise


def start(start: Mapping[str, Any], dimension: int) -> dict[str, Vector]:
    """Where the states begin: of every sampler that the problem may be meant for."""
    for key in start:
        _check_name(key, "state")
    return {str(k): exact.vector(v, f"start of {k}", dimension) for k, v in start.items()}


@cache
def _known_states() -> tuple[str, ...]:
    return tuple(sorted({s.name for sampler in registry.samplers().values() for s in sampler.state}))


def plain(value: Any) -> Any:
    """A value as JSON can hold it without loss: whole numbers, or fractions as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value
    return int(value) if value.denominator == 1 else str(value)
