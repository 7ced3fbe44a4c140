"""One eigen-direction of a quadratic: moments after n steps, distances, couplings, in closed form.

With x = theta - theta*, a step is x' = (1 - gamma (lambda + B_2)) x - gamma B_1 + sqrt(2 gamma T) xi:
what a minibatch's gradient at theta* is off is B_1, what its curvature is B_2; V11, V12, V22 are the
moments of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from sgtheory.dynamics.leading import leading
from sgtheory.onestep.affine import LAMBDA
from sgtheory.perturbation.form import Form, form_of
from sgtheory.perturbation.symbols import GAMMA

DIFFUSION = "diffusion"  # the Langevin diffusion dx = -U'(x) dt + sqrt(2) dB, at times n gamma

STEPS = sp.Symbol("n", integer=True, nonnegative=True)
V11 = sp.Symbol("V11", positive=True)
V12 = sp.Symbol("V12", real=True)
V22 = sp.Symbol("V22", nonnegative=True)


@dataclass(frozen=True)
class Between:
    """Two samplers (or ``DIFFUSION``) in a direction of curvature lambda, from one starting point.

    ``start`` is how far that is from theta*. With ``minibatches`` examples differ in curvature; without,
    gradient noise is normal and the same everywhere. ``settled``: the second, a diffusion, is in its
    invariant law at all times. Formulas are in gamma, lambda, n, V11, V12, V22.

    >>> pair = Between("lmc", DIFFUSION)
    >>> [sp.factor(pair.moments(k, sp.oo)[1]) for k in (0, 1)]
    [-2/(lambda*(gamma*lambda - 2)), 1/lambda]
    >>> pair.leading(GAMMA, sp.oo)  # as gamma vanishes
    (2, lambda/16)
    >>> sp.simplify(Between("lmc", DIFFUSION, settled=True).coupled(0))  # from theta*
    1/lambda
    """

    first: Any
    second: Any
    start: Any = 0
    minibatches: bool = False
    settled: bool = False

    @property
    def exact(self) -> bool:
        """Whether both laws are normal, so that ``square`` is the squared distance; else it is less."""
        return not any(self.minibatches and _multiplies(f) for f in self._forms)

    def moments(self, which: int, n: Any = STEPS) -> tuple[Any, Any]:
        """Mean about theta* and variance of one of the two, after n steps or in the limit oo."""
        form = self._forms[which]
        rate = _rate(form)
        n = sp.oo if self.settled and which else n
        return _power(rate, n) * self.start, self._product(which, which, n) - (
            _power(rate, n) * self.start
        ) ** 2

    def square(self, n: Any = STEPS) -> Any:
        """The squared distance of normal laws with these moments."""
        (a, v), (b, w) = self.moments(0, n), self.moments(1, n)
        return (a - b) ** 2 + (sp.sqrt(v) - sp.sqrt(w)) ** 2

    def coupled(self, n: Any = STEPS) -> Any:
        """The mean squared distance of chains with the same noise and the same minibatches."""
        return self._product(0, 0, n) + self._product(1, 1, n) - 2 * self._product(0, 1, n)

    def leading(self, small: Any, n: Any, scaled: Any = (), coupled: bool = False) -> tuple[Any, Any]:
        """Power and coefficient of ``square`` (or ``coupled``) as a letter vanishes, n a number or oo.

        ``scaled`` are replacements made before, such as those of ``as_N_grows``.
        """
        if coupled:
            return leading(self.coupled(n).subs(scaled), small) or (sp.oo, sp.Integer(0))
        (a, v), (b, w) = ([e.subs(scaled) for e in self.moments(k, n)] for k in (0, 1))
        parts = [
            leading((a - b) ** 2, small),
            _gap(leading(v - w, small), leading(v, small), leading(w, small)),
        ]
        present = [p for p in parts if p is not None]
        lowest = min((p for p, _ in present), default=sp.oo)
        return lowest, sp.simplify(sp.Add(*(c for p, c in present if p == lowest)))

    @cached_property
    def _forms(self) -> tuple[Form | None, Form | None]:
        one, other = (None if x == DIFFUSION else form_of(x) for x in (self.first, self.second))
        return one, other

    def _product(self, i: int, j: int, n: Any) -> Any:
        """E[x_i x_j] of chains with the same noises: a first-order recurrence, driven by the mean."""
        a, b = self._forms[i], self._forms[j]
        n = sp.oo if self.settled and i and j else n
        factor, constant, forcing = _rate(a) * _rate(b), _injected(a, b), sp.Integer(0)
        if a is not None and b is not None:
            constant += GAMMA**2 * a.additive * b.additive * V11
            if self.minibatches:
                factor += GAMMA**2 * V22 * int(_multiplies(a)) * int(_multiplies(b))
                mixed = b.additive * int(_multiplies(a)) + a.additive * int(_multiplies(b))
                forcing = GAMMA**2 * V12 * mixed * self.start
        power = _power(factor, n)
        square = 0 if self.settled and i != j else sp.sympify(self.start) ** 2  # they are independent
        found = power * square + constant * (1 - power) / (1 - factor)
        if forcing != 0 and n != sp.oo:
            found += forcing * (power - _power(_rate(a), n)) / (factor - _rate(a))
        return found


def as_N_grows(N: Any) -> tuple[dict[Any, Any], Any]:
    """What letters are at fixed eta = gamma N and a fixed law of examples, in 1/N; and the letter 1/N.

    >>> scaled, small = as_N_grows(sp.Symbol("N", positive=True))
    >>> [Between("sgld", other).leading(small, sp.oo, scaled)[0] for other in ("sgd", "lmc")]
    [2, 0]
    """
    small, eta = sp.Symbol(f"1/{N}", positive=True), sp.Symbol("eta", positive=True)
    a, u, w, v = (sp.Symbol(s, positive=True) for s in ("a", "v11", "v12", "v22"))
    scaled = {
        GAMMA: eta * small,
        LAMBDA: a / small,
        V11: u / small**2,
        V12: w / small**2,
        V22: v / small**2,
    }
    return scaled, small


def _multiplies(form: Form | None) -> bool:
    return form is not None and form.multiplicative


def _rate(form: Form | None) -> Any:
    return sp.exp(-GAMMA * LAMBDA) if form is None else 1 - GAMMA * LAMBDA


def _power(rate: Any, n: Any) -> Any:
    return sp.Integer(0) if n == sp.oo else rate**n


def _injected(a: Form | None, b: Form | None) -> Any:
    """What one Brownian motion does to both in a step; a diffusion follows it within the step."""
    if a is None and b is None:
        return (1 - sp.exp(-2 * GAMMA * LAMBDA)) / LAMBDA
    if a is None or b is None:
        chain = a or b
        assert chain is not None
        return 2 * sp.sqrt(chain.temperature) * (1 - sp.exp(-GAMMA * LAMBDA)) / LAMBDA
    return 2 * GAMMA * sp.sqrt(a.temperature * b.temperature)


def _gap(difference: Any, v: Any, w: Any) -> Any:
    """The leading term of (sqrt v - sqrt w)^2 = (v - w)^2 / (sqrt v + sqrt w)^2."""
    if difference is None:
        return None
    present = [x for x in (v, w) if x is not None]
    lowest = min(p for p, _ in present)
    roots = sp.Add(*(sp.sqrt(c) for p, c in present if p == lowest))
    return 2 * difference[0] - lowest, sp.simplify(difference[1] ** 2 / roots**2)
