"""The declarations whose drift is that of a step, with their parameters as formulas in its letters.

A drift is met to rounding or not at all, so that formulas for its parameters are hardly met by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, product
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Apply, DiagonalName, Gradient, MatrixName, Noise, Parameter, Root
from sgtheory.onestep.affine import is_affine
from sgtheory.setting import Setting
from verification.checking.cases import IDENTITY as IDENTITY_NAME
from verification.checking.faults import conventions
from verification.checking.faults.naming import Named, formulas, letters_of
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
from verification.conventions import entry, library_of, names

IDENTITY = sp.Symbol(IDENTITY_NAME)
CORRECTION = 1.5  # cost of a parameter that is 0 unless somebody has an estimate for it
_PARAMETER = 0.3  # cost of a parameter that is no default
_SAME = 0.5  # less, where the step calls it by the same letter
_NUMBER = 1.0  # more, of one that is a number and no default: a family that is left at its edge
DECAY = Parameter("weight_decay", positive=True)
_DECAYS = 1.0  # cost of a weight decay that is not declared
_MOST = 6  # formulas for the drift that are tried
_MOST_HELD = 48  # choices of what a drift leaves open
_NOTHING: Mapping[str, Named] = MappingProxyType({})


@dataclass(frozen=True)
class Arrangement:
    """A declaration with matrices that the step has, or the identity, and whole numbers chosen."""

    variant: Variant
    given: tuple[tuple[str, Any], ...]  # of matrices and whole numbers
    free: tuple[Any, ...]
    cost: float


@dataclass(frozen=True)
class Met:
    """A declaration that answers as the step does in every problem, with some values in each."""

    name: str
    sampler: Any
    arranged: Arrangement
    quiet: Variant
    free: tuple[Any, ...]
    fits: tuple[Drift, ...]

    @property
    def hidden(self) -> int:
        """In how many directions its values may move without any other answer."""
        return min((f.hidden for f in self.fits), default=0)

    def seen(self, k: int) -> list[int]:
        """The problems that say what a parameter is."""
        return [j for j, f in enumerate(self.fits) if np.isfinite(f.errors[k])]


def by_drift(letters: Letters, responses: Sequence[Response], decays: bool = False) -> Iterator[Met]:
    """The declarations that have the drift of the step.

    With ``decays`` they are those with a weight decay beside: a multiple of the point at which a
    gradient is taken is added to it.
    """
    small = _smallest_first(responses)
    numbers = [Numbers.of(letters.sampler, r.case) for r in small]
    steps = steps_of(small)
    for name, sampler in declared():
        for plain in _arrangements(sampler, letters):
            arranged = _decaying(plain) if decays else plain
            quiet = still(arranged.variant)
            free = tuple(p for p in arranged.free if p in _symbols(quiet))
            if steps_in(quiet, numbers, free) != steps:  # quicker than to fit it
                continue
            fits = _fits(quiet, free, small, numbers)
            if fits is not None:
                yield Met(name, sampler, arranged, quiet, free, fits)


def _smallest_first(responses: Sequence[Response]) -> list[Response]:
    return sorted(responses, key=lambda r: r.case.D)


def _decaying(arranged: Arrangement) -> Arrangement:
    """The same with a weight decay."""

    def through(pairs: Any) -> Any:
        return tuple((t, sp.sympify(e).replace(Gradient, pulled)) for t, e in pairs)

    def pulled(point: Any, draw: Any) -> Any:
        return Gradient(point, draw) + DECAY * point

    variant = replace(arranged.variant, updates=through(arranged.variant.updates))
    return replace(arranged, variant=variant, free=(*arranged.free, DECAY), cost=arranged.cost + _DECAYS)


def declared() -> Iterator[tuple[str, Any]]:
    """All declared samplers that have an exact law, families word by word, then those of libraries.

    Of several libraries that write one update in other letters, the first.
    """
    model = registry.model("quadratic")
    cards, seen = ((name, entry(name).sampler) for name in names()), set()
    for name, sampler in (*conventions.declared(None), *cards):
        if library_of(name) is not None:
            if (form := without_names(sampler)) in seen:
                continue
            seen.add(form)
        if is_affine(Setting(sampler, model)):
            yield name, sampler


def without_names(sampler: Any) -> str:
    """The updates and the start with letters numbered as they come: the same where only names differ.

    >>> one, other = (entry(n).sampler for n in ("torch.sgd_momentum", "optax.sgd_momentum"))
    >>> without_names(one) == without_names(other) != without_names(entry("torch.sgd").sampler)
    True
    """
    numbered: dict[str, str] = {}
    told = str((sampler.updates, sampler.start))
    whole = {"Gradient", "Apply", "sqrt", "exp", "N", "S", "D", "t"}
    return re.sub(
        r"[A-Za-z_]\w*",
        lambda m: m[0] if m[0] in whole else numbered.setdefault(m[0], f"x{len(numbered)}"),
        told,
    )


def _arrangements(sampler: Any, letters: Letters) -> Iterator[Arrangement]:
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
        yield Arrangement(made.replaced(numbers), given, free, cost)


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


def _fits(
    quiet: Variant, free: Sequence[Any], responses: Sequence[Response], numbers: Sequence[Numbers]
) -> tuple[Drift, ...] | None:
    """Values in each problem; None where there are none in one."""
    fits: list[Drift] = []
    for response, own in zip(responses, numbers, strict=True):
        hints = tuple(dict.fromkeys(f.begun for f in fits)) or (_same_letters(own, free),)
        one = fit(quiet, own, free, response, guesses(own), hints)
        if one is None:
            return None
        fits.append(one)
    return tuple(fits)


def named(
    one: Met, letters: Letters, responses: Sequence[Response], held: Mapping[str, Named] = _NOTHING
) -> dict[str, Named] | None:
    """A formula for each parameter that a drift has, beside those held; None where one has none."""
    small = _smallest_first(responses)
    numbers = [Numbers.of(letters.sampler, r.case) for r in small]
    known = [{sp.Symbol(n, positive=True): x for n, x in own.scalars.items()} for own in numbers]
    made_of = letters_for(known)
    options = []
    for k, p in enumerate(one.free):
        seen = one.seen(k)
        if len(seen) < 2:
            return None
        there = {s: x[seen] for s, x in made_of.items()}
        values, errors = ([getattr(one.fits[j], n)[k] for j in seen] for n in ("values", "errors"))
        options.append([n for n in formulas(values, errors, there) if allowed(p, n.expr)])
    for chosen in sorted(product(*options), key=lambda c: sum(n.cost for n in c))[:_MOST]:
        found = {
            p.name: _in_own(one.sampler, p, n) for p, n in zip(one.free, chosen, strict=True)
        } | dict(held)
        if all(_meets(one.quiet, found, r, own) for r, own in zip(small, numbers, strict=True)):
            return found
    return None


def held_open(
    one: Met, letters: Letters, responses: Sequence[Response]
) -> Iterator[list[dict[str, Named]]]:
    """Formulas of a declaration whose drift leaves some of its parameters open, the shortest first.

    As many as it leaves open are what the step may call them, or their defaults; the others follow from
    the drift. Which of them are right is left to the noise, and to the mean: those of one length, which
    may be one formula for this parameter or for that, come together.
    """
    small = _smallest_first(responses)
    numbers = [Numbers.of(letters.sampler, r.case) for r in small]
    for _, choices in groupby(_choices(one, letters), _length):
        alike = []
        for held in choices:
            free = tuple(p for p in one.free if p.name not in held)
            own = [n.with_scalars(**{p: n.scalar(x.expr) for p, x in held.items()}) for n in numbers]
            fits = _fits(one.quiet, free, small, own)
            met = None if fits is None else replace(one, free=free, fits=fits)
            found = None if met is None else named(met, letters, responses, held)
            if found is not None:
                alike.append(found)
        yield alike


def _length(held: Mapping[str, Named]) -> tuple[int, float]:
    """What a step calls by a letter, or leaves out, before what is twice or half of one."""
    return sum(n.expr.is_Mul for n in held.values()), round(sum(n.cost for n in held.values()), 6)


def _choices(one: Met, letters: Letters) -> list[dict[str, Named]]:
    """Which parameters are held at what: of the noise's, and of those that may be left out."""
    unseen = [p for k, p in enumerate(one.free) if len(one.seen(k)) < 2]
    loud = _of_the_noise(one.arranged.variant)
    out = [p for p in unseen if str(one.sampler.default(p)) == "0"]
    pool = [p for p in unseen if p in loud or p in out]
    every: list[dict[str, Named]] = []
    for some in combinations(pool if len(pool) >= one.hidden else unseen, one.hidden):
        for chosen in product(*(_called(p, p in out, letters) for p in some)):
            own = [s for n in chosen for s in n.expr.free_symbols]
            if len(set(own)) == len(own):
                pairs = zip(some, chosen, strict=True)
                every.append({p.name: _in_own(one.sampler, p, n) for p, n in pairs})
    return sorted(every, key=_length)[:_MOST_HELD]


