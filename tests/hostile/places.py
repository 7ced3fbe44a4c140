"""Places that are no files: pipes, links, devices, folders, names that no file can have."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from random import Random

from tests.hostile import problems
from tests.hostile.trial import Case

_THERE = (
    "pipe",
    "loop",
    "dangling",
    "folder",
    "socket",
    "empty",
    "p.json/below",
    "folder/none",
    "no/such/file",
    "/dev/zero",
    "/dev/null",
    "/dev/full",
    "/dev/tty",
    "/proc/self/mem",
    "/proc/self/environ",
    "/proc/self/fd/77",
    "x" * 300,
    "y/" * 3000,
    "a\x00b",
    "\udcff",
    "\x1b[31m",
    "a\nb",
    "",
    " ",
    ".",
    "..",
    "/",
    "~",
    "-x",
    "*",
    "$HOME",
    "/dev/fd/99",
    "/proc/1/cwd/none",
    "file:///etc/passwd",
    "http://nowhere.invalid/x",
    "CON",
    "é" * 100,
)
_SIMULATE = (
    "simulate", "sgd", "--problem", "p.json", "--device", "cpu", "--chains", "64", "--steps", "3",
)  # fmt: skip
_READ: tuple[tuple[str, ...], ...] = (
    ("law", "sgd", "--problem", "{}"),
    ("tune", "sgd", "--problem", "{}"),
    ("diff", "{}", "p.json"),
    ("diff", "p.json", "{}"),
    ("verify", "{}"),
    ("verify", "sgd", "--problem", "{}"),
    ("derive", "{}"),
    ("law", "{}.py", "--problem", "p.json"),
    ("law", "{}.py:X", "--problem", "p.json"),
    ("errata", "{}"),
    ("report", "{}"),
    ("simulate", "sgd", "--problem", "{}", "--chains", "64", "--steps", "3"),
    ("experiment", "mandt2017.figure1", "--data", "wine={}"),
    ("audit-run", "{}", "--problem", "p.json"),
    ("audit-run", "{}.npz", "--problem", "p.json", "--like", "sgd"),
    ("check", "no_such.py:step", "--like", "sgd", "--against", "{}"),
    ("check", "no_such.py:step", "--like", "{}"),
    ("audit", "{}"),
    ("law", "sgd", "--problem", "q.json"),
)
_WRITTEN: tuple[tuple[str, ...], ...] = (
    (*_SIMULATE, "--out", "{}"),
    (*_SIMULATE, "--out", "{}.json"),
    (*_SIMULATE, "--checkpoint", "{}"),
    ("verify", "no_such_paper", "--json", "{}"),
    ("report", "no_such_paper", "--out", "{}"),
    ("check", "no_such.py:step", "--like", "sgd", "--page", "{}.html"),
    ("new", "sampler", "{}.py"),
    ("new", "problem", "{}.json"),
    ("experiment", "no_such", "--out", "{}"),
    ("verify", "sgd", "--problem", "no_such", "--json", "{}"),
    ("new", "claim", "{}"),
    ("new", "test", "{}"),
    ("check", "no_such.py:step", "--like", "sgd", "--junit", "{}"),
    ("check", "no_such.py:step", "--like", "sgd", "--sarif", "{}"),
    ("check", "no_such.py:step", "--like", "sgd", "--badge", "{}"),
    ("audit", "no_such_paper", "--json", "{}"),
    ("audit", "no_such_paper", "--markdown", "{}"),
    ("audit-run", "no_such.npz", "--problem", "p.json", "--like", "sgd", "--page", "{}.html"),
    ("advise", "--problem", "no_such", "--passes", "9", "--page", "{}.html"),
)


def place(draw: Random) -> Case:
    """A command that is to read from, or to write to, such a place."""
    where = draw.choice(_THERE)
    command = draw.choice(_READ if draw.random() < 0.6 else _WRITTEN)
    if "\0" in where:  # which no argument of a process can hold
        command = _READ[-1]
    words = tuple(w.replace("{}", where) for w in command)
    data = {**problems.VALID[-1], "data": where}
    files = {"p.json": json.dumps(problems.VALID[1]).encode(), "q.json": json.dumps(data).encode()}
    return Case("places", words, files, prepare=_prepared)


def _prepared(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("/nowhere/at/all")
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(folder)  # the name of a socket is short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
