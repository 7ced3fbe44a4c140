"""Whether two declared updates are one step, in letters: the proof behind every translation.

Both steps are carried out from the same state. A gradient becomes a letter of its own for each point
and minibatch at which it is taken, noises are matched in the order in which they are used, and what is
left of the difference has to vanish for all values of the letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.declare import Apply, Gradient, Local, Noise, Prior, Root, Sampler, State, ones, t
from sgtheory.language import Curvature, Dot, FullGradient, MatrixName, PriorCurvature
from sgtheory.polynomials import is_zero
from verification.conventions.record import Match

_FEW = 3  # noises whose every order is tried
_LONG = 40  # operations of a difference that is not made shorter once it is known not to vanish
_SEEN = (Gradient, FullGradient, Curvature, Prior, PriorCurvature)


@dataclass(frozen=True)
class Sameness:
    """What is left of the differences: of the states after a step, and of the first states."""

    step: tuple[tuple[Any, Any], ...]
    start: tuple[tuple[Any, Any, Any], ...]  # (state of ours, theirs there, ours)

    @property
    def exact(self) -> bool:
        """Whether the steps are one, for all values of the letters."""
        return not self.step


@dataclass
class Letters:
    """A letter for every gradient, by the point and the minibatch that it is taken at."""

    known: dict[Any, Any] = field(default_factory=dict)

    def of(self, call: Any) -> Any:
        """The letter of a gradient; the same for the same point written otherwise."""
        point, *draw = call.args
        key = (call.func, spread_out(point), *draw)
        return self.known.setdefault(key, Local(f"g{len(self.known)}", real=True))


def compared(theirs: Sampler, match: Match) -> Sameness:
    """A library's step against that of a sampler here, with the parameters and states of a match.

    >>> from verification.conventions import entry
    >>> found = entry("blackjax.sgld")
    >>> compared(found.sampler, found.matches[0]).exact
    True
    """
    held = {p: sp.sympify(value) for p, value in match.holds}
    full, bare = ("full-gradients" in match.assumes, "no-prior" in match.assumes)
    foreign = [specialised(theirs, {p.name: v for p, v in held.items()})]
    declared = {k: sp.sympify(v).subs(held) for k, v in match.ours}
    ours = specialised(registry.sampler(match.like), declared)
    states = {s: s for s in theirs.state}
    mapped = {n: sp.sympify(e).subs(held) for n, e in match.states}
    begins = {s: mapped.get(s.name, states.get(s, s)) for s in ours.state}
    best: Sameness | None = None
    for order in _orders(len(ours.noises) * match.every):
        letters = Letters()
        after = carried_out(foreign[0], {**states}, letters, full, bare, names=None)
        there = {s: e.xreplace(after) for s, e in begins.items() if s.name in mapped or s in states}
        here = carried_out(ours, dict(begins), letters, full, bare, order, match.every)
        gaps = _gaps(here, there)
        found = Sameness(gaps, _starts(foreign[0], ours, begins))
        if found.exact:
            return found
        best = best or found
        if not any(gap.atoms(Noise) for _, gap in gaps):  # no order of the noises would mend it
            break
    assert best is not None
    return best


def specialised(sampler: Sampler, values: dict[str, Any]) -> Sampler:
    """A sampler with some parameters replaced: numbers, expressions, multiples of the identity.

    >>> specialised(registry.sampler("sgld"), {"H": sp.Integer(1)}).parameters
    (eps,)
    >>> specialised(registry.sampler("local_sgld"), {"delta": sp.Integer(0)}).target
    (beta, gamma)
    """
    by_name = {p: values[p.name] for p in sampler.parameters if p.name in values}
    matrices = {p: v for p, v in by_name.items() if isinstance(p, MatrixName)}
    scalars = {p: v for p, v in by_name.items() if p not in matrices}

    def put(expr: Any) -> Any:
        expr = sp.sympify(expr).replace(Apply, lambda m, x: _applied(m, x, matrices))
        return expr.subs(scalars, simultaneous=True) if scalars else expr

    gone = {p.name for p in by_name}
    return replace(
        sampler,
        updates=tuple((target, put(e)) for target, e in sampler.updates),
        start=tuple((target, put(e)) for target, e in sampler.start),
        where=tuple((target, put(e)) for target, e in sampler.where),
        given=tuple(g for c in sampler.given if (g := put(c)) not in (True, sp.true)),
        kinetic=tuple((target, put(e)) for target, e in sampler.kinetic),
        target=(put(sampler.target[0]), put(sampler.target[1])),
        defaults=tuple((p, v) for p, v in sampler.defaults if _name(p) not in gone),
        needs=tuple(p for p in sampler.needs if _name(p) not in gone),
        aliases=(),
        rules=(),
    )


def _name(parameter: Any) -> str:
    return str(getattr(parameter.name, "name", parameter.name))


def _applied(matrix: Any, x: Any, matrices: dict[Any, Any]) -> Any:
    if matrix in matrices:
        return matrices[matrix] * x
    if isinstance(matrix, Root) and matrix.args[0] in matrices:
        return sp.sqrt(matrices[matrix.args[0]]) * x
    return Apply(matrix, x)


def carried_out(
    sampler: Sampler,
    now: dict[Any, Any],
    letters: Letters,
    full: bool,
    bare: bool,
    names: tuple[int, ...] | None = None,
    every: int = 1,
) -> dict[Any, Any]:
    """The states after so many steps, from states ``now``; noises are numbered as they are used."""
    used: dict[Any, Any] = {}
    for k in range(every):
        for target, expr in sampler.updates:
            clock = {t: sp.Integer(k)} if every > 1 or _periodic(expr) else {}
            given = sp.sympify(expr).subs({**dict(sampler.where), **clock})
            for w in (a for a in sp.ordered(given.atoms(Noise)) if (a, k) not in used):
                number = len(used) if names is None else names[len(used)]
                used[w, k] = type(w)(f"w{number}", real=True)
            put = given.xreplace({**now, **{w: used[w, k] for w in given.atoms(Noise)}})
            now[target] = _lettered(put, letters, k * len(sampler.gradients), full, bare)
    return now


def _periodic(expr: Any) -> bool:
    return bool(sp.sympify(expr).atoms(sp.Mod))


def _lettered(expr: Any, letters: Letters, drawn: int, full: bool, bare: bool) -> Any:
    """Gradients as letters: a minibatch of another step is another one, unless all see all the data."""
    if bare:
        expr = expr.replace(Prior, lambda x: sp.Integer(0)).replace(
            PriorCurvature, lambda x: sp.Integer(0)
        )
    renamed = {}
    for call in expr.atoms(*_SEEN):
        point, *draw = call.args
        told = call.func(point, *(sp.Integer(0 if full else drawn + int(d)) for d in draw))
        renamed[call] = letters.of(told)
    return spread_out(expr.xreplace(renamed))


def spread_out(expr: Any) -> Any:
    """Products over sums multiplied out, inner products taken apart, squares drawn out of roots."""
    plainly = sp.sympify(expr).xreplace({ones: sp.Integer(1)}).replace(Dot, _dot)
    return sp.expand(plainly.replace(_is_root, lambda e: _factored(e.base) ** e.exp))


@cache
def _factored(base: Any) -> Any:
    return sp.factor(base)


def _is_root(expr: Any) -> bool:
    return bool(
        expr.is_Pow and expr.exp.is_Rational and not expr.exp.is_Integer and not expr.base.is_Symbol
    )


def _dot(x: Any, y: Any) -> Any:
    total = sp.Integer(0)
    for a in sp.Add.make_args(sp.expand(x)):
        for b in sp.Add.make_args(sp.expand(y)):
            (s, u), (r, v) = (e.as_independent(State, Local, Noise, as_Add=False) for e in (a, b))
            total += s * r * Dot(*sp.ordered((u, v)))
    return total


def _gaps(here: dict[Any, Any], there: dict[Any, Any]) -> tuple[tuple[Any, Any], ...]:
    """Where the states differ; a noise may have either sign, since its law is symmetric."""
    gaps = _between(here, there)
    for w in sorted({w for _, gap in gaps for w in gap.atoms(Noise)}, key=str):
        flipped = {s: e.xreplace({w: -w}) for s, e in there.items()}
        other = _between(here, flipped)
        if not any(gap.has(w) for _, gap in other):
            there, gaps = flipped, other
    return gaps


def _between(here: dict[Any, Any], there: dict[Any, Any]) -> tuple[tuple[Any, Any], ...]:
    return tuple((s, gap) for s, e in there.items() if (gap := _gap(here[s], e)) != 0)


def _gap(ours: Any, theirs: Any) -> Any:
    """The difference; one that a place shows not to vanish is not made short at any price."""
    gap = spread_out(ours - theirs)
    if gap == 0:
        return gap
    parts = sp.collect(gap, _vectors(gap), evaluate=False).items()
    if _elsewhere(gap) and sp.count_ops(gap) > _LONG:
        return sp.factor_terms(gap)
    gap = sum((sp.simplify(c) * v for v, c in parts), sp.Integer(0))
    return sp.factor_terms(gap) if gap != 0 else gap


def _elsewhere(gap: Any) -> bool:
    """Whether a difference is certainly not zero: far from what rounding leaves, at some letters."""
    atoms = sorted(gap.replace(Dot, lambda *x: sp.Symbol(f"dot{x}")).free_symbols, key=str)
    put = {a: sp.Rational(7 * k + 3, 5 * k + 11) for k, a in enumerate(atoms)}
    value = gap.replace(Dot, lambda *x: sp.Symbol(f"dot{x}")).subs(put).evalf(40)
    return bool(value.is_number and abs(value) > sp.Float("1e-25"))


def _vectors(expr: Any) -> list[Any]:
    return sorted(expr.atoms(Noise, Local, State, Dot), key=str)


def _orders(count: int) -> Iterator[tuple[int, ...]]:
    """In what order noises may correspond: as they are used, then every other."""
    yield from permutations(range(count)) if count <= _FEW else iter([tuple(range(count))])


def _starts(theirs: Sampler, ours: Sampler, begins: dict[Any, Any]) -> tuple[tuple[Any, Any, Any], ...]:
    """First states that differ: both as expressions in our states."""
    first = {s: dict(theirs.start).get(s, sp.Integer(0)) for s in theirs.state if s.name != "theta"}
    found = []
    for s in ours.state:
        if s.name == "theta" or s not in begins or (begins[s] == s and s not in theirs.state):
            continue
        there = spread_out(sp.sympify(begins[s]).xreplace(first))
        here = spread_out(dict(ours.start).get(s, sp.Integer(0)))
        if not _alike(there, here):
            found.append((s, there, here))
    return tuple(found)


def _alike(a: Any, b: Any) -> bool:
    """The same law of a first state: noises have no names there."""
    one = Noise("w", real=True)
    a, b = (e.xreplace(dict.fromkeys(e.atoms(Noise), one)) for e in (a, b))
    return is_zero(a - b)
