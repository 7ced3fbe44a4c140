"""Which value each parameter of a step has: by its name, by a formula, or as it is declared by default.

What a step has no name for has its declared default, and the report says so; a parameter without a
default that it has no name for, or one of its own that no one knows, is a mistake that one line tells
with its remedy. Names that libraries use are understood where the declaration leaves one reading only.
Whoever calls the step gets what its code has bound, and its own defaults: a number of ours that is the
same for all problems is never put in their place.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import sympy as sp

from sgtheory.declare import MatrixName, N
from sgtheory.errors import UnusableInput
from verification.checking.cases import CLOCK, MODE
from verification.checking.kept import fixes, kept
from verification.checking.readings import letters_in, readings, step_letter
from verification.checking.signatures import Asks

_NONE: Mapping[str, str] = MappingProxyType({})
_HANDED = ("N", "S", MODE)  # beside the parameters
_COUNTERS = ("t", "k", "i", "step", "iteration", "iter", "step_number", "epoch", "n_step", "counter")
_SHOWN = 150  # characters of a list of names that are told


@dataclass(frozen=True)
class Handed:
    """A declaration without what a step has no name for, what the step is handed, and what was taken."""

    sampler: Any
    called: tuple[tuple[str, str], ...] = ()
    taken: tuple[str, ...] = ()


def handed(
    sampler: Any,
    asks: Asks | None,
    own: Mapping[str, str] = _NONE,
    fixed: Mapping[str, Any] = _NONE,
    like: str = "",
    adds: bool = True,
) -> Handed:
    """What a target is handed, from what it asks for.

    ``own`` gives parameters of the target as formulas; where ``adds``, those that match by name are
    handed besides. ``fixed`` are parameters of the sampler that have one value, and are gone from it.

    >>> from sgtheory import registry
    >>> found = handed(registry.sampler("sgld"), Asks(("eps", "N")))
    >>> found.taken, found.sampler.parameters
    (('H is not a parameter of your step: the identity was taken.',), (eps,))
    """
    if asks is None:
        called = {p: p for p in _letters(sampler)} | dict(own) if own and adds else dict(own)
        return Handed(sampler, tuple(called.items()))
    bound = kept(sampler, asks, own)
    own = {n: x for n, x in own.items() if n not in dict(asks.bound)}
    if bound.values:
        from verification.conventions.sameness import specialised

        sampler = specialised(sampler, dict(bound.values))
    asking = _Asking(sampler, asks, dict(own), dict(fixed), like or sampler.name)
    found = asking.handed(adds)
    return replace(found, taken=(*bound.told, *found.taken))


@dataclass
class _Asking:
    sampler: Any
    asks: Asks
    own: dict[str, str]
    fixed: dict[str, Any]
    like: str

    def handed(self, adds: bool) -> Handed:
        idle = [n for n in self.own if n not in self.asks.names]
        if adds and idle and not self.asks.anything:
            names = ", ".join(sorted(self.asks.names)) or "none"
            expected = f"parameters of {self.asks.shown} ({names[:_SHOWN]}) before the = of --with"
            raise UnusableInput(expected, ", ".join(idle), "--fix is for parameters that it has not")
        understood = dict(self._understood()) if adds else {}
        self.own |= understood
        for name, value in self.fixed.items():  # gone from the sampler; the step may still ask for it
            if name in self.asks.names or self.asks.anything:
                self.own.setdefault(name, "identity" if value == "identity" else str(value))
        self._refuse_unknown(adds)
        left = self._left(adds)
        taken = tuple(self._taken(understood, left))
        from verification.conventions.sameness import specialised

        values = {n: sp.Integer(1) if x == "identity" else sp.sympify(x) for n, x in left.items()}
        sampler = specialised(self.sampler, values) if values else self.sampler
        if not (self.own or (left and self.asks.anything)):
            return Handed(sampler, (), taken)
        called = dict(self.own) if not adds else self._besides(sampler) | self.own
        if self.asks.anything:
            called = {n: str(x) for n, x in left.items()} | called
        return Handed(sampler, tuple(called.items()), taken)

    @property
    def used(self) -> frozenset[str]:
        """Our letters that the formulas speak of, of what the target takes."""
        taken = [x for n, x in self.own.items() if self.asks.anything or n in self.asks.names]
        return frozenset(n for text in taken for n in letters_in(text))

    def _besides(self, sampler: Any) -> dict[str, str]:
        """What is handed by its own name: no option of the step whose letter a formula speaks of."""
        optional = {n for n in self.asks.optional if n in self.used}
        return {n: n for n in _letters(sampler) if n not in optional}

    def _understood(self) -> Iterator[tuple[str, str]]:
        known = {*_letters(self.sampler), *_HANDED, *self.own, *self.fixed}
        for name in (*self.asks.required, *self.asks.optional):
            if name in known:
                continue
            read = readings(self.sampler, name)
            letters = letters_in(read.sure)
            if name in dict(self.asks.own) and not letters:  # a number that no problem chooses
                continue
            if read.sure and not letters & (self.asks.names | self.used):
                yield name, read.sure
            elif name in self.asks.clocks and not read.maybe:
                yield name, CLOCK

    def _refuse_unknown(self, adds: bool) -> None:
        known = {*_HANDED, *self.own, *(_letters(self.sampler) if adds else ())}
        unknown = [n for n in self.asks.required if n not in known]
        if unknown:
            own = [p for p in _letters(self.sampler) if p not in ("N", "S")]
            shown = ", ".join((*own, "N", "S"))
            raise UnusableInput(
                f"parameters of {self.asks.shown} among {shown}", ", ".join(unknown)[:_SHOWN],
                " ".join(_remedies(self.sampler, unknown, self.asks.names)),
            )  # fmt: skip

    def _left(self, adds: bool) -> dict[str, Any]:
        """The parameters that the target has no name for, each with its default; raises without one."""
        named = (self.asks.names if adds else frozenset()) | self.used
        left, missing = {}, []
        for p in self.sampler.parameters:
            if p.name in named:
                continue
            value = self.sampler.default(p)
            if value is None or not _plain(value):
                missing.append((p, value))
            else:
                left[p.name] = value
        if self._idle(left):
            missing = [(p, None) for p in self.sampler.parameters if p.name == step_letter(self.sampler)]
        if missing and not (self.asks.anything and not self.asks.names):
            raise self._missing(*missing[0])
        return {} if missing else left

    def _idle(self, left: Mapping[str, Any]) -> bool:
        """Whether nothing is given of what the sampler needs one of."""
        needs = [getattr(n.name, "name", n.name) for n in self.sampler.needs]
        return bool(needs) and all(n in left for n in needs)

    def _missing(self, parameter: Any, default: Any) -> UnusableInput:
        name = parameter.name
        got = f"{self.asks.shown} with {', '.join(sorted(self.asks.names)) or 'no parameters'}"
        value = "identity" if isinstance(parameter, MatrixName) else "0.01"
        why = f", whose default ({default}) depends on the problem" if default is not None else ""
        return UnusableInput(
            f"a step that takes {name} of {self.like}{why}",
            got[:_SHOWN],
            f"{self._bound(name)}add a parameter {name}; under another name: --with NAME={name}; a"
            f" constant in its code: --fix {name}={value}",
        )

    def _bound(self, parameter: str) -> str:
        """What to type where something is bound that may be what is missed."""
        found = " or ".join(fixes(self.sampler, parameter, self.asks))
        bound = ", ".join(f"{n} is bound to {x}" for n, x in self.asks.bound)
        return f"{bound}: if that is it, type {found}; else " if found else ""

    def _taken(self, understood: Mapping[str, str], left: Mapping[str, Any]) -> Iterator[str]:
        yield from self._own_defaults()
        for name, value in left.items():
            said = "the identity" if value == "identity" else f"its default {value}"
            yield f"{name} is not a parameter of your step: {said} was taken."
        for name, text in understood.items():
            if text == CLOCK:
                yield f"{name} of your step was taken as the number of steps before it: 0, 1, 2, ..."
            elif text != name:
                yield f"{name} of your step was taken as {text} (otherwise: --with {name}=...)."

    def _own_defaults(self) -> Iterator[str]:
        """What the step was left to say itself."""
        handed = {*self.own, *_letters(self.sampler), *_HANDED, *self.fixed}
        own = {n: x for n, x in self.asks.own if n not in handed}
        if self.asks.anything:  # most words in the code of a catch-all are no parameters
            own = {n: x for n, x in own.items() if readings(self.sampler, n).sure}
        if len(own) == 1:
            ((name, value),) = own.items()
            yield f"{name}: your own default {value} was kept (otherwise: --with {name}=...)."
        elif own:
            told = ", ".join(f"{n} = {x}" for n, x in own.items())
            yield f"Your own defaults were kept: {told} (otherwise: --with NAME=...)."


def without_a_count(sampler: Any, asks: Asks | None, called: Sequence[tuple[str, str]]) -> bool:
    """Whether a step has no way to know N, by which the sampler multiplies the mean gradient."""
    if asks is None or asks.anything or not any(e.has(N) for _, e in sampler.updates):
        return False
    if any("N" in letters_in(text) for name, text in called if name != "N"):
        return False
    return "N" not in asks.names


def _letters(sampler: Any) -> tuple[str, ...]:
    return (*(p.name for p in sampler.parameters), "N", "S")


def _plain(value: Any) -> bool:
    """Whether a default is a number, or the identity: not a rule that depends on the problem."""
    return value == "identity" or not (
        hasattr(value, "rule") or (isinstance(value, str) and not _number(value))
    )


def _number(text: str) -> bool:
    try:
        return bool(sp.sympify(text).is_number)
    except (sp.SympifyError, TypeError, AttributeError):
        return False


def _remedies(sampler: Any, unknown: Sequence[str], names: frozenset[str]) -> Iterator[str]:
    """For each unknown name what to type: a reading, or the nearest name."""
    letters = _letters(sampler)
    for name in unknown[:2]:
        read = readings(sampler, name)
        options = (*read.maybe, *((read.sure,) if read.sure else ()))
        if options:
            typed = [
                f"--with {name}={x}" if " " not in x else f'--with {name}="{x}"' for x in options[:2]
            ]
            yield f"say what {name} is: {' or '.join(typed)};"
            continue
        if name in _COUNTERS:
            yield f"if {name} counts steps, keep it in the state: {_counted(name)};"
            continue
        free = [x for x in letters if x not in names]
        near = difflib.get_close_matches(name, letters, 1, 0.5) or free[:1] or list(letters[:1])
        yield f"rename {name} to {near[0]} if it is that, or say what it is: --with {name}={near[0]};"
    yield "or give it a default"


def _counted(name: str) -> str:
    """How a step keeps a number of its own."""
    return (
        f'def init(theta, rng): return {{"theta": theta, "{name}": np.zeros_like(theta)}}, in the step'
        f' {name} = state["{name}"], returned as {name} + 1'
    )
