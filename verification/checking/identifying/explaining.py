"""Which declared samplers a step equals, of those with its drift: by its noise.

What is left are parameters of the noise alone: they are as the step calls them, or their defaults, or
one number is fitted. A declaration explains a step only where the exact tests accept its law everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.notation.display import Shown
from sgtheory.notation.printing import plain
from verification.checking.faults.candidate import Candidate, scale
from verification.checking.faults.naming import Named, formulas
from verification.checking.faults.search import Evidence, fits_of
from verification.checking.faults.variant import Variant
from verification.checking.identifying.drifts import (
    CORRECTION,
    DECAY,
    IDENTITY,
    Arrangement,
    Met,
    allowed,
)
from verification.checking.readings import letters_in, readings
from verification.conventions import library_of

_LIBRARY = 1.0  # cost of a sampler that is declared in a library's letters
_HEAT = 0.8  # cost of a temperature that the declaration does not have
_FAR_FETCHED = 2.5  # what another description of one law may cost more than the shortest
_UPDATE = 0.01  # cost of an update: of two with the same positions, the one that does less
_CLEAR = 5.0  # standard errors by which a number must be seen to say something


@dataclass(repr=False, frozen=True)
class Explanation(Shown):
    """A declared sampler that has the law of the step, its parameters in the step's letters."""

    like: str
    given: tuple[tuple[str, Any], ...]
    cost: float
    sampler: Any  # as it is declared
    candidate: Any  # has the exact law, where there is one
    heat: Any = sp.S.One  # the factor on the variance of the injected noise
    decay: Any = sp.S.Zero  # of weights: how much of the position is added to the gradient
    note: str = ""  # of a start that differs

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        told: dict[str, Any] = {"like": self.like, "with": {n: str(e) for n, e in self.given}}
        if self.heat != 1:
            told["temperature"] = str(self.heat)
        if self.decay != 0:
            told["weight_decay"] = str(self.decay)
        return told


def explained(
    met: Met, drift: Mapping[str, Named], evidence: Evidence, begins: bool, warms: bool = True
) -> Iterator[Explanation]:
    """The declaration with parameters of the noise under which every exact test accepts its law.

    ``begins`` is whether the target makes its own first state, which may be the declared one; ``warms``,
    whether a temperature that is not declared may be fitted.
    """
    arranged = met.arranged
    variants = [(arranged.variant, "")] if begins else []
    if arranged.variant.start or not begins:
        note = "It begins with all else than the position at 0." if begins else ""
        variants.append((replace(arranged.variant, start=()), note))
    for variant, note in variants:
        found = list(_noisy(_Fitting(met.name, met.sampler, arranged, drift, evidence, variant, warms)))
        if found:
            yield replace(min(found, key=lambda e: e.cost), note=note)
            return


@dataclass(frozen=True)
class _Fitting:
    """A declaration whose drift is known, and what is to be found of its noise."""

    name: str
    sampler: Any
    arranged: Arrangement
    drift: Mapping[str, Named]
    evidence: Evidence
    variant: Variant
    warms: bool = True

    def made(self, given: Mapping[str, Any], free: Sequence[Any], variant: Variant | None = None
    ) -> Candidate:  # fmt: skip
        """With some parameters given beside those of the drift, and others free."""
        cost = (
            self.arranged.cost
            + _LIBRARY * (library_of(self.name) is not None)
            + sum(x.cost for x in self.drift.values())
        )
        every = {n: x.expr for n, x in self.drift.items()} | dict(given)
        return Candidate(
            f"follows {self.name}", self.name, variant or self.variant,
            cost + _UPDATE * len(self.variant.updates), tuple(free), (1.0,) * len(free),
            tuple(every.items()), self.name,
        )  # fmt: skip

    def told(self, candidate: Candidate, more: float = 0.0, heat: Any = sp.S.One) -> Explanation:
        """The explanation that a candidate is."""
        own = {p.name for p in self.sampler.parameters}
        decay = dict(candidate.given)[DECAY.name] if DECAY in self.arranged.free else sp.S.Zero
        given = (*self.arranged.given, *((n, e) for n, e in candidate.given if n in own))
        return Explanation(self.name, given, candidate.cost + more, self.sampler, candidate, heat, decay)

    def formulas(self, candidate: Candidate) -> Iterator[tuple[Named, Candidate]]:
        """Formulas for the one number that is free, under which every exact test accepts."""
        fits = fits_of(self.evidence, candidate)
        if fits is None:
            return
        seen = [j for j, f in enumerate(fits) if _CLEAR * f.errors[0] < abs(f.values[0])]
        if len(seen) < 2:
            return
        there = {letter: x[seen] for letter, x in self.evidence.letters.items()}
        values, errors = ([getattr(fits[j], n)[0] for j in seen] for n in ("values", "errors"))
        for found in formulas(values, errors, there):
            settled = candidate.settled({candidate.free[0]: found.expr}, found.cost)
            if found.expr != 0 and self.evidence.accepts(settled):
                yield found, settled
                return


