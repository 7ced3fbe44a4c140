"""A script about formulas with derivatives in them: power series about a point, in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.dynamics.taylor import Polynomial, differentiated
from sgtheory.dynamics.walking import orders_of
from verification.claims.functions import written
from verification.refuter.jetscript import Python, name_of

FACTOR = Fraction(3, 7)  # the value of a density at the point: it has a free constant factor

_HEAD = """from fractions import Fraction as F
from math import factorial, isqrt
ORDER, SIZE = {depth}, {size}
class T:  # a power series in small changes of the states, to some order
    def __init__(s, t): s.t = {{k: c for k, c in t.items() if c and sum(k) <= ORDER}}
    def __add__(s, o):
        t = dict(s.t)
        for k, c in to(o).t.items(): t[k] = t.get(k, 0) + c
        return T(t)
    def __mul__(s, o):
        t = {{}}
        for j, a in s.t.items():
            for k, b in to(o).t.items():
                e = tuple(map(int.__add__, j, k)); t[e] = t.get(e, 0) + a * b
        return T(t)
    def through(s, f):  # f lists the Taylor coefficients about the value
        away, found, power = s - s.c, to(0), to(1)
        for x in f(s.c): found, power = found + power * x, power * away
        return found
    def __pow__(s, k):
        if k < 0: return s.through(lambda c: [(-1)**j / c**(j + 1) for j in range(ORDER + 1)])**-k
        return s**(k - 1) * s if k else to(1)
    c = property(lambda s: s.t.get((0,) * SIZE, F(0)))
    __radd__, __rmul__, __neg__ = __add__, __mul__, lambda s: s * -1
    def __sub__(s, o): return s + to(o) * -1
    def __rsub__(s, o): return s * -1 + o
    def __truediv__(s, o): return s * to(o)**-1
    def __rtruediv__(s, o): return s**-1 * o
to = lambda x: x if isinstance(x, T) else T({{(0,) * SIZE: F(x)}})
def D(f, *by):  # the derivative
    f = to(f)
    for i in by: f = T({{(*k[:i], k[i] - 1, *k[i + 1:]): c * k[i] for k, c in f.t.items() if k[i]}})
    return f
def rho(H): H = to(H) * -1; return (H - H.c).through(series) * F({factor!r})  # a density, unnormalised
series = lambda c: [F(1, factorial(j)) for j in range(ORDER + 1)]
def of_number(x):
    x = F(x); s = t = F(1); k = 0
    while abs(t) > F(1, 10**60) or k < abs(x): k += 1; t = F(round(t * x / k * 10**70), 10**70); s += t
    return s
def exp(x): x = to(x); return (x - x.c).through(series) * of_number(x.c)
def sqrt(x):
    if isinstance(x, T):
        assert set(x.t) <= {{(0,) * SIZE}}; x = x.c
    return F(isqrt(int(x * 10**120)), 10**60)
"""
_DECIDED = """for left, right in sides:
    if abs(to(left).c - to(right).c) > F(1, 10**40): break
print("left", to(left).c, "right", to(right).c)
print(abs(to(left).c - to(right).c) <= F(1, 10**40))
"""


class _Series(Python):
    """Expressions as Python text, derivatives as calls."""

    def __init__(self, states: Sequence[Any]) -> None:
        super().__init__()
        self.states = tuple(states)

    def _print_Derivative(self, expr: Any) -> str:
        if isinstance(expr.expr, sp.core.function.AppliedUndef):
            name = _called(expr.expr.func.__name__, orders_of(expr))
            return f"{name}({', '.join(map(self._print, expr.expr.args))})"
        by = [str(self.states.index(x)) for x, k in expr.variable_count for _ in range(int(k))]
        return f"D({self._print(expr.expr)}, {', '.join(by)})"

    def _print_Function(self, expr: Any) -> str:
        name = expr.func.__name__
        name = _called(name) if isinstance(expr, sp.core.function.AppliedUndef) else name
        return f"{name}({', '.join(map(self._print, expr.args))})"

    def _print_Density(self, expr: Any) -> str:
        return f"rho({self._print(expr.args[0])})"


def series_script(
    comment: str,
    states: Sequence[Any],
    depth: int,
    values: Mapping[Any, Fraction],
    functions: Mapping[str, tuple[Sequence[Any], Polynomial]],
    sides: Sequence[tuple[Any, Any]],
) -> str:
    """Numbers, functions as polynomials (their derivatives too), and both sides of each relation."""
    head = _HEAD.format(depth=depth, size=len(states), factor=str(FACTOR))
    lines = [f"# {comment}", head.rstrip()]
    for s, x in values.items():
        if s in states:
            unit = tuple(int(s == other) for other in states)
            lines.append(f"{name_of(s)} = T({{{(0,) * len(states)}: F('{x}'), {unit}: F(1)}})")
        else:
            lines.append(f"{name_of(s)} = F('{x}')")
    used = {
        (e.expr.func.__name__, orders_of(e))
        for pair in sides
        for side in pair
        for e in side.atoms(sp.Derivative)
        if isinstance(e.expr, sp.core.function.AppliedUndef)
    }
    printer = _Series(states)
    for name, (args, polynomial) in functions.items():
        names = [f"x{k}" for k in range(len(args))]
        symbols = list(map(sp.Symbol, names))
        head = ", ".join(names)
        lines.append(
            f"def {_called(name)}({head}): return {printer.doprint(written(polynomial, symbols))}"
        )
        for _, orders in sorted(u for u in used if u[0] == name):
            body = printer.doprint(written(differentiated(polynomial, orders), symbols))
            lines.append(f"def {_called(name, orders)}({head}): return {body}")
    pairs = (f"({printer.doprint(a)}, {printer.doprint(b)})" for a, b in sides)
    lines.append(f"sides = [{', '.join(pairs)}]")
    return "\n".join(lines) + "\n" + _DECIDED


def _called(name: str, orders: Sequence[int] = ()) -> str:
    """No name of a function is one that the script uses itself."""
    return "_".join(("of", name, *map(str, orders)))
