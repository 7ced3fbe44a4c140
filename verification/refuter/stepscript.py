"""A declared step as lines of a script, which runs it on all signs of its noise."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.pycode import PythonCodePrinter

from sgtheory.declare import Local, Root, mode
from sgtheory.setting import Setting
from verification.laws.rational import takes_root_of_gain
from verification.refuter.kinds import triangular_root
from verification.refuter.places import Place
from verification.refuter.script import array, identifier

HEAD = """from itertools import product
from math import isqrt
def root(x):
    x = F(x); y = F(isqrt(x.numerator), isqrt(x.denominator))
    assert y * y == x
    return y
"""
_AVERAGED = """start = lambda k: np.array([F(int(i == k)) for i in range(n)])
signs = [np.array([F(s) for s in w]) for w in product((1, -1), repeat={draws} * D)]
rest = sum(change(start(-1), w) for w in signs) / len(signs)
drift = np.array([sum(change(start(k), w) for w in signs) / len(signs) - rest for k in range(n)]).T
noise = sum(np.outer(x, x) for x in (change(start(-1), w) - rest for w in signs)) / len(signs)
"""


class _Text(PythonCodePrinter):
    """Exact numbers, and matrices on vectors, as NumPy text."""

    def _print_Rational(self, expr: Any) -> str:
        return f"F({expr.p}, {expr.q})"

    _print_Integer = _print_Rational

    def _print_Symbol(self, expr: Any) -> str:
        return "0 * start(-1)[:D]" if expr == mode else identifier(str(expr.name))

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        root, times = ("", expr.exp) if expr.exp.is_Integer else ("root", 2 * expr.exp)
        return f"{root}({self._print(expr.base)})" + (f"**{int(times)}" if times != 1 else "")

    def _print_Apply(self, expr: Any) -> str:
        matrix, inner = expr.args
        letter = "R" if isinstance(matrix, Root) else str(matrix)  # R R^T = H
        return f"({letter} @ ({self._print(inner)}))"


def written(expr: Any) -> str:
    """An expression of the declaration language, in which roots are exact.

    >>> x, S = sp.symbols("x S", positive=True)
    >>> written(x / sp.sqrt(S) / 2)
    '(F(1, 2))*x/root(S)'
    """
    return str(_Text().doprint(sp.sympify(expr)))


def run_lines(setting: Setting, place: Place, time: str) -> list[str]:
    """``drift`` and ``noise``: what a step adds, on average over all signs of its noise."""
    lines = [HEAD.rstrip(), *letters(setting, place), *change(setting, time)]
    draws = len(setting.gradient_noises) + len(setting.injected_noises)
    return [*lines, _AVERAGED.format(draws=draws).rstrip()]


def letters(setting: Setting, place: Place) -> list[str]:
    """The numbers of a place."""
    lines = [f"{identifier(n)} = {array(m)}" for n, m in place.matrices.items()]
    lines.append("C = B @ B.T")
    lines.append("; ".join(f"{identifier(n)} = F('{x}')" for n, x in place.scalars.items()))
    lines.append(f"D, n, I = {place.D}, {place.D * len(setting.state)}, np.diag([F(1)] * {place.D})")
    if "H" not in place.matrices:
        lines.append("H = R = I")
    elif takes_root_of_gain(setting):
        lines.append(f"R = {array(triangular_root(place.matrices['H']))}")
    return lines


def change(setting: Setting, time: str) -> list[str]:
    """A function: by how much a step changes the states, stacked."""
    states = [s.name for s in setting.state]
    noises = [w.name for w in (*setting.gradient_noises, *setting.injected_noises)]
    cut = "; ".join(f"{s} = x[{k} * D:{k + 1} * D]" for k, s in enumerate(states))
    drawn = "; ".join(f"{w} = noise[{k} * D:{k + 1} * D]" for k, w in enumerate(noises))
    lines = ["def change(x, noise):", f"    {cut}", f"    {drawn}"]
    if time == "continuous":
        lines += [f"    d_{s} = 0 * {s}" for s in states]
    for target, expr in setting.updates:
        if time == "discrete" or isinstance(target, Local):
            lines.append(f"    {target} = {written(expr)}")
        else:
            added = written(sp.expand(expr - target, deep=False))
            lines.append(f"    d_{target} = d_{target} + {added}")
    if time == "continuous":
        return [*lines, f"    return np.concatenate([{', '.join('d_' + s for s in states)}])"]
    return [*lines, f"    return np.concatenate([{', '.join(states)}]) - x"]
