"""Edits of what depends on time: the clock, minibatches and their gradients, exact flows of a step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import sympy as sp

from sgtheory.declare import Apply, FullGradient, Gradient, Local, Noise, State, Vector, t
from sgtheory.declaring.noises import Normal
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.variant import Variant, terms_of


def clocks(variant: Variant) -> Iterator[Candidate]:
    """What depends on the step counter: one step early or late, always, never."""
    from sgtheory.notation.printing import plain

    if not variant.sees_the_clock:
        return
    for name, value in (("one step early", t + 1), ("one step late", t - 1), ("two steps early", t + 2)):
        words = f"The schedule is {name}."
        yield Candidate(f"schedule {name}", words, variant.replaced({t: value}), 1.0)
    pieces = {p for _, e in variant.updates for p in e.atoms(sp.Piecewise)}
    for p in sorted(pieces, key=str):
        for k, (value, _) in enumerate(p.args):
            word = "in every step" if k == 0 else "never"
            words = f"What is done periodically is done {word}."
            wrong = variant.through({p: value})
            yield Candidate(f"periodic update {word}", words, wrong, 1.0)
        turned = _turned(p)
        if turned is not None:
            words = (
                "What is done in some steps is done in the others instead: the condition is inverted."
            )
            yield Candidate("condition inverted", words, variant.through({p: turned}), 1.0)
    yield from _once(variant, pieces)
    for length in sorted({m.args[1] for _, e in variant.updates for m in e.atoms(sp.Mod)}, key=str):
        for name, value in (("too long by one", length + 1), ("too short by one", length - 1)):
            known = {m: sp.Mod(m.args[0], value) for _, e in variant.updates for m in e.atoms(sp.Mod)}
            words = f"The period is {name}: {plain(value)} steps, should be {plain(length)}."
            yield Candidate(f"period {name}", words, variant.through(known), 1.0)


def _turned(cases: Any) -> Any:
    """Two cases, each where the other should be; None of more than two."""
    if len(cases.args) != 2:
        return None
    (one, condition), (other, _) = cases.args
    return sp.Piecewise((other, condition), (one, True))


def _once(variant: Variant, pieces: set[Any]) -> Iterator[Candidate]:
    """What is done in every so many steps, done in the first step alone."""
    periodic = {c for p in pieces for _, c in p.args if c.atoms(sp.Mod)}
    for condition in sorted(periodic, key=str):
        wrong = variant.through({condition: sp.Eq(t, 0)})
        pairs = zip(variant.updates, wrong.updates, strict=True)
        what = ", ".join(str(target) for (target, e), (_, other) in pairs if e != other)
        words = f"{what}: set in the first step only, never renewed after it."
        yield Candidate(f"{what} never renewed", words, wrong, 1.0)


def minibatches(variant: Variant) -> Iterator[Candidate]:
    """Minibatches of one step that are one and the same, or not, and steps that see all the data."""
    gradients = sorted({g for _, e in variant.updates for g in e.atoms(Gradient)}, key=str)
    if len(variant.draws) > 1:
        one = {g: Gradient(g.args[0], sp.Integer(0)) for g in gradients}
        words = "All gradients of a step see the same minibatch."
        yield Candidate("one minibatch for a step", words, variant.through(one), 1.1)
    if len(gradients) > len(variant.draws):
        each = {g: Gradient(g.args[0], sp.Integer(k)) for k, g in enumerate(gradients)}
        words = "Each gradient of a step sees a minibatch of its own."
        yield Candidate("minibatches of their own", words, variant.through(each), 1.1)
    whole = sorted({g for _, e in variant.updates for g in e.atoms(FullGradient)}, key=str)
    more = 1 + max(variant.draws, default=-1)
    if whole:
        drawn = {g: Gradient(g.args[0], sp.Integer(more)) for g in whole}
        words = (
            "A gradient is that of a minibatch, with its noise, should be that of all the data:"
            " gradient.full(theta) in your step."
        )
        yield Candidate("minibatch for all the data", words, variant.through(drawn), 1.1)
    yield from _after_each(variant)
    yield from _summed(variant)
    yield from _lagging(variant, gradients)
    yield from _exchanged(variant)
    yield from _kept(variant, gradients)
    yield from _used_again(variant, gradients)
    for extra in (2, 4):
        means = {
            g: sp.Add(*(Gradient(g.args[0], g.args[1] * extra + j) / extra for j in range(extra)))
            for g in gradients
        }
        words = f"Each gradient is the mean over {extra} minibatches."
        yield Candidate(f"means over {extra} minibatches", words, variant.through(means), 1.4)


def _after_each(variant: Variant) -> Iterator[Candidate]:
    """A step for each minibatch of an update, where there should be one for all of them together."""
    for _, expr in variant.updates:
        drawn = sorted(expr.atoms(Gradient), key=str)
        draws = sorted({int(g.args[1]) for g in drawn})
        if len(draws) < 2 or len({g.args[0] for g in drawn}) > 1:
            continue
        for whole, said in ((1, "its part of the step"), (len(draws), "the whole step")):
            steps: list[tuple[Any, Any]] = []
            for d in draws:
                known = {g: whole * g if int(g.args[1]) == d else sp.Integer(0) for g in drawn}
                for w in variant.noises if d != draws[0] else ():
                    known[w] = type(w)(f"{w.name}_{d}", real=True)
                steps += variant.through(known).updates
            words = (
                f"All updates are made after each of the {len(draws)} minibatches with {said}, should be"
                " made once after all of them."
            )
            made = replace(variant, updates=tuple(steps))
            yield Candidate(f"a step for each minibatch with {said}", words, made, 1.1)


def _summed(variant: Variant) -> Iterator[Candidate]:
    """Gradients, or noises, of an update's minibatches: summed for averaged, or averaged for summed."""
    for _, expr in variant.updates:
        drawn = sorted(expr.atoms(Gradient), key=str)
        n = len({g.args[1] for g in drawn})
        if n < 2 or len({g.args[0] for g in drawn}) > 1:
            continue
        for size, what, should, far in (
            (sp.Integer(n), "summed", "averaged", "large"),
            (sp.Rational(1, n), "averaged", "summed", "small"),
        ):
            words = f"The gradients of the {n} minibatches of an update are {what}, should be {should}."
            made = variant.through({g: size * g for g in drawn})
            yield Candidate(f"gradients {what}", words, made, 1.0)
            for w in sorted(expr.atoms(Noise), key=str):
                words = (
                    f"The noise {w} is drawn for each of the {n} minibatches of an update and {what},"
                    f" should be drawn once: its variance is {n} times too {far}."
                )
                made = variant.through({w: sp.sqrt(size) * w})
                yield Candidate(f"noises of minibatches {what}", words, made, 1.0)


