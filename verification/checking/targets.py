"""Where a target is: ``module:attribute``, ``file.py:name``, or ``cmd:COMMAND`` in any language."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from sgtheory.errors import UnusableInput, told
from sgtheory.finding import suggest

COMMAND = "cmd:"
_MOST = 700  # characters of what foreign code says
_SHORT = 150  # of it in one line with our own words


@dataclass(frozen=True)
class Command:
    """A program that speaks to us in lines of JSON."""

    words: tuple[str, ...]


def cleaned(text: str, most: int = _MOST) -> str:
    r"""What foreign code says, in one line without colours or control characters, and not for ever.

    >>> cleaned("\x1b[31mred\x1b[0m\x00 and\n  blue")
    'red and blue'
    """
    words = re.sub(
        r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]?|[^\s\x20-\U0010ffff]|[\x7f-\x9f\ud800-\udfff]", "", text
    )
    line = " ".join(words.split())
    return line if len(line) <= most else f"{line[:most]} ..."


def parts_of(address: str) -> tuple[str, str]:
    """The file or module of an address, and the name in it; raises before anything is loaded.

    >>> parts_of("mine.py:step")
    Traceback (most recent call last):
    sgtheory.errors.UnusableInput: expected a Python file; got mine.py; check the path
    """
    if address.startswith(COMMAND):
        return COMMAND, _command(address.removeprefix(COMMAND)).words[0]
    where, colon, name = address.rpartition(":")
    if not colon or not where or not name:
        expected = "module:attribute, file.py:name or cmd:COMMAND"
        raise UnusableInput(expected, repr(address), "add a colon and a name")
    if where.endswith(".py"):
        _readable(Path(where))
    return where, name


def _readable(path: Path) -> None:
    if not os.path.isfile(path):  # of a name too long, too
        raise UnusableInput("a Python file", str(path), "check the path")
    if not os.access(path, os.R_OK):
        raise UnusableInput("a file that may be read", str(path), "change its permissions")


def target_at(address: str) -> Any:
    """The object that an address names.

    >>> target_at("math:sqrt")(4.0)
    2.0
    >>> target_at("cmd:./sampler --fast 'a word'").words
    ('./sampler', '--fast', 'a word')
    """
    if address.startswith(COMMAND):
        return _command(address.removeprefix(COMMAND))
    where, name = parts_of(address)
    found: Any = _file(Path(where)) if where.endswith(".py") else _module(where)
    for part in name.split("."):
        if not hasattr(found, part):
            known = [n for n in getattr(found, "__dict__", {}) if not n.startswith("_")]
            remedy = suggest.remedy(part, known, f"it has: {', '.join(known[:12]) or 'nothing'}")
            raise UnusableInput(f"{part} in {where}", "no such name", remedy)
        found, around = getattr(found, part), found
    return _with_its_init(found, around, part)


def _with_its_init(found: Any, around: Any, name: str) -> Any:
    """A step together with ``init_NAME`` or ``NAME_init`` in its file, or with the ``init`` there.

    The last is of a step that is called so, or whose first argument is: it takes a state.
    """
    if not isinstance(found, FunctionType) or hasattr(found, "init"):
        return found
    stateful = name == "step" or found.__code__.co_varnames[:1] == ("state",)
    beside = (f"init_{name}", f"{name}_init", *(("init",) if stateful else ()))
    init = next((getattr(around, n) for n in beside if callable(getattr(around, n, None))), None)
    if init is not None:
        found.init = init  # type: ignore[attr-defined]
    return found


def _command(line: str) -> Command:
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise UnusableInput("a command", f"{line!r}: {error}", "close its quotes") from error
    if not words:
        raise UnusableInput("a command after cmd:", "nothing", "write cmd:./sampler")
    return Command(words)


def _file(path: Path) -> Any:
    _readable(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UnusableInput(f"{path.name} to import", cleaned(told(error), _SHORT), "mend it") from error
    return module


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UnusableInput(
            f"a module {name} to import",
            cleaned(told(error), _SHORT),
            "install it, or check the name",
        ) from error
