"""Moments of an invariant law about the minimiser: as formulas, in coordinates, and on a problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.errors import Unstable, UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula
from sgtheory.perturbation import tell
from sgtheory.perturbation.derivatives import AtMode, at_mode
from sgtheory.perturbation.form import Form, form_of
from sgtheory.perturbation.hierarchy import Key, Kind, Values, moments
from sgtheory.perturbation.symbols import Components, components
from sgtheory.problem import Problem
from sgtheory.problem import Values as Numbers

Array = Any

_HIGHEST = {1: 4, 2: 2, 3: 2}  # orders in numbers, by dimension; 1 in any other


@dataclass(frozen=True, eq=False)
class Expansion:
    """Moments about ``minimiser`` on a problem, one term to an order; each property is a sum."""

    minimiser: Array
    means: tuple[Array, ...]
    seconds: tuple[Array, ...]

    @property
    def mean(self) -> Array:
        """E[theta - theta*]."""
        return np.sum(self.means, axis=0)

    @property
    def second(self) -> Array:
        """E[(theta - theta*)(theta - theta*)^T]."""
        return np.sum(self.seconds, axis=0)

    @property
    def covariance(self) -> Array:
        """About the mean, to the same order."""
        total = self.second
        for i, a in enumerate(self.means, start=1):
            for j, b in enumerate(self.means, start=1):
                if i + j <= len(self.means):
                    total = total - np.outer(a, b)
        return total


@dataclass(frozen=True)
class InvariantMoments:
    """What ``invariant_moments`` returns. ``order`` 1 is the leading one."""

    form: Form
    order: int

    @property
    def small(self) -> str:
        """What vanishes: "1/N" at fixed eta = gamma N, or "eta"."""
        return self.form.small

    @property
    def mean(self) -> Equation:
        """The mean to leading order, in any dimension."""
        return tell.mean(self.form)

    @property
    def second(self) -> Equation:
        """The second moments about theta* to leading order, in any dimension."""
        return tell.second(self.form)

    @property
    def operators(self) -> tuple[Equation, ...]:
        """gamma in the sampler's letters, and K, H, G, M as they follow from its update."""
        return tell.operators(self.form)

    @property
    def remainder(self) -> Formula:
        """What this order leaves out."""
        return tell.remainder(self.form, self.order)

    @cached_property
    def derivation(self) -> Derivation:
        """From the update to the moments, in any dimension."""
        return tell.derivation(self.form, self.order)

    def components(self, D: int = 1) -> Components:
        """The moments in coordinates, in derivatives of an unspecified U and of its examples."""
        return components(self._kind(D), self.form.temperature, self.form.additive)

    def at(self, problem: Problem) -> Expansion:
        """The moments on a problem, in numbers."""
        numbers, found = self._numbers(problem)
        return self.expand(found, self._gamma(numbers))

    def expand(self, found: AtMode, gamma: float) -> Expansion:
        """The moments of any U, from its derivatives and those of its minibatches at the minimiser."""
        leading = self._leading(found, gamma, self.form.additive == 0)
        if self.order == 1:
            return leading
        if self.order > _HIGHEST.get(found.D, 1):
            raise UnusableInput(
                f"order at most {_HIGHEST.get(found.D, 1)} in {found.D} dimensions",
                str(self.order),
                "moments of higher order are too many",
            )
        return self._by_degree(found, gamma)

    def resummed(self, problem: Problem) -> Expansion:
        """The leading order with the whole operator G, as Brosse et al. print it: exact for quadratic U.

        Where eta vanishes its error is of the same order as that of the leading term: it has a part only
        of what the next order adds.
        """
        numbers, found = self._numbers(problem)
        return self._leading(found, self._gamma(numbers), True)

    def _kind(self, D: int) -> Kind:
        return Kind(D, self.order, self.form.multiplicative, bool(self.form.additive != 0))

    def _numbers(self, problem: Problem) -> tuple[Numbers, AtMode]:
        numbers = problem.values(self.form.sampler)
        for gain in self.form.gains:
            if not numbers.is_identity(gain):
                raise UnusableInput(
                    f"{gain} = I", "another matrix", "change coordinates so that it is I"
                )
        return numbers, at_mode(problem, numbers)

    def _gamma(self, numbers: Numbers) -> float:
        letters = self.form.gamma.free_symbols
        known = {s: sp.Rational(str(numbers.scalars[s.name])) for s in letters}
        return float(self.form.gamma.subs(known))

    def _leading(self, found: AtMode, gamma: float, whole: bool) -> Expansion:
        """The matrix equation for second moments, in every dimension."""
        A, one = found.hessian, np.eye(found.D)
        size = found.D**2
        bare = np.einsum("ik,jl->ijkl", A, one) + np.einsum("ik,jl->ijkl", one, A)
        full = bare - gamma * np.einsum("ik,jl->ijkl", A, A)
        if self.form.multiplicative:
            full = full - gamma * np.einsum("ikjl->ijkl", found.multiplicative)
        rate = np.abs(np.linalg.eigvals(np.eye(size) - gamma * full.reshape(size, size))).max()
        if not rate < 1:
            raise Unstable(
                f"second moments about the minimiser grow by {rate:.6g} a step: reduce the step"
            )
        source = 2 * float(self.form.temperature) * one
        if self.form.additive != 0:
            source = source + gamma * float(self.form.additive) ** 2 * found.additive
        operator = (full if whole else bare).reshape(size, size)
        second = np.linalg.solve(operator, source.ravel()).reshape(A.shape)
        shift = -np.linalg.solve(A, np.einsum("ijk,jk->i", found.third, second)) / 2
        return Expansion(found.minimiser, (shift,), ((second + second.T) / 2,))

    def _by_degree(self, found: AtMode, gamma: float) -> Expansion:
        share = float(self.form.additive)

        def joint(keys: tuple[Key, ...]) -> float:
            return share ** sum(len(k) == 1 for k in keys) * found.joint(keys)

        heat = 2 * gamma * float(self.form.temperature)
        known = moments(self._kind(found.D), Values(found.total, joint, gamma, heat, 1.0))
        means, seconds = [], []
        unit = np.eye(found.D, dtype=int)
        for n in range(2, 2 * self.order + 1, 2):
            means.append(np.array([known[tuple(map(int, e)), n] for e in unit]))
            seconds.append(np.array([[known[tuple(map(int, a + b)), n] for b in unit] for a in unit]))
        return Expansion(found.minimiser, tuple(means), tuple(seconds))


def invariant_moments(sampler: Any, order: int = 1) -> InvariantMoments:
    """Moments about theta* of the invariant law of a sampler with unbiased gradients, to an order.

    >>> found = invariant_moments("sgldfp")
    >>> print(found.second.text)
    E[(theta - theta*)^(x2)] = G^-1(2 I) + O(N^-2)
    >>> found.components(1).second[0]
    2/(-gamma*U2**2 - gamma*V22 + 2*U2)
    >>> problem = Problem.of({"model": "linear_regression", "X": [[1], [2]], "y": [1, 0], "S": 1,
    ...                       "params": {"gamma": "1/10"}})
    >>> found.at(problem).second  # 2/(10 - (25 + 9)/10)
    array([[0.3030303]])
    """
    if not isinstance(order, int) or isinstance(order, bool) or order < 1:
        raise UnusableInput("an order from 1", repr(order), "1 is the leading order")
    return InvariantMoments(form_of(sampler), order)
