"""Which value each parameter of a step has: by its name, by a formula, or as it is declared by default.

What a step has no name for has its declared default, and the report says so; a parameter without a
default that it has no name for, or one of its own that no one knows, is a mistake that one line tells
with its remedy. Names that libraries use are understood where the declaration leaves one reading only.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, Local, MatrixName, N
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply
from verification.checking.signatures import Asks

_NONE: Mapping[str, str] = MappingProxyType({})
_HANDED = ("N", "S", "mode")  # beside the parameters
_STEPS = ("eps", "eta", "gamma")  # letters for a step
_VELOCITIES = ("v", "u")  # the states that are one
_SHOWN = 150  # characters of a list of names that are told

_RATES = ("lr", "learning_rate", "learningrate")
_STEP_SIZES = ("step_size", "stepsize", "step", "h", "dt", "delta_t")
_FRICTIONS = ("friction", "damping", "momentum_decay", "decay", "C", "alpha", "gamma")
_MOMENTA = ("momentum", "beta", "beta1", "rho", "mu", "mom")
_TEMPERATURES = ("temperature", "temp", "kT", "T", "tau")
_GAINS = ("preconditioner", "precond", "G", "M_inv", "P", "Lambda")
_SIZES = {
    "N": ("num_data", "n_data", "ndata", "N_data", "num_datapoints", "data_size", "dataset_size",
          "num_examples", "n_train", "N_train", "num_train", "n"),
    "S": ("batch_size", "minibatch_size", "batchsize", "n_batch"),
    "lambda": ("lambda_", "lam", "lmbda"),
}  # fmt: skip


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
    asking = _Asking(sampler, asks, dict(own), dict(fixed), like or sampler.name)
    return asking.handed(adds)


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
            if read.sure and not letters_in(read.sure) & (self.asks.names | self.used):
                yield name, read.sure

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
            missing = [
                (p, None) for p in self.sampler.parameters if p.name == _step_letter(self.sampler)
            ]
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
            f"add a parameter {name}; under another name: --with NAME={name}; a constant in its code:"
            f" --fix {name}={value}",
        )

    def _taken(self, understood: Mapping[str, str], left: Mapping[str, Any]) -> Iterator[str]:
        for name, value in left.items():
            said = "the identity" if value == "identity" else f"its default {value}"
            yield f"{name} is not a parameter of your step: {said} was taken."
        for name, text in understood.items():
            if text != name:
                yield f"{name} of your step was taken as {text} (otherwise: --with {name}=...)."
        kept = [n for n in self.asks.optional if n not in {*self.own, *_letters(self.sampler), *_HANDED}]
        kept = [n for n in kept if not self.asks.anything and n not in self.fixed]
        if kept:
            yield f"{', '.join(kept)} of your step kept the default of its own."


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


def letters_in(text: str) -> frozenset[str]:
    """The letters of a formula.

    >>> sorted(letters_in("eps/sqrt(2*N)"))
    ['N', 'eps']
    """
    import re

    found = re.findall(r"[^\W\d]\w*", text)
    return frozenset(n for n in found if n not in ("sqrt", "exp", "log", "identity"))


@dataclass(frozen=True)
class Readings:
    """What a library's name may be in a sampler's letters: for sure, or one of several."""

    sure: str = ""
    maybe: tuple[str, ...] = ()


def readings(sampler: Any, name: str) -> Readings:
    """What a name that libraries use means for a sampler, from its declared updates.

    >>> from sgtheory import registry
    >>> readings(registry.sampler("momentum"), "momentum"), readings(registry.sampler("sgd"), "lr")
    (Readings(sure='1 - mu', maybe=()), Readings(sure='eps', maybe=()))
    >>> readings(registry.sampler("sgld"), "step_size").maybe
    ('eps/2', 'eps')
    """
    own, aliases = {p.name for p in sampler.parameters}, dict(sampler.aliases)
    if name in aliases:
        return Readings(aliases[name])
    for letter, names in _SIZES.items():
        if name in names and (letter in own or letter in ("N", "S")):
            return Readings(letter)
    step, rate = _step_letter(sampler), _rate(sampler)
    if name in _RATES or name in _STEP_SIZES:
        return _of_a_step(sampler, name, step, rate)
    if name in _TEMPERATURES:
        return _of_a_temperature(sampler, own, name)
    if name in _GAINS and "H" in own:
        return Readings("", ("H",))
    inertia = _inertia(sampler)
    if name in _MOMENTA and inertia:
        return Readings(inertia) if name == "momentum" else Readings("", (inertia,))
    if name in _FRICTIONS:
        return _of_a_friction(sampler, own, name, step)
    return Readings()


def _of_a_step(sampler: Any, name: str, step: str, rate: Any) -> Readings:
    if not step:
        return Readings()
    time = sampler.limit == "step"  # sub-steps that are exact flows, or an Euler scheme: a time
    if (time and name in _STEP_SIZES) or rate == step or (not sampler.noises and name in _RATES):
        return Readings(step)
    told = () if rate is None else (str(rate),)
    more = (f"sqrt({step})",) if rate == step else ()
    return Readings("", tuple(dict.fromkeys((*told, *more, step))))


def _of_a_temperature(sampler: Any, own: set[str], name: str) -> Readings:
    if not sampler.noises:
        return Readings()
    if "tau" in own:
        return Readings("tau")
    inverse = any(str(e) == "1/beta" for _, e in sampler.kinetic)
    if "beta" in own and inverse:
        return Readings("1/beta")
    return Readings("1") if name not in ("T", "tau") else Readings("", ("1",))


def _of_a_friction(sampler: Any, own: set[str], name: str, step: str) -> Readings:
    flows = "gamma" in own and bool(sampler.where)
    if flows and name in ("friction", "damping"):
        return Readings("gamma")
    letter = next((x for x in ("alpha", "mu", "a", "gamma") if x in own and x != step), "")
    if not letter or not _has_velocity(sampler):
        return Readings()
    if name == "momentum_decay" and letter in ("alpha", "mu"):
        return Readings(letter)
    return Readings("", (letter, f"{letter}/sqrt({step})") if letter == "alpha" and step else (letter,))


def _has_velocity(sampler: Any) -> bool:
    return any(s.name in _VELOCITIES for s in sampler.state)


def _step_letter(sampler: Any) -> str:
    own = {p.name for p in sampler.parameters}
    return next((x for x in _STEPS if x in own), "")


def _spread(expr: Any) -> dict[Any, Any]:
    """The factor of each vector of an update, with gains the identity and N = 1; empty without any."""
    from verification.checking.faults.words import fronts

    try:
        return fronts(sp.sympify(expr).replace(Apply, lambda _, x: x).subs({N: sp.Integer(1)}))
    except (ValueError, TypeError, UnusableInput):
        return {}


def _rate(sampler: Any) -> Any:
    """By what a gradient moves the position within a step, in letters; a name where it is one."""
    total: dict[Any, Any] = {}
    known: dict[Any, Any] = {}
    for target, given in sampler.updates:
        expr = sp.sympify(given).xreplace(known)
        if isinstance(target, Local):
            known[target] = expr
            continue
        for vector, front in _spread(expr).items():
            total[target, vector] = total.get((target, vector), 0) + front
    theta = next(s for s in sampler.state if s.name == "theta")
    of = {t: -f for (t, x), f in total.items() if isinstance(x, Gradient | FullGradient)}
    found = of.get(theta)
    for v, front in of.items():
        if v != theta and (theta, v) in total:
            found = front * total[theta, v]
    if found is None:
        return None
    return found.name if getattr(found, "is_Symbol", False) else found


def _inertia(sampler: Any) -> str:
    """What is kept of a velocity in a step, in letters; empty where that is all of it, or unknown."""
    own = {p.name for p in sampler.parameters}
    for target, expr in sampler.updates:
        kept = _spread(expr).get(target) if target.name in _VELOCITIES else None
        letters = set() if kept is None else {s.name for s in sp.sympify(kept).free_symbols}
        if letters and letters <= own:
            return str(kept)
    return ""


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
        free = [x for x in letters if x not in names]
        near = difflib.get_close_matches(name, letters, 1, 0.5) or free[:1] or list(letters[:1])
        yield f"rename {name} to {near[0]} if it is that, or say what it is: --with {name}={near[0]};"
    yield "or give it a default"
