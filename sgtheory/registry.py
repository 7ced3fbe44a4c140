"""Finding samplers and models: files of a folder, what other packages announce, files of the user."""

from __future__ import annotations

import dataclasses
import importlib
import os
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from sgtheory.errors import DeclarationError, UnusableInput, shown
from sgtheory.finding import elsewhere, plugins, suggest
from sgtheory.finding.elsewhere import Address

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_LONGEST = 200  # letters of a name that may be another's in other letters


@cache  # a problem asks often, and a scan of what is installed takes milliseconds
def names(family: str) -> tuple[str, ...]:
    """The names of a family, ``"samplers"`` or ``"models"``, without importing any of them.

    >>> "momentum" in names("samplers")
    True
    """
    return tuple(sorted({*own(family), *_foreign(family)}))


@cache
def own(family: str) -> tuple[str, ...]:
    """The names of our own, each a file of the family's folder."""
    package = importlib.import_module(f"sgtheory.{family}")
    return tuple(m.name for m in pkgutil.iter_modules(package.__path__))


def _foreign(family: str) -> Mapping[str, EntryPoint]:
    return plugins.announced(f"sgtheory.{family}", own(family))


@cache
def samplers() -> MappingProxyType[str, Any]:
    """All samplers by name; a plug-in that is broken is told once, and is not among them."""
    return _all("samplers")


@cache
def models() -> MappingProxyType[str, Any]:
    """All models by name; a plug-in that is broken is told once, and is not among them."""
    return _all("models")


def _all(family: str) -> MappingProxyType[str, Any]:
    found = {name: _load(family, name) for name in names(family)}
    return MappingProxyType({name: one for name, one in found.items() if one is not None})


def load(address: Any, *, beside: Path | None = None) -> Any:
    """The sampler or model of a file or module: ``FILE.py``, ``FILE.py:NAME``, ``module:NAME``.

    ``beside`` is a folder in which a relative path is looked for first. A name of one of our samplers
    or models, or what is declared already, may be given too. Its own name is then what it was called
    by, without the folder; a ``name=`` that it declares stands for its Python name.

    >>> load("sgtheory.samplers.sgld:SGLD")
    <Sampler sgtheory.samplers.sgld:SGLD: theta>
    >>> load("sgld")
    <Sampler sgld: theta>
    """
    if isinstance(address, os.PathLike):
        address = os.fspath(address)
    if is_elsewhere(address):
        return _elsewhere(address, ("sampler", "model"), beside)
    is_model = isinstance(address, str) and address in names("models")
    return model(address) if is_model else sampler(address)


def known_as(name: str, among: Iterable[str]) -> str:
    """A name as it is known, where it differs in case, spaces or underscores alone; else as it is.

    >>> known_as("pSGLD", ["psgld", "sgld"]), known_as("nogamma", ["no_gamma"]), known_as("x", ["y"])
    ('psgld', 'no_gamma', 'x')
    """
    known = list(among)
    if name in known or len(name) > _LONGEST:
        return name
    folded = _folded(name)
    alike = [one for one in known if _folded(one) == folded]
    return alike[0] if len(alike) == 1 else name


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace(" ", "")


def is_elsewhere(which: Any) -> bool:
    """Whether something is the address of a file or a module, and not a name of ours."""
    if not elsewhere.is_address(which):
        return False
    name = which.partition(":")[0]
    known = known_as(name, names("samplers"))
    return known == name not in names("samplers") or (known != name and known not in _families())


def _elsewhere(
    text: str, kinds: tuple[str, ...], beside: Path | None = None, params: Mapping[str, Any] = _NOTHING
) -> Any:
    """A declaration in a file or module, under the name by which it can be asked for there."""
    address = Address.read(text)
    return _there(address.module(beside), address, kinds, params)


def _there(
    module: ModuleType, address: Address, kinds: tuple[str, ...], params: Mapping[str, Any] = _NOTHING
) -> Any:
    from sgtheory.declare import Family

    name, _, word = address.name.partition(":")
    known, found = elsewhere.named(module, dataclasses.replace(address, name=name), _types(kinds))
    found = _at_home(found, module, known)
    called = _called(found, f"{address.shown}:{found.name or known}", _title_of(module, found))
    if isinstance(called, Family):
        return _member(called, word or str(params.get(called.parameter, called.default)))
    if word:
        raise UnusableInput(f"a family before :{word}", f"{called.name}, which is none", "leave it out")
    return called


