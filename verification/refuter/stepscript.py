"""A script that runs a declared step on all signs of its noise and compares it with what is printed."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.declare import Apply, Local, Root, Vector, mode
from sgtheory.setting import Setting
from verification.rational import takes_root_of_gain
from verification.refuter.kinds import triangular_root
from verification.refuter.places import Place
from verification.refuter.script import array, identifier
from verification.wiener import Forms

HEAD = """import numpy as np
from fractions import Fraction as F
from itertools import product
from math import isqrt
rows = lambda text: np.array([[F(x) for x in row.split()] for row in text.split(";")])
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


def number(expr: Any) -> str:
    """A scalar as Python text: roots are exact.

    >>> x, S = sp.symbols("x S", positive=True)
    >>> number(x / sp.sqrt(S) / 2)
    '(F(1, 2)*x*root(S)**-1)'
    """
    expr = sp.sympify(expr)
    if expr.is_Rational:
        return f"F({expr.p}, {expr.q})"
    if expr.is_Symbol:
        return identifier(str(expr.name))
    if expr.is_Add:
        return "(" + " + ".join(number(a) for a in expr.args) + ")"
    if expr.is_Mul:
        return "(" + "*".join(number(a) for a in expr.args) + ")"
    base, power = expr.args
    if power.is_Integer:
        return f"{number(base)}**{int(power)}"
    return f"root({number(base)})**{int(2 * power)}"


def vector(expr: Any) -> str:
    """A vector expression of the declaration language as NumPy text."""
    if isinstance(expr, Apply):
        return f"({_letter(expr.args[0])} @ {vector(expr.args[1])})"
    if isinstance(expr, sp.Add):
        return "(" + " + ".join(vector(a) for a in expr.args) + ")"
    if isinstance(expr, sp.Mul):
        (inner,) = (a for a in expr.args if a.atoms(Vector))
        return f"{number(expr / inner)} * {vector(inner)}"
    return "0 * start(-1)[:D]" if expr == mode else str(expr)


def _letter(matrix: Any) -> str:
    return "R" if isinstance(matrix, Root) else str(matrix)  # R R^T = H


def matrix(expr: Any, plainly: bool = False) -> str:
    """A matrix expression in non-commuting symbols as NumPy text; a number is that multiple of I.

    C is B B^T, unless it is ``plainly`` a letter of its own.
    """
    shown = []
    for term in sp.Add.make_args(sp.expand(expr)):
        scalars, words = term.args_cnc()
        product = " @ ".join(_power(w, plainly) for w in words) or "I"
        shown.append(f"{number(sp.Mul(*scalars))} * ({product})")
    return "(" + " + ".join(shown) + ")"


def _power(word: Any, plainly: bool) -> str:
    base, power = word.as_base_exp()
    products = {"EE^T": "(E @ E.T)"} | ({} if plainly else {"C": "(B @ B.T)"})
    name = base.name.removesuffix("^T") + ".T" * base.name.endswith("^T")
    name = products.get(base.name, name)
    if power < 0:
        raise NotImplementedError(f"no inverse in this script: {word}")
    return " @ ".join([str(name)] * int(power))


def step_script(
    comment: str,
    setting: Setting,
    place: Place,
    time: str,
    targets: tuple[str, ...],
    printed: Forms,
    lasts: Any,
) -> str:
    """Drift and covariance of a step by averaging, and whether they are the printed ones."""
    lines = [f"# {comment}", HEAD.rstrip(), *letters(setting, place), *change(setting, time)]
    draws = len(setting.gradient_noises) + len(setting.injected_noises)
    lines.append(_AVERAGED.format(draws=draws).rstrip())
    lines += printed_lines(setting, targets, printed, lasts)
    lines += ["print('the algorithm:', drift[kept], noise[np.ix_(kept, kept)], sep='\\n')"]
    lines += ["print('as printed:', printed_drift, printed_noise, sep='\\n')"]
    same = "(drift[kept] == printed_drift).all() and (noise[np.ix_(kept, kept)] == printed_noise).all()"
    return "\n".join([*lines, f"print(bool({same}))"]) + "\n"


