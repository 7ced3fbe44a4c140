"""Finding papers and their claims: folders of this package, other packages, and plain files."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import pkgutil
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sgtheory.errors import UnusableInput

if TYPE_CHECKING:
    from verification.claims.base import Claim


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
    """The keys of all papers, without importing their claims."""
    from verification import papers

    own = [m.name for m in pkgutil.iter_modules(papers.__path__) if m.ispkg]
    foreign = [e.name for e in entry_points(group="sgtheory.papers")]
    return tuple(sorted({*own, *foreign}))


@cache
def paper(key: str) -> Paper:
    """A paper by its key."""
    if key not in paper_keys():
        raise UnusableInput("the key of a paper", repr(key), f"choose one of: {', '.join(paper_keys())}")
    found: Paper = _package(key).PAPER
    return found


def _package(key: str) -> ModuleType:
    for entry in entry_points(group="sgtheory.papers"):
        if entry.name == key:
            return importlib.import_module(entry.module)
    return importlib.import_module(f"verification.papers.{key}")


@cache
def claims(key: str) -> tuple[Claim, ...]:
    """The claims of a paper, in the order of its files and of each file."""
    package, found = _package(key), []
    for name in _files(package):
        found += _claims_in(importlib.import_module(f"{package.__name__}.{name}"), key)
    return tuple(found)


def _files(package: ModuleType) -> list[str]:
    """Those that the paper lists, then sections, then appendices."""
    listed = package.PAPER.files
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__))
    missing = [n for n in listed if n not in names]
    if missing:
        raise UnusableInput(f"files of claims: {', '.join(listed)}", f"no {missing[0]}.py", "mend PAPER")
    rest = [n for n in names if n not in listed]
    return [*listed, *sorted(rest, key=lambda n: n.startswith("appendix"))]


def _claims_in(module: ModuleType, key: str) -> list[Any]:
    from verification.claims.base import Claim

    own = [value for value in vars(module).values() if isinstance(value, Claim)]
    return [dataclasses.replace(claim, paper=key) for claim in own]


def all_claims() -> tuple[Claim, ...]:
    """The claims of all papers."""
    return tuple(claim for key in paper_keys() for claim in claims(key))


def select(targets: tuple[str, ...]) -> tuple[Claim, ...]:
    """Claims by paper, by id, or from a plain file; all of them where nothing is named."""
    if not targets:
        return all_claims()
    chosen: list[Any] = []
    for target in targets:
        chosen += _select_one(target)
    return tuple(dict.fromkeys(chosen))


def _select_one(target: str) -> list[Any]:
    if target.endswith(".py"):
        return _from_file(Path(target))
    if target in paper_keys():
        return list(claims(target))
    paper_of = target.partition(".")[0]  # the claims of other papers need not be imported
    if paper_of in paper_keys() and (own := [c for c in claims(paper_of) if c.id == target]):
        return own
    matching = [c for c in all_claims() if c.id == target]
    if not matching:
        import difflib

        near = difflib.get_close_matches(target, [c.id for c in all_claims()], 1)
        remedy = f"did you mean {near[0]}?" if near else "see sgtheory list claims"
        raise UnusableInput("a paper, a claim or a file", repr(target), remedy)
    return matching


def _from_file(path: Path) -> list[Any]:
    if not path.is_file():
        raise UnusableInput("a file with claims", str(path), "check the path")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UnusableInput(
            f"{path.name} to import", f"{type(error).__name__}: {error}", "mend the file"
        ) from error
    found = [dataclasses.replace(c, source=str(path)) for c in _claims_in(module, path.stem)]
    if not found:
        raise UnusableInput(f"claims in {path.name}", "none", "declare a StationaryLaw or another claim")
    return found