def _lagging(variant: Variant, gradients: list[Any]) -> Iterator[Candidate]:
    """Several gradients in a row, each at the point of the one before it."""
    places = [(k, g) for k, (_, e) in enumerate(variant.updates) for g in gradients if e.has(g)]
    if len(places) < 2:
        return
    updates: list[tuple[Any, Any]] = []
    last: Any = None
    for k, (target, expr) in enumerate(variant.updates):
        for j, (_, g) in enumerate(p for p in places if p[0] == k):
            point = Local(f"point{k}_{j}", real=True)
            updates.append((point, g.args[0]))
            expr = expr.xreplace({g: Gradient(last, g.args[1])}) if last is not None else expr
            last = point
        updates.append((target, expr))
    words = "Gradients are one iterate late: each is taken at the point of the one before it."
    made = replace(variant, updates=tuple(updates))
    yield Candidate("gradients one iterate late", words, made, 1.1)


def _exchanged(variant: Variant) -> Iterator[Candidate]:
    """The factors of gradients in two updates, each where the other should be."""
    from sgtheory.notation.printing import plain

    found = []
    opened = [(target, sp.Add(*terms_of(expr))) for target, expr in variant.updates]
    for k, (_, expr) in enumerate(opened):
        for part in terms_of(expr):
            if part.atoms(Gradient, FullGradient) and isinstance(part, sp.Mul):
                front = sp.Mul(*(a for a in part.args if not a.atoms(Vector)))
                found.append((k, part, front))
    for a, (j, one, of_one) in enumerate(found):
        for k, other, of_other in found[a + 1 :]:
            if j == k or of_one == of_other:
                continue
            updates = list(opened)
            updates[j] = (updates[j][0], updates[j][1].xreplace({one: of_other / of_one * one}))
            updates[k] = (updates[k][0], updates[k][1].xreplace({other: of_one / of_other * other}))
            words = (
                f"The factors of two gradients are exchanged: {plain(of_other)} comes first and"
                f" {plain(of_one)} second, should be the other way round."
            )
            made = replace(variant, updates=tuple(updates))
            yield Candidate(f"{plain(of_one)} and {plain(of_other)} exchanged", words, made, 1.1)


