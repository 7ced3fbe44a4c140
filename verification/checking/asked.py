"""What a check is asked: the target, the declaration that it is held against, and how it is called.

A sampler of a library that is described in ``verification.conventions`` is named as ``blackjax.sgld``:
as a target it brings its own step and its own declaration; as what a step is held against, its
declaration; and its convention says how a step in that library's letters is called from ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.finding.elsewhere import Address
from sgtheory.reader.formulas import formula
from verification.checking.cases import IDENTITY, MODE
from verification.checking.parameters import Handed, handed
from verification.conventions import library_of


@dataclass(frozen=True)
class Asked:
    """A target, a sampler, its name, and the target's parameters as formulas in the sampler's."""

    target: Any
    sampler: Any
    like: str
    called: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    adds: bool = True  # to what matches by name; not so where a library's letters are spoken

    def handed(self, asks: Any) -> Handed:
        """What the target is handed, once it is known what it asks for."""
        return handed(self.sampler, asks, dict(self.called), dict(self.fixed), self.like, self.adds)


def asked(
    target: Any,
    like: Any,
    parameters: Mapping[str, Any],
    fixed: Mapping[str, Any],
    convention: str = "",
) -> Asked:
    """Everything that names are short for.

    >>> asked(len, "sgld", {"step_size": "eps/2"}, {"H": "identity"}).sampler.parameters
    (eps,)
    """
    entry = entry_of(target) if like is None else None
    if entry is not None and not convention and not parameters:
        sampler, name, own = entry.sampler, target, dict(_letters(entry))
        target = _ready(entry, target)
    elif like is None:
        raise UnusableInput("the sampler that it should be like", "none", "add --like SAMPLER")
    else:
        sampler, name, own = *declared(like), {n: str(f) for n, f in parameters.items()}
    adds = not (convention or (own and not parameters))
    fixed = {n: _value(n, x) for n, x in fixed.items()}
    if convention:
        back, fixed_by = _convention(convention, name)
        own, fixed = {**back, **own}, {**fixed_by, **fixed}
    unknown = set(fixed) - {p.name for p in sampler.parameters}
    if unknown:
        known = ", ".join(p.name for p in sampler.parameters)
        raise UnusableInput(
            f"parameters of {name} ({known})", ", ".join(sorted(unknown)), "see the card"
        )
    before = sampler
    if fixed:
        from verification.conventions.sameness import specialised

        sampler = specialised(sampler, fixed)
    letters = {p.name: p for p in sampler.parameters} | {n: sp.Symbol(n) for n in ("N", "S", "D")}
    for called, text in own.items():
        if text.strip() not in {*letters, MODE}:  # alone also what no formula can have: lambda
            formula(text, letters, f"{called} as a formula", f"write --with {called}=eps/2")
    matrices = {p.name for p in before.parameters if isinstance(p, MatrixName)}
    values = {n: IDENTITY if n in matrices and x == 1 else x for n, x in fixed.items()}
    return Asked(target, sampler, name, tuple(own.items()), tuple(values.items()), adds)


def entry_of(target: Any) -> Any:
    """The entry of a library that a target names, or None."""
    from verification.conventions import entry

    if not isinstance(target, str) or library_of(target) is None or target.endswith(".py"):
        return None
    return entry(target)


def _ready(entry: Any, name: str) -> str:
    if not entry.target:
        raise UnusableInput(
            f"a ready step of {name}", "none", "write one as file.py:name and add --like " + name
        )
    return str(entry.target)


def _letters(entry: Any) -> Mapping[str, str]:
    own = {p.name: p.name for p in entry.sampler.parameters}
    return own | dict([entry.count] if entry.count else [])


def declared(like: Any) -> tuple[Any, str]:
    """The declaration that a name stands for, of ours or of a library, and the name."""
    if not isinstance(like, str):
        found = registry.sampler(like)
        return found, found.name or "the declared sampler"
    if registry.is_elsewhere(like) and (Address.read(like).is_file or library_of(like) is None):
        found = registry.sampler(like)
        return found, found.name
    entry = entry_of(like) if "." in like else None
    if entry is not None:
        return entry.sampler, like
    if "." in like:
        from verification.conventions.translate import side

        return side(like).sampler, like
    return registry.sampler(like), like


def _value(name: str, value: Any) -> Any:
    """A number, or 1 for the identity."""
    return sp.Integer(1) if value == "identity" else formula(str(value), {}, f"a number for {name}")


def _convention(convention: str, like: str) -> tuple[dict[str, str], dict[str, Any]]:
    """A library's parameters in ours, and what its convention fixes of ours."""
    from verification.conventions.translate import translation

    found = translation(like, convention)
    back = {n: str(e) for n, e in found.formulas}
    return back, {n: e for n, e in found.fixed if not sp.sympify(e).free_symbols}
