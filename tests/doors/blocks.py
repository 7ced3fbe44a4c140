"""Code blocks of README.md and of the guide, taken from the texts themselves."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Fence:
    """A code block of README.md: under which heading it stands, in which language, and its text."""

    heading: str
    language: str
    text: str


def readme() -> tuple[Fence, ...]:
    """All code blocks of README.md, in order."""
    return fences((ROOT / "README.md").read_text(encoding="utf-8"))


def fences(text: str) -> tuple[Fence, ...]:
    """The code blocks of a Markdown text.

    >>> fences("# A\\n```sh\\nls\\n```\\n")
    (Fence(heading='A', language='sh', text='ls\\n'),)
    """
    found: list[Fence] = []
    heading = language = ""
    inside: list[str] | None = None
    for line in text.splitlines():
        if inside is not None:
            if line.startswith("```"):
                found.append(Fence(heading, language, "".join(f"{kept}\n" for kept in inside)))
                inside = None
            else:
                inside.append(line)
        elif line.startswith("```"):
            language, inside = line[3:].strip(), []
        elif title := re.match(r"#+\s+(.*)", line):
            heading = title[1].strip()
    return tuple(found)


def commands(text: str) -> tuple[str, ...]:
    """The command lines of a block in the shell's language, without comments.

    >>> commands("sgtheory list samplers   # cards\\n")
    ('sgtheory list samplers',)
    """
    lines = (re.sub(r"\s+#.*$", "", line).removeprefix("$ ").strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


GUIDE = tuple(sorted(p.stem for p in (ROOT / "reports" / "guide").glob("[a-z]_*.py")))


@dataclass(frozen=True)
class Typed:
    """Something that a page of the guide shows as typed: a command with its files, or Python."""

    kind: str  # command, python, shell, or shown: a file
    text: str
    files: Mapping[str, str]


def guide(name: str) -> tuple[Typed, ...]:
    """What a page of the guide has its reader type, in order, without running it."""
    found: list[Typed] = []
    module = importlib.import_module(f"reports.guide.{name}")

    def command(line: str, files: Mapping[str, str] | None = None, *_: Any, **__: Any) -> tuple[()]:
        found.append(Typed("command", line, dict(files or {})))
        return ()

    def session(text: str, *_: Any, **__: Any) -> tuple[()]:
        found.append(Typed("python", text, {}))
        return ()

    def code(text: str, language: str = "", *_: Any, **__: Any) -> str:
        found.append(Typed("shell" if language == "sh" else "shown", text, {}))
        return text

    kept = {
        name: getattr(module, name) for name in ("command", "python", "Code") if hasattr(module, name)
    }
    try:
        for attribute, stand_in in (("command", command), ("python", session), ("Code", code)):
            if attribute in kept:
                setattr(module, attribute, stand_in)
        if "command" in kept or "python" in kept:
            module.blocks()
    finally:
        for attribute, value in kept.items():
            setattr(module, attribute, value)
    return tuple(found)
