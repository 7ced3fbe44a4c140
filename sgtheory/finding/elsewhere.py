"""Declarations in files and modules of the user's own: ``FILE.py``, ``FILE.py:NAME``, ``module:NAME``.

A file is run once for its content: when it changes, it is run again. While it is run its folder is on
the path, so that it may import its neighbours, and what it prints goes to standard error. NAME is
a Python name of the file, in any case, or the ``name=`` of a declaration; it may be left out
where there is only one. What goes wrong inside the file is told in one line, with the line's number.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import difflib
import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from sgtheory.errors import UnusableInput, plain, shortened, told
from sgtheory.reader import files

_HOUSE = Path(__file__).resolve().parents[2]
_ROOMS = ("sgtheory", "simulators", "verification", "reports")
_SHORT = 160  # characters of somebody's message
_PRINTED = 4000  # characters that are shown of what a file prints while it is loaded


@dataclasses.dataclass(frozen=True)
class Address:
    """Where a declaration is: a file or a module, and a name in it, which may be empty.

    >>> Address.read("mine.py:HEAVY_BALL")
    Address(where='mine.py', name='HEAVY_BALL')
    >>> Address.read("mine.py").is_file, Address.read("samplers.mine:HEAVY_BALL").is_file
    (True, False)
    """

    where: str
    name: str = ""

    @classmethod
    def read(cls, text: str) -> Address:
        """An address from what a user types."""
        if text.endswith(".py"):
            return cls(text)
        file, dot_py, name = text.rpartition(".py:")
        return cls(file + ".py", name) if dot_py else cls(*text.split(":", 1))

    @property
    def is_file(self) -> bool:
        """Whether it names a file and not a module."""
        return self.where.endswith(".py")

    @property
    def shown(self) -> str:
        """The file without its folder, or the module."""
        return Path(self.where).name if self.is_file else self.where

    def module(self, beside: Path | None = None) -> ModuleType:
        """What is there, loaded; a relative path is first looked for in the folder ``beside``."""
        if not self.is_file:
            return _imported(self.where)
        path = Path(self.where)
        near = beside / path if beside is not None else path
        return module_of(near if os.path.isfile(near) else path)


def is_address(text: Any) -> bool:
    """Whether something names a place elsewhere, and not one of ours.

    >>> [is_address(t) for t in ("sgd", "mine.py", "mine.py:SGD", "my.module:SGD", "underdamped:OBABO")]
    [False, True, True, True, True]
    """
    return isinstance(text, str) and (text.endswith(".py") or ":" in text)


def module_of(path: Path) -> ModuleType:
    """The module that a file is, run once for its content."""
    content = files.content(path, "a Python file")
    return _run(path.resolve(), content)


def is_run(module: ModuleType) -> bool:
    """Whether a module is a file that was run for its content, which no one can import by name."""
    return " " in module.__name__


@cache
def _run(path: Path, content: bytes) -> ModuleType:
    name = f"{path.stem} {hashlib.sha256(str(path).encode() + content).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise UnusableInput("a Python file", str(path), "give it a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass looks its own module up
    try:
        with neighbours(path.parent), told_in_a_line(path.name, path.parent):
            with warnings.catch_warnings():  # what is odd about the text is said when it fails
                warnings.simplefilter("ignore", SyntaxWarning)
                code = compile(content, str(path), "exec")
            exec(code, vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextlib.contextmanager
def neighbours(folder: Path) -> Iterator[None]:
    """A folder on the path, as it is for a script in it."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the file may have changed the path itself
            sys.path.remove(str(folder))


@contextlib.contextmanager
def told_in_a_line(what: str, folder: Path | None = None) -> Iterator[None]:
    """Whatever foreign code raises while it loads becomes one line; what it prints, goes to stderr.

    Of that the beginning is shown.
    """
    printed = _Printed(sys.stderr)
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            _no_quiet_end(),
        ):
            yield
    except KeyboardInterrupt:
        raise
    except UnusableInput as error:
        place = _line(error, folder)
        got = f"{error.got}, in {place}" if place and place not in error.got else error.got
        raise UnusableInput(error.expected, got, error.remedy) from None
    except BaseException as error:  # SystemExit too
        place = _line(error, folder)
        got = f"{_words(error)}{place and f', in {place}'}"
        raise UnusableInput(f"{what} to load", got, "mend it there") from None
    finally:
        printed.left = sys.maxsize


