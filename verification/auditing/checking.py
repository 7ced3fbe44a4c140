"""Checks and what they find: a file of ``checks`` each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sgtheory.notation.display import Shown
from verification.auditing.entries import Judged


@dataclass(repr=False, frozen=True)
class Defect(Shown):
    """Something that is wrong with an entry: what, and what to do about it."""

    id: str
    kind: str  # the name of the check
    words: str
    remedy: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """One of ``findings`` in schema sgtheory.audit/1."""
        told = {"id": self.id, "kind": self.kind, "words": self.words, "remedy": self.remedy}
        return {**told, "evidence": dict(self.evidence)}


Found = Iterable[tuple[Any, ...]]  # the entry, words, what to do, and evidence where there is any


@dataclass(frozen=True)
class Check:
    """One check: it looks at each entry, or at all of them at once.

    ``bad`` makes entries of which it finds each (of all at once, the last), and ``good`` some that it
    lets pass.
    """

    name: str
    sentence: str  # what it asks
    look: Callable[[Any], Found]
    at_all: bool
    bad: Callable[[], Sequence[Judged]]
    good: Callable[[], Sequence[Judged]]

    def of_one(self, judged: Judged) -> Iterator[Defect]:
        """What it finds of an entry; a check of all finds nothing of one."""
        return iter(()) if self.at_all else self._found(self.look(judged))

    def of_all(self, entries: Sequence[Judged]) -> Iterator[Defect]:
        """What it finds in several entries, each by itself or all at once."""
        if self.at_all:
            yield from self._found(self.look(entries))
        else:
            for one in entries:
                yield from self.of_one(one)

    def _found(self, seen: Found) -> Iterator[Defect]:
        for judged, *told in seen:
            yield Defect(judged.id, self.name, *told)


@cache
def all_checks() -> tuple[Check, ...]:
    """All checks, by name.

    >>> [check.name for check in all_checks()][:2]
    ['broken off', 'coincidences']
    """
    from verification.auditing import checks as folder

    modules = (importlib.import_module(f"{folder.__name__}.{m.name}") for m in _files(folder))
    return tuple(sorted(map(_check, modules), key=lambda one: one.name))


def _files(folder: Any) -> Iterator[Any]:
    return (m for m in pkgutil.iter_modules(folder.__path__) if not m.name.startswith("_"))


def _check(module: Any) -> Check:
    """A file has ``look`` or ``look_at_all``, ``bad`` and ``good``; its name is the kind."""
    at_all = hasattr(module, "look_at_all")
    look = module.look_at_all if at_all else module.look
    name = module.__name__.rpartition(".")[2].replace("_", " ")
    return Check(name, " ".join(look.__doc__.split()), look, at_all, module.bad, module.good)
