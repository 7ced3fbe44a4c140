"""What a sampler does as its step vanishes, as a script: a density against the declared updates."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from verification.refuter.inpython import name_of

_RUN = """
def step(x, V, i, eps, xi):
    ones, theta = 1.0, x
UPDATES
    return theta, V

def at_rest(x, i):  # the position is held while the rest settles
    V = 0 * x
    for _ in range(3000):
        _, V = step(x, V, i, 0.0, 0.0)
    return V

def drift_and_spread(x):
    pairs = []
    for i in range(1):
        V = at_rest(x, i)
        still, kicked = step(x, V, i, 1.0, 0.0)[0], step(x, V, i, 1.0, 1.0)[0]
        pairs.append((still - x, (kicked - still)**2))
    return np.mean(pairs, axis=0)  # of each position
"""
_ON_AVERAGE = """
x = np.linspace(-10, 10, 401)
p = np.exp(-U(x)); p /= p.sum()
phi = 1 / (1 + np.exp(-x))  # the probability of a class: bounded, as all its derivatives are
b, a = drift_and_spread(x)
first, second = phi * (1 - phi), phi * (1 - phi) * (1 - 2 * phi)  # derivatives of phi
moved = p @ (b * first + a * second / 2)
print("mean of phi under the posterior", p @ phi)
print("what the sampler adds to it per time, begun there, as its steps vanish", moved)
print(bool(abs(moved) < 1e-6))
"""


class _Updates(StrPrinter):
    """Declared updates as Python in one coordinate."""

    def _print_Symbol(self, expr: Any) -> str:
        return name_of(expr)

    _print_State = _print_Local = _print_Vector = _print_Symbol

    def _print_Gradient(self, expr: Any) -> str:
        return "gradient(x, i)"

    def _print_Prior(self, expr: Any) -> str:
        return "(gradient(x, i) - share(x, i))"

    def _print_Curvature(self, expr: Any) -> str:
        return "slope(x, i)"  # of the examples' share alone

    def _print_PriorCurvature(self, expr: Any) -> str:
        return "0"  # left out of both


def _updates(sampler: Any) -> str:
    printer = _Updates()
    lines = []
    for target, expr in sampler.updates:
        text = printer.doprint(sp.sympify(expr))
        lines.append(f"    {name_of(target)} = {text}")
    return "\n".join(lines)


def vanishing_script(
    comment: str,
    sampler: Any,
    functions: Mapping[str, str],
    numbers: Mapping[str, Fraction | float],
) -> str:
    """``functions`` are texts of U(x), gradient(x, i), share(x, i) and slope(x, i) of one example."""
    lines = [f"# {comment}", "import numpy as np", "from numpy import sqrt"]
    lines += [f"{name_of(sp.Symbol(n))} = {float(v)!r}" for n, v in numbers.items()]
    lines += [f"{n} = {text}" for n, text in functions.items()]
    return "\n".join(lines) + "\n" + _RUN.replace("UPDATES", _updates(sampler)) + _ON_AVERAGE
