"""Edits of what stands in several places, wrong in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Root, Vector, ones
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.operators import OF_A_GAIN
from verification.checking.faults.variant import Variant, terms_of


def gains(variant: Variant) -> Iterator[Candidate]:
    """Another gain in drift and noise alike."""
    every = {a.args[0] for _, e in variant.updates for a in e.atoms(Apply)}
    for gain in sorted({str(m) for m in every if not isinstance(m, Root)}):
        for kind, root in (("diagonal", "diagonal_root"), ("inverse", "inverse_root")):
            known = {
                m: sp.Symbol(f"{root if isinstance(m, Root) else kind}({gain})")
                for m in every
                if gain in (str(m), str(m.args[0]) if m.args else "")
            }
            if len(known) < 2:
                continue
            updates = tuple((x, _with_matrices(e, known)) for x, e in variant.updates)
            words = f"In place of {gain} stands {OF_A_GAIN[kind].replace('its', 'its own')} everywhere."
            name = f"{kind}({gain}) for {gain} everywhere"
            yield Candidate(name, words, replace(variant, updates=updates), 1.1)


def _with_matrices(expr: Any, known: Any) -> Any:
    applied = {a: Apply(known[a.args[0]], a.args[1]) for a in expr.atoms(Apply) if a.args[0] in known}
    return expr.xreplace(applied)


def factors(variant: Variant) -> Iterator[Candidate]:
    """A factor that stands in several places, wrong in all of them: halves that are whole."""
    from sgtheory.notation.printing import plain

    places: dict[Any, int] = {}
    for _, expr in variant.updates:
        for x in sp.preorder_traversal(expr):
            if isinstance(x, sp.exp | sp.Pow) and not x.is_Number:
                places[x] = places.get(x, 0) + 1
    for x in sorted((x for x, n in places.items() if n > 1), key=str):
        inside = x.args[0]
        values = (2 * inside, inside / 2, -inside) if isinstance(x, sp.exp) else ()
        others = [sp.exp(v) for v in values] + ([x**2] if isinstance(x, sp.Pow) else [])
        for other in others:
            words = f"In place of {plain(x)} stands {plain(other)}, wherever it should be."
            if other == sp.exp(2 * inside):
                words += " Half steps are whole ones."
            name = f"{plain(other)} for {plain(x)} everywhere"
            yield Candidate(name, words, variant.through({x: other}), 1.1)


def borrowed(variant: Variant) -> Iterator[Candidate]:
    """A state that enters another update bare, damped there too as it is in its own.

    >>> from sgtheory import registry
    >>> [c.name for c in borrowed(Variant.of(registry.sampler("momentum")))]
    ['v of theta is multiplied by 1 - mu']
    """
    from sgtheory.notation.printing import plain

    kept = {
        (target, sp.Mul(*(a for a in term.args if a != target)))
        for target, expr in variant.updates
        for term in sp.Add.make_args(expr)
        if isinstance(term, sp.Mul) and target in term.args and target in variant.states
    }
    for s, front in sorted(kept, key=str):
        for k, (target, expr) in enumerate(variant.updates):
            if target == s or s not in sp.Add.make_args(expr):
                continue
            made = variant.with_update(k, expr - s + front * s)
            name = f"{s} of {target} is multiplied by {plain(front)}"
            words = f"{s} is damped in {target} as well as in its own update."
            yield Candidate(name, words, made, 1.15, base=variant)


def misdirected(variant: Variant) -> Iterator[Candidate]:
    """What one state is multiplied by in its own update, put on another: a decay, or a friction.

    >>> from sgtheory import registry
    >>> [c.words for c in misdirected(Variant.of(registry.sampler("momentum")))]
    ['1 - mu multiplies theta, should multiply v.', '1 - mu multiplies all that theta becomes, should \
multiply v.']
    """
    from sgtheory.notation.printing import plain

    for k, (x, expr) in enumerate(variant.updates):
        front = _kept(x, expr)
        if x not in variant.states or front in (0, 1):
            continue
        bare = variant.with_update(k, expr.expand() - (front * x).expand() + x)
        for j, (y, there) in enumerate(variant.updates):
            own = _kept(y, there)
            if y == x or y not in variant.states or own == 0:
                continue
            for what, value in (
                (f"{y}", there + (front - 1) * own * y),
                (f"all that {y} becomes", front * there),
            ):
                words = f"{plain(front)} multiplies {what}, should multiply {x}."
                yield Candidate(words.rstrip("."), words, bare.with_update(j, value), 1.1)


def _kept(x: Any, expr: Any) -> Any:
    """What is kept of a state in its own update."""
    kept = [p / x for p in terms_of(expr) if p.has(x) and not (p / x).atoms(Vector)]
    return sp.simplify(sp.Add(*kept))


def dampings(variant: Variant) -> Iterator[Candidate]:
    """What is added to a root, so that nothing is divided by zero, added under it.

    >>> from sgtheory import registry
    >>> [c.name for c in dampings(Variant.of(registry.sampler("adagrad")))]
    ['lambda under the root', 'lambda**2 under the root']
    """
    from sgtheory.notation.printing import plain

    sums = {a for _, e in variant.updates for a in e.atoms(sp.Add)}
    for whole in sorted(sums, key=str):
        roots = [a for a in whole.args if isinstance(a, sp.Pow) and a.exp == sp.Rational(1, 2)]
        added = whole - roots[0] if len(roots) == 1 else sp.Integer(0)
        front = added.subs(ones, 1)
        if not added.has(ones) or front.atoms(Vector):
            continue
        for size in (front, front**2):
            under = sp.sqrt(size * ones + roots[0].base)
            shown = plain(size)
            words = f"{shown} is added under the root, should be {plain(front)} beside it."
            yield Candidate(f"{shown} under the root", words, variant.through({whole: under}), 1.05)
