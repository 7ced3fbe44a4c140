"""A counterexample about minibatches as a script: all of them, in NumPy and fractions."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.matrixwords import Trace
from verification.batchwords import (
    At,
    Average,
    BatchAverage,
    DataColumn,
    DataNumber,
    Degree,
    Expectation,
    First,
    Gradient,
    Hessian,
    Inner,
    Online,
)
from verification.kinds import Transpose
from verification.notation import D, N, S
from verification.refuter.enumeration import Data

_HEAD = """import numpy as np
from fractions import Fraction as F
from itertools import permutations, product
rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])
columns = lambda text: [row.reshape(-1, 1) for row in rows(text)]
mean = lambda values: sum(values[1:], values[0]) * F(1, len(values))
"""
_SLOPES = """
def slope(f, theta, k):  # exact for polynomials of degree four and below
    e = np.array([[F(int(j == k))] for j in range(len(theta))])
    value = lambda h: np.asarray(f(theta + h * e)).item()
    return F(2, 3) * (value(1) - value(-1)) - F(1, 12) * (value(2) - value(-2))
gradient = lambda f, theta: np.array([[slope(f, theta, k)] for k in range(len(theta))])
hessian = lambda f, theta: np.array([[slope(lambda t, i=i: slope(f, t, i), theta, j)
                                      for j in range(len(theta))] for i in range(len(theta))])
"""
_DEGREE = """
def degree(f, theta):  # differences along a line
    line = np.array([[F(1 + 2 * k)] for k in range(len(theta))])
    values, found, order = [np.atleast_1d(f(theta + t * line)) for t in range(8)], 0, 0
    while len(values) > 1:
        values, order = [b - a for a, b in zip(values, values[1:])], order + 1
        found = order if any((v != 0).any() for v in values) else found
    return found
"""
_ONLINE = """
def online(value, batches):  # C_t = (1 - 1/t) C_{t-1} + X_t / t in expectation
    each = mean([value(b) for b in batches])
    found = 7 * each
    for t in (1, 2, 3):
        found = (1 - F(1, t)) * found + F(1, t) * each
    return found
"""


def text_of(expr: Any) -> str:
    """An expression as Python.

    >>> from verification.batchwords import numbers
    >>> text_of(Expectation(BatchAverage(numbers("y")) ** 2))
    'mean([(mean([y[n] for n in b]))**2 for b in batches])'
    """
    expr = sp.sympify(expr)
    if expr.is_Rational:
        return f"F({expr.p}, {expr.q})" if expr.q != 1 else f"F({expr.p})"
    if expr.is_Symbol:
        return _symbol(expr)
    if expr.is_Add:
        return "(" + " + ".join(map(text_of, expr.args)) + ")"
    if expr.is_Mul:
        scalars, words = expr.args_cnc()
        parts = [" * ".join(map(text_of, scalars)), " @ ".join(map(text_of, words))]
        return " * ".join(f"({p})" if len(words) > 1 and p == parts[1] else p for p in parts if p)
    if expr.is_Pow:
        return _power(expr)
    return _word(expr)


def _symbol(symbol: Any) -> str:
    if isinstance(symbol, DataColumn | DataNumber):
        return f"{symbol.name}[n]"
    return f"F({symbol.name})" if symbol in (N, S, D) else str(symbol.name)


def _power(expr: Any) -> str:
    base, power = expr.args
    if power.is_Integer and not base.is_commutative:
        return " @ ".join([f"({text_of(base)})"] * int(power))
    if power.is_Integer:
        return f"({text_of(base)})**{f'({power})' if power < 0 else power}"
    return f"F(int(2**40 * float({text_of(base)})**({power})), 2**40)"


def _word(expr: Any) -> str:
    inner = text_of(expr.args[0])
    if isinstance(expr, At):
        return f"(lambda theta: {inner})({text_of(expr.args[1])} + np.full((D, 1), F(0)))"
    if isinstance(expr, Inner):
        return f"np.sum({inner} * {text_of(expr.args[1])})"
    shown = {
        Average: f"mean([{inner} for n in range(N)])",
        BatchAverage: f"mean([{inner} for n in b])",
        First: f"[{inner} for n in b[:1]][0]",
        Expectation: f"mean([{inner} for b in batches])",
        Online: f"online(lambda b: {inner}, batches)",
        Transpose: f"np.transpose({inner})",
        Trace: f"np.trace({inner})",
        Gradient: f"gradient(lambda theta: {inner}, theta)",
        Hessian: f"hessian(lambda theta: {inner}, theta)",
        Degree: f"degree(lambda theta: {inner}, theta)",
    }
    return shown[type(expr)]


def batch_script(
    comment: str, data: Data, left: Any, right: Any, relation: str, further: Data | None = None
) -> str:
    """The data, all minibatches, both sides, and whether the relation holds.

    With ``further`` data the relation is one in a limit: the relative error has to become smaller.
    """
    sides = (sp.sympify(left), sp.sympify(right))
    text = _HEAD
    for words, lines in (((Gradient, Hessian), _SLOPES), ((Degree,), _DEGREE), ((Online,), _ONLINE)):
        text += lines.lstrip("\n") if any(s.has(*words) for s in sides) else ""
    text += f"# {comment}\n"
    if further is None:
        text += _values(data, sides) + _sides(sides)
        decide = {"=": "np.all(left == right)", "!=": "np.any(left != right)", "<=": "left <= right"}
        return f"{text}print(bool({decide[relation]}))\n"
    for k, each in enumerate((data, further), start=1):
        text += _values(each, sides) + _sides(sides)
        text += f"error_{k} = np.abs(np.asarray(left - right)).max() / np.abs(np.asarray(right)).max()\n"
    text += "print(error_1, error_2)  # three times the size: the second has to be the smaller one\n"
    return f"{text}print(bool(3 * error_2**2 <= error_1**2))\n"


def _sides(sides: tuple[Any, Any]) -> str:
    left, right = map(text_of, sides)
    return f"left = {left}\nright = {right}\nprint(left, right, sep='\\n')\n"


def _values(data: Data, sides: tuple[Any, Any]) -> str:
    """What occurs in the sides, and what minibatches there are."""
    symbols = sides[0].free_symbols | sides[1].free_symbols
    names = {s.name for s in symbols}
    lines = [
        f"{c} = columns('{_rows([[x for (x,) in one] for one in v])}')" for c, v in data.columns.items()
    ]
    lines += [
        f"{c} = [F(x) for x in '{' '.join(map(str, v))}'.split()]" for c, v in data.numbers.items()
    ]
    lines += [f"{c} = rows('{_rows(v)}')" for c, v in data.fixed.items()]
    lines += [f"{c} = F('{x}')" for c, x in data.scalars.items()]
    lines.append(f"N, S, D = {data.N}, {data.S}, {data.D}")
    if "I" in names:
        one = [[int(i == j) for j in range(data.D)] for i in range(data.D)]
        lines.append(f"I = rows('{_rows(one)}')")
    draw = "product(range(N), repeat=S)" if data.repeats else "permutations(range(N), S)"
    if any(s.has(BatchAverage, First) for s in sides):
        lines.append(f"batches = list({draw})")
    if data.batch:
        lines.append(f"b = {data.batch}")
    if data.here >= 0:
        lines.append(f"n = {data.here}")
    return "\n".join(lines) + "\n"


def _rows(rows: Any) -> str:
    return "; ".join(" ".join(str(x) for x in row) for row in rows)
