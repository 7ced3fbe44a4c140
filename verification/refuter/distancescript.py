"""A counterexample on distances of laws as a short script, by averages over examples.

Chains are affine about theta* for each minibatch; their first and second moments are moved from step to
step, and bound the distance from below (normal laws with these moments) and from above (the chains
themselves, which share minibatches and noise).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verification.laws.direction import EQ5, Chain, Examples

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
    mx, my, moments = (x, d(0), [x * x, 1 / c, d(0)]) if y is None else (x, y, [x * x, y * y, x * y])
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
    pair: tuple[Chain, Chain],
    examples: Examples,
    gamma: Fraction,
    start: tuple[Fraction, Fraction | None],
) -> list[str]:
    """The numbers of a place."""
    rows = ", ".join(f"({number(s)}, {number(b)}, {k})" for s, b, k in examples.groups)
    off = next((c.h for c in pair if c.centre), Fraction(0))
    return [
        f"kinds = {tuple(kind_of(c) for c in pair)}",
        f"groups = [{rows}]  # gradients s theta - b of one example, and how many are alike",
        f"prior = {number(examples.prior[0])}, {number(examples.prior[1])}",
        f"p, gamma, off = {examples.batch}, {number(gamma)}, {number(off)}",
        f"x, y = {number(start[0])}, {number(start[1])}  # both starts, about theta*"
        if start[1] is not None
        else f"x, y = {number(start[0])}, None  # a start about theta*, and the invariant law",
        "N = sum(k for _, _, k in groups)",
        "c = prior[0] + sum(s * k for s, _, k in groups)",
        "mode = (prior[1] + sum(b * k for _, b, k in groups)) / c",
    ]
