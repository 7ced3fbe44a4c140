"""Candidates with a number that is fitted: the factor of a term, or of one that should not be there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import Gradient, Noise, Vector, ones, t
from sgtheory.declaring.noises import Normal
from verification.checking.faults.candidate import Candidate, scale
from verification.checking.faults.variant import Variant, terms_of
from verification.checking.faults.words import nature

_EXTRA = Normal("extra", real=True)


def factors(variant: Variant) -> Iterator[Candidate]:
    """A factor on all gradients, on all injected noise, then on each term by itself."""
    s = scale()
    groups = (
        ("all gradients", "Gradients are {0} times what they should be.", Gradient),
        (
            "all injected noise",
            "The injected noise is {0} times what it should be: the temperature enters with the square.",
            Noise,
        ),
    )
    for name, words, kind in groups:
        found = {a: s * a for _, e in variant.updates for a in e.atoms(kind)}
        if len(found) > 1:
            yield Candidate(f"factor on {name}", words, variant.through(found), 0.5, (s,), (1.0,))
    for name, made, front in each_term(variant, s):
        yield Candidate(f"factor on {name}", "", made, 0.5, (s,), (1.0,), front=front)


def each_term(variant: Variant, s: Any) -> Iterator[tuple[str, Variant, Any]]:
    """The variants with ``s`` before one of their terms, how the term is called, and its own factor."""
    from sgtheory.notation.printing import plain

    for k, (target, expr) in enumerate(variant.updates):
        parts = terms_of(expr)
        for j, part in enumerate(parts):
            new = sp.Add(*parts[:j], s * part, *parts[j + 1 :])
            if isinstance(part, sp.Piecewise):
                new = sp.Piecewise(*((s * e if e not in variant.states else e, c) for e, c in part.args))
            front = sp.Mul(*(a for a in sp.Mul.make_args(part) if not a.atoms(Vector)))
            alone = front != 1 and not front.has(t, sp.Piecewise)
            yield f"{plain(part)} of {target}", variant.with_update(k, new), front if alone else None


def pairs(variant: Variant) -> Iterator[Candidate]:
    """Factors on two terms at once."""
    one, two = scale(0), scale(1)
    singles = [name for name, *_ in each_term(variant, one)]
    for i, (name, made, _) in enumerate(each_term(variant, one)):
        for j, (_, both, _) in enumerate(each_term(made, two)):
            if j > i:
                yield Candidate(
                    f"factors on {name} and {singles[j]}", "", both, 1.5, (one, two), (1.0, 1.0)
                )


def additions(variant: Variant) -> Iterator[Candidate]:
    """Terms that are not declared: weight decay, a look ahead, a mean of the noise, noise elsewhere."""
    s = scale()
    yield from _in_gradients(variant, s)
    for w in variant.noises:
        words = f"The noise {w} has mean {{0}}, should have mean 0."
        yield _added(f"mean of {w}", words, variant.through({w: w + s * ones}))
    for k, (target, expr) in enumerate(variant.updates):
        if target not in variant.states:
            continue
        noisy = variant.with_update(k, expr + s * _EXTRA)
        words = f"Noise of standard deviation {{0}} is added to {target}, which should not be there."
        yield _added(f"extra noise on {target}", words, noisy)
        for x in variant.states:
            if not expr.has(x) or (x == target and len(variant.states) > 1 and not expr.has(x)):
                words = f"{{0}} times {x} is added to {target}, which should not be there."
                yield _added(f"{x} added to {target}", words, variant.with_update(k, expr + s * x))
        if not expr.atoms(Gradient):
            for g in _gradients(variant):
                words = f"{{0}} times the gradient is added to {target}, which should not be there."
                yield _added(f"gradient added to {target}", words, variant.with_update(k, expr + s * g))
    yield from starts(variant, s)


def moved(variant: Variant) -> Iterator[Candidate]:
    """A term that stands in the update of another state than it should, with a factor of its own.

    >>> from sgtheory import registry
    >>> sorted(c.words for c in moved(Variant.of(registry.sampler("momentum"))))[:1]
    ['The gradient is added to theta with the factor {0}, should be added to v.']
    """
    from sgtheory.notation.printing import plain

    s = scale()
    for k, (target, expr) in enumerate(variant.updates):
        parts = terms_of(expr)
        for j, part in enumerate(parts if target in variant.states else ()):
            vectors = [a for a in sp.Mul.make_args(part) if a.atoms(Vector)]
            if part == target or len(vectors) != 1 or isinstance(part, sp.Piecewise):
                continue
            (vector,) = vectors
            what = f"The {nature(vector)}" if nature(vector) else plain(vector)
            without = variant.with_update(k, sp.Add(*parts[:j], *parts[j + 1 :]))
            for i, (other, there) in enumerate(variant.updates):
                if other == target or other not in variant.states:
                    continue
                made = without.with_update(i, there + s * vector)
                words = f"{what} is added to {other} with the factor {{0}}, should be added to {target}."
                yield _added(f"{plain(part)} of {target} moved to {other}", words, made)


def _in_gradients(variant: Variant, s: Any) -> Iterator[Candidate]:
    for g in _gradients(variant):
        for x in sorted(g.args[0].atoms(*(type(v) for v in variant.states)), key=str):
            if x in variant.positions:
                decayed = variant.through({g: g + s * x})
                words = f"A weight decay of {{0}} is added to the gradient: {{0}}*{x}."
                yield _added("weight decay in the gradient", words, decayed)
        for v in variant.states:
            if v not in variant.positions:
                ahead = Gradient(g.args[0] + s * v, g.args[1])
                words = f"The gradient is taken at {g.args[0]} + ({{0}})*{v}, should be at {g.args[0]}."
                yield _added(f"look ahead along {v}", words, variant.through({g: ahead}))
        shifted = variant.through({g: g + s * ones})
        words = "The constant {0} is added to every coordinate of the gradient."
        yield _added("constant in the gradient", words, shifted)


def starts(variant: Variant, s: Any) -> Iterator[Candidate]:
    """First values of what is no position."""
    declared = dict(variant.start)
    for v in variant.states:
        if v in variant.positions or v.name == "theta":
            continue
        others = tuple((a, e) for a, e in variant.start if a != v)
        if v in declared:
            words = f"{v} begins at 0, should begin as {declared[v]}."
            yield Candidate(f"{v} begins at 0", words, replace(variant, start=others), 1.0)
        words = f"{v} begins as normal with standard deviation {{0}}."
        made = replace(variant, start=(*others, (v, s * _EXTRA)))
        yield _added(f"{v} begins at random", words, made)


def _gradients(variant: Variant) -> list[Any]:
    return sorted({g for _, e in variant.updates for g in e.atoms(Gradient)}, key=str)


def _added(name: str, words: str, variant: Variant) -> Candidate:
    return Candidate(name, words, variant, 1.0, (scale(),), (0.0,))
