"""Finding samplers and models: every file of a folder, and what other packages announce."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType, ModuleType
from typing import Any

from sgtheory.errors import DeclarationError, UnusableInput


@cache  # a problem asks often, and a scan of what is installed takes milliseconds
def names(family: str) -> tuple[str, ...]:
    """The names of a family, ``"samplers"`` or ``"models"``, without importing any of them.

    >>> "momentum" in names("samplers")
    True
    """
    package = importlib.import_module(f"sgtheory.{family}")
    own = [m.name for m in pkgutil.iter_modules(package.__path__)]
    foreign = [e.name for e in entry_points(group=f"sgtheory.{family}")]
    return tuple(sorted({*own, *foreign}))


@cache
def samplers() -> MappingProxyType[str, Any]:
    """All samplers by name."""
    return MappingProxyType({n: _load("samplers", n) for n in names("samplers")})


@cache
def models() -> MappingProxyType[str, Any]:
    """All models by name."""
    return MappingProxyType({n: _load("models", n) for n in names("models")})


def words() -> tuple[str, ...]:
    """The parameters of problem files that are words: each chooses a member of a family.

    >>> words()
    ('metric', 'printing', 'word')
    """
    return tuple(sorted({s.word[0] for s in samplers().values() if s.word}))


def sampler(which: Any, params: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """A sampler from its name, its module, or itself; of a family, the member that is named.

    >>> sampler("sgld")
    <Sampler sgld: theta>
    >>> sampler("underdamped:OBABO").word, sampler("underdamped", {"word": "ABOBA"}).word
    (('word', 'OBABO'), ('word', 'ABOBA'))
    >>> both = {"printing": "no_gamma"}  # which Santa has not
    >>> sampler("psgld", both), sampler("santa_sss", both)
    (<Sampler psgld:no_gamma: theta, V>, <Sampler santa_sss: theta, u, alpha, v>)
    """
    if isinstance(which, str) and ":" in which:
        name, _, word = which.partition(":")
        return _member(_family(name), word)
    found = _find("samplers", which)
    wanted = str(params.get(found.word[0], "")) if found.word else ""
    if wanted and wanted != found.word[1] and ":" not in found.name and not _of_another(found, wanted):
        return _member(_family(found.name), wanted)
    return found


def _of_another(found: Any, word: str) -> bool:
    """Whether a problem file's word is one of another family, which this one has not."""
    own, key = _families().get(found.name), found.word[0]
    if own is None or word in own.examples:
        return False
    return any(f.parameter == key and word in f.examples for f in _families().values())


def family(which: str) -> Any:
    """The family that a name belongs to, or None."""
    return _families().get(which.partition(":")[0])


def _family(name: str) -> Any:
    if name not in _families():
        known = ", ".join(_families())
        raise UnusableInput(f"a family before the colon ({known})", name, "leave out the colon")
    return _families()[name]


@cache
def _families() -> Mapping[str, Any]:
    from sgtheory.declare import Family

    found: dict[str, Any] = {}
    for name in names("samplers"):
        module = importlib.import_module(_module_name("samplers", name))
        for value in vars(module).values():
            if isinstance(value, Family):
                found[name] = _named(value, name, module)
    return MappingProxyType(found)


@cache
def _member(family: Any, word: str) -> Any:
    made = family.make(word)
    name = family.name if word == family.default else f"{family.name}:{word}"
    return dataclasses.replace(made, name=name, title=f"{family.title}: {word}")


def _module_name(family: str, name: str) -> str:
    foreign = {e.name: e.module for e in entry_points(group=f"sgtheory.{family}")}
    return foreign.get(name, f"sgtheory.{family}.{name}")


def model(which: Any) -> Any:
    """A model from its name, its module, or itself."""
    return _find("models", which)


def _find(family: str, which: Any) -> Any:
    if isinstance(which, ModuleType):
        which = which.__name__.rpartition(".")[2]
    if not isinstance(which, str):
        return which
    if which not in names(family):
        near = difflib.get_close_matches(which, names(family), 1)
        known = f"choose one of: {', '.join(names(family))}"
        remedy = f"did you mean {near[0]!r}? else {known}" if near else known
        raise UnusableInput(f"the name of one of the {family}", repr(which), remedy)
    return _load(family, which)


@cache
def _load(family: str, name: str) -> Any:
    foreign = {e.name: e for e in entry_points(group=f"sgtheory.{family}")}
    if name in foreign:
        loaded = foreign[name].load()
        module = importlib.import_module(foreign[name].module)
        return _named(loaded, name, module)
    module = importlib.import_module(f"sgtheory.{family}.{name}")
    found = _only_declaration(family, module)
    if family == "samplers" and hasattr(found, "make"):
        return _member(_named(found, name, module), found.default)
    return _named(found, name, module)


def _only_declaration(family: str, module: ModuleType) -> Any:
    from sgtheory import declare

    wanted = declare.Sampler if family == "samplers" else declare.Model
    found = [value for value in vars(module).values() if isinstance(value, wanted | declare.Family)]
    if len(found) != 1:
        raise DeclarationError(
            f"one {wanted.__name__} in {module.__name__}",
            f"{len(found)}",
            "declare one sampler or model to a file",
        )
    return found[0]


def _named(declaration: Any, name: str, module: ModuleType) -> Any:
    first_line = (module.__doc__ or name).strip().splitlines()[0]
    title = first_line.partition(":")[0].rstrip(".")
    return dataclasses.replace(declaration, name=name, title=title)
