"""Edits of when and how a term enters: in some steps only, without its schedule, before the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, Local, N, Noise, Vector, t
from verification.checking.cases import TIMES
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.variant import Variant, terms_of
from verification.checking.faults.words import nature


def warmings(variant: Variant) -> Iterator[Candidate]:
    """A noise, or the gradient, that is missing in the first steps, or after them.

    >>> from sgtheory import registry
    >>> found = warmings(Variant.of(registry.sampler("sgld")))
    >>> next(found).words
    'The noise xi is missing in the first step, as in a burn-in.'
    """
    noises = [w for w in variant.noises if any(e.has(w) for _, e in variant.updates)]
    groups: list[tuple[str, tuple[Any, ...]]] = [(f"noise {w}", (w,)) for w in noises]
    gradients = {g for _, e in variant.updates for g in e.atoms(Gradient, FullGradient)}
    groups += [("gradient", tuple(sorted(gradients, key=str)))] if gradients else []
    for what, atoms in groups:
        for n in range(1, max(TIMES)):
            first = "the first step" if n == 1 else f"the first {n} steps"
            early, after = t < n, True
            late = {a: sp.Piecewise((0, early), (a, after)) for a in atoms}
            words = f"The {what} is missing in {first}, as in a burn-in."
            yield Candidate(f"no {what} in {first}", words, variant.through(late), 1.2 + n / 100)
            soon = {a: sp.Piecewise((a, early), (0, after)) for a in atoms}
            words = f"The {what} is there in {first} only, and missing from then on."
            yield Candidate(f"{what} in {first} only", words, variant.through(soon), 1.3 + n / 100)


def schedules(variant: Variant) -> Iterator[Candidate]:
    """A term whose factor should change with the step counter, and does not."""
    for k, (target, expr) in enumerate(variant.updates):
        parts = sp.Add.make_args(expr)
        for j, part in enumerate(parts):
            moving = [a for a in sp.Mul.make_args(part) if a.has(t) and not isinstance(a, sp.Piecewise)]
            if not moving:
                continue
            what = nature(part) or "term"
            without = sp.Mul(*(a for a in sp.Mul.make_args(part) if a not in moving))
            for name, value, said in (
                ("has no schedule", without, "does not follow the schedule: the factor is left out."),
                (
                    "has the square of its schedule",
                    part * sp.Mul(*moving),
                    "follows the square of its schedule: it shrinks too fast, with its variance for its"
                    " standard deviation.",
                ),
                (
                    "has the root of its schedule",
                    without * sp.sqrt(sp.Mul(*moving)),
                    "follows the root of its schedule: it shrinks too slowly.",
                ),
                (
                    "stays as at first",
                    part.subs(t, 0),
                    "does not follow the schedule: it never changes.",
                ),
            ):
                wrong = variant.with_update(k, sp.Add(*parts[:j], value, *parts[j + 1 :]))
                words = f"The {what} of {target} {said}"
                yield Candidate(f"{what} of {target} {name}", words, wrong, 1.1, base=variant)


def look_aheads(variant: Variant) -> Iterator[Candidate]:
    """A position that moves along what its velocity will be one step further, as Nesterov's does."""
    for k, (v, ahead) in enumerate(variant.updates):
        if v not in variant.states or not ahead.has(v) or not ahead.atoms(Gradient):
            continue
        for j in range(k + 1, len(variant.updates)):
            target, expr = variant.updates[j]
            if target == v or not expr.has(v) or not ahead.has(target):
                continue
            words = (
                f"Nesterov's look ahead: {target} moves along what {v} will be one step further, with"
                f" the same gradient, should move along {v}."
            )
            made = variant.with_update(j, expr.xreplace({v: ahead}))
            yield Candidate(f"{target} looks ahead along {v}", words, made, 1.2)


def variances(variant: Variant) -> Iterator[Candidate]:
    """The variance of a noise for its standard deviation, or the root of that; or one letter so."""
    for k, (target, expr) in enumerate(variant.updates):
        parts = sp.Add.make_args(expr)
        for j, part in enumerate(parts):
            if (
                not part.atoms(Noise)
                or part.atoms(Gradient, FullGradient)
                or isinstance(part, sp.Piecewise)
            ):
                continue
            inside = [a for a in sp.Mul.make_args(part) if not a.atoms(Vector)]
            front, rest = sp.Mul(*inside), sp.Add(*parts[:j], *parts[j + 1 :])
            for name, value in (("variance", front), ("root", 1 / sp.sqrt(front))):
                its = f"its {name} for its standard deviation"
                wrong = variant.with_update(k, rest + value * part)
                words = f"The noise of {target} has {its}."
                yield Candidate(f"noise of {target} with {its}", words, wrong, 1.1, base=variant)
            for letter, power in front.as_powers_dict().items() if len(inside) > 1 else ():
                if power == sp.Rational(1, 2) and letter.is_Symbol:
                    wrong = variant.with_update(k, rest + sp.sqrt(letter) * part)
                    words = (
                        f"The noise of {target} is multiplied by {letter}, should be by sqrt({letter})."
                    )
                    yield Candidate(f"noise of {target} with {letter} unrooted", words, wrong, 1.1)


