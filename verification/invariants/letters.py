"""Moments about the mode in derivatives of an unspecified U: what the hierarchy of moments says.

In one dimension, in letters for the leading order, and in fractions for the next. ``small`` is 1/N at
fixed eta = gamma N where noise vanishes at the mode; else it is eta, and 1/N = tau eta, tau in (0, 1].
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.perturbation.form import Form, form_of
from sgtheory.perturbation.hierarchy import Key, Kind, Values, moments
from sgtheory.perturbation.symbols import components
from verification.invariants.words import N, Reading, eta, gamma, p

POSTERIOR = "posterior"
SMALL, TAU = sp.symbols("s tau", positive=True)
_POWERS = {"mean": (1,), "second": (2,)}


def form(law: str) -> Form:
    """The declared update; the posterior is LMC's law as the step vanishes."""
    return form_of("lmc" if law == POSTERIOR else law)


def small_in(law: str) -> str:
    """What vanishes."""
    return form(law).small


@cache
def truth(law: str, what: str) -> Any:
    """The leading order in gamma, derivatives U2, U3 of U and moments V11, V22 of minibatches.

    >>> truth("posterior", "second"), truth("sgd", "mean")
    (1/U2, -gamma*U3*V11/(4*U2**2))
    """
    found = _components(law, 1).moment(*_POWERS[what])
    return found.subs(gamma, 0) if law == POSTERIOR else found


def _components(law: str, order: int) -> Any:
    of = form(law)
    kind = Kind(1, order, of.multiplicative, bool(of.additive != 0))
    return components(kind, of.temperature, of.additive)


@cache
def reading() -> Reading:
    """The same letters for printed formulas, in one dimension."""
    U2, U3, V11, V22 = (_letter(n) for n in ("U2", "U3", "V11", "V22"))
    scalars = {"N": N, "p": p, "eta": eta, "gamma": eta / N}
    one = sp.Integer(1)
    return Reading(
        np.array([[U2]], object),
        np.array([[[U3]]], object),
        np.array([[[[V22]]]], object),
        np.array([[V11 * p / N]], object),
        scalars,
        one,
    )


def _letter(name: str) -> Any:
    return (
        sp.Symbol(name, positive=True, real=True) if name.lower() == "u2" else sp.Symbol(name, real=True)
    )


def leading(law: str, expr: Any) -> Any:
    """The factor of what is small, as it vanishes; None where the formula is of another size."""
    regime = {eta: SMALL, N: 1 / (TAU * SMALL)} if small_in(law) == "eta" else {N: 1 / SMALL}
    sizes = {"U2": N, "U3": N, "V11": N**2, "V22": N**2}
    scaled = {_letter(n): _letter(n.lower()) * size for n, size in sizes.items()}
    inside = sp.sympify(expr).subs(gamma, eta / N).subs(scaled, simultaneous=True).subs(regime)
    found = sp.cancel(sp.together(inside / SMALL)).subs(SMALL, 0)
    return None if found.has(sp.zoo, sp.oo, sp.nan) else sp.factor(found)


@cache
def next_order(law: str, what: str) -> tuple[Fraction, Fraction]:
    """The second term at random exact letters, and its power of what is small (from four times it)."""
    near, far = (_second_term(law, what, size) for size in (4, 1))
    power = Fraction(2) if near == 16 * far else Fraction(0)
    return near, power


def _second_term(law: str, what: str, size: int) -> Fraction:
    of = form(law)
    additive = bool(of.additive != 0)
    count = Fraction(64, size)
    step = Fraction(size if additive else 1, 64)
    step = Fraction(1, 10**6) if law == POSTERIOR else step
    derivative, joint = _drawn(count)
    rate = step / count
    values = Values(derivative, joint, rate, 2 * rate * int(of.temperature), Fraction(1))
    found = moments(Kind(1, 2, of.multiplicative, additive), values)
    return Fraction(found[_POWERS[what], 4])


def _drawn(count: Fraction) -> tuple[Callable[[Key], Fraction], Callable[[tuple[Key, ...]], Fraction]]:
    """Derivatives of U, and those of minibatches of one out of three kinds of examples."""
    source = random.Random(7)
    mean = [Fraction(source.randrange(1, 9), 4) for _ in range(7)]
    kinds = [[Fraction(source.randrange(-9, 10), 2) for _ in range(7)] for _ in range(3)]
    middle = [(kinds[0][j] + kinds[1][j] + kinds[2][j]) / 3 for j in range(7)]

    def joint(keys: tuple[Key, ...]) -> Fraction:
        found = Fraction(0)
        for kind in kinds:
            one = Fraction(1)
            for key in keys:
                one *= count * (kind[len(key)] - middle[len(key)])
            found += one / 3
        return found

    return lambda key: count * mean[len(key)], joint
