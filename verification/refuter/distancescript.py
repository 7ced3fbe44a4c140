"""A counterexample on distances of laws as a short script: all minibatches are listed.

Chains are affine about theta* for each minibatch; their first and second moments are moved from step to
step, and bound the distance from below (normal laws with these moments) and from above (the chains
themselves, which share minibatches and noise).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verification.direction import EQ5, Chain, Examples
from verification.refuter.decimals import Decimals

_HEAD = """from decimal import Decimal as d, getcontext
from itertools import product
getcontext().prec = 60
mean = lambda numbers: sum(numbers) / len(numbers)
"""
_SUMS = """c = sum(slopes)
mode = sum(pulls) / c
gradients = [s * mode - b for s, b in zip(slopes, pulls)]
N = len(slopes) - 1
batches = list(product(range(1, N + 1), repeat=p))
flow = (-gamma * c).exp()
"""
_MOVES = """def batch_of(numbers, batch):
    return numbers[0] + sum(numbers[i] for i in batch) * N / p
def maps(kind, off):  # theta - theta* goes to a (theta - theta*) + b
    for batch in batches:
        slope, gradient = batch_of(slopes, batch), batch_of(gradients, batch)
        yield {"diffusion": ((-gamma * c).exp(), d(0)),
               "lmc": (1 - gamma * c, d(0)),
               "sgldfp": (1 - gamma * slope, d(0)),
               "sgldfp, off": (1 - gamma * slope, gamma * (slope - c) * off),
               "sgldfp, off, as Eq. 5": (1 - gamma * slope, gamma * slope * off),
               "sgld": (1 - gamma * slope, -gamma * gradient),
               "sgd": (1 - gamma * slope, -gamma * gradient)}[kind]
def heat(one, other):
    if "sgd" in (one, other):
        return d(0)
    flows = [one, other].count("diffusion")
    return [2 * gamma, 2 * (1 - flow) / c, (1 - flow**2) / c][flows]
"""
_STEPS = """def distances(steps):  # None for the laws that a step leaves as they are
    first, second = list(maps(kinds[0], off)), list(maps(kinds[1], off))
    pairs = [(first, first), (second, second), (first, second)]
    heats = [heat(kinds[0], kinds[0]), heat(kinds[1], kinds[1]), heat(*kinds)]
    def moved(moments, means):
        return [
            mean([a * s * m + a * mu * t + b * s * nu + b * t for (a, b), (s, t) in zip(f, g)]) + h
            for (f, g), h, m, (mu, nu) in zip(pairs, heats, moments, means)
        ]
    def around(mx, my):
        return [(mx, mx), (my, my), (mx, my)]
    mx, my, moments = x, y, [x * x, y * y, x * y]
    for _ in range(steps or 0):
        moments = moved(moments, around(mx, my))
        mx, my = (mean([a * mu + b for a, b in f]) for f, mu in ((first, mx), (second, my)))
    if steps is None:
        mx, my = (mean([b for a, b in f]) / (1 - mean([a for a, b in f])) for f in (first, second))
        still, moving = (moved([d(k)] * 3, around(mx, my)) for k in (0, 1))
        moments = [s / (1 - (m - s)) for s, m in zip(still, moving)]
    xx, yy, xy = moments
    v, w = xx - mx**2, yy - my**2
    return (mx - my) ** 2 + v + w - 2 * (max(v, 0) * max(w, 0)).sqrt(), xx + yy - 2 * xy
seen = []
"""


def number(x: Any) -> str:
    """A fraction in decimals.

    >>> number(Fraction(1, 3)), number(2)
    ('d(1) / 3', 'd(2)')
    """
    x = Fraction(x)
    return f"d({x.numerator})" + (f" / {x.denominator}" if x.denominator != 1 else "")


def kind_of(chain: Chain) -> str:
    """What the script calls a chain."""
    if not chain.centre:
        return chain.name
    return f"{chain.name}, off" + (", as Eq. 5" if chain.centre == EQ5 else "")


def data_lines(
    pair: tuple[Chain, Chain], examples: Examples, gamma: Fraction, start: tuple[Fraction, Fraction]
) -> list[str]:
    """The numbers of a place."""
    rows = []
    for column in (0, 1):
        groups = [f"[{number(g[column])}]" + (f" * {g[2]}" if g[2] > 1 else "") for g in examples.groups]
        rows.append(" + ".join([f"[{number(examples.prior[column])}]", *groups]))
    off = next((c.h for c in pair if c.centre), Fraction(0))
    return [
        f"kinds = {tuple(kind_of(c) for c in pair)}",
        f"slopes = {rows[0]}  # of the gradients s theta - b, the prior's first",
        f"pulls = {rows[1]}",
        f"p, gamma, off = {examples.batch}, {number(gamma)}, {number(off)}",
        f"x, y = {number(start[0])}, {number(start[1])}  # both starts, about theta*",
    ]


def distance_script(heading: str, parts: list[tuple[list[str], str]], end: list[str]) -> str:
    """Data, each with a line that uses ``distances(n)``, two squares around W2^2; lines that decide."""
    told = ["\n".join([*data, _SUMS + line]) for data, line in parts]
    return "\n".join([f"# {heading}", _HEAD + _MOVES + _STEPS + told[0], *told[1:], *end]) + "\n"


def decimals(expr: Any) -> str:
    """A formula for the script."""
    return str(Decimals().doprint(expr))
