"""Gains and noises for which the algorithm itself, at its finite step, has the posterior as its law.

At a pair of modes of H^(1/2) A H^(1/2) the covariance is r(l_i, l_j) C_ij + d(l_i, l_j) delta_ij. It
is that of the posterior, delta_ij/(N l_i), exactly where C is diagonal there with entries phi(l_i),
phi = (1/(N l) - d)/r: the gain must turn C into phi of the matrix into which it turns A. With G =
A^(1/2) H A^(1/2) and K = A^(-1/2) C A^(-1/2) that reads K = phi(G)/G, which is solved eigenvalue by
eigenvalue in every dimension, whether or not A and C commute; where phi is alpha + beta l, it is
H^(-1) = (C - beta A)/alpha.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import N, Root
from sgtheory.errors import UnusableInput
from sgtheory.modepairs.pairs import LI, LJ, PairCovariance
from sgtheory.modepairs.stability import stability
from sgtheory.notation import matrixwords as words
from sgtheory.notation.printing import tidy
from sgtheory.onestep.affine import LAMBDA
from sgtheory.onestep.full import Array, symmetric_root


@dataclass(frozen=True)
class ExactGain:
    """What zero divergence asks of the gain: the noise becomes ``phi`` of the curvature."""

    phi: Any  # in lambda
    noise: Any  # C, or C + rho E E^T: a matrix formula
    conditions: tuple[Any, ...]  # positive at every eigenvalue of the curvature, if stable

    @cached_property
    def line(self) -> tuple[Any, Any] | None:
        """alpha and beta where phi is alpha + beta lambda with alpha not zero."""
        slope = sp.cancel(sp.diff(self.phi, LAMBDA))
        start = sp.cancel(self.phi - slope * LAMBDA)
        if slope.has(LAMBDA) or start == 0:
            return None
        return sp.factor(start), sp.factor(slope)

    @cached_property
    def inverse(self) -> Any:
        """H^(-1) as a matrix formula; None where it is no combination of A and the noise."""
        if self.line is None:
            return None
        alpha, beta = self.line
        terms = [t.args_cnc() for t in sp.Add.make_args(self.noise)]
        scaled = (tidy(sp.cancel(sp.Mul(*c) / alpha)) * sp.Mul(*w) for c, w in terms)
        return sp.Add(*scaled, tidy(sp.cancel(-beta / alpha)) * words.A)

    def solve(self, scalars: Mapping[str, Any], matrices: Mapping[str, Array]) -> Array:
        """The gain in numbers.

        >>> from sgtheory import derive
        >>> found = exact_gain(derive("sgd").pairs)
        >>> numbers = {"eps": 1.0, "N": 10.0, "S": 1.0}
        >>> found.solve(numbers, {"A": np.array([[2.0]]), "C": np.array([[3.0]])}).round(6)
        array([[0.0625]])
        """
        A, W = matrices["A"], words.value(self.noise, scalars, matrices)
        back = np.linalg.inv(symmetric_root(A))
        wanted, basis = np.linalg.eigh(_symmetric(back @ W @ back))
        known = {s: sp.Float(float(scalars[s.name]), 30) for s in self._parameters}
        found = [self._root(k, known) for k in wanted]
        turned = back @ basis
        return _symmetric(turned @ np.diag(found) @ turned.T)

    @property
    def _parameters(self) -> set[Any]:
        everything = (self.phi, *self.conditions)
        return set().union(*(e.free_symbols for e in everything)) - {LAMBDA}

    def _root(self, k: float, known: Mapping[Any, Any]) -> float:
        """The smallest stable g > 0 with phi(g) = k g."""
        top, bottom = sp.fraction(sp.together(self.phi.subs(known)))
        equation = sp.Poly(top - sp.Float(k, 30) * LAMBDA * bottom, LAMBDA)
        roots = np.roots([complex(c) for c in equation.all_coeffs()])
        for g in sorted(r.real for r in roots if abs(r.imag) <= 1e-9 * abs(r) and r.real > 0):
            if k > 0 and all(c.subs(known).subs(LAMBDA, g) > 0 for c in self.conditions):
                return float(g)
        raise UnusableInput(
            "noise that some stable gain turns into the posterior's",
            f"a direction with {k:.3g} of it per unit of curvature",
            "choose another step, or more noise there",
        )


def _symmetric(m: Array) -> Array:
    return np.asarray((m + m.T) / 2)


def responses(pairs: PairCovariance) -> dict[str, Any]:
    """r(l_i, l_j) of every noise, for the position."""
    k = [s.name for s in pairs.form.states].index("theta")
    return {
        str(symbol).removesuffix("_ij"): sp.factor(r[k, k])
        for symbol, r in zip(pairs.symbols, pairs.responses, strict=True)
    }


@cache
def exact_gain(pairs: PairCovariance) -> ExactGain | None:
    """The condition for zero divergence, or None where the noises of a sampler forbid it.

    >>> from sgtheory import derive
    >>> exact_gain(derive("sgd").pairs).inverse
    eps*N*C/(2*S) + eps*A/2
    >>> exact_gain(derive("sgld").pairs) is None  # phi = -S lambda/N: C would have to be negative
    True
    """
    found = responses(pairs)
    isotropic = found.pop("delta", sp.Integer(0))
    noise, first = words.C, found.pop("C", None)
    if first is None or pairs.form.gain is None:
        return None
    for name, response in found.items():
        ratio = sp.cancel(response / first)
        if name != "EE" or ratio.has(LI, LJ):
            return None
        noise = noise + ratio * words.EE
    same = {LI: LAMBDA, LJ: LAMBDA}
    phi = sp.factor((1 / (N * LAMBDA) - isotropic.subs(same)) / first.subs(same))
    if phi == 0 or (-phi).is_positive:
        return None
    return ExactGain(phi, noise, stability(pairs.form).conditions)


def exact_noise(pairs: PairCovariance) -> Any:
    """E E^T as a matrix formula for which the divergence is zero at a given gain, or None.

    >>> from sgtheory import derive
    >>> exact_noise(derive("sgfs").pairs)
    -eps*C/S - eps*A/N + 2*H**(-1)/N
    """
    found = responses(pairs)
    if set(found) != {"C", "EE"}:
        return None
    same = {LI: LAMBDA, LJ: LAMBDA}
    share = sp.cancel(found["C"] / found["EE"])
    needed = sp.cancel(1 / (N * LAMBDA) / found["EE"].subs(same))
    slope = sp.cancel(sp.diff(needed, LAMBDA))
    start = sp.cancel(needed - slope * LAMBDA)
    if share.has(LI, LJ) or slope.has(LAMBDA):
        return None
    gain = words.H**-1 if _has_gain(pairs) else words.identity
    return tidy(start) * gain + tidy(slope) * words.A - tidy(share) * words.C


def _has_gain(pairs: PairCovariance) -> bool:
    return pairs.form.gain is not None and not isinstance(pairs.form.gain, Root)
