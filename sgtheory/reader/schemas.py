"""Documents from outside as declared tables: each field has a kind, and what has another is refused.

The kinds are those of msgspec. It is loaded when a document is read, not before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

from sgtheory.errors import UnusableInput, shown

T = TypeVar("T")

_WORDS = {
    "object": "an object", "array": "a list", "str": "text", "bool": "true or false", "null": "null",
    "int": "a whole number", "float": "a number",
}  # fmt: skip
_KIND = re.compile(r"Expected `(?P<wanted>[^`]*)`(?P<range>.*?)(?:, got .*)?", re.DOTALL)
_PLACE = re.compile(r" - at `\$(?P<place>.*)`", re.DOTALL)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


def fitted(content: Any, kind: type[T], what: str, remedy: str) -> T:
    """Parsed content as a record of a kind that msgspec knows.

    >>> fitted({"n": [3, "4"]}, dict[str, list[int]], "sizes", "add")
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected "[...][1]" as a whole number in sizes; got another kind; add
    """
    import msgspec

    try:
        return msgspec.convert(content, kind, strict=True)
    except msgspec.ValidationError as error:
        raise _refused(str(error), content, what, remedy) from None
    except RecursionError:
        raise UnusableInput(what, "tables within tables", remedy) from None


def check_fields(
    content: Any, kinds: Mapping[str, Any], what: str, remedy: str, needed: Iterable[str] = ()
) -> None:
    """Refuse a table that lacks a needed field, or has a field of another kind than is stated.

    >>> check_fields({"params": [1]}, {"params": dict, "U": str}, "a problem", "see the README")
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected "params" as an object in a problem; got [1]; see the README
    """
    if not isinstance(content, Mapping):
        raise UnusableInput(what, shown(content), remedy)
    for key in needed:
        if key not in content:
            raise UnusableInput(f'"{key}" in {what}', ", ".join(map(str, content)) or "nothing", remedy)
    try:
        schema = _table(tuple(kinds.items()))
    except ImportError:  # a tree without its dependencies, as on a machine that only simulates
        return
    fitted({key: content[key] for key in kinds if key in content}, schema, what, remedy)


@cache
def _table(kinds: tuple[tuple[str, Any], ...]) -> Any:
    import msgspec

    fields = [(f"f{k}", kind | msgspec.UnsetType, msgspec.UNSET) for k, (_, kind) in enumerate(kinds)]
    names = {f"f{k}": name for k, (name, _) in enumerate(kinds)}
    return msgspec.defstruct("Table", fields, rename=names)


def _refused(said: str, content: Any, what: str, remedy: str) -> UnusableInput:
    """A finding of msgspec in the words of this toolkit."""
    found = _PLACE.search(said)
    place = found["place"] if found else ""
    said = said[: found.start()] if found else said
    name = f'"{place.removeprefix(".")}"'
    kind = _KIND.fullmatch(said)
    if kind is None:  # a field that is missing, a word that is not one of those that may stand there
        got = said[:1].lower() + said[1:].replace("`", '"')
        return UnusableInput(what, f"{got} in {name}" if place else got, remedy)
    wanted = " or ".join(_WORDS.get(part, part) for part in kind["wanted"].split(" | ")) + kind["range"]
    return UnusableInput(f"{name} as {wanted} in {what}" if place else what, _at(content, place), remedy)


def _at(content: Any, place: str) -> str:
    """What stands at a place such as ``.claims[0].id``."""
    left = place
    while left:
        step = _STEP.match(left)
        if step is None:  # msgspec does not name the keys of a table that may have any
            return "another kind"
        try:
            content = content[step[1] if step[1] is not None else int(step[2])]
        except (LookupError, TypeError):
            return "another kind"
        left = left[step.end() :]
    return shown(content)
