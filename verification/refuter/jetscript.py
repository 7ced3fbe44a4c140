"""A script about a density and a diffusion: exact derivatives by arithmetic, both sides, and whether
they are equal. It needs the standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from verification.refuter.script import identifier

# names that the scripts use themselves
_TAKEN = frozenset((*"nRJFPXLabcdfklpqstw", "to", "var", "at", "of", "slope", "steps", "start", "mean"))

_JET = """from fractions import Fraction as F
n = {n}; R = range(n)
class J:  # a value, its n slopes and n x n curvatures: exact derivatives by arithmetic
    def __init__(s, v, g=None, h=None):
        s.v, s.g, s.h = F(v), g or [F(0)] * n, h or [[F(0)] * n for _ in R]
    def of(s, f, f1, f2): return J(f, [f1 * a for a in s.g],
        [[f1 * s.h[i][j] + f2 * s.g[i] * s.g[j] for j in R] for i in R])
    def __add__(s, o): o = to(o); return J(s.v + o.v, [a + b for a, b in zip(s.g, o.g)],
        [[s.h[i][j] + o.h[i][j] for j in R] for i in R])
    def __mul__(s, o): o = to(o); return J(s.v * o.v, [s.v * b + o.v * a for a, b in zip(s.g, o.g)],
        [[s.v * o.h[i][j] + o.v * s.h[i][j] + s.g[i] * o.g[j] + s.g[j] * o.g[i] for j in R] for i in R])
    def __pow__(s, k): v = s.v; return s.of(v**k, k * v**(k - 1) if k else 0, k * (k - 1) * v**(k - 2) \
if k * (k - 1) else 0)
    __radd__, __rmul__, __neg__ = __add__, __mul__, lambda s: s * -1
    def __sub__(s, o): return s + to(o) * -1
    def __rsub__(s, o): return s * -1 + o
    def __truediv__(s, o): return s * to(o)**-1
    def __rtruediv__(s, o): return s**-1 * o
to = lambda x: x if isinstance(x, J) else J(x)
var = lambda k, x: J(x, [F(i == k) for i in R])
"""
_MORE = {
    "exp(": "def exp(x): assert x.v == 0; return x.of(F(1), F(1), F(1))\n",
    "log(": "def log(x): return x.of(F(0), 1 / x.v, -1 / x.v**2)  # up to a constant\n",
}
_DECIDED = """slope = l.g
taken = sum(b[i].g[i] + b[i].v * slope[i] for i in R)
brought = F(1, 2) * sum(a[i][j].h[i][j] + a[i][j].g[i] * slope[j] + a[i][j].g[j] * slope[i]
    + a[i][j].v * (l.h[i][j] + slope[i] * slope[j]) for i in R for j in R)
print("taken by the drift", taken, "brought by the noise", brought)
print(taken == brought)
"""


class Python(StrPrinter):
    """Expressions as Python text with exact fractions."""

    def _print_Rational(self, expr: Any) -> str:
        return f"F({expr.p}, {expr.q})"

    def _print_Symbol(self, expr: Any) -> str:
        return name_of(expr)

    _print_Dummy = _print_Symbol


def name_of(symbol: Any) -> str:
    """A symbol's name as an identifier."""
    return identifier(symbol.name, _TAKEN)


def python(expr: Any) -> str:
    """An expression as Python text.

    >>> python(sp.Symbol("lambda") + sp.Rational(1, 2))
    'lambda_ + F(1, 2)'
    """
    return str(Python().doprint(sp.sympify(expr)))


def invariance_script(
    comment: str,
    states: Sequence[Any],
    parts: tuple[Sequence[Any], Sequence[Sequence[Any]], Any],
    values: Mapping[Any, Fraction],
    words: str = "",
) -> str:
    """Drift, noise covariance and log density are written out; what each side adds is compared."""
    drift, covariance, log_density = parts
    used = [s for s in values if s not in states]
    lines = [f"var({k}, F('{values[s]}'))" for k, s in enumerate(states)]
    body = [f"{name_of(s)} = {line}" for s, line in zip(states, lines, strict=True)]
    body += [f"{name_of(s)} = F('{values[s]}')" for s in used]
    body += [f"# {words}"] if words else []
    body.append("b = [" + ", ".join(f"to({python(e)})" for e in drift) + "]  # drift")
    rows = ("[" + ", ".join(f"to({python(e)})" for e in row) + "]" for row in covariance)
    body.append(f"a = [{', '.join(rows)}]  # covariance of the noise")
    body.append(f"l = to({python(log_density)})  # log density")
    text = "\n".join(body) + "\n"
    more = "".join(line for mark, line in _MORE.items() if mark in text)
    return f"# {comment}\n" + _JET.format(n=len(states)) + more + text + _DECIDED
