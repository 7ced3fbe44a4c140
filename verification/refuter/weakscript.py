"""A script about one step of a normal state: means of a polynomial before and after, in fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verification.refuter.inpython import name_of, python

_HEAD = """from fractions import Fraction as F
from math import isqrt, prod
class P:  # a polynomial with exact coefficients
    def __init__(s, t): s.t = {k: c for k, c in t.items() if c}
    def __add__(s, o):
        t = dict(s.t)
        for k, c in to(o).t.items(): t[k] = t.get(k, 0) + c
        return P(t)
    def __mul__(s, o):
        t = {}
        for j, a in s.t.items():
            for k, b in to(o).t.items():
                e = tuple(map(int.__add__, j, k)); t[e] = t.get(e, 0) + a * b
        return P(t)
    __radd__, __rmul__, __neg__ = __add__, __mul__, lambda s: s * -1
    def __sub__(s, o): return s + to(o) * -1
    def __rsub__(s, o): return s * -1 + o
    def __truediv__(s, o): return s * (1 / F(o))
    def __pow__(s, k): return prod([s] * k, start=to(1))
"""
_NUMBERS = """def number(x):  # a polynomial that is one
    if isinstance(x, P): assert not any(map(sum, x.t)); x = sum(x.t.values(), F(0))
    return x
def sqrt(x): return F(isqrt(int(number(x) * 10**240)), 10**120)  # to 120 digits
def exp(x):
    x = number(x); t = s = F(1); k = 0
    while abs(t) > F(1, 10**120): k += 1; t = F(round(t * x / k * 10**130), 10**130); s += t
    return s
"""
_PAIRED = """def paired(w):  # the sum over all ways to pair, of products of covariances
    if not w: return F(1)
    return sum(c[w[0]][w[k]] * paired(w[1:k] + w[k + 1:]) for k in range(1, len(w)))
def mean(p):  # the first {n} variables normal with covariance c, the others standard normal
    return sum(q * paired([i for i, k in enumerate(e[:{n}]) for _ in range(k)])
        * prod(0 if k % 2 else prod(range(k - 1, 0, -2)) for k in e[{n}:]) for e, q in p.t.items())
"""


def moment_script(
    comment: str, step: Any, covariance: Any, values: Mapping[Any, Fraction], f: Any
) -> str:
    """The mean of a polynomial f before and after one step, of a normal state."""
    names = ", ".join(map(name_of, step.state))
    n, size = len(step.state), len(step.state) + len(step.noises)
    lines = [f"# {comment}", _HEAD.rstrip()]
    lines.append(f"to = lambda x: x if isinstance(x, P) else P({{{(0,) * size}: F(x)}})")
    lines.append(f"var = lambda i: P({{tuple(int(i == j) for j in range({size})): F(1)}})")
    lines.append(_NUMBERS.rstrip())
    lines += [f"{name_of(s)} = F('{x}')" for s, x in values.items()]
    rows = ("[" + ", ".join(python(e) for e in row) + "]" for row in covariance)
    lines.append(f"c = [{', '.join(rows)}]  # covariance of {names}")
    lines.append(_PAIRED.replace("{n}", str(n)).rstrip())
    lines += [f"{name_of(s)} = var({k})" for k, s in enumerate((*step.state, *step.noises))]
    lines.append(f"before = mean(to({python(f)}))")
    lines += [f"{name_of(t)} = {python(e)}" for t, e in step.updates]
    lines.append(f"after = mean(to({python(f)}))")
    lines.append("print('before', before, 'after one step', after)")
    lines.append("print(abs(before - after) <= F(1, 10**40))")
    return "\n".join(lines) + "\n"
