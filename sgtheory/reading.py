"""Reading problem files: their syntax, keys and numbers, with an error that says what to mend."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from sgtheory import exact, registry
from sgtheory.errors import UnusableInput
from sgtheory.exact import Matrix, Vector

_OWN_KEYS = ("model", "N", "S", "params", "start")
_DATA_KEYS = ("data", "replacement")
_ALIASES = {"p": "S"}


def parse(text: str, path: Path) -> Any:
    """The content of a JSON or TOML file, its numbers exact."""
    import tomllib

    def refuse(word: str) -> Any:
        raise UnusableInput("finite numbers", f"{word} in {path.name}", "replace it by a number")

    try:
        if path.suffix == ".toml":
            return tomllib.loads(text, parse_float=lambda s: _decimal(s, refuse))
        return json.loads(text, parse_float=Fraction, parse_constant=refuse)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnusableInput(
            "a JSON or TOML problem file", f"{path.name}: {error}", "mend the syntax"
        ) from None
    except RecursionError:
        raise UnusableInput(
            "a problem file", f"{path.name} nests too deeply", "write plain lists of rows"
        ) from None


def _decimal(text: str, refuse: Any) -> Fraction:
    return refuse(text) if "n" in text else Fraction(text.replace("_", ""))


def check_keys(content: Mapping[str, Any], known: Any, what: str = "key") -> None:
    """Refuses a key that is not known, and names the nearest that is."""
    for key in content:
        if key not in known:
            near = difflib.get_close_matches(str(key), [str(k) for k in known], 1)
            remedy = f"did you mean {near[0]!r}?" if near else f"remove the {what} {str(key)[:40]!r}"
            raise UnusableInput(f"a known {what}", repr(str(key)[:40]), remedy)


def keys(model: Any) -> tuple[str, ...]:
    """The keys that a problem file may have for a model."""
    own = (*_OWN_KEYS, *_ALIASES, *model.keys)
    return own if model.example is None else (*own, *_DATA_KEYS)


def params(params: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    """Samplers' parameters, exact: numbers, matrices, lists as diagonals, words."""
    check_keys(params, _known_parameters(), "parameter")
    return _each(params, dimension)


def row(value: Any) -> Any:
    """A row of data as a tuple; a number as it is."""
    return tuple(value) if hasattr(value, "__len__") else value


def _known_parameters() -> tuple[str, ...]:
    found = {"T", *_ALIASES}  # T is the averaging window
    for sampler in registry.samplers().values():
        found |= {p.name for p in sampler.parameters} | {letter for letter, _ in sampler.aliases}
        found |= {sampler.word[0]} if sampler.word else set()
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
                size, name = exact.number(place[key], key), _ALIASES.get(key, key)
                if size.denominator != 1 or size < 1:
                    raise UnusableInput(f"{key} as a whole number from 1", str(size), "count")
                if sizes.setdefault(name, size) != size:
                    raise UnusableInput(
                        f"one value for {name}", f"{sizes[name]} and {size}", "give it once"
                    )
    usual = {key: Fraction(value) for key, value in model.standard if key in ("N", "S")}
    return {**usual, **sizes}


def _each(params: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in params.items():
        if key in _ALIASES:
            continue
        if key in registry.words():
            read[key] = str(value)
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
            read[key] = exact.number(value, key)
    return read


def start(start: Any, dimension: int) -> dict[str, Vector]:
    """Where the states begin."""
    if not isinstance(start, Mapping):
        raise UnusableInput('"start" as an object', repr(start)[:40], 'write {"theta": [0, 1]}')
    return {str(k): exact.vector(v, f"start of {k}", dimension) for k, v in start.items()}


def plain(value: Any) -> Any:
    """A value as JSON can hold it without loss: whole numbers, or fractions as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value
    return int(value) if value.denominator == 1 else str(value)
