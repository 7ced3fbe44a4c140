"""Invariant laws on two kinds of examples in one dimension, to rounding: no chain is simulated.

The gradient of an example is ``slope theta +- pull + bend (1 - cos theta)``, each kind as often as the
other, beside a standard normal prior: the mode is 0. Where nothing is bent moments are exact fractions.
Else a step takes smooth functions to smooth ones, which polynomials through Chebyshev's points hold, its
normal noise drawn from the points of Gauss's and Hermite's rule, which has the first moments of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from verification.theories.invariants.letters import form
from verification.theories.invariants.words import POSTERIOR

Array = Any

_WIDE, _NODES, _DRAWN = 7.0, 36, 5  # standard deviations to each side


@dataclass(frozen=True)
class Bent:
    """The numbers of both kinds, N of them in all, minibatches of two."""

    slopes: tuple[Fraction, Fraction]
    pull: Fraction
    bend: Fraction
    N: Fraction
    gamma: Fraction

    @property
    def at_mode(self) -> dict[str, Fraction]:
        """Derivatives of U at the mode, and moments of a minibatch's."""
        a, b = self.slopes
        return {
            "D2U": 1 + self.N * (a + b) / 2,
            "U3": self.N * self.bend,
            "V11": (self.N * self.pull) ** 2 / 2,
            "V22": (self.N * (a - b) / 2) ** 2 / 2,
            "M": self.N * self.pull**2,
            "I": Fraction(1),
        }


def moment(law: str, what: str, data: Bent) -> Any:
    """Of the invariant law of a sampler, or of the posterior; None where there is none.

    >>> half = Fraction(1, 2)
    >>> straight = Bent((half, half), half, Fraction(0), Fraction(16), half / 16)
    >>> moment("pi", "second", straight), moment("lmc", "second", straight)
    (Fraction(1, 9), Fraction(64, 495))
    """
    if data.bend and (law == POSTERIOR or form(law).temperature or data.pull):
        found = _settled(law, data)
        return None if found is None else _in_floats(what, *found, float(data.gamma))
    at, of = data.at_mode, form(law)
    if law == POSTERIOR:
        return {"mean": Fraction(0), "second": 1 / at["D2U"]}.get(what)
    many, share, heat = int(of.multiplicative), Fraction(str(of.additive)), int(of.temperature)
    kept = (1 - data.gamma * at["D2U"]) ** 2 + data.gamma**2 * many * at["V22"]
    if kept >= 1:
        return None
    additive = share**2 * at["V11"]
    second = (2 * data.gamma * heat + data.gamma**2 * additive) / (1 - kept)
    noise = many * at["V22"] * second + additive
    spread = (2 * heat + data.gamma * noise) / at["D2U"] ** 2
    return {"mean": Fraction(0), "second": second, "noise": noise, "spread": spread}[what]


@cache
def _settled(law: str, data: Bent) -> tuple[Array, Array, Array, Array] | None:
    """Places, the weights of the law there, the operator of a step, and gradients for each minibatch."""
    at = {name: float(x) for name, x in data.at_mode.items()}
    of, N, gamma, bend = form(law), float(data.N), float(data.gamma), float(data.bend)
    a, b = map(float, data.slopes)
    middle, away = (a + b) / 2, np.array([[1.0], [0.0], [0.0], [-1.0]])  # of the pairs that are drawn

    def gradient(x: Array) -> Array:
        """What a minibatch of each kind takes for the gradient of U."""
        drawn = int(of.multiplicative) * (a - b) / 2 * x + float(of.additive) * float(data.pull)
        return x + N * (middle * x + bend * (1 - np.cos(x)) + away * drawn)

    if law == POSTERIOR:
        x = np.linspace(-_WIDE, _WIDE, 2001) * at["D2U"] ** -0.5
        weight = np.exp(-at["D2U"] * x**2 / 2 - N * bend * (x - np.sin(x)))
        return x, weight / weight.sum(), np.zeros(0), np.zeros(0)
    heat, share = float(of.temperature), float(of.additive)
    drawn, likely = np.polynomial.hermite_e.hermegauss(_DRAWN)
    noises = drawn[:, None] * (2 * gamma * heat) ** 0.5
    width = _WIDE * ((2 * heat + gamma * share**2 * at["V11"]) / at["D2U"]) ** 0.5
    u = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    moved = u - gamma * gradient(width * u) / width
    functions = np.polynomial.chebyshev.chebvander(moved[:, None, :] + noises / width, _NODES - 1)
    means = np.einsum("kdnj,d->nj", functions, likely / likely.sum()) / len(moved)
    P = means @ np.linalg.inv(np.polynomial.chebyshev.chebvander(u, _NODES - 1))
    rows = P.T - np.eye(_NODES)
    rows[0] = 1.0
    return width * u, np.linalg.solve(rows, np.eye(_NODES)[0]), P, gradient(width * u)


def _in_floats(what: str, x: Array, weight: Array, P: Array, gradients: Array, gamma: float) -> Any:
    if what in ("mean", "second"):
        return float(weight @ x ** (1 + (what == "second")))
    if not len(P):
        return None
    if what == "noise":
        return float(weight @ gradients.var(axis=0))
    away = x - weight @ x
    answer = np.linalg.solve(np.eye(len(x)) - P + weight[None, :], away)
    return float(2 * weight @ (away * answer) - weight @ away**2) * gamma  # all autocovariances
