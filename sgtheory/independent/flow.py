"""The continuous-time limit of samplers made of exact sub-flows, found by running them on dual numbers.

The step is the dual unit, so the slope of a declared step is its drift; an abbreviation such as
c = exp(-gamma eps) is one at step zero with a slope of its own, and sqrt(1 - c^2) is, to leading order,
the square root of -2 c'(0) eps. Shares nothing with the series that sgtheory.onestep.affine takes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Dual, Itself, Rows, evaluate, transpose, units
from sgtheory.setting import Setting


def extra_roots(setting: Setting) -> tuple[list[Any], list[Any]]:
    """Symbols that the limit needs beside those of the updates, and what must have a square root."""
    meanings = [meaning for _, meaning in setting.sampler.where]
    symbols = sorted(set().union(*(m.free_symbols for m in meanings)), key=str)
    return symbols, [leading(setting, c) for c in _decaying(setting)]


def _decaying(setting: Setting) -> list[Any]:
    """The abbreviations of which the updates have sqrt(1 - c^2), which no power series has."""
    if setting.sampler.limit != "step":
        return []
    return [
        c for c, _ in setting.sampler.where if any(e.has(sp.sqrt(1 - c**2)) for _, e in setting.updates)
    ]


def leading(setting: Setting, c: Any) -> Any:
    """1 - c^2 to leading order in the step."""
    meaning, step = dict(setting.sampler.where)[c], setting.sampler.step
    return -2 * step * sp.diff(meaning, step).subs(step, 0)


def flow_columns(setting: Setting, point: Any, vectors: Any, run: Any, root_of: Any) -> Rows:
    """Drift (of states) or leading noise (of noises) per step, as columns."""
    zero = point.field(0)
    step = setting.sampler.step
    size = evaluate(step, point.roots, point.field)
    roots: dict[Any, Any] = {s: _constant(r, zero) for s, r in point.roots.items()}
    roots[step] = Itself(Dual(zero, zero**0))
    stand_ins: dict[Any, Any] = {}
    decaying = _decaying(setting)
    halves = {p.exp for _, e in setting.updates for p in e.atoms(sp.Pow) if p.base == step}
    if any(x.is_Rational and x.q == 2 for x in halves):  # in front of noise: no power series has it
        root = sp.Symbol("root_of_step")
        with suppress(TypeError):  # of fractions only drifts are asked, which no noise reaches
            roots[root] = Itself(_constant(point.roots[step] ** 1, zero))
        stand_ins |= {step**x: root * step ** (x - sp.Rational(1, 2)) for x in halves if x.q == 2}
    for c, meaning in setting.sampler.where:
        both = (e.subs(step, 0) for e in (meaning, sp.diff(meaning, step)))
        first, slope = (evaluate(e, point.roots, point.field) for e in both)
        roots[c] = Itself(Dual(first, slope))
        if c in decaying:
            deviation = sp.Symbol(f"deviation_{c}")
            stand_ins[sp.sqrt(1 - c**2)] = deviation
            roots[deviation] = Itself(_constant(root_of(leading(setting, c), point), zero))
    states = setting.state
    noises = (*setting.gradient_noises, *setting.injected_noises)
    env = units(vectors, (*states, *noises), point.size, lambda n: Dual(point.field(n), zero))
    found = []
    for k, column in enumerate(transpose(run(env, roots, stand_ins))):
        moved = vectors[k // point.size] not in states and any(x.value != zero for x in column)
        found.append([x.value if moved else x.slope * size for x in column])
    return transpose(found)


def _constant(value: Any, zero: Any) -> Any:
    return Itself(Dual(value.value, zero)) if isinstance(value, Itself) else Dual(value, zero)
