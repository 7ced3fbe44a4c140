"""Finding samplers and models: every file of a folder, and what other packages announce."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType, ModuleType
from typing import Any

from sgtheory.errors import DeclarationError, UnusableInput


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


def sampler(which: Any) -> Any:
    """A sampler from its name, its module, or itself.

    >>> sampler("sgld")
    <Sampler sgld: theta>
    """
    return _find("samplers", which)


def model(which: Any) -> Any:
    """A model from its name, its module, or itself."""
    return _find("models", which)


def _find(family: str, which: Any) -> Any:
    if isinstance(which, ModuleType):
        which = which.__name__.rpartition(".")[2]
    if not isinstance(which, str):
        return which
    if which not in names(family):
        known = ", ".join(names(family))
        raise UnusableInput(f"the name of one of the {family}", repr(which), f"choose one of: {known}")
    return _load(family, which)


@cache
def _load(family: str, name: str) -> Any:
    foreign = {e.name: e for e in entry_points(group=f"sgtheory.{family}")}
    if name in foreign:
        loaded = foreign[name].load()
        module = importlib.import_module(foreign[name].module)
        return _named(loaded, name, module)
    module = importlib.import_module(f"sgtheory.{family}.{name}")
    return _named(_only_declaration(family, module), name, module)


def _only_declaration(family: str, module: ModuleType) -> Any:
    from sgtheory import declare

    wanted = declare.Sampler if family == "samplers" else declare.Model
    found = [value for value in vars(module).values() if isinstance(value, wanted)]
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