def _noisy(it: _Fitting) -> Iterator[Explanation]:
    """What is not in the drift as the step calls it or as its default; else one of it fitted."""
    own = {str(s) for s in it.evidence.letters}
    left = [p for p in it.arranged.free if p.name not in it.drift]
    plainly: dict[str, Any] = {}
    for p in left:
        default = it.sampler.default(p)
        if p.name in own:
            plainly[p.name] = sp.Symbol(p.name, positive=True)
        elif default is not None and _a_number(default):
            plainly[p.name] = sp.sympify(str(default))
    missing = [p for p in left if p.name not in plainly]
    if not missing:
        candidate = it.made(plainly, ())
        if it.evidence.accepts(candidate):
            yield it.told(candidate)
            return
    for p in (missing or left) if len(missing) < 2 else ():
        rest = {n: e for n, e in plainly.items() if n != p.name}
        for found, settled in it.formulas(it.made(rest, (p,))):
            if allowed(p, found.expr):
                yield it.told(settled, _HEAT + CORRECTION * (str(it.sampler.default(p)) == "0"))
    if missing or not it.warms or not it.sampler.noises or _has_a_temperature(it.sampler):
        return
    s = scale()
    hot = {w: s * w for w in it.variant.noises}
    warmed = replace(it.variant, updates=tuple((t, e.xreplace(hot)) for t, e in it.variant.updates))
    for found, settled in it.formulas(it.made(plainly, (s,), warmed)):
        yield it.told(settled, _HEAT, found.expr**2)


def _has_a_temperature(sampler: Any) -> bool:
    return bool(letters_in(readings(sampler, "temperature").sure) & {p.name for p in sampler.parameters})


def _a_number(default: Any) -> bool:
    try:
        return bool(sp.sympify(str(default)).is_number)
    except (sp.SympifyError, TypeError, SyntaxError):
        return False


def best(
    found: Sequence[Explanation], evidence: Evidence
) -> tuple[list[Explanation], list[Explanation]]:
    """Those with the law of the simplest explanation, it first; and those with another that fits."""
    if not found:
        return [], []
    every = sorted(found, key=lambda e: e.cost)
    law = [every[0].candidate.law(n) for n in evidence.numbers]
    same: list[Explanation] = []
    others: list[Explanation] = []
    for e in every:
        alike = all(
            np.allclose(a.mean, b.mean, rtol=1e-7, atol=1e-10)
            and np.allclose(a.covariance, b.covariance, rtol=1e-7, atol=1e-12)
            for a, b in zip(law, (e.candidate.law(n) for n in evidence.numbers), strict=True)
        )
        if not alike:
            others.append(e)
        elif e.cost < every[0].cost + _FAR_FETCHED:
            same.append(e)
    return same, others


def nearly(met: Met, drift: Mapping[str, Named]) -> str:
    """A declaration whose drift alone is that of the step."""
    told = ", ".join(f"{n} = {plain(x.expr)}" for n, x in drift.items())
    return (
        f"{met.name} has its drift{' with ' + told if told else ''}, and another noise"
        f"{'' if met.sampler.noises else ': it injects none'}."
    )


def in_words(e: Explanation) -> str:
    """The sampler with its parameters."""
    told = [f"{n} = {plain(x) if x != IDENTITY else 'the identity'}" for n, x in e.given]
    words = e.like + (f" with {', '.join(told)}" if told else "")
    words += f", and {plain(e.decay)} times the position added to the gradient" if e.decay != 0 else ""
    return words + (f", at temperature {plain(e.heat)}" if e.heat != 1 else "")