def named_in(module: ModuleType, declaration: Any) -> Any:
    """A declaration under the name that it has in a module; as it is where it has one already."""
    here = (name for name, value in vars(module).items() if value is declaration)
    known = next(here, "")
    if declaration.title or not known:
        return declaration
    shown = Path(str(module.__file__)).name if module.__file__ else module.__name__
    title = _title_of(module, declaration)
    return _called(_at_home(declaration, module, known), f"{shown}:{declaration.name or known}", title)


def _types(kinds: tuple[str, ...]) -> Mapping[str, tuple[type, ...]]:
    from sgtheory import declare

    known = {"sampler": (declare.Sampler, declare.Family), "model": (declare.Model,)}
    return {kind: known[kind] for kind in kinds}


def _title_of(module: ModuleType, declaration: Any) -> str:
    """As it says itself; of the one declaration of a file, what the file says first."""
    alone = len(elsewhere.declared_in(module, type(declaration))) == 1
    return str(declaration.title or (_first_line(module) if alone else ""))


def _at_home(declaration: Any, module: ModuleType, known: str) -> Any:
    """With rules that other processes find: a default may be any function of a file."""
    from sgtheory.declaring.derived import Home

    if not any(hasattr(value, "rule") for _, value in getattr(declaration, "defaults", ())):
        return declaration
    where = str(module.__file__) if elsewhere.is_run(module) else module.__name__
    defaults = tuple(
        (p, dataclasses.replace(v, home=Home(where, module.__name__, known, _name_of(p))))
        if hasattr(v, "rule")
        else (p, v)
        for p, v in declaration.defaults
    )
    return dataclasses.replace(declaration, defaults=defaults)


def _name_of(parameter: Any) -> str:
    return str(parameter.name.name if hasattr(parameter, "factors") else parameter.name)


@cache
def _called(declaration: Any, name: str, title: str) -> Any:
    return dataclasses.replace(declaration, name=name, title=title or name)


def words() -> tuple[str, ...]:
    """The parameters of problem files that are words: each chooses a member of a family.

    >>> words()
    ('metric', 'printing', 'word')
    """
    return tuple(sorted({s.word[0] for s in samplers().values() if s.word}))


def sampler(which: Any, params: Mapping[str, Any] = _NOTHING) -> Any:
    """A sampler from its name, its address (``FILE.py:NAME``), its module, or itself.

    Of a family it is the member that is named.

    >>> sampler("sgld")
    <Sampler sgld: theta>
    >>> sampler("underdamped:OBABO").word, sampler("underdamped", {"word": "ABOBA"}).word
    (('word', 'OBABO'), ('word', 'ABOBA'))
    >>> both = {"printing": "no_gamma"}  # which Santa has not
    >>> sampler("psgld", both), sampler("santa_sss", both)
    (<Sampler psgld:no_gamma: theta, V>, <Sampler santa_sss: theta, u, alpha, v>)
    """
    if isinstance(which, os.PathLike):
        which = os.fspath(which)
    if is_elsewhere(which):
        return _elsewhere(which, ("sampler",), params=params)
    if isinstance(which, str) and ":" in which:
        name, _, word = which.partition(":")
        return _member(_family(known_as(name, names("samplers"))), word)
    found = _find("samplers", which)
    wanted = str(params.get(found.word[0], "")) if found.word else ""
    if (
        wanted
        and wanted != found.word[1]
        and found.name in _families()
        and not _of_another(found, wanted)
    ):
        return _member(_family(found.name), wanted)
    return (
        found if found.name else dataclasses.replace(found, name="sampler")
    )  # declared where nothing names it


def _of_another(found: Any, word: str) -> bool:
    """Whether a problem file's word is one of another family, which this one has not."""
    own, key = _families().get(found.name), found.word[0]
    if own is None or word in own.examples:
        return False
    return any(f.parameter == key and word in f.examples for f in _families().values())


