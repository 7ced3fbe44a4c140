"""Edits of declared updates: what people get wrong when they write a sampler down.

Each generator yields candidates without free numbers. Nothing here knows a sampler: edits are made of
terms, factors, matrices, noises, reads of states and the clock, wherever a declaration has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Gradient, Local, N, Noise, Root, S, State, ones, t
from verification.checking.faults import averages, everywhere, paces, parts, rhythm, unfinished
from verification.checking.faults.candidate import Candidate, letters
from verification.checking.faults.operators import OF_A_GAIN, OF_A_VECTOR
from verification.checking.faults.variant import Variant, terms_of
from verification.refuter.twins import corruptions

_MOST_ORDERS = 24
_BEYOND = {k: math.erfc(k / math.sqrt(2)) for k in range(1, 10)}  # P(|xi| >= k)
_CUT_OFF = sp.Float(sum((2 * k - 1) * p for k, p in _BEYOND.items()))
# law of a noise that is not standard normal: its mean, variance and kurtosis
_LAWS = (
    ("uniform on [0, 1)", sp.Rational(1, 2), sp.Rational(1, 12), 1.8),
    ("uniform on [-1, 1)", sp.Integer(0), sp.Rational(1, 3), 1.8),
    ("uniform on [-1/2, 1/2)", sp.Integer(0), sp.Rational(1, 12), 1.8),
    ("a Laplace variable", sp.Integer(0), sp.Integer(2), 6.0),
    ("exponential", sp.Integer(1), sp.Integer(1), 9.0),
    ("a normal number cut off to a whole one", sp.Integer(0), _CUT_OFF, 5.423),
    ("half normal", sp.sqrt(2 / sp.pi), 1 - 2 / sp.pi, 3.87),
)


def edits(sampler: Any, edited: Variant | None = None) -> Iterator[Candidate]:
    """The whole family of edits of a declared sampler, without repetition; or of one that is edited.

    >>> from sgtheory import registry
    >>> names = [c.name for c in edits(registry.sampler("sgld"))]
    >>> "eps is squared" in names, "Root(H) left out before the noise xi" in names
    (True, True)
    """
    variant, seen = edited or Variant.of(sampler), set()
    made = (
        *parameters(sampler, variant),
        *terms(variant),
        *nodes(variant),
        *everywhere.gains(variant),
        *everywhere.factors(variant),
        *everywhere.borrowed(variant),
        *everywhere.misdirected(variant),
        *everywhere.dampings(variant),
        *operators(variant),
        *noises(variant),
        *orders(variant),
        *reads(variant),
        *rhythm.clocks(variant),
        *rhythm.minibatches(variant),
        *rhythm.flows(variant),
        *unfinished.schedules(variant),
        *unfinished.variances(variant),
        *unfinished.multiplied(variant),
        *unfinished.splittings(variant),
        *unfinished.warmings(variant),
        *unfinished.look_aheads(variant),
        *unfinished.misplaced(variant),
        *paces.skipping(variant),
        *averages.averages(variant),
        *parts.parts(variant),
    )
    for found in sorted(made, key=lambda c: c.cost):  # of two that are the same, the shorter
        if found.variant not in seen and found.variant != variant:
            seen.add(found.variant)
            yield found


def parameters(sampler: Any, variant: Variant) -> Iterator[Candidate]:
    """Another value for a parameter or a size, wherever it stands."""
    from sgtheory.notation.printing import plain

    own = letters(sampler)
    for p in own:
        if not any(e.has(p) for _, e in (*variant.updates, *variant.start, *variant.where)):
            continue
        for name, value, cost in _values(p, own):
            wrong = variant.replaced({p: value})
            words = f"In place of {p} stands {plain(value)}."
            yield Candidate(name, words, wrong, cost, base=variant, reads=((p.name, value),))
    if N in own and S in own:
        both = variant.replaced({N: S, S: N})
        yield Candidate("N and S are exchanged", "N and S are exchanged.", both, 1.2)


def _values(p: Any, own: Any) -> Iterator[tuple[str, Any, float]]:
    yield f"{p} is left out", sp.Integer(1), 1.0
    yield f"{p} is squared", p**2, 1.1
    yield f"{p} is inverted", 1 / p, 1.2
    yield f"the root of {p} is taken", sp.sqrt(p), 1.1
    yield f"{p} is doubled", 2 * p, 1.4
    yield f"{p} is halved", p / 2, 1.4
    yield f"1 - {p} is taken for {p}", 1 - p, 1.2
    if p.is_integer:
        yield f"{p} is one too large", p + 1, 1.2
        yield f"{p} is one too small", p - 1, 1.2
    for q in own:
        if q != p:
            yield f"{q} is taken for {p}", q, 1.4
            yield f"{p} is multiplied by {q}", p * q, 1.6
            yield f"{p} is divided by {q}", p / q, 1.6


def terms(variant: Variant) -> Iterator[Candidate]:
    """Each term left out, with its sign flipped, doubled, halved; each update left out or repeated."""
    from sgtheory.notation.printing import plain

    for k, (target, expr) in enumerate(variant.updates):
        parts = terms_of(expr)
        for j, part in enumerate(parts):
            rest, shown = sp.Add(*parts[:j], *parts[j + 1 :]), plain(part)
            for name, value, cost in (
                ("is left out", rest, 1.0),
                ("has the wrong sign", rest - part, 1.1),
                ("is doubled", rest + 2 * part, 1.1),
                ("is halved", rest + part / 2, 1.1),
            ):
                if value == target:  # an update that is not made at all
                    continue
                yield Candidate(f"{shown} of {target} {name}", "", variant.with_update(k, value), cost)
        for one, other in combinations([x for x in parts if x != target], 2):
            turned = variant.with_update(k, sp.Add(*parts, -2 * one, -2 * other))
            name = f"{plain(one)} and {plain(other)} of {target} have the wrong sign"
            yield Candidate(name, "", turned, 1.2)
        if target in variant.states:
            without = variant.instead(k)
            words = f"{_which(variant, k)} update of {target} ({plain(expr)}) is left out."
            yield Candidate(f"update {k + 1} ({target}) is not made", words, without, 1.0)
        yield from _repeated(variant, k)


def _which(variant: Variant, k: int) -> str:
    """Of the updates of the same state."""
    same = [j for j, (target, _) in enumerate(variant.updates) if target == variant.updates[k][0]]
    if len(same) == 1:
        return "The"
    return (
        "The last"
        if k == same[-1]
        else f"The {('first', 'second', 'third', 'next')[min(same.index(k), 3)]}"
    )


def nodes(variant: Variant) -> Iterator[Candidate]:
    """Every node of every update corrupted: powers, roots, letters for one another."""
    for k, (target, expr) in enumerate(variant.updates):
        for name, wrong in corruptions(expr):
            short = name.endswith((" missing", " dropped", " doubled", "sign flipped"))
            cost = 1.1 if short else 1.4 if " for " in name else 1.2
            yield Candidate(f"{target}: {name}", "", variant.with_update(k, wrong), cost)


def _repeated(variant: Variant, k: int) -> Iterator[Candidate]:
    """An inner step too many: the same update twice, with noise and a minibatch of its own."""
    target, expr = variant.updates[k]
    if not expr.has(target):
        return
    fresh = expr.xreplace(_fresh(expr, variant))
    twice = variant.instead(k, (target, expr), (target, fresh))
    words = f"The update of {target} is made twice in each step."
    yield Candidate(f"update {k + 1} ({target}) is made twice", words, twice, 1.2)
    whole_step = tuple((a, e.xreplace(_fresh(e, variant))) for a, e in variant.updates)
    if k == len(variant.updates) - 1:
        doubled = replace(variant, updates=(*variant.updates, *whole_step))
        yield Candidate("two steps for one", "Each step makes all updates twice.", doubled, 1.2)


def _fresh(expr: Any, variant: Variant) -> dict[Any, Any]:
    noises: dict[Any, Any] = {w: type(w)(f"{w.name}_again", real=True) for w in expr.atoms(Noise)}
    more = max(variant.draws, default=0) + 1
    return noises | {g: Gradient(g.args[0], g.args[1] + more) for g in expr.atoms(Gradient)}


def operators(variant: Variant) -> Iterator[Candidate]:
    """Another matrix where a gain or its root stands."""
    from sgtheory.notation.printing import plain

    for k, (target, expr) in enumerate(variant.updates):
        yield from _before_the_gain(variant, k)
        for applied in sorted(expr.atoms(Apply), key=str):
            matrix, x = applied.args
            gain = str(matrix.args[0] if isinstance(matrix, Root) else matrix)
            what = "the root of " + gain if isinstance(matrix, Root) else gain
            noise = " noise " if x.atoms(Noise) else " "
            before = "the gradient" if x.atoms(Gradient) else f"the{noise}{plain(x)}"
            left = expr.xreplace({applied: x})
            where = "drift" if x.atoms(Gradient) else "noise" if x.atoms(Noise) else "update"
            words = (
                f"The gain is dropped from the {where}: {what} is missing before {before} in {target}."
            )
            yield Candidate(
                f"{matrix} left out before {before}", words, variant.with_update(k, left), 1.0
            )
            others = [(sp.Symbol(f"{kind}({gain})"), said) for kind, said in OF_A_GAIN.items()]
            others += [(Root(sp.Symbol(gain, positive=True)), "its root"), (sp.Symbol(gain), "itself")]
            for other, said in others:
                if str(other) in (str(matrix), f"cholesky({gain})" * isinstance(matrix, Root)):
                    continue
                wrong = expr.xreplace({applied: Apply(other, x)})
                words = f"Before {before} in {target} stands {said} for {what}: {other}."
                said_of = words.replace("its ", f"{gain}'s ").replace(" itself", f" {gain} itself")
                yield Candidate(
                    f"{other} for {matrix} before {before}", said_of, variant.with_update(k, wrong), 1.3
                )


def _before_the_gain(variant: Variant, k: int) -> Iterator[Candidate]:
    """Noise that is added before all is scaled by the preconditioner: H (drift + noise), or H^(1/2)."""
    target, expr = variant.updates[k]
    noise = {a: Apply(a.args[0].args[0], a.args[1]) for a in expr.atoms(Apply) if _is_noise(a)}
    if noise:
        words = f"In {target} the noise is added before scaling by the preconditioner."
        yield Candidate(
            "noise before the preconditioner", words, variant.with_update(k, expr.xreplace(noise)), 1.0
        )


def _is_noise(applied: Any) -> bool:
    return isinstance(applied.args[0], Root) and isinstance(applied.args[1], Noise)


def noises(variant: Variant) -> Iterator[Candidate]:
    """Noise that is not what it should be: of another law, shared, drawn once, not everywhere."""
    every = [w for w in variant.noises if any(e.has(w) for _, e in variant.updates)]
    for w in every:
        for factor, gained in _factors(variant, w):
            for kind, said in OF_A_VECTOR.items():
                wrong = gained.through({w: Apply(sp.Symbol(kind), w)})
                words = f"The noise {w} {said}{factor}."
                yield Candidate(f"{w} {said}", words, wrong, 1.2 + 0.05 * bool(factor))
            for law, mean, variance, kurtosis in _LAWS:
                wrong = gained.through({w: sp.sqrt(variance) * w + mean * ones})
                about = f", of mean {mean}" if mean else ""
                words = f"The noise {w} is {law}{about}, should be standard normal{factor}."
                cost = 1.5 + 0.05 * bool(factor)
                yield Candidate(f"{w} is {law}", words, wrong, cost, kurtosis=kurtosis)
        frozen = State(f"{w.name}_kept", real=True)
        kept = replace(
            variant.through({w: frozen}),
            states=(*variant.states, frozen),
            start=(*variant.start, (frozen, w)),
        )
        words = f"The noise {w} is the same in every step: the generator begins anew each time."
        yield Candidate(f"{w} is drawn once", words, kept, 1.2)
        drawn = (frozen, sp.Piecewise((w, sp.Eq(sp.Mod(t, 2), 0)), (frozen, True)))
        pairs = replace(kept, updates=(drawn, *kept.updates), start=variant.start)
        words = f"Each noise {w} is used in two steps on end: it is drawn anew in every other step only."
        yield Candidate(f"{w} is used twice", words, pairs, 1.3)
    for a in every:
        for b in every:
            if str(a) < str(b):
                words = f"The noises {a} and {b} are the same numbers."
                yield Candidate(f"{a} and {b} are one", words, variant.through({b: a}), 1.2)


def _factors(variant: Variant, w: Any) -> Iterator[tuple[str, Variant]]:
    """As declared, and with Cholesky factors: the same to a standard normal vector alone."""
    yield "", variant
    roots = {a for _, e in variant.updates for a in e.atoms(Apply) if _is_noise(a) and a.args[1] == w}
    if roots:
        for kind, said in (("cholesky", "Cholesky's"), ("cholesky_turned", "Cholesky's transposed")):
            known = {a: Apply(sp.Symbol(f"{kind}({a.args[0].args[0]})"), w) for a in roots}
            yield f" (through a factor of the gain: {said})", variant.through(known)


def orders(variant: Variant) -> Iterator[Candidate]:
    """The updates in another order, and all of them with the old values."""
    n = len(variant.updates)
    if n > 1:
        old = {s: Local(f"{s.name}_old", real=True) for s in variant.states}
        first = tuple((o, s) for s, o in old.items())
        at_once = replace(variant, updates=(*first, *variant.through(old).updates))
        if not _rereads(variant):
            words = "All updates see the values from before the step."
            yield Candidate("all updates see old values", words, at_once, 1.0)
    made = permutations(range(n)) if n <= 4 else _neighbours(n)
    for k, order in enumerate(made):
        if k > _MOST_ORDERS or list(order) == list(range(n)):
            continue
        updates = tuple(variant.updates[i] for i in order)
        if _ready(updates, variant.states):
            targets = ", ".join(str(target) for target, _ in updates)
            words = f"The updates are made in another order: {targets}."
            yield Candidate(f"in the order {targets}", words, replace(variant, updates=updates), 1.1)


def _neighbours(n: int) -> Iterator[tuple[int, ...]]:
    for k in range(n - 1):
        yield (*range(k), k + 1, k, *range(k + 2, n))


def _rereads(variant: Variant) -> bool:
    """Whether a state is written twice, so that its old value is not what a later update needs."""
    targets = [target for target, _ in variant.updates]
    return len(set(targets)) < len(targets)


def _ready(updates: Any, states: Any) -> bool:
    known = set(states)
    for target, e in updates:
        if any(x not in known for x in e.atoms(Local)):
            return False
        known.add(target)
    return True


def reads(variant: Variant) -> Iterator[Candidate]:
    """A gradient, or another term, that sees a state from before the step, or from after an update."""
    for k, (target, expr) in enumerate(variant.updates):
        for s in variant.states:
            written = [j for j, (other, _) in enumerate(variant.updates) if other == s]
            if not expr.has(s) or s == target:
                continue
            if any(j < k for j in written):
                old = Local(f"{s.name}_old", real=True)
                seen = variant.with_update(k, expr.xreplace({s: old}))
                words = f"{target} sees {s} from before the step."
                variant_ = replace(seen, updates=((old, s), *seen.updates))
                yield Candidate(f"{target} sees the old {s}", words, variant_, 1.1)
        for g in sorted(expr.atoms(Gradient), key=str):
            yield from _elsewhere(variant, k, g)


def _elsewhere(variant: Variant, k: int, g: Any) -> Iterator[Candidate]:
    """A gradient taken at the position before the step, or at the end of the step before."""
    x = next((s for s in variant.states if g.args[0].has(s)), None)
    if x is None:
        return
    written = [j for j, (other, _) in enumerate(variant.updates) if other == x]
    old = Local(f"{x.name}_old", real=True)
    expr = variant.updates[k][1].xreplace({g: Gradient(g.args[0].xreplace({x: old}), g.args[1])})
    before = replace(variant, updates=((old, x), *variant.with_update(k, expr).updates))
    if any(j < k for j in written):
        words = f"The gradient is taken at {x} from before the step, should be at the new {x}."
        yield Candidate(f"gradient at the old {x}", words, before, 1.0)
    kept, there = State(f"{x.name}_kept", real=True), Local(f"{x.name}_before", real=True)
    late = variant.updates[k][1].xreplace({g: Gradient(g.args[0].xreplace({x: there}), g.args[1])})
    now = Local(f"{x.name}_now", real=True)
    given = replace(
        variant,
        states=(*variant.states, kept),
        updates=(
            (there, sp.Piecewise((x, sp.Eq(t, 0)), (kept, True))),
            (now, x),
            *variant.with_update(k, late).updates,
            (kept, now),
        ),
        positions=(*variant.positions, kept),
    )
    words = f"The gradient is stale: it is taken at {x} of the step before, one step late."
    yield Candidate(f"gradient one step late at {x}", words, given, 1.2)
    saved, seen = State("gradient_kept", real=True), Local("gradient_now", real=True)
    for used, which in (
        (saved, "none"),
        (sp.Piecewise((seen, sp.Eq(t, 0)), (saved, True)), "its own"),
    ):
        kept_updates = variant.with_update(k, variant.updates[k][1].xreplace({g: used})).updates
        read = (seen, Gradient(g.args[0], g.args[1]))
        updates = (*kept_updates[:k], read, *kept_updates[k:], (saved, seen))
        stored = replace(variant, states=(*variant.states, saved), updates=updates)
        words = (
            f"The gradient is stale: the one of the step before is used, and {which} in the first step."
        )
        name = f"gradient one step late, kept from {x}, {which} at first"
        yield Candidate(name, words, stored, 1.2)
