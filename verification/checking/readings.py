"""What a name that libraries use means in a sampler's letters, from its declared updates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, Local, N
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply

_STEPS = ("eps", "eta", "gamma")  # letters for a step
_VELOCITIES = ("v", "u")  # the states that are one
_RATES = ("lr", "learning_rate", "learningrate")
_STEP_SIZES = ("step_size", "stepsize", "step", "h", "dt", "delta_t")
_FRICTIONS = ("friction", "damping", "momentum_decay", "decay", "C", "alpha", "gamma")
_MOMENTA = ("momentum", "beta", "beta1", "rho", "mu", "mom")
_TEMPERATURES = ("temperature", "temp", "kT", "T", "tau")
GAINS = ("preconditioner", "precond", "G", "M_inv", "P", "Lambda")
SIZES = {
    "N": ("num_data", "n_data", "ndata", "N_data", "num_datapoints", "data_size", "dataset_size",
          "num_examples", "n_train", "N_train", "num_train", "n"),
    "S": ("batch_size", "minibatch_size", "batchsize", "n_batch"),
    "lambda": ("lambda_", "lam", "lmbda"),
}  # fmt: skip


def letters_in(text: str) -> frozenset[str]:
    """The letters of a formula.

    >>> sorted(letters_in("eps/sqrt(2*N)"))
    ['N', 'eps']
    """
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
    for letter, names in SIZES.items():
        if name in names and (letter in own or letter in ("N", "S")):
            return Readings(letter)
    step, rate = step_letter(sampler), _rate(sampler)
    if name in _RATES or name in _STEP_SIZES:
        return _of_a_step(sampler, name, step, rate)
    if name in _TEMPERATURES:
        return _of_a_temperature(sampler, own, name)
    if name in GAINS and "H" in own:
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


def step_letter(sampler: Any) -> str:
    """The letter of the sampler's step; empty where it has none."""
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
