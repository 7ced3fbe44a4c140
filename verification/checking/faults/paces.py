"""Edits of pace: steps that shrink, terms of some steps only, and terms that change after the first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import FullGradient, Gradient, Noise, Parameter, t
from verification.checking.faults.candidate import Candidate, scale
from verification.checking.faults.variant import Variant

_EVERY = (2, 3)


def skipping(variant: Variant) -> Iterator[Candidate]:
    """Injected noise, or gradients, in every second or third step only, or in all but those."""
    gradients = {g for _, e in variant.updates for g in e.atoms(Gradient, FullGradient)}
    noises = {w for _, e in variant.updates for w in e.atoms(Noise)}
    groups = [("injected noise", noises), ("gradient", gradients)]
    for what, atoms in ((w, a) for w, a in groups if a):
        for n in _EVERY:
            often = {2: "second", 3: "third"}[n]
            for j in range(n):
                then = sp.Eq(sp.Mod(t, n), j)
                only = {a: sp.Piecewise((a, then), (0, True)) for a in atoms}
                words = f"The {what} is there in every {often} step only: steps without it alternate."
                yield Candidate(f"{what} in every {often} step", words, variant.through(only), 1.2)
                if n > 2:
                    but = {a: sp.Piecewise((0, then), (a, True)) for a in atoms}
                    words = f"The {what} is missing in every {often} step."
                    name = f"no {what} in every {often} step"
                    yield Candidate(name, words, variant.through(but), 1.2)


def decaying(variant: Variant) -> Iterator[Candidate]:
    """A parameter that shrinks from step to step: in all updates, without the noise, or only there."""
    s = scale()
    known = {p for _, e in variant.updates for p in e.atoms(Parameter) if not p.is_integer}
    for p in sorted(known, key=str):
        for name, factor, told in (
            ("a power of the step", (t + 1) ** (-s), f"{p}/(t + 1)**({{0}})"),
            ("one over the step", 1 / (1 + s * t), f"{p}/(1 + ({{0}})*t)"),
            ("a constant factor", s**t, f"{p}*({{0}})**t"),
        ):
            near = (1.0,) if factor == s**t else (0.0,)
            for where, made in _places(variant, {p: p * factor}):
                words = f"{p} is not constant: it decays with the number t of the step as {told}{where}."
                yield Candidate(f"{p} decays by {name}{where}", words, made, 1.0, (s,), near)


def _places(variant: Variant, known: Any) -> Iterator[tuple[str, Variant]]:
    """The replacement in everything, in all but the noise, and in the noise alone."""
    yield "", variant.replaced(known)
    noisy = {part for _, e in variant.updates for part in sp.Add.make_args(e) if part.atoms(Noise)}
    if noisy:
        only = {part: part.subs(known, simultaneous=True) for part in noisy}
        yield ", in the noise alone", _parts(variant, only)
        hidden: dict[Any, Any] = {part: sp.Dummy() for part in noisy}
        apart = _parts(variant, hidden).replaced(known)
        yield ", but not in the noise", _parts(apart, {d: part for part, d in hidden.items()})


def _parts(variant: Variant, known: Any) -> Variant:
    """With whole terms replaced."""
    return replace(
        variant,
        updates=tuple(
            (target, sp.Add(*(known.get(part, part) for part in sp.Add.make_args(expr))))
            for target, expr in variant.updates
        ),
    )


def later(variant: Variant) -> Iterator[Candidate]:
    """A factor on a term from the second step on: the first is made otherwise."""
    from sgtheory.notation.printing import plain

    s = scale()
    for k, (target, expr) in enumerate(variant.updates):
        parts = sp.Add.make_args(expr)
        for j, part in enumerate(parts):
            if isinstance(part, sp.Piecewise):
                continue
            changed = sp.Piecewise((part, sp.Eq(t, 0)), (s * part, True))
            made = sp.Add(*parts[:j], changed, *parts[j + 1 :])
            what = "the gradient" if part.atoms(Gradient, FullGradient) else plain(part)
            words = (
                f"From the second step on {what} is multiplied by {{0}} ({plain(part)} of {target}), as"
                " by a dampening; in the first step it is not."
            )
            name = f"factor on {plain(part)} of {target} after the first step"
            yield Candidate(name, words, variant.with_update(k, made), 1.2, (s,), (1.0,))
