"""A script that computes an invariant law with NumPy alone and holds a printed formula against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from verification.invariants.words import D2U, Cubic, GInverse, HInverse, LInverse
from verification.notation import identity

_HEAD = """import numpy as np
X, y = np.array({X})[:, None], np.array({y})[:, None]
def slopes(t, k):
    s = 1 / (1 + np.exp(-X * t))
    return [X * (s - y), X**2 * s * (1 - s), X**3 * s * (1 - s) * (1 - 2 * s)][k - 1]
def distance(N, eta):
    gamma, p, each = eta / N, 1, N / len(X)
    total = lambda t, k: [t, 1.0, 0.0][k - 1] + each * slopes(t, k).sum(axis=0)
    mode = np.zeros(1)
    for _ in range(60):
        mode = mode - total(mode, 1) / total(mode, 2)
    U2, U3 = (float(np.squeeze(total(mode, k))) for k in (2, 3))
    M, V22 = N * slopes(mode, 1).var(), N**2 * slopes(mode, 2).var()
    L, H, G = 2 * U2, 2 * U2 - gamma * U2**2, 2 * U2 - gamma * (U2**2 + V22)
"""
_MOVES = {
    "lmc": "    moves = lambda x: -gamma * total(mode + x, 1)[None, :]",
    "sgldfp": "    moves = lambda x: -gamma * (x + N * (slopes(mode + x, 1) - slopes(mode, 1)))",
    "sgld": "    moves = lambda x: -gamma * (mode + x + N * slopes(mode + x, 1))",
    "sgd": "    moves = lambda x: -gamma * (mode + x + N * slopes(mode + x, 1))",
}
_WITH_NOISE = """    wide = 10 * ((2 + gamma * N * M) / U2) ** 0.5
    x = np.linspace(-wide, wide, int(3 * wide / gamma**0.5) | 1)
    P = np.exp(-(x - (x + moves(x))[:, :, None]) ** 2 / (4 * gamma)).mean(axis=0)
    P = P * (x[1] - x[0]) / (4 * np.pi * gamma) ** 0.5
"""
_WITHOUT_NOISE = """    wide = 1.0
    while abs(wide * np.array([-1, 1]) + moves(wide * np.array([-1, 1]))).max() > wide:
        wide = 1.2 * wide
    u = np.cos(np.pi * (np.arange(160) + 0.5) / 160)
    functions = lambda z: np.polynomial.chebyshev.chebvander(z, 159)
    x = wide * u
    P = np.mean([functions((x + m) / wide) for m in moves(x)], axis=0) @ np.linalg.inv(functions(u))
"""
_FIXED = """    rows = P.T - np.eye(len(x))
    rows[0] = 1
    weight = np.linalg.solve(rows, np.eye(len(x))[0])
"""
_POSTERIOR = """    x = np.linspace(-13, 13, 2001) / U2**0.5
    U = lambda t: t**2 / 2 + each * (np.logaddexp(0, X * t) - y * X * t).sum(axis=0)
    weight = np.exp(U(mode) - U(mode + x))
    weight = weight / weight.sum()
"""


def law_script(
    heading: str,
    law: str,
    what: str,
    formula: Any,
    data: tuple[Any, Any],
    sizes: Sequence[tuple[int, float]],
    shrink: float,
) -> str:
    """Distances at two sizes (N, eta): the second has to be smaller by the factor that is printed."""
    head = _HEAD.replace("{X}", str(list(data[0]))).replace("{y}", str(list(data[1])))
    if law == "posterior":
        body = _POSTERIOR
    else:
        body = f"{_MOVES[law]}\n{_WITHOUT_NOISE if law == 'sgd' else _WITH_NOISE}{_FIXED}"
    power = 2 if what == "second" else 1
    (first, rate), (last, slower) = sizes
    return (
        f"# {heading}\n{head}{body}"
        f"    return weight @ x**{power} - ({in_one_dimension(formula)})\n"
        f"first, last = distance({first}, {rate!r}), distance({last}, {slower!r})\n"
        "print(first, last)\n"
        f"print(bool(abs(first / last) >= 0.7 * {shrink!r}))\n"
    )


def in_one_dimension(expr: Any) -> Any:
    """A formula where matrices are numbers, and an operator undone is a quotient."""
    expr = sp.sympify(expr)
    if isinstance(expr, Cubic):
        return sp.Symbol("U3") * in_one_dimension(expr.args[0])
    if type(expr) in _UNDONE:
        return in_one_dimension(expr.args[0]) / sp.Symbol(_UNDONE[type(expr)])
    if expr.is_Symbol:
        return {D2U: sp.Symbol("U2"), identity: sp.Integer(1)}.get(expr, sp.Symbol(expr.name))
    return expr.func(*map(in_one_dimension, expr.args)) if expr.args else expr


_UNDONE = {HInverse: "H", GInverse: "G", LInverse: "L"}
