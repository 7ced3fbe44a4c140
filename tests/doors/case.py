"""A case is files in an empty folder, commands that are typed there, and what must come out."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 1800  # no first hour waits longer for one command

# What a command starts. That of pytest is spelt out, for its script is not in every environment.
_PYTEST = "import sys, pytest; sys.argv[0] = 'pytest'; sys.exit(pytest.console_main())"
PROGRAMS = {"python": (sys.executable,), "pytest": (sys.executable, "-P", "-c", _PYTEST)}


@dataclass(frozen=True)
class Step:
    """One command line, and what must come out of it."""

    command: str
    status: tuple[int, ...] = (0,)
    has: tuple[str, ...] = ()  # regular expressions, in standard output or error, blanks made one
    lacks: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # path in the JSON document -> what is there
    document: str = ""  # the file that holds the JSON document; standard output where empty
    wrote: tuple[str, ...] = ()  # files that must be there afterwards
    one_line: bool = False  # standard error is one line below 400 characters
    env: Mapping[str, str] = field(default_factory=dict)  # {folder} stands for the folder of the case
    tracebacks: bool = False  # whether a traceback is no fault here


@dataclass(frozen=True)
class Case:
    """A first hour, or some minutes of one."""

    id: str
    title: str
    steps: tuple[Step, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()  # modules without which it is skipped
    wave: int = 1


def wrong(command: str, *has: str, **rest: Any) -> Step:
    """A command that cannot be done: one line that says so, and status 2."""
    return Step(command, status=(2,), has=has, one_line=True, **rest)


def python(*lines: str, **rest: Any) -> tuple[dict[str, str], Step]:
    """A script of the user's and the step that runs it to its last line."""
    text = "\n".join((*lines, 'print("came to the end")', ""))
    return {"run.py": text}, Step("python run.py", has=("came to the end",), **rest)


class Missed(AssertionError):
    """Something else came out."""


def run(case: Case, folder: Path, cache: Path) -> None:
    """Do what the case says in an empty folder; what else came out is raised.

    The first thing that is not as it must be is told in one line.
    """
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for step in case.steps:
        _judge(step, _typed(step, folder, cache), folder)


@dataclass(frozen=True)
class _Out:
    status: int
    out: str
    err: str


def _typed(step: Step, folder: Path, cache: Path) -> _Out:
    first, *words = shlex.split(step.command)
    scripts = Path(sys.executable).parent
    env = dict(os.environ)
    env["PATH"] = f"{scripts}{os.pathsep}{env.get('PATH', '')}"
    env["SGTHEORY_CACHE"] = str(cache)
    for name in ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "COLUMNS", "GITHUB_ACTIONS"):
        env.pop(name, None)
    for name, value in step.env.items():
        value = value.replace("{folder}", str(folder))
        env[name] = f"{value}{os.pathsep}{env[name]}" if name in env and name.endswith("PATH") else value
    try:
        done = subprocess.run(
            [*PROGRAMS.get(first, (str(scripts / first),)), *words],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Missed(f"{step.command}: not done after {SECONDS} s") from None
    return _Out(done.returncode, done.stdout, done.stderr)


def flat(text: str) -> str:
    """The words of an output, whatever lines they were set in.

    >>> flat("one\\n   two")
    'one two'
    """
    return re.sub(r"\s+", " ", text).strip()


def _judge(step: Step, got: _Out, folder: Path) -> None:
    both = flat(got.out + "\n" + got.err)
    told = f"{step.command}: "
    if "Traceback (most recent call last)" in both and not step.tracebacks:
        last = (got.err.strip() or got.out.strip()).splitlines()[-1][:300]
        raise Missed(f"{told}a traceback (status {got.status}) that ends: {last}")
    if got.status not in step.status:
        wanted = " or ".join(map(str, step.status))
        raise Missed(f"{told}status {got.status}, should be {wanted}: {_gist(got)}")
    if step.one_line:
        lines = got.err.strip().splitlines()
        if len(lines) != 1:
            raise Missed(
                f"{told}{len(lines)} lines on standard error, should be one: {flat(got.err)[:300]}"
            )
        if len(lines[0]) > 400:
            raise Missed(f"{told}a line of {len(lines[0])} characters: {lines[0][:300]}")
    for pattern in step.has:
        if not re.search(pattern, both, re.IGNORECASE):
            raise Missed(f"{told}nothing like {pattern!r} in: {_gist(got)}")
    for pattern in step.lacks:
        found = re.search(pattern, both, re.IGNORECASE)
        if found:
            around = both[max(0, found.start() - 80) : found.end() + 80]
            raise Missed(f"{told}{pattern!r} must not be in: {around}")
    for name in step.wrote:
        if not (folder / name).exists():
            raise Missed(f"{told}{name} was not written")
    if step.facts:
        _facts(step, got, folder)


def _gist(got: _Out) -> str:
    """The beginning of what was said, errors first."""
    return flat(got.err.strip() + "\n" + got.out)[:300]


def _facts(step: Step, got: _Out, folder: Path) -> None:
    text = (folder / step.document).read_text("utf-8") if step.document else got.out
    try:
        document = json.loads(text)
    except json.JSONDecodeError:
        raise Missed(f"{step.command}: no JSON document: {flat(text)[:200]}") from None
    for path, wanted in step.facts.items():
        value = at(document, path)
        if not meets(value, wanted):
            raise Missed(f"{step.command}: {path} is {value!r}, should be {_words(wanted)}"[:600])


def _words(wanted: Any) -> str:
    if callable(wanted):
        return wanted.__doc__ or wanted.__name__
    return repr(wanted)


def at(document: Any, path: str) -> Any:
    """What stands at a path in a document; None where there is nothing.

    >>> at({"covariance": {"theta,theta": [[2]]}}, "covariance/theta,theta/0/0")
    2
    """
    for part in path.split("/") if path else ():
        try:
            document = document[int(part)] if isinstance(document, list) else document[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return document


def meets(value: Any, wanted: Any) -> bool:
    """Whether a value is what must be there; numbers agree to nine places, or as closely as said.

    >>> meets(0.1 + 0.2, 0.3), meets(1.02, near(1, 0.05)), meets("proved", "refuted")
    (True, True, False)
    """
    if callable(wanted):
        return bool(wanted(value))
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        return bool(value == wanted)
    return _number(value) and math.isclose(float(value), wanted, rel_tol=1e-9)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def near(number: float, relative: float) -> Callable[[Any], bool]:
    """A number that is known only so closely."""

    def close(value: Any) -> bool:
        return _number(value) and abs(value - number) <= relative * abs(number)

    close.__doc__ = f"{number} within {relative:.0%}"
    return close
