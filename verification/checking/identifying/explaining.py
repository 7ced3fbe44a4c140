"""Which declared samplers a step equals, with which parameters: by its drift, then by its noise.

The drift is met to rounding or not at all, so that its parameters are formulas in the step's letters.
What is left are parameters of the noise alone: they are as the step calls them, or their defaults, or
one number is fitted. A declaration explains a step only where the exact tests accept its law everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Apply, DiagonalName, MatrixName, Parameter, Root
from sgtheory.notation.printing import plain
from sgtheory.onestep.affine import is_affine
from sgtheory.setting import Setting
from verification.checking.cases import IDENTITY as IDENTITY_NAME
from verification.checking.faults import conventions
from verification.checking.faults.candidate import Candidate, scale
from verification.checking.faults.naming import Named, formulas, letters_of
from verification.checking.faults.search import Evidence, fits_of
from verification.checking.faults.variant import Numbers, Variant
from verification.checking.identifying.letters import Letters
from verification.checking.identifying.responses import (
    REFUSED,
    Drift,
    Response,
    fit,
    guesses,
    path_of,
    steps_in,
    steps_of,
)
from verification.checking.readings import letters_in, readings

IDENTITY = sp.Symbol(IDENTITY_NAME)
_PARAMETER = 0.3  # cost of a parameter that is no default
_SAME = 0.5  # less, where the step calls it by the same letter
_NUMBER = 1.0  # more, of one that is a number and no default: a family that is left at its edge
_CORRECTION = 1.5  # more, of one that is 0 unless somebody has an estimate for it
_HEAT = 0.8  # cost of a temperature that the declaration does not have
_UPDATE = 0.01  # cost of an update: of two with the same positions, the one that does less
_CLEAR = 5.0  # standard errors by which a number must be seen to say something
_MOST = 6  # formulas for the drift that are tried


@dataclass(frozen=True)
class Explanation:
    """A declared sampler that has the law of the step, its parameters in the step's letters."""

    like: str
    given: tuple[tuple[str, Any], ...]
    cost: float
    candidate: Any  # has the exact law, where there is one
    heat: Any = sp.S.One  # the factor on the variance of the injected noise
    note: str = ""  # of a start that differs

    def to_json(self) -> dict[str, Any]:
        """As it stands in the document."""
        told: dict[str, Any] = {"like": self.like, "with": {n: str(e) for n, e in self.given}}
        if self.heat != 1:
            told["temperature"] = str(self.heat)
        return told


@dataclass(frozen=True)
class _Arrangement:
    """A declaration with matrices that the step has, or the identity, and whole numbers chosen."""

    variant: Variant
    given: tuple[tuple[str, Any], ...]  # of matrices and whole numbers
    free: tuple[Any, ...]
    cost: float


def by_drift(
    letters: Letters, responses: Sequence[Response]
) -> Iterator[tuple[str, Any, _Arrangement, dict[str, Named]]]:
    """The declarations whose drift is that of the step, with formulas for its parameters."""
    small = sorted(responses, key=lambda r: r.case.D)
    numbers = [Numbers.of(letters.sampler, r.case) for r in small]
    steps = steps_of(small)
    for name, sampler in declared():
        for arranged in _arrangements(sampler, letters):
            quiet = still(arranged.variant)
            free = [p for p in arranged.free if p in _symbols(quiet)]
            if steps_in(quiet, numbers[0], free) != steps:  # quicker than to fit it
                continue
            found = _drift(sampler, quiet, free, small, numbers)
            if found is not None:
                yield name, sampler, arranged, found


def declared() -> Iterator[tuple[str, Any]]:
    """All declared samplers that have an exact law; families word by word."""
    model = registry.model("quadratic")
    for name, sampler in conventions.declared(None):
        if is_affine(Setting(sampler, model)):
            yield name, sampler


def _arrangements(sampler: Any, letters: Letters) -> Iterator[_Arrangement]:
    matrices = [p for p in sampler.parameters if isinstance(p, MatrixName)]
    if any(isinstance(p, DiagonalName) for p in matrices):
        return
    whole = [p for p in sampler.parameters if not isinstance(p, MatrixName) and p.is_integer]
    free = tuple(p for p in sampler.parameters if isinstance(p, Parameter) and not p.is_integer)
    options = [_matrices(p, letters) for p in matrices] + [_counts(sampler, p, letters) for p in whole]
    variant = Variant.of(sampler)
    for chosen in product(*options):
        put = dict(zip((*matrices, *whole), chosen, strict=True))
        used = [v for p, v in put.items() if p in matrices and v is not None]
        if len(set(used)) < len(used):
            continue
        given = tuple((p.name, IDENTITY if v is None else v) for p, v in put.items())
        cost = sum(0.2 for p, v in put.items() if str(v) not in (p.name, "None"))
        numbers = {p: v for p, v in put.items() if p in whole}
        made = _with_matrices(variant, {p: v for p, v in put.items() if p in matrices})
        yield _Arrangement(made.replaced(numbers), given, free, cost)


