"""Finding papers and their claims: folders, texts of the shelf, other packages, and plain files."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import importlib
import os
import pkgutil
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.files import keeper
from sgtheory.finding import suggest
from sgtheory.finding.elsewhere import module_of
from sgtheory.finding.plugins import announced, of
from verification.library.kinds import is_text
from verification.library.shelf import described, shelf
from verification.verdicts.provenance import fingerprint, versions

if TYPE_CHECKING:
    from verification.statements.entry import Claim

_GROUP = "sgtheory.papers"
_STATING = ("claim", "definition", "attribution", "opinion", "picture", "timing")


@dataclass(frozen=True)
class Paper:
    """A paper: its key, how it is cited, and where its claims are."""

    key: str
    title: str
    authors: str
    year: int
    venue: str
    bibtex: str
    files: tuple[str, ...] = ()  # of claims, in the paper's order, where their names do not sort so


def paper_keys() -> tuple[str, ...]:
    """The keys of all papers, without importing our claims; a plug-in that is broken is told once."""
    foreign = (key for key in announced(_GROUP, own()) if _collected(key) is not None)
    return tuple(sorted({*own(), *foreign}))


@cache
def own() -> tuple[str, ...]:
    """The keys of our own papers, each a folder, or a text of the shelf."""
    from verification import papers

    return (*(m.name for m in pkgutil.iter_modules(papers.__path__) if m.ispkg), *shelf())


@cache
def paper(key: str) -> Paper:
    """A paper by its key."""
    return _asked(key).paper


@cache
def claims(key: str) -> tuple[Claim, ...]:
    """The claims of a paper, in the order of its files and of each file."""
    return _read(key)[0]


@dataclass(frozen=True)
class Part:
    """A section of a paper, which is a file of its claims: its name, its title, its claims' ids."""

    name: str
    title: str
    ids: tuple[str, ...]

    @property
    def short(self) -> str:
        """What it is called.

        >>> Part("section_3_1", "Section 3.1: the loss", ()).short
        'Section 3.1'
        """
        return self.title.partition(":")[0]


@cache
def parts(key: str) -> tuple[Part, ...]:
    """The sections of a paper, in its order; a text is one."""
    return _read(key)[1]


@cache
def _read(key: str) -> tuple[tuple[Claim, ...], tuple[Part, ...]]:
    """The claims and the sections of a paper; one of ours is not read again while no source changes."""
    found = _asked(key)
    if key not in own():
        return found.claims, found.parts
    name = fingerprint("claims of", key, versions())
    return keeper.made("index", name, lambda: (found.claims, found.parts))


@dataclass(frozen=True)
class _Collected:
    """A paper's package, read: what it says of itself, and its claims where they are wanted."""

    package: ModuleType
    key: str
    entry: Any = None  # of another package

    @property
    def paper(self) -> Paper:
        found: Paper = self.package.PAPER
        return found

    @cached_property
    def read(self) -> tuple[tuple[ModuleType, list[Any]], ...]:
        """Each file with its claims."""
        names = (f"{self.package.__name__}.{name}" for name in _files(self.package))
        modules = map(importlib.import_module, names)
        return tuple((module, _claims_in(module, self.key)) for module in modules)

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(claim for _, own in self.read for claim in own)

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(
            Part(module.__name__.rpartition(".")[2], _title(module), tuple(c.id for c in own))
            for module, own in self.read
            if own
        )


@dataclass(frozen=True)
class _Shelved:
    """A work of the bibliography, and its claims: a text of the shelf, read as anybody's is."""

    key: str

    @property
    def paper(self) -> Paper:
        return Paper(self.key, *described(self.key))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        found, refused = _from_text(shelf()[self.key])
        if refused:
            raise refused[0]
        return tuple(dataclasses.replace(claim, source="") for claim in found)

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part("claims", f"Claims of {self.paper.title}", tuple(c.id for c in self.claims)),)


def _asked(key: str) -> _Collected | _Shelved:
    found = _collected(key) if key in paper_keys() else None
    if found is None:
        known = ", ".join(paper_keys())
        raise UnusableInput("the key of a paper", repr(key), f"choose one of: {known}")
    return found


@cache
def _collected(key: str) -> _Collected | _Shelved | None:
    """A paper; None of a broken plug-in, of which every claim is read to know that it is not."""
    if key in shelf():
        return _Shelved(key)
    entry = announced(_GROUP, own()).get(key)
    if entry is None:
        return _Collected(importlib.import_module(f"verification.papers.{key}"), key)

    def use(found: Any, module: ModuleType) -> _Collected:
        package = found if isinstance(found, ModuleType) else module
        if not isinstance(getattr(package, "PAPER", None), Paper) or not hasattr(package, "__path__"):
            got = f"{package.__name__}, which is none"
            raise UnusableInput("a package with a PAPER", got, "announce the package of a paper")
        collected = _Collected(package, key, entry)
        _ = collected.claims
        return collected

    return of(entry, use)


def _files(package: ModuleType) -> list[str]:
    """Those that the paper lists, then sections, then appendices."""
    listed = package.PAPER.files
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__))
    missing = [n for n in listed if n not in names]
    if missing:
        raise UnusableInput(f"files of claims: {', '.join(listed)}", f"no {missing[0]}.py", "mend PAPER")
    rest = [n for n in names if n not in listed]
    return [*listed, *sorted(rest, key=lambda n: n.startswith("appendix"))]


def _title(module: ModuleType) -> str:
    """What a file says that it is about, in its first line."""
    return (module.__doc__ or module.__name__).strip().splitlines()[0].rstrip(".")