def family(which: str) -> Any:
    """The family that a name belongs to, or None."""
    return _families().get(known_as(which.partition(":")[0], names("samplers")))


def _family(name: str) -> Any:
    if name not in _families():
        known = ", ".join(_families())
        raise UnusableInput(f"a family before the colon ({known})", name, "leave out the colon")
    return _families()[name]


@cache
def _families() -> Mapping[str, Any]:
    from sgtheory.declare import Family

    found: dict[str, Any] = {}
    for name in samplers():
        one = _loaded("samplers", name)
        if isinstance(one, Family):
            found[name] = one
    return MappingProxyType(found)


def _member(family: Any, word: str) -> Any:
    return _made(family, known_as(word, family.examples))


@cache
def _made(family: Any, word: str) -> Any:
    made = family.make(word)
    name = family.name if word == family.default else f"{family.name}:{word}"
    return dataclasses.replace(made, name=name, title=made.title or f"{family.title}: {_read(word)}")


def _read(word: str) -> str:
    """A member's word as words: names and powers without the marks of programs."""
    return word.replace("**", "^").replace("_", " ")


def model(which: Any) -> Any:
    """A model from its name, its module, or itself; never from a file, for problem files are data."""
    return _find("models", which)


def _find(family: str, which: Any) -> Any:
    if isinstance(which, ModuleType):
        room, _, name = which.__name__.rpartition(".")
        if room != f"sgtheory.{family}":
            return _there(which, Address(which.__name__), (family.removesuffix("s"),))
        which = name
    if not isinstance(which, str):
        if hasattr(which, "make"):
            return _member(which, which.default)
        if isinstance(which, _declared(family)):
            return which
        raise UnusableInput(
            f"the name of one of the {family}", shown(which), 'write "sgld" or "quadratic"'
        )
    which = known_as(which, names(family))
    if which not in names(family):
        known = f"choose one of: {', '.join(names(family))}"
        near = suggest.remedy(which, names(family), "", "'")
        remedy = f"{near} else {known}" if near else known
        raise UnusableInput(f"the name of one of the {family}", shown(which), remedy)
    found = _load(family, which)
    if found is None:
        entry = _foreign(family)[which]
        raise UnusableInput(f"the plug-in {which} to load", plugins.because(entry), "mend or remove it")
    return found


@cache
def _load(family: str, name: str) -> Any:
    """The sampler or model of that name, of a family its default member; None of a broken plug-in."""
    found = _loaded(family, name)
    return _member(found, found.default) if hasattr(found, "make") else found


@cache
def _loaded(family: str, name: str) -> Any:
    if name in _foreign(family):
        return plugins.of(
            _foreign(family)[name], lambda found, module: _whole(family, name, found, module)
        )
    module = importlib.import_module(f"sgtheory.{family}.{name}")
    return _named(_only_declaration(family, module), name, module)


def _whole(family: str, name: str, found: Any, module: ModuleType) -> Any:
    """What an entry point leads to, as a declaration with all of its members made."""
    types = _declared(family)
    if isinstance(found, ModuleType):
        found = _only_declaration(family, found)
    if not isinstance(found, types):
        raise UnusableInput(
            f"a {types[0].__name__}", f"a {type(found).__name__}", "announce FILE:NAME of one"
        )
    one = _named(found, name, module)
    if hasattr(one, "make"):
        _member(one, one.default)
    return one


def _declared(family: str) -> tuple[type, ...]:
    """The classes of a family's declarations."""
    kind = family.removesuffix("s")
    return _types((kind,))[kind]


def _only_declaration(family: str, module: ModuleType) -> Any:
    types = _declared(family)
    found = [value for value in vars(module).values() if isinstance(value, types)]
    if len(found) != 1:
        raise DeclarationError(
            f"one {types[0].__name__} in {module.__name__}",
            f"{len(found)}",
            "declare one sampler or model to a file",
        )
    return found[0]


def _named(declaration: Any, name: str, module: ModuleType) -> Any:
    return dataclasses.replace(declaration, name=name, title=_first_line(module) or name)


def _first_line(module: ModuleType) -> str:
    first_line = (module.__doc__ or "").strip().partition("\n")[0]
    return first_line.partition(":")[0].rstrip(".")