def _matrices(parameter: Any, letters: Letters) -> list[Any]:
    """The step's own, that of the same name first; None is the identity."""
    own = sorted(letters.matrices, key=lambda n: n != parameter.name)
    return [*(MatrixName(letters.letter[n], positive=True) for n in own), None]


def _counts(sampler: Any, parameter: Any, letters: Letters) -> list[Any]:
    own = sorted(letters.whole, key=lambda n: n != parameter.name)
    found: list[Any] = [Parameter(letters.letter[n], positive=True, integer=True) for n in own]
    default = sampler.default(parameter)
    if default is not None and str(default).isdigit():
        found.append(sp.Integer(str(default)))
    return found


def _with_matrices(variant: Variant, put: Mapping[Any, Any]) -> Variant:
    def applied(matrix: Any, x: Any) -> Any:
        inside = matrix.args[0] if isinstance(matrix, Root) else matrix
        if inside not in put:
            return Apply(matrix, x)
        if put[inside] is None:
            return x
        return Apply(Root(put[inside]) if isinstance(matrix, Root) else put[inside], x)

    def through(pairs: Any) -> Any:
        return tuple((t, sp.sympify(e).replace(Apply, applied)) for t, e in pairs)

    return replace(variant, updates=through(variant.updates), start=through(variant.start))


def still(variant: Variant) -> Variant:
    """Without injected noise."""
    quiet = {w: sp.Integer(0) for w in variant.noises}

    def applied(matrix: Any, x: Any) -> Any:
        return Apply(matrix, x) if x != 0 else x

    def through(pairs: Any) -> Any:
        return tuple((t, sp.sympify(e).xreplace(quiet).replace(Apply, applied)) for t, e in pairs)

    return replace(variant, updates=through(variant.updates), start=through(variant.start))


def _drift(
    sampler: Any, quiet: Variant, free: Sequence[Any], responses: Sequence[Response],
    numbers: Sequence[Numbers],
) -> dict[str, Named] | None:  # fmt: skip
    """A formula for each parameter that the drift has; None where it is not that of the step."""
    fits: list[Drift] = []
    for response, own in zip(responses, numbers, strict=True):
        hints = tuple(dict.fromkeys(f.begun for f in fits)) or (_same_letters(own, free),)
        one = fit(quiet, own, free, response, guesses(own), hints)
        if one is None:
            return None
        fits.append(one)
    known = [{sp.Symbol(n, positive=True): x for n, x in own.scalars.items()} for own in numbers]
    letters = letters_for(known)
    options = []
    for k, p in enumerate(free):
        seen = [j for j, f in enumerate(fits) if np.isfinite(f.errors[k])]
        if len(seen) < 2:
            return None
        there = {s: x[seen] for s, x in letters.items()}
        told = formulas([fits[j].values[k] for j in seen], [fits[j].errors[k] for j in seen], there)
        options.append([n for n in told if _allowed(p, n.expr)])
    for chosen in sorted(product(*options), key=lambda c: sum(n.cost for n in c))[:_MOST]:
        found = {p.name: _in_own(sampler, p, n) for p, n in zip(free, chosen, strict=True)}
        if all(_meets(quiet, found, r, own) for r, own in zip(responses, numbers, strict=True)):
            return found
    return None


def _same_letters(numbers: Numbers, free: Sequence[Any]) -> tuple[int, ...]:
    """The guesses that parameters are what the step calls by the same letters, else the first."""
    every = guesses(numbers)
    own = [numbers.scalars.get(p.name, every[0]) for p in free]
    return tuple(next(k for k, x in enumerate(every) if x == y) for y in own)


def _symbols(variant: Variant) -> set[Any]:
    """What updates speak of, through abbreviations."""
    found: set[Any] = set()
    for _, e in variant.updates:
        found |= sp.sympify(e).free_symbols
    short = dict(variant.where)
    while True:
        more = {s for x in found & set(short) for s in sp.sympify(short[x]).free_symbols}
        if more <= found:
            return found
        found |= more


