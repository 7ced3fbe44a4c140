"""A counterexample on distances of laws as a short script, by averages over examples.

Chains are affine about theta* for each minibatch; their first and second moments are moved from step to
step, and bound the distance from below (normal laws with these moments) and from above (the chains
themselves, which share minibatches and noise).
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from verification.laws.direction import EQ5, Chain, Examples
from verification.prover.couplings import d
from verification.refuter.decimals import Decimals
from verification.refuter.inpython import name_of

_DIGITS = 50
_MARGIN = Fraction(1, 10**40)  # of decimals with fifty digits

_HEAD = """from decimal import Decimal as d, getcontext
getcontext().prec = 60
"""
DISTANCES = """def mean(numbers):  # over the examples, of which some are alike
    return sum(x * k for x, (_, _, k) in zip(numbers, groups)) / N
def chain(kind, off):  # with an example's gradient theta - theta* goes to a (theta - theta*) + b
    name, noisy, additive, _, centre = kind
    flow = (-gamma * c).exp()
    for s, b, _ in groups:
        slope, gradient = prior[0] + N * s, prior[0] * mode - prior[1] + N * (s * mode - b)
        pushed = {"": d(0), "at centre": noisy * (slope - c) * off, "as Eq. 5": slope * off}[centre]
        step = 1 - gamma * (c + noisy * (slope - c)), gamma * (pushed - additive * gradient)
        yield (flow, d(0)) if name == "diffusion" else step
def together(f, g):  # the mean of a product, each factor an average over the same p examples
    return mean(f) * mean(g) + (mean([x * y for x, y in zip(f, g)]) - mean(f) * mean(g)) / p
def heat(one, other):
    flow = (-gamma * c).exp()
    flows = [one[0], other[0]].count("diffusion")
    return one[3] * other[3] * [2 * gamma, 2 * (1 - flow) / c, (1 - flow**2) / c][flows]
def distances(steps):  # None for the laws that a step leaves as they are
    first, second = (list(zip(*chain(kind, off))) for kind in kinds)
    pairs = [(first, first), (second, second), (first, second)]
    heats = [heat(kinds[0], kinds[0]), heat(kinds[1], kinds[1]), heat(*kinds)]
    def moved(moments, means):
        return [
            together(a, s) * m + together(a, t) * mu + together(b, s) * nu + together(b, t) + h
            for ((a, b), (s, t)), h, m, (mu, nu) in zip(pairs, heats, moments, means)
        ]
    def around(mx, my):
        return [(mx, mx), (my, my), (mx, my)]
    mx, my, moments = x, y, [x * x, y * y, x * y]
    for _ in range(steps or 0):
        moments = moved(moments, around(mx, my))
        mx, my = (mean(a) * mu + mean(b) for (a, b), mu in ((first, mx), (second, my)))
    if steps is None:
        mx, my = (mean(b) / (1 - mean(a)) for a, b in (first, second))
        still, moving = (moved([d(k)] * 3, around(mx, my)) for k in (0, 1))
        if max(m - s for s, m in zip(still, moving)) >= 1: raise ArithmeticError("no such law")
        moments = [s / (1 - (m - s)) for s, m in zip(still, moving)]
    xx, yy, xy = moments
    v, w = xx - mx**2, yy - my**2
    return (mx - my) ** 2 + v + w - 2 * (max(v, 0) * max(w, 0)).sqrt(), xx + yy - 2 * xy"""


def number(x: Any) -> str:
    """A fraction in decimals.

    >>> number(Fraction(1, 3)), number(2)
    ('d(1) / 3', 'd(2)')
    """
    x = Fraction(x)
    return f"d({x.numerator})" + (f" / {x.denominator}" if x.denominator != 1 else "")


def kind_of(chain: Chain) -> tuple[Any, ...]:
    """Its name and traits, and what is done about a point that is not theta*."""
    centre = {"": "", EQ5: "as Eq. 5"}.get(chain.centre, "at centre")
    return (chain.name, *chain.traits, centre)


def data_lines(
    pair: tuple[Chain, Chain], examples: Examples, gamma: Fraction, start: tuple[Fraction, Fraction]
) -> list[str]:
    """The numbers of a place."""
    rows = ", ".join(f"({number(s)}, {number(b)}, {k})" for s, b, k in examples.groups)
    off = next((c.h for c in pair if c.centre), Fraction(0))
    return [
        f"kinds = {tuple(kind_of(c) for c in pair)}",
        f"groups = [{rows}]  # gradients s theta - b of one example, and how many are alike",
        f"prior = {number(examples.prior[0])}, {number(examples.prior[1])}",
        f"p, gamma, off = {examples.batch}, {number(gamma)}, {number(off)}",
        f"x, y = {number(start[0])}, {number(start[1])}  # both starts, about theta*",
        "N = sum(k for _, _, k in groups)",
        "c = prior[0] + sum(s * k for s, _, k in groups)",
        "mode = (prior[1] + sum(b * k for _, b, k in groups)) / c",
    ]


def distance_script(heading: str, parts: list[tuple[list[str], str]], end: list[str]) -> str:
    """Data, each with a line that uses ``distances(n)``, two squares around W2^2; lines that decide."""
    told = ["\n".join([*data, line]) for data, line in parts]
    return "\n".join([f"# {heading}", _HEAD + DISTANCES, "seen = []", *told, *end]) + "\n"


def decimals(expr: Any) -> str:
    """A formula for the script."""
    return str(Decimals().doprint(expr))


@cache
def compiled(expr: Any) -> Any:
    """A formula as a function of fractions by name, to fifty digits."""
    text = compile(_as_script(expr), "bound", "eval")

    def at(letters: dict[str, Any]) -> Fraction:
        with localcontext() as context:
            context.prec = _DIGITS
            known = {_written(k): _decimal(v) for k, v in letters.items()}
            try:
                found = eval(text, {"d": Decimal}, known)  # our own text, printed above
            except InvalidOperation as why:  # 0/0, the root of a negative number
                raise ZeroDivisionError(str(expr)) from why
            return nearest(Fraction(found))

    return at


def nearest(x: Fraction) -> Fraction:
    """The short fraction that a number of fifty digits stands for, where there is one.

    >>> nearest(Fraction("0." + 50 * "3"))
    Fraction(1, 3)
    """
    short = x.limit_denominator(10**12)
    return short if abs(short - x) <= _MARGIN * abs(x) else x


def shown(x: Fraction) -> str:
    """A short fraction as it is, anything else to twelve digits."""
    return str(x) if x.denominator <= 10**12 else f"{float(x):.12g}"


def _decimal(x: Any) -> Decimal:
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def _written(name: str) -> str:
    """A letter's name in the text of a formula; d is a decimal number there."""
    return "dimension" if name == "d" else name_of(sp.Symbol(name))


def _as_script(expr: Any) -> str:
    return str(Decimals().doprint(sp.sympify(expr).subs(d, sp.Symbol("dimension", positive=True))))
