"""A script about the order of one step: E f(X_h) and the expansion of the semigroup, in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verification.refuter.inpython import name_of, python

_HEAD = """from fractions import Fraction as F
from math import isqrt, log, prod
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
    def d(s, i): return P({(*k[:i], k[i] - 1, *k[i + 1:]): c * k[i] for k, c in s.t.items() if k[i]})
    def at(s, x): return sum(c * prod(a**k for a, k in zip(x, e)) for e, c in s.t.items())
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
_DECIDED = """def mean(p):  # over independent standard normal noises
    return sum(c * prod(0 if k % 2 else prod(range(k - 1, 0, -2)) for k in e) for e, c in p.t.items())
def L(g): return sum(([b[i] * g.d(i) for i in R]
    + [a[i][j] * g.d(i).d(j) * F(1, 2) for i in R for j in R]), to(0))
def error(h):
{moved}    g, total, factor = f(*X), F(0), F(1)
    for k in range({terms}):
        total += factor * g.at(start); g = L(g); factor = factor * h / (k + 1)
    return sum(w * mean(to(f(*s(*map(to, start), h)))) for w, s in steps) - total
e1, e2 = (abs(error(F(1, 4**k))) for k in (14, 15))
slope = log(e1 / e2) / log(4) if e2 > F(1, 10**60) else float("inf")
print("the error of one step goes with h to the power", round(slope, 4))
print(slope > {needed})
"""


def order_script(
    comment: str,
    states: Sequence[Any],
    parts: tuple[Sequence[Any], Sequence[Sequence[Any]]],
    steps: Sequence[tuple[Any, Sequence[tuple[Any, Any]], Sequence[Any]]],
    values: Mapping[Any, Fraction],
    asked: tuple[Any, int, Any],
) -> str:
    """Drift and covariance, the updates of each step with its probability, and a polynomial f.

    ``asked`` is f, the order that is claimed, and the symbol of the step size.
    """
    drift, covariance = parts
    f, order, h = asked
    size = max(len(states), *(len(noises) for _, _, noises in steps), 1)
    names = ", ".join(name_of(s) for s in states)
    lines = [f"# {comment}", _HEAD.rstrip()]
    zero = (0,) * size
    lines.append(f"to = lambda x: x if isinstance(x, P) else P({{{zero}: F(x)}})")
    lines.append(f"var = lambda i: P({{tuple(int(i == j) for j in range({size})): F(1)}})")
    lines.append(_NUMBERS.rstrip())
    lines += [f"{name_of(s)} = F('{x}')" for s, x in values.items() if s not in states]
    lines.append(
        f"R = range({len(states)}); X = [var(i) for i in R]; {names}{',' * (len(states) == 1)} = X"
    )
    lines.append(f"start = [{', '.join(f'F({str(values[s])!r})' for s in states)}]  # {names}")
    b = "b = [" + ", ".join(f"to({python(e)})" for e in drift) + "]"
    rows = ("[" + ", ".join(f"to({python(e)})" for e in row) + "]" for row in covariance)
    a, moved = f"a = [{', '.join(rows)}]", ""
    if any(e.has(h) for e in (*drift, *(e for row in covariance for e in row))):
        moved = f"    global a, b; {name_of(h)} = h; {b}; {a}  # they depend on the step\n"
    else:
        lines += [f"{b}  # drift", f"{a}  # covariance of the noise"]
    for k, (_, updates, noises) in enumerate(steps, start=1):
        lines.append(f"def step{k}({names}, {name_of(h)}):")
        lines += [f"    {name_of(w)} = var({j})" for j, w in enumerate(noises)]
        lines += [f"    {name_of(t)} = {python(e)}" for t, e in updates]
        lines.append(f"    return {names}{',' * (len(states) == 1)}")
    chosen = ", ".join(f"(F('{w}'), step{k})" for k, (w, _, _) in enumerate(steps, start=1))
    lines.append(f"steps = [{chosen}]")
    lines.append(f"f = lambda {names}: {python(f)}")
    decided = _DECIDED.replace("{terms}", str(order + 2)).replace("{needed}", f"{order} + 0.5")
    decided = decided.replace("{moved}", moved)
    return "\n".join(lines) + "\n" + decided


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