class _Printed:
    """Standard error, of which somebody may write so much; all of it again once that was loaded."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.left = stream, _PRINTED

    def write(self, text: str) -> int:
        """What there is room for; where it ends, words say that there was more."""
        if self.left >= 0:
            self.stream.write(text[: self.left])
            self.left -= len(text)
            if self.left < 0:
                self.stream.write("\nsgtheory: what else it prints while it is loaded is not shown\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextlib.contextmanager
def _no_quiet_end() -> Iterator[None]:
    """``os._exit`` would end the command without a word, with any status; a process of its own may."""
    ours, leave = os.getpid(), os._exit

    def told_first(status: int) -> NoReturn:
        if os.getpid() != ours:
            leave(status)
        raise SystemExit(f"os._exit({status!r})")

    os._exit = told_first
    try:
        yield
    finally:
        os._exit = leave


def _words(error: BaseException) -> str:
    return _cut(
        f"{type(error).__name__}: {error.msg}" if isinstance(error, SyntaxError) else told(error)
    )


def _cut(text: str) -> str:
    return shortened(plain(text), _SHORT)


def _line(error: BaseException, folder: Path | None) -> str:
    """The innermost line that is in the folder of what was loaded, or that cannot be read at all."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"line {error.lineno} of {Path(error.filename).name}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if folder is not None and _is_own(Path(f.filename), folder)]
    return f"line {own[-1].lineno} of {Path(own[-1].filename).name}" if own else ""


def _is_own(path: Path, folder: Path) -> bool:
    """Whether a file is the user's: below a folder, but neither installed nor one of ours."""
    inside = path.is_relative_to(folder) and "site-packages" not in path.relative_to(folder).parts
    return inside and not any(path.is_relative_to(_HOUSE / room) for room in _ROOMS)


def _imported(name: str) -> ModuleType:
    here = Path.cwd()  # as for python -m
    with neighbours(here), told_in_a_line(f"the module {_cut(name)}", here):
        return importlib.import_module(name)


def declared_in(module: ModuleType, *kinds: type) -> dict[str, Any]:
    """The declarations of a module by their names there, each once; not those that it imports.

    >>> from sgtheory.declare import Sampler
    >>> from sgtheory.samplers import sgd
    >>> list(declared_in(sgd, Sampler))
    ['SGD']
    """
    imported = _imported_names(module)
    found: dict[int, tuple[str, Any]] = {}
    for name, value in vars(module).items():
        if isinstance(value, kinds) and name not in imported:
            found.setdefault(id(value), (name, value))
    return dict(found.values())


def _imported_names(module: ModuleType) -> set[str]:
    """The names that a module has from others, as far as its text says."""
    try:
        tree = ast.parse(Path(str(module.__file__)).read_bytes())
    except (OSError, SyntaxError, ValueError, AttributeError):  # a file may take its own name away
        return set()
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def named(
    module: ModuleType, address: Address, kinds: Mapping[str, tuple[type, ...]]
) -> tuple[str, Any]:
    """The declaration that an address names in a loaded module, and its name there.

    ``kinds`` are types by what they are called; without a name, the first kind that is there is meant.
    """
    what = " or ".join(kinds)
    if address.name:
        return _by_name(module, address, what, tuple(t for types in kinds.values() for t in types))
    for kind, types in kinds.items():
        own = declared_in(module, *types)
        if len(own) > 1:
            got, remedy = (
                f"{len(own)} ({_cut(', '.join(own))})",
                f"write {address.where}:{next(iter(own))}",
            )
            raise UnusableInput(f"one {kind} in {address.shown}", got, remedy)
        if own:
            return next(iter(own.items()))
    remedy = f"declare one there, or begin with: sgtheory new {next(iter(kinds))}"
    raise UnusableInput(f"a {what} in {address.shown}", "none", remedy)


def _by_name(
    module: ModuleType, address: Address, what: str, types: tuple[type, ...]
) -> tuple[str, Any]:
    """As it is written, else in any case, else as a declaration calls itself; what is imported too."""
    wanted, there = address.name, vars(module)
    every = {n: v for n, v in there.items() if isinstance(v, types)}
    if wanted in every:
        return wanted, every[wanted]
    for name, value in every.items():
        if wanted.lower() in (name.lower(), str(getattr(value, "name", "")).lower()):
            return name, value
    own = declared_in(module, *types)
    known = f"it has {_cut(', '.join(own))}" if own else "declare it there"
    flat = {n.lower().replace("_", ""): n for n in every}
    near = difflib.get_close_matches(wanted.lower().replace("_", ""), flat, 1)
    got = repr(_cut(wanted))
    got += f", a {type(there[wanted]).__name__}" if wanted in there else ""
    raise UnusableInput(
        f"the name of a {what} in {address.shown}",
        got,
        f"did you mean {flat[near[0]]}? {known}" if near else known,
    )
