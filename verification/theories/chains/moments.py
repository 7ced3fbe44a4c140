"""Moments of a chain whose step is linear in its place, whatever the law of its noise: x' = A x + B.

A and B may be random, so that E[x^n] = sum of the means of A^j B^(n - j), each as often as it counts,
times E[x^j]: solved one after the other. The n-th moment stays where the mean of |A|^n is below one.
Cumulants are the second route, and tell which law it is, where A is a number.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.dynamics.noises import NORMAL, NoiseLaw
from sgtheory.errors import UnusableInput
from sgtheory.polynomials import is_zero

MOST = 12  # the highest moment


@cache
def affine(step: LineStep) -> tuple[Any, Any] | None:
    """What multiplies the place, and what is added."""
    if step.new is not None:
        return None
    after = sp.expand(step.after)
    if not after.is_polynomial(step.place, *step.noises) or sp.degree(after, step.place) > 1:
        return None
    slope = after.coeff(step.place, 1)
    return slope, sp.expand(after - slope * step.place)


@cache
def moment(step: LineStep, n: int) -> Any:
    """E[x^n] where it exists, in letters or in numbers."""
    found = affine(step)
    if found is None or n > MOST:
        raise UnusableInput(f"a step x' = A x + B, and powers up to {MOST}", str(step.after), "mend it")
    if n == 0:
        return sp.Integer(1)
    *lower, beside = weights(step, n)
    if beside == 1 or sp.oo in lower:
        raise UnusableInput(f"a moment of order {n}", "none", "take a lower one")
    return sp.factor(sp.Add(*(c * moment(step, j) for j, c in enumerate(lower))) / (1 - beside))


@cache
def weights(step: LineStep, n: int) -> tuple[Any, ...]:
    """How often each E[x^j] counts in E[x'^n]."""
    slope, added = affine(step)  # type: ignore[misc]
    each = (step.mean(sp.expand(slope**j * added ** (n - j))) for j in range(n + 1))
    return tuple(math.comb(n, j) * one for j, one in enumerate(each))


def has_moment(step: LineStep, n: int) -> bool | None:
    """Whether a moment exists, of a step in numbers; None where that is not seen."""
    found = affine(step)
    if found is None:
        return None
    if any(law.moment(2 * math.ceil(n / 2)) == sp.oo for law in step.laws):
        return False if n % 2 == 0 else None
    slope = found[0]
    if not slope.has(*step.noises):
        return bool(abs(slope) < 1)
    if step.mean(sp.expand(slope ** (2 * math.ceil(n / 2)))) < 1:
        return True
    return False if n % 2 == 0 else None


def closed(body: Any, step: LineStep) -> Any:
    """A mean of a polynomial of the place and of the noises of a step."""
    body = step.mean(sp.expand(body))
    if not body.is_polynomial(step.place):
        raise UnusableInput("a polynomial of the place", str(body), "take powers")
    return sp.Add(*(c * moment(step, k) for (k,), c in sp.Poly(body, step.place).terms()))


def degree(body: Any, step: LineStep) -> int:
    """The highest moment that a mean needs."""
    return int(sp.degree(step.mean(sp.expand(body)), step.place)) if body.has(step.place) else 0


def worth(step: LineStep, body: Any) -> Any:
    """A mean of a polynomial, of a step in numbers; an error where it has none."""
    if not has_moment(step, degree(body, step)):
        raise UnusableInput("a mean that exists", str(body), "take lower powers")
    return closed(body, step)


def unlike(step: LineStep, kind: str) -> Unlike:
    """How a law differs from that of a kind with its mean and its variance."""
    laws = {
        "normal": NORMAL,
        "uniform": NoiseLaw("uniform", (-sp.sqrt(3), sp.sqrt(3))),
        "laplace": NoiseLaw("laplace", (1 / sp.sqrt(2),)),
    }
    mean = moment(step, 1)
    return Unlike(step, laws[kind], sp.sqrt(sp.factor(moment(step, 2) - mean**2)), mean)


def differs(step: LineStep, kind: str) -> Any:
    """The largest difference of standardised cumulants of order 3 to 8, of a step in numbers."""
    if not has_moment(step, 2):
        raise UnusableInput("a law with a variance", str(step.after), "none")
    one = unlike(step, kind)
    with suppress(UnusableInput):
        if one.is_alike():
            return sp.Integer(0)
    slope = one.parts[0]
    orders = range(3, known_to(step) + 1)
    found = max(
        (float(sp.N(abs(one.cumulant(n) / (1 - slope**n) / one.size**n))) for n in orders), default=0
    )
    if found == 0:
        raise UnusableInput("all cumulants of the noise", str(step.laws), "name its law")
    return sp.Float(found)


def known_to(step: LineStep, most: int = 8) -> int:
    """Up to which order moments of the noise are known."""
    for n in range(1, most + 1):
        try:
            weights(step, n)
        except UnusableInput:
            return n - 1
    return most


@dataclass(frozen=True)
class Unlike:
    """How the law of a chain differs from one that has a name: by cumulants."""

    step: LineStep
    target: NoiseLaw  # of a number that is multiplied by ``size``, and moved by ``middle``
    size: Any
    middle: Any

    @property
    def parts(self) -> tuple[Any, list[tuple[Any, NoiseLaw]], Any]:
        """What multiplies the place, the noises with their factors, and what is added."""
        found = affine(self.step)
        if found is None or found[0].has(*self.step.noises):
            raise UnusableInput("a step x' = a x + noise", str(self.step.after), "mend it")
        slope, added = found
        noises = [(added.coeff(w, 1), self.step.law(w)) for w in self.step.noises]
        rest = sp.expand(
            added - sp.Add(*(c * w for (c, _), w in zip(noises, self.step.noises, strict=True)))
        )
        if rest.has(*self.step.noises):
            raise UnusableInput("noises that are added", str(added), "mend it")
        return slope, noises, rest

    def cumulant(self, n: int) -> Any:
        """That of the chain less that of the other law, times 1 - a^n."""
        slope, noises, rest = self.parts
        own = sp.Add(*(c**n * law.cumulant(n) for c, law in noises)) + (rest if n == 1 else 0)
        other = self.size**n * self.target.cumulant(n) + (self.middle if n == 1 else 0)
        return sp.expand(other * (1 - slope**n) - own)

    def is_alike(self) -> bool:
        """Whether all cumulants are the same: sums of n-th powers vanish for every n."""
        if not is_zero(self.cumulant(1)) or not is_zero(self.cumulant(2)):
            return False
        slope, noises, _ = self.parts
        total: dict[str, list[tuple[Any, Any]]] = {}
        for of, all_ in self.target.waves.items():
            for c, r in all_:
                total.setdefault(of, []).extend([(c, self.size * r), (-c, self.size * r * slope)])
        for factor, law in noises:
            for of, all_ in law.waves.items():
                total.setdefault(of, []).extend((-c, factor * r) for c, r in all_)
        return all(_vanish(terms, of) for of, terms in total.items())


def _vanish(terms: list[tuple[Any, Any]], of: str) -> bool:
    """Whether a sum of n-th powers is zero for every n, of Bernoulli numbers for every even n."""
    if of == "bernoulli":
        terms = [(c, r**2) for c, r in terms]
    left: list[tuple[Any, Any]] = []
    for c, r in terms:
        at = next((k for k, (_, s) in enumerate(left) if is_zero(r - s)), None)
        if at is None:
            left.append((c, r))
        else:
            left[at] = (left[at][0] + c, left[at][1])
    return all(c == 0 or r == 0 for c, r in left)