def _claims_in(module: ModuleType, key: str) -> list[Any]:
    """The claims of a file; a sampler that they are about may be declared in it, or beside it."""
    from verification.statements.entry import Claim

    own = [value for value in vars(module).values() if isinstance(value, Claim)]
    return [dataclasses.replace(claim, paper=key, of=_subject(claim.of, module)) for claim in own]


def _subject(of: Any, module: ModuleType) -> Any:
    """What a claim of a file is about: one of ours by its name, any other as a declaration with one."""
    from sgtheory.declare import Family, Sampler

    if isinstance(of, str) and not registry.is_elsewhere(of):
        return of
    if isinstance(of, str):
        try:
            return registry.load(of, beside=Path(str(module.__file__)).parent)
        except UnusableInput:  # this claim's own trouble, which it meets again when it is judged
            return of
    return registry.named_in(module, of) if isinstance(of, Sampler | Family) else of


def all_claims() -> tuple[Claim, ...]:
    """The claims of all papers."""
    return tuple(claim for key in paper_keys() for claim in claims(key))


def select(targets: tuple[str, ...]) -> tuple[Claim, ...]:
    """Claims by paper, by id, or from a plain file; all of them where nothing is named."""
    found = gather(targets)
    if found.refused:
        raise found.refused[0]
    return found.claims


def is_file(target: str) -> bool:
    """Whether a target is a file of claims, Python or a text, by its name."""
    return target.endswith(".py") or is_text(target)


@dataclass(frozen=True)
class Gathered:
    """The claims that were named, and why files among the targets could not be read.

    ``unread`` are statements of a text that are not understood: the others are judged.
    """

    claims: tuple[Claim, ...]
    refused: tuple[UnusableInput, ...] = ()
    unread: tuple[UnusableInput, ...] = ()

    @property
    def errors(self) -> tuple[UnusableInput, ...]:
        """All that could not be read."""
        return (*self.refused, *self.unread)


def gather(targets: tuple[str, ...]) -> Gathered:
    """The same; a file that cannot be imported stops no other target."""
    if not targets:
        return Gathered(all_claims())
    chosen: list[Any] = []
    refused: list[UnusableInput] = []
    unread: list[UnusableInput] = []
    for target in targets:
        try:
            if is_text(target):
                found, more = _from_text(Path(target))
                chosen += found
                unread += more
            else:
                chosen += _select_one(target)
                refused += _nameless(Path(target)) if target.endswith(".py") else []
        except UnusableFile as error:
            refused.append(error)
    return Gathered(_distinct(chosen), tuple(refused), tuple(unread))


def unread(targets: tuple[str, ...]) -> tuple[UnusableInput, ...]:
    """What of the texts among some targets is not understood."""
    found: list[UnusableInput] = []
    for target in filter(is_text, targets):
        with contextlib.suppress(UnusableFile):
            found += _from_text(Path(target))[1]
    return tuple(found)


def _distinct(claims: list[Any]) -> tuple[Any, ...]:
    """Each claim once, however often it was named."""
    return tuple({(c.source, c.id): c for c in claims}.values())


class UnusableFile(UnusableInput):
    """A file that is there and holds no claims that can be read."""


def _select_one(target: str) -> list[Any]:
    if target.endswith(".py"):
        return _from_file(Path(target))
    if target in paper_keys():
        return list(claims(target))
    from verification.library.index import lacks

    for key in paper_keys():  # the claims of other papers need not be imported
        if target.startswith(f"{key}.") and not lacks("claims", target):
            found = [claim for claim in claims(key) if claim.id == target]
            if found:
                return found
    raise _unknown(target)


def _unknown(target: str) -> UnusableInput:
    from verification.library.index import names

    remedy = suggest.remedy(target, [*paper_keys(), *names("claims")], "see sgtheory list claims")
    return UnusableInput("a paper, a claim or a file", repr(target), remedy)


def _from_text(path: Path) -> tuple[list[Any], list[UnusableInput]]:
    from verification.texts import read

    if not path.is_file():
        raise UnusableInput("a text with statements", str(path), "check the path")
    try:
        text = read(path)
    except UnusableInput as error:
        raise UnusableFile(error.expected, error.got, error.remedy) from error
    if not text.claims and len(text.refused) == 1:
        (only,) = text.refused
        raise UnusableFile(only.expected, only.got, only.remedy)
    own = [dataclasses.replace(c, paper=path.stem, source=str(path)) for c in text.claims]
    return own, list(text.refused)


def _nameless(path: Path) -> list[UnusableFile]:
    """That a claim of a file has no name, under which it could be found."""
    calls = (one.value for one in ast.parse(path.read_bytes()).body if isinstance(one, ast.Expr))
    lost = [c for c in calls if isinstance(c, ast.Call) and _last_name(c.func) in _STATING]
    return [
        UnusableFile(
            f"a name for each claim of {path.name}",
            f"none in line {one.lineno}",
            f"write NAME = {ast.unparse(one.func)}(...)",
        )
        for one in lost
    ]


def _last_name(called: ast.expr) -> str:
    return str(getattr(called, "attr", getattr(called, "id", "")))


def _from_file(path: Path) -> list[Any]:
    if not os.path.isfile(path):  # of a name too long, too
        raise UnusableInput("a file with claims", str(path), "check the path")
    try:
        module = module_of(path)
    except UnusableInput as error:
        raise UnusableFile(error.expected, error.got, error.remedy) from error
    found = [dataclasses.replace(c, source=str(path)) for c in _claims_in(module, path.stem)]
    if not found:
        none = UnusableFile(f"claims in {path.name}", "none", "state one: NAME = claim(...)")
        raise next(iter(_nameless(path)), none)
    keys = [c.key for c in found]
    twice = next((k for k in keys if keys.count(k) > 1), None)
    if twice is not None:
        what = f"claims of {path.name} with keys of their own"
        raise UnusableFile(what, f"{twice!r} twice", "rename one")
    return found