def letters(setting: Setting, place: Place) -> list[str]:
    """The numbers of a place."""
    lines = [f"{n} = {array(m)}" for n, m in place.matrices.items()]
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
            lines.append(f"    {target} = {vector(expr)}")
        else:
            lines.append(f"    d_{target} = d_{target} + {vector(sp.expand(expr - target, deep=False))}")
    if time == "continuous":
        return [*lines, f"    return np.concatenate([{', '.join('d_' + s for s in states)}])"]
    return [*lines, f"    return np.concatenate([{', '.join(states)}]) - x"]


def printed_lines(setting: Setting, targets: tuple[str, ...], printed: Forms, lasts: Any) -> list[str]:
    """The matrices that are printed, for one step."""
    states = [s.name for s in setting.state]
    drift = ", ".join(
        "[" + ", ".join(matrix(printed.drift.get((a, s), sp.Integer(0))) for s in states) + "]"
        for a in targets
    )
    noise = ", ".join(
        "[" + ", ".join(_covariance(printed, a, b) for b in targets) + "]" for a in targets
    )
    kept = " + ".join(f"list(range({states.index(t)} * D, {states.index(t) + 1} * D))" for t in targets)
    return [
        f"kept = {kept}  # {', '.join(targets)}",
        f"printed_drift = {number(lasts)} * np.block([{drift}])",
        f"printed_noise = {number(lasts)} * np.block([{noise}])",
    ]


def _covariance(printed: Forms, a: str, b: str) -> str:
    parts = [f"{matrix(Y)} @ {matrix(M)} @ {matrix(Z)}.T" for Y, M, Z in printed.shared(a, b)]
    return " + ".join(parts) or "0 * I"


_SERIES = """def transition(F_, Q):  # exp(F_) and the covariance after a unit of time, by their series
    mean = power = np.array([[F(int(i == j)) for j in range(len(F_))] for i in range(len(F_))])
    covariance = term = Q
    for k in range(1, {terms}):
        power = power @ F_ / k; mean = mean + power
        term = (F_ @ term + term @ F_.T) / (k + 1); covariance = covariance + term
    size = max(np.abs(F_).sum(0).max(), np.abs(F_).sum(1).max())
    assert 4 * size < {terms}
    return mean, covariance, 2 * (2 * size)**{terms} * (1 + np.abs(Q).sum(1).max()) / factorial({terms})
mean, covariance, error = transition(printed_drift[:, kept], printed_noise)
beside = [k for k in range(n) if k not in kept]
step = drift[np.ix_(kept, kept)] + np.diag([F(1)] * len(kept))
print('the process after the time of a step:', mean.astype(float), covariance.astype(float), sep='\\n')
print('a step of the algorithm:', step, noise[np.ix_(kept, kept)], sep='\\n')
off = max(np.abs(mean - step).max(), np.abs(covariance - noise[np.ix_(kept, kept)]).max())
alike = (drift[np.ix_(kept, beside)] == printed_drift[:, beside]).all()
print(bool(off <= error and alike))
"""


def transition_script(
    comment: str,
    setting: Setting,
    place: Place,
    targets: tuple[str, ...],
    printed: Forms,
    lasts: Any,
    terms: int,
) -> str:
    """Mean and covariance of the printed process after the time of a step, against the algorithm's."""
    lines = [f"# {comment}", HEAD.rstrip(), "from math import factorial"]
    lines += [*letters(setting, place), *change(setting, "discrete")]
    draws = len(setting.gradient_noises) + len(setting.injected_noises)
    lines.append(_AVERAGED.format(draws=draws).rstrip())
    lines += printed_lines(setting, targets, printed, lasts)
    return "\n".join(lines) + "\n" + _SERIES.format(terms=terms)
