"""Reading the data of a problem: rows in the problem file itself, or arrays in an .npz beside it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.language import DataVector
from sgtheory.reader import arrays, exact, native


def read(
    content: Mapping[str, Any], model: Any, folder: Path, sizes: dict[str, Fraction]
) -> dict[str, Any]:
    """The fields of a problem that come with data: D, data, numbers, replacement, source.

    N is the number of rows; it is added to ``sizes``.
    """
    source = content.get("data", "")
    both = [s.name for s in model.data if source and s.name in content]
    if both:
        raise UnusableInput("data from one place", f'"data" and "{both[0]}"', "leave out one of them")
    data = _from_file(model, folder / source) if source else _from_rows(content, model)
    n = _check_rows(data)
    _check_labels(data, model)
    if sizes.setdefault("N", Fraction(n)) != n:
        raise UnusableInput(f"N = {n}, the number of rows", f"N = {sizes['N']}", 'leave out "N"')
    replacement = content.get("replacement", True)
    if not replacement and sizes.get("S", Fraction(1)) > n:
        raise UnusableInput(f"S of at most N = {n} without replacement", f"S = {sizes['S']}", "reduce S")
    (width, *_) = [v.shape[1] for v in data.values() if v.ndim == 2]
    return {
        "D": width,
        "data": MappingProxyType(data),
        "numbers": MappingProxyType(_numbers(content, model)),
        "replacement": replacement,
        "source": str(folder / source) if source else "",
    }


def _check_labels(data: Mapping[str, Any], model: Any) -> None:
    for symbol, allowed in model.labels:
        wrong = [v for v in data[symbol.name] if v not in allowed]
        if wrong:
            words = " or ".join(map(str, allowed))
            remedy = "write 0 as -1" if wrong[0] == 0 else "recode the labels"
            raise UnusableInput(f"{symbol} that is {words} in every example", str(wrong[0]), remedy)


def _numbers(content: Mapping[str, Any], model: Any) -> dict[str, Fraction]:
    defaults = {p.name: Fraction(value) for p, value in model.defaults}
    found = {}
    for parameter in model.parameters:
        name = parameter.name
        value = exact.number(content[name], name) if name in content else defaults.get(name)
        if value is None:
            raise UnusableInput(f'the number "{name}"', "none", f'add "{name}": 1 to the problem')
        if value < 0 or (parameter.is_positive and value == 0):
            word = "positive" if parameter.is_positive else "non-negative"
            raise UnusableInput(f"a {word} {name}", str(value), f"change {name}")
        found[name] = value
    return found


def _from_rows(content: Mapping[str, Any], model: Any) -> dict[str, Any]:
    data = {}
    for symbol in model.data:
        name = symbol.name
        if name not in content:
            raise UnusableInput(
                f'the key "{name}"', "none", f'add "{name}": [...] or "data": "file.npz"'
            )
        given = content[name]
        if native.is_long(given) and isinstance(given, list | tuple):
            given = exact.long_rows(given, name)
        long = native.long_array(given)
        if long is not None:
            shape = (len(long), -1) if isinstance(symbol, DataVector) or long[0].size > 1 else (-1,)
            wanted = "(N, D)" if isinstance(symbol, DataVector) else "(N,)"
            data[name] = arrays.real(long.reshape(shape), name, wanted, "the array")
            continue
        rows = np.array(exact.rows(given, name), dtype=object)
        if not rows.shape[1]:
            raise UnusableInput(f"{name} with a column", "empty rows", "write [[1, 2], [3, 4]]")
        data[name] = rows if isinstance(symbol, DataVector) else _one_column(rows, name)
    return data


def _one_column(rows: Any, name: str) -> Any:
    if rows.shape[1] != 1:
        raise UnusableInput(
            f"{name} as a list of numbers", f"rows of {rows.shape[1]}", "write [1, 2, 3]"
        )
    return rows[:, 0]


def _from_file(model: Any, path: Path) -> dict[str, Any]:
    shapes = {s.name: "(N, D)" if isinstance(s, DataVector) else "(N,)" for s in model.data}
    found = arrays.archive(path, shapes)
    return {name: arrays.real(found[name], name, shape, path.name) for name, shape in shapes.items()}


def _check_rows(data: Mapping[str, Any]) -> int:
    rows = {k: len(v) for k, v in data.items()}
    if len(set(rows.values())) != 1 or not min(rows.values()):
        raise UnusableInput("as many entries as examples", str(rows), "match the lengths")
    return next(iter(rows.values()))