def _called(parameter: Any, out: bool, letters: Letters) -> Iterator[Named]:
    """What a step may call a parameter: its own numbers, twice or half; 0 where it may be left out."""
    own = [sp.Symbol(letters.letter[n], positive=True) for n in letters.numbers]
    if out:
        yield Named(sp.Integer(0), 0.0)
    for s in own:
        yield Named(s, 1.0)
        if not out:
            yield from (Named(2 * s, 1.4), Named(s / 2, 1.4))


def _of_the_noise(variant: Variant) -> set[Any]:
    """The letters of the terms in which noise is injected."""
    terms = [t for _, e in variant.updates for t in sp.Add.make_args(e) if t.atoms(Noise)]
    return {s for t in terms for s in t.free_symbols}


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


def allowed(parameter: Any, expr: Any) -> bool:
    """Whether a value is in the range of a parameter: what is positive is not 0, nor less.

    >>> x, y = sp.Symbol("x", positive=True), sp.Symbol("y", nonnegative=True)
    >>> allowed(x, sp.Integer(0)), allowed(y, sp.Integer(0)), allowed(y, -x)
    (False, True, False)
    """
    low = parameter.is_nonnegative and expr.is_negative is True
    return not (low or (parameter.is_positive and expr == 0))


def _in_own(sampler: Any, parameter: Any, found: Named) -> Named:
    """With what a letter of the same name costs less, and a number that is no default more."""
    cost = found.cost + _PARAMETER - _SAME * (str(found.expr) in (parameter.name, f"{parameter.name}_"))
    default = sampler.default(parameter)
    if not found.expr.free_symbols and str(found.expr) != str(default):
        cost += _NUMBER
    return Named(found.expr, cost + CORRECTION * (str(default) == "0"))


def _meets(variant: Variant, given: Mapping[str, Named], response: Response, own: Numbers) -> bool:
    try:
        known = own.with_scalars(**{n: own.scalar(x.expr) for n, x in given.items()})
        return bool(np.abs(response.residuals(path_of(variant, known))).max() < 1)
    except REFUSED:
        return False