def letters_for(known: Sequence[Mapping[Any, float]]) -> dict[Any, Any]:
    """What formulas are made of: also what a decay a step says of a friction."""
    found = letters_of([{s: x for s, x in k.items() if s.name not in ("D", "f")} for k in known])
    for s, x in list(found.items()):
        if s.is_Symbol and (x < 1).all():
            found[-sp.log(s)] = -np.log(x)
    return found


def _allowed(parameter: Any, expr: Any) -> bool:
    """Whether a value is in the range of a parameter: what is positive is not 0."""
    return not (parameter.is_positive and (expr == 0 or expr.is_negative is True))


def _in_own(sampler: Any, parameter: Any, found: Named) -> Named:
    """With what a letter of the same name costs less, and a number that is no default more."""
    cost = found.cost + _PARAMETER - _SAME * (str(found.expr) in (parameter.name, f"{parameter.name}_"))
    default = sampler.default(parameter)
    if not found.expr.free_symbols and str(found.expr) != str(default):
        cost += _NUMBER
    return Named(found.expr, cost + _CORRECTION * (str(default) == "0"))


def _meets(variant: Variant, given: Mapping[str, Named], response: Response, own: Numbers) -> bool:
    try:
        known = own.with_scalars(**{n: own.scalar(x.expr) for n, x in given.items()})
        return bool(np.abs(response.residuals(path_of(variant, known))).max() < 1)
    except REFUSED:
        return False


def explained(
    name: str, sampler: Any, arranged: _Arrangement, drift: Mapping[str, Named], evidence: Evidence,
    begins: bool,
) -> Iterator[Explanation]:  # fmt: skip
    """The declaration with parameters of the noise under which every exact test accepts its law.

    ``begins`` is whether the target makes its own first state, which may be the declared one.
    """
    variants = [(arranged.variant, "")] if begins else []
    if arranged.variant.start or not begins:
        note = "It begins with all else than the position at 0." if begins else ""
        variants.append((replace(arranged.variant, start=()), note))
    for variant, note in variants:
        found = list(_noisy(_Fitting(name, sampler, arranged, drift, evidence, variant)))
        if found:
            yield replace(min(found, key=lambda e: e.cost), note=note)
            return


@dataclass(frozen=True)
class _Fitting:
    """A declaration whose drift is known, and what is to be found of its noise."""

    name: str
    sampler: Any
    arranged: _Arrangement
    drift: Mapping[str, Named]
    evidence: Evidence
    variant: Variant

    def made(self, given: Mapping[str, Any], free: Sequence[Any], variant: Variant | None = None
    ) -> Candidate:  # fmt: skip
        """With some parameters given beside those of the drift, and others free."""
        cost = self.arranged.cost + sum(x.cost for x in self.drift.values())
        every = {n: x.expr for n, x in self.drift.items()} | dict(given)
        return Candidate(
            f"follows {self.name}", self.name, variant or self.variant,
            cost + _UPDATE * len(self.variant.updates), tuple(free), (1.0,) * len(free),
            tuple(every.items()), self.name,
        )  # fmt: skip

    def told(self, candidate: Candidate, more: float = 0.0, heat: Any = sp.S.One) -> Explanation:
        """The explanation that a candidate is."""
        own = {p.name for p in self.sampler.parameters}
        given = (*self.arranged.given, *((n, e) for n, e in candidate.given if n in own))
        return Explanation(self.name, given, candidate.cost + more, candidate, heat)

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
            if _allowed(p, found.expr):
                yield it.told(settled, _HEAT + _CORRECTION * (str(it.sampler.default(p)) == "0"))
    if missing or not it.sampler.noises or _has_a_temperature(it.sampler):
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
        (same if alike else others).append(e)
    return same, others


def nearly(name: str, sampler: Any, arranged: _Arrangement, drift: Mapping[str, Named]) -> str:
    """A declaration whose drift alone is that of the step."""
    told = ", ".join(f"{n} = {plain(x.expr)}" for n, x in drift.items())
    return (
        f"{name} has its drift{' with ' + told if told else ''}, and another noise"
        f"{'' if sampler.noises else ': it injects none'}."
    )


def in_words(e: Explanation) -> str:
    """The sampler with its parameters."""
    told = [f"{n} = {plain(x) if x != IDENTITY else 'the identity'}" for n, x in e.given]
    words = e.like + (f" with {', '.join(told)}" if told else "")
    return words + (f", at temperature {plain(e.heat)}" if e.heat != 1 else "")