def _kept(variant: Variant, gradients: list[Any]) -> Iterator[Candidate]:
    """One minibatch for the whole run, or all the data in each step."""
    full = variant.through({g: FullGradient(g.args[0]) for g in gradients})
    words = "The gradient has no noise of a minibatch: it sees all the data in each step."
    yield Candidate("full gradients", words, full, 1.2)
    states = {k: State(f"batch{k}_kept", real=True) for k in variant.draws}
    drawn = {k: Normal(f"batch{k}_drawn", real=True) for k in variant.draws}
    once = {
        g: FullGradient(g.args[0]) + Apply(sp.Symbol("minibatch"), states[int(g.args[1])])
        for g in gradients
    }
    kept = replace(
        variant.through(once),
        states=(*variant.states, *states.values()),
        start=(*variant.start, *((states[k], drawn[k]) for k in variant.draws)),
    )
    words = "The minibatch is drawn once and kept: every step sees the same examples."
    yield Candidate("one minibatch for the run", words, kept, 1.2)


def _used_again(variant: Variant, gradients: list[Any]) -> Iterator[Candidate]:
    """The last gradient of a step, kept for the first one of the next: one less in each step."""
    places = [(k, g) for k, (_, e) in enumerate(variant.updates) for g in gradients if e.has(g)]
    if len(places) < 2 or places[0][0] == places[-1][0]:
        return
    (first, begin), (last, end) = places[0], places[-1]
    force, kept = State("force_kept", real=True), Local("force", real=True)
    late = Local("force_late", real=True)
    taken = (kept, sp.Piecewise((begin, sp.Eq(t, 0)), (force, True)))
    updates = list(variant.updates)
    updates[first] = (updates[first][0], updates[first][1].xreplace({begin: kept}))
    updates[last] = (updates[last][0], updates[last][1].xreplace({end: late}))
    updates = [
        *updates[:first],
        taken,
        *updates[first:last],
        (late, end),
        *updates[last:],
        (force, late),
    ]
    words = "The gradient at the end of a step is used again at the beginning of the next."
    made = replace(variant, updates=tuple(updates), states=(*variant.states, force))
    yield Candidate("gradient used again in the next step", words, made, 1.2)


def flows(variant: Variant) -> Iterator[Candidate]:
    """An exponential to first order in the step: in all of it, in what is kept, or in the noise."""
    from sgtheory.notation.printing import plain

    for short, meaning in variant.where:
        if not isinstance(meaning, sp.exp):
            continue
        x = -meaning.args[0]
        for name, value in (
            ("first order", 1 - x),
            ("implicit", 1 / (1 + x)),
            ("trapezoid", (2 - x) / (2 + x)),
        ):
            noise = {a: sp.sqrt(2 * x) for _, e in variant.updates for a in _roots(e, short)}
            words = f"In place of {plain(meaning)} stands {plain(value)}"
            everywhere = replace(variant, where=((short, value),))
            yield Candidate(f"{short} to {name}", f"{words}.", everywhere, 1.1)
            with_noise = variant.through(noise).through({short: value})
            only = _but(variant, short, value, noise)
            yield Candidate(
                f"{short} to {name}, exact noise", f"{words}, except in the noise.", only, 1.2
            )
            said = f"{words}, and the noise has {plain(sp.sqrt(2 * x))}."
            yield Candidate(f"{short} to {name}, noise too", said, with_noise, 1.2)
        alone = variant.through(noise)
        yield Candidate(
            f"noise of {short} to first order", f"The noise has {plain(sp.sqrt(2 * x))}.", alone, 1.2
        )


def _roots(expr: Any, short: Any) -> list[Any]:
    powers = sorted(expr.atoms(sp.Pow), key=str)
    return [p for p in powers if p.exp == sp.Rational(1, 2) and p.base.has(short)]


def _but(variant: Variant, short: Any, value: Any, noise: Any) -> Variant:
    """Replaced everywhere but in the factors of noise."""
    hidden = {a: sp.Dummy() for a in noise}
    back = {d: a for a, d in hidden.items()}
    return variant.through(hidden).through({short: value}).through(back)
