"""The continuous-time limit of samplers made of exact sub-flows, found by running them on dual numbers.

The step is the dual unit, so the slope of a declared step is its drift; an abbreviation such as
c = exp(-gamma eps) is one at step zero with a slope of its own, and sqrt(1 - c^2) is, to leading order,
the square root of -2 c'(0) eps. Shares nothing with the series that sgtheory.affine takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from sgtheory.fields import Dual, Itself, Rows, evaluate, transpose
from sgtheory.language import step_in
from sgtheory.setting import Setting


def extra_roots(setting: Setting) -> tuple[list[Any], list[Any]]:
    """Symbols that the limit needs beside those of the updates, and what must have a square root."""
    meanings = [meaning for _, meaning in setting.sampler.where]
    symbols = sorted(set().union(*(m.free_symbols for m in meanings)), key=str)
    return symbols, [leading(setting, c) for c, _ in setting.sampler.where]


def leading(setting: Setting, c: Any) -> Any:
    """1 - c^2 to leading order in the step."""
    meaning = dict(setting.sampler.where)[c]
    step = step_in(meaning)
    return -2 * step * sp.diff(meaning, step).subs(step, 0)


def flow_columns(setting: Setting, point: Any, vectors: Any, run: Any, root_of: Any) -> Rows:
    """Drift (of states) or leading noise (of noises) per step, as columns."""
    zero = point.field(0)
    step = step_in(sp.Add(*(m for _, m in setting.sampler.where)))
    size = evaluate(step, point.roots, point.field)
    roots: dict[Any, Any] = {s: _constant(r, zero) for s, r in point.roots.items()}
    roots[step] = Itself(Dual(zero, zero**0))
    stand_ins = {}
    for c, meaning in setting.sampler.where:
        slope = evaluate(sp.diff(meaning, step).subs(step, 0), point.roots, point.field)
        roots[c] = Itself(Dual(zero**0, slope))
        deviation = sp.Symbol(f"deviation_{c}")
        stand_ins[sp.sqrt(1 - c**2)] = deviation
        roots[deviation] = Itself(_constant(root_of(leading(setting, c), point), zero))
    states = setting.state
    noises = (*setting.gradient_noises, *setting.injected_noises)
    none = [_constant(zero, zero)] * point.size
    found = []
    for vector in vectors:
        for k in range(point.size):
            unit = [_constant(point.field(int(k == i)), zero) for i in range(point.size)]
            env: Mapping[Any, Any] = {**dict.fromkeys((*states, *noises), none), vector: unit}
            column = run(env, roots, stand_ins)
            moved = vector not in states and any(x.value != zero for x in column)
            found.append([x.value if moved else x.slope * size for x in column])
    return transpose(found)


def _constant(value: Any, zero: Any) -> Any:
    return Itself(Dual(value.value, zero)) if isinstance(value, Itself) else Dual(value, zero)
