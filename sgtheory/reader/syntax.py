"""JSON and TOML, read exactly: no key twice, no deep nesting, no number before its size is known."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.reader import files, limits, numbers

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
# Parts of a dotted key, as many as are refused: tomllib takes the square of their number.
_PART = r"(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DOTTED = re.compile(rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{limits.NESTING}}}")
_LEAST, _MOST = 2 * float(limits.LEAST), float(limits.MOST) / 2  # as floats, and surely in the range
# Characters of a decimal: so few are the shortest that names its float; such a one has no more.
_SURE, _FLOAT = 15, 24
_HALF = re.compile(r"\\ud", re.IGNORECASE)
_PLACE = re.compile(r"\(at line (\d+), column \d+\)")


def document(path: str | Path, what: str, remedy: str = "check the path") -> Any:
    """The content of a JSON or TOML file, its numbers exact."""
    path = Path(path)
    return parse(files.text(path, what, remedy), path.name, what)


def parse(text: str, name: str = "the text", what: str = "JSON or TOML", exact: bool = True) -> Any:
    """The content of a JSON text, or of a TOML text where the name ends so.

    Where it is ``exact``, a number that no float is becomes a fraction.

    >>> parse('{"eps": 0.1, "D": 3}')
    {'eps': 0.1, 'D': 3}
    >>> parse('{"eps": 1, "eps": 2}')
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected each key once; got 'eps' twice in the text; leave out one
    """
    try:
        if name.endswith(".toml"):
            return _toml(text, name)
        found = _json(text, name, *((_whole, _decimals()) if exact else (_rounded_whole, _float)))
        if _HALF.search(text):  # half a character, which no file can hold
            json.dumps(found, ensure_ascii=False, default=str).encode()
        return found
    except UnusableInput:
        raise
    except RecursionError:
        raise _deep(name) from None
    except ValueError as error:  # both kinds of syntax errors are
        raise UnusableInput(what, f"{name}: {_told(error, text)}", "mend the syntax") from None


def _json(text: str, name: str, whole: Callable[..., Any], decimal: Callable[..., Any]) -> Any:
    _check_size(text, name)
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > limits.NESTING:
            raise _deep(name)

    def refuse(word: str) -> Any:
        raise UnusableInput("finite numbers", f"{word} in {name}", "replace it by a number")

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
            raise UnusableInput("each key once", f"{twice!r} twice in {name}", "leave out one")
        return found

    return json.loads(
        text,
        parse_int=partial(whole, name=name),
        parse_float=partial(decimal, name=name),
        parse_constant=refuse,
        object_pairs_hook=table,
    )


def _check_size(text: str, name: str) -> None:
    """Refuse what takes gigabytes once it is read, by its signs alone: that takes no time."""
    lists = text.count("[") + text.count("{") + text.count(":")
    if lists > limits.LISTS or lists + text.count(",") > limits.ENTRIES:
        most = f"at most {limits.ENTRIES:,} numbers in at most {limits.LISTS:,} lists"
        raise UnusableInput(most, f"more in {name}", "give large data as arrays in an .npz file")


def _toml(text: str, name: str) -> Any:
    import tomllib

    _check_size(text, name)
    if len(text) > limits.TOML:
        size = f"at most {limits.TOML / 2**20:.3g} MiB of TOML"
        raise UnusableInput(size, f"{name}: {len(text) / 2**20:.3g} MiB", "write it as JSON")
    if _DOTTED.search(text):
        raise _deep(name)

    def decimal(text: str) -> Any:
        if "n" in text:
            raise UnusableInput("finite numbers", f"{text} in {name}", "replace it by a number")
        return exactly(text.replace("_", ""), name)

    exactly = _decimals()
    found = tomllib.loads(text, parse_float=decimal)
    _check_depth(found, name)
    return found


def _whole(text: str, name: str) -> int:
    """A whole number in the stated range, which no number of a hundred digits is beyond."""
    return int(text) if len(text) <= 100 else int(numbers.of_text(text, name))


def _decimals() -> Callable[..., Any]:
    """How the decimals of one document are read, of which so many may be fractions."""
    return partial(_decimal, spare=iter(range(limits.FRACTIONS)))


def _decimal(text: str, name: str, spare: Iterator[int]) -> Any:
    """A float where that says exactly what is written, or a fraction."""
    if len(text) <= _FLOAT:
        found = float(text)
        if (len(text) <= _SURE or repr(found) == text) and _LEAST < abs(found) < _MOST:
            return found
        if found == 0 and not set(text) & set("eE123456789"):
            return 0
    if next(spare, None) is None:
        raise numbers.too_many(name)
    return numbers.of_text(text, name)


def _float(text: str, name: str) -> float:
    """The float next to what is written."""
    found = float(text)
    if found - found != 0:
        raise numbers.not_finite(repr(text), name)
    return found


def _rounded_whole(text: str, name: str) -> int | float:
    """A whole number; of one with very many digits the float next to it."""
    return int(text) if len(text) <= limits.DIGITS else _float(text, name)


def _check_depth(content: Any, name: str) -> None:
    """Refuse tables within tables, which TOML's tables and dotted keys make without brackets."""
    level: list[Any] = [content]
    for _ in range(limits.NESTING + 1):
        level = [
            v
            for item in level
            for v in (item.values() if isinstance(item, Mapping) else item)
            if isinstance(v, Mapping | list)
        ]
        if not level:
            return
    raise _deep(name)


def _deep(name: str) -> UnusableInput:
    most = f"at most {limits.NESTING} lists or tables within one another"
    return UnusableInput(most, f"more in {name}", "write plain lists of rows")


def _told(error: ValueError, text: str) -> str:
    """A syntax error; of TOML with the line that it is about."""
    said = str(error)
    place = _PLACE.search(said)
    lines = text.splitlines()
    if place and 0 < int(place[1]) <= len(lines):
        said += f": {lines[int(place[1]) - 1].strip()[:60]!r}"
    return said
