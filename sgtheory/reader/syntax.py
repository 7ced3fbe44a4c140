"""JSON and TOML, read exactly: no key twice, no deep nesting, no number before its size is known."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.reader import files, limits, numbers

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
# Parts of a dotted key, as many as are refused: tomllib takes the square of their number.
_PART = r"(?:(?<![\w-])[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DOTTED = re.compile(rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{limits.NESTING}}}")
_LEAST, _MOST = 2 * float(limits.LEAST), float(limits.MOST) / 2  # as floats, and surely in the range
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
        found = _json(text, name, _number if exact else _float)
        if "\\ud" in text.lower():  # half a character, which no file can hold
            json.dumps(found, ensure_ascii=False, default=str).encode()
        return found
    except UnusableInput:
        raise
    except RecursionError:
        raise _deep(name) from None
    except ValueError as error:  # both kinds of syntax errors are
        raise UnusableInput(what, f"{name}: {_told(error, text)}", "mend the syntax") from None


def _json(text: str, name: str, number: Callable[[str, str], Any]) -> Any:
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
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UnusableInput("each key once", f"{twice!r} twice in {name}", "leave out one")
        return found

    return json.loads(
        text,
        parse_int=lambda s: number(s, name),
        parse_float=lambda s: number(s, name),
        parse_constant=refuse,
        object_pairs_hook=table,
    )


def _toml(text: str, name: str) -> Any:
    import tomllib

    if _DOTTED.search(text):
        raise _deep(name)

    def decimal(text: str) -> Any:
        if "n" in text:
            raise UnusableInput("finite numbers", f"{text} in {name}", "replace it by a number")
        return _number(text.replace("_", ""), name)

    found = tomllib.loads(text, parse_float=decimal)
    _check_depth(found, name)
    return found


def _number(text: str, name: str) -> Any:
    """A whole number, a float where that says exactly what is written, or a fraction."""
    whole = text.lstrip("+-").isdigit()
    if len(text) <= 15:  # so many digits name one float, and its shortest decimal is they
        found = int(text) if whole else float(text)
        if found == 0 or _LEAST < abs(found) < _MOST:
            return found or 0
    exact = numbers.of_text(text, name)
    return int(exact) if whole else exact


def _float(text: str, name: str) -> Any:
    """A whole number or a float."""
    if text.lstrip("-").isdigit() and len(text) <= limits.DIGITS:
        return int(text)
    found = float(text)
    if found - found != 0:
        raise numbers.not_finite(repr(text), name)
    return found


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