def multiplied(variant: Variant) -> Iterator[Candidate]:
    """Noise that is added to the gradient, of the mean or of the summed loss, and multiplied with it."""
    for k, (target, expr) in enumerate(variant.updates):
        parts = sp.Add.make_args(expr)
        drifts = [p for p in parts if p.atoms(Gradient, FullGradient) and not p.atoms(Noise)]
        for j, part in enumerate(parts):
            if len(drifts) != 1 or not part.atoms(Noise) or isinstance(part, sp.Piecewise):
                continue
            front = sp.Mul(*(a for a in sp.Mul.make_args(drifts[0]) if not a.atoms(Vector)))
            front = -front if front.could_extract_minus_sign() else front  # a noise has no sign
            for of, size in (("mean", front), ("summed", front / N)):
                wrong = variant.with_update(k, sp.Add(*parts[:j], size * part, *parts[j + 1 :]))
                words = (
                    f"The noise of {target} is added to the gradient of the {of} loss,"
                    " before that is multiplied by the step."
                )
                name = f"noise of {target} in the gradient of the {of} loss"
                yield Candidate(name, words, wrong, 1.1, base=variant)


def splittings(variant: Variant) -> Iterator[Candidate]:
    """A term that is added before the rest of its update is computed, which then sees it."""
    from sgtheory.notation.printing import plain

    for k, (target, expr) in enumerate(variant.updates):
        parts = sp.Add.make_args(expr)
        if target not in variant.states or len(parts) < 2 or not expr.has(target):
            continue
        for j, part in enumerate(parts):
            if part.has(target) and not part.atoms(Gradient, FullGradient):
                continue  # what is kept of it
            rest = sp.Add(*parts[:j], *parts[j + 1 :])
            if not rest.has(target) or rest == target:
                continue
            first, second = (target, target + part), (target, rest)
            made = variant.instead(k, first, second)
            shown = plain(part)
            sees = (
                "the gradient is taken after"
                if rest.atoms(Gradient, FullGradient)
                else "the rest is computed with"
            )
            noise = "the noise" if part.atoms(Noise) else "this"
            words = f"{shown} is added to {target} first: {sees} {noise}, should be taken before."
            yield Candidate(f"{shown} before the rest of {target}", words, made, 1.1)
        kept = [p for p in parts if p.has(target) and not p.atoms(Gradient, FullGradient)]
        driven = [p for p in parts if p not in kept]
        if len(driven) < 2 or kept in ([], [target]):
            continue
        first, second = (target, target + sp.Add(*driven)), (target, sp.Add(*kept))
        made = variant.instead(k, first, second)
        shown = plain(sp.Add(*kept))
        words = (
            f"All else is added to {target} first: {shown} is taken of that too, should be of the old"
            f" {target} alone, as where friction also damps the gradient and the noise."
        )
        yield Candidate(f"{shown} after all else", words, made, 1.1)


def misplaced(variant: Variant) -> Iterator[Candidate]:
    """A pull of one state that stands in the update of another: put where it acts at once, or there too.

    Weight decay that is decoupled where it should be coupled, or both.
    """
    from sgtheory.notation.printing import plain

    for k, (target, expr) in enumerate(variant.updates):
        terms = terms_of(expr)
        for term in terms if target in variant.states else ():
            if term.atoms(Gradient, FullGradient, Noise):
                continue
            if term.has(target):
                yield from _twice(variant, k, term)
                continue
            for j, (other, moved) in enumerate(variant.updates):
                if other not in variant.states or not term.has(other) or term == other:
                    continue
                before = Local(f"{other.name}_before", real=True)
                pull, shown = term.xreplace({other: before}), plain(term)
                wrong = variant.with_update(j, moved + pull).updates
                as_well = replace(variant, updates=((before, other), *wrong))
                words = f"{shown} is added to {other} itself"
                said = f"{words} as well as to {target}: it acts twice, coupled and decoupled."
                yield Candidate(f"{shown} in {other} as well", said, as_well, 1.1)
                alone = as_well.with_update(k + 1, sp.Add(*(x for x in terms if x != term)))
                said = f"{words}, should be added to {target}: it is decoupled."
                yield Candidate(f"{shown} in {other} instead", said, alone, 1.1)


def _twice(variant: Variant, k: int, term: Any) -> Iterator[Candidate]:
    """A pull that is made first, and again with the rest, whose gradient was taken before or after."""
    from sgtheory.notation.printing import plain

    target, expr = variant.updates[k]
    if term == target or len(terms_of(expr)) < 3:
        return
    before = Local(f"{target.name}_before", real=True)
    gradients = expr.atoms(Gradient, FullGradient)
    kept = {g: g.func(g.args[0].xreplace({target: before}), *g.args[1:]) for g in gradients}
    for rest, when in ((expr.xreplace(kept), "before it"), (expr, "after it")):
        twice = variant.instead(k, (before, target), (target, target + term), (target, rest))
        words = (
            f"{plain(term)} acts twice: before the rest and in it, as decay both decoupled and coupled"
            f" (the gradient is taken {when})."
        )
        yield Candidate(f"{plain(term)} twice, the gradient {when}", words, twice, 1.15)
