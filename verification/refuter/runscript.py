"""A script that runs two algorithms with the same noise from matched starts, in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from verification.refuter.jetscript import name_of, python

_HEAD = """from fractions import Fraction as F
from math import isqrt
def sqrt(x): return F(isqrt(int(x * 10**120)), 10**60)  # to 60 digits
"""
_EXP = """def exp(x):
    t = s = F(1); k = 0
    while abs(t) > F(1, 10**70) or k < abs(x): k += 1; t = F(round(t * x / k * 10**80), 10**80); s += t
    return s
"""
_DECIDED = """for n in range(1, {steps} + 1):
    drawn = noise[(n - 1) % len(noise)]
    one, two = first(one, drawn), second(two, drawn)
    wanted = change(one)
    if any(abs(p - q) > F(1, 10**40) for p, q in zip(wanted, two)):
        break
print("after step", n, "the first, changed:", *map(str, wanted), "the second:", *map(str, two))
print(all(abs(p - q) <= F(1, 10**40) for p, q in zip(wanted, two)))
"""


def equivalence_script(
    comment: str,
    steps: Sequence[Any],
    change: Sequence[tuple[Any, Any]],
    functions: Mapping[str, Any],
    numbers: tuple[Mapping[Any, Fraction], Sequence[Fraction], Sequence[Sequence[Fraction]], int],
) -> str:
    """Both steps, the change of variables, the functions as polynomials; ``numbers`` are values of
    parameters, the start of the first, noises of a few steps to be repeated, and how many steps.
    """
    first, second = steps
    values, start, noise, most = numbers
    lines = [f"# {comment}", _HEAD.rstrip()]
    if any(e.has(sp.exp) for s in steps for _, e in s.updates):
        lines.append(_EXP.rstrip())
    lines += [f"{name_of(s)} = F('{x}')" for s, x in values.items()]
    lines += [f"def {name}(x): return {python(e)}" for name, e in functions.items()]
    names = dict.fromkeys(w for s in steps for w in s.noises)
    for name, step in (("first", first), ("second", second)):
        lines.append(f"def {name}(state, drawn):")
        if names:
            lines.append(f"    {', '.join(map(name_of, names))}{',' * (len(names) == 1)} = drawn")
        lines.append(f"    {_tuple(step.state)} = state")
        lines += [f"    {name_of(t)} = {python(e)}" for t, e in step.updates]
        lines.append(f"    return {_tuple(step.state)}")
    lines.append("def change(state):")
    lines.append(f"    {_tuple(first.state)} = state")
    lines.append("    return " + ", ".join(python(e) for _, e in change) + "," * (len(change) == 1))
    lines.append(f"one = ({', '.join(_fraction(x) for x in start)},)")
    lines.append("two = change(one)")
    rows = ", ".join("(" + ", ".join(map(_fraction, row)) + ",)" if row else "()" for row in noise)
    lines.append(f"noise = [{rows}]")
    return "\n".join(lines) + "\n" + _DECIDED.replace("{steps}", str(most))


def _tuple(symbols: Sequence[Any]) -> str:
    return ", ".join(map(name_of, symbols)) + "," * (len(symbols) == 1)


def _fraction(x: Fraction) -> str:
    return f"F('{x}')"
