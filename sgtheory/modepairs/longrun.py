"""Sums over lags as formulas: long-run covariance, correlation times, windows; and temperatures.

All are pair formulas, or their diagonal: one mode with itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.declare import N
from sgtheory.declaring.cost import gradients_per_step
from sgtheory.modepairs.pairs import LI, LJ, PairCovariance, stationary_operator
from sgtheory.notation.printing import tidy
from sgtheory.onestep.affine import LAMBDA, mode_form
from sgtheory.setting import Setting


@cache
def long_run(pairs: PairCovariance) -> Any:
    """The sum of the position's autocovariances over all lags, at a pair of modes.

    >>> from sgtheory import derive
    >>> long_run(derive("sgd").pairs)
    C_ij/(S*lambda_i*lambda_j)
    """
    k = [s.name for s in pairs.form.states].index("theta")
    left, right = _resolvent(pairs, LI), _resolvent(pairs, LJ).T
    total = sp.Integer(0)
    for symbol, response in zip(pairs.symbols, pairs.responses, strict=True):
        summed = (left[k, :] * response)[k] + (response[k, :] * right)[k]
        if pairs.form.time == "discrete":
            summed -= response[k, k]
        total += tidy(symbol * sp.factor(summed))
    return total


@cache
def long_run_of_squares(pairs: PairCovariance) -> Any:
    """The sum over all lags of the autocovariances of theta_i^2: twice the squares of those of theta_i.

    The squares of c(k) = e^T M^k p add up to an entry of X = M X M^T + p p^T, p the covariances of all
    states with the position.

    >>> from sgtheory import derive
    >>> pairs = derive("sgd").pairs
    >>> variance = at_one_mode(pairs.entry("theta", "theta"))
    >>> sp.factor(long_run_of_squares(pairs) / (2 * variance**2))
    -(eps**2*lambda_i**2 - 2*eps*lambda_i + 2)/(eps*lambda_i*(eps*lambda_i - 2))
    """
    names = [s.name for s in pairs.form.states]
    k, m = names.index("theta"), len(names)
    column = sp.Matrix([at_one_mode(pairs.entry(a, "theta")) for a in names])
    system = stationary_operator(pairs.form).subs(LJ, LI)
    pushed = sp.Matrix([sp.factor(a * b) for a in column for b in column])
    summed = system.LUsolve(pushed)[k * m + k]
    total = 2 * summed - (column[k] ** 2 if pairs.form.time == "discrete" else 0)
    return tidy(sp.factor(2 * total))


def _resolvent(pairs: PairCovariance, eigenvalue: Any) -> sp.Matrix:
    """(I - M)^(-1), or -F^(-1) in continuous time: what sums all powers."""
    M = sp.Matrix(pairs.form.M.subs(LAMBDA, eigenvalue))
    M = sp.eye(M.rows) - M if pairs.form.time == "discrete" else -M
    return sp.Matrix(M.adjugate() / sp.factor(M.det()))


def at_one_mode(expr: Any) -> Any:
    """A pair formula at i = j: C_ii instead of C_ij, and delta_ii = 1.

    >>> at_one_mode(sp.Symbol("C_ij", real=True) * LI / LJ)
    C_ii
    """
    names = {s: s.name for s in expr.free_symbols if s.name.endswith("_ij")}
    own = {s: sp.Symbol(n[:-2] + "ii", real=True) for s, n in names.items() if n != "delta_ij"}
    isotropic = {s: sp.Integer(1) for s, n in names.items() if n == "delta_ij"}
    same = expr.subs(own | isotropic).subs(LJ, LI)
    return sp.Add(*(tidy(sp.factor(t)) for t in sp.Add.make_args(same)))


def correlation_time(pairs: PairCovariance) -> Any:
    """The integrated autocorrelation time of the position along mode i.

    >>> from sgtheory import derive
    >>> correlation_time(derive("sgd").pairs)
    (-eps*lambda_i + 2)/(eps*lambda_i)
    """
    ratio = at_one_mode(long_run(pairs)) / at_one_mode(pairs.entry("theta", "theta"))
    return tidy(sp.factor(sp.cancel(sp.together(ratio))))


def steps_per_pass(setting: Setting) -> Any:
    """How many steps cost as many single gradients as the data has examples.

    >>> from sgtheory import registry
    >>> quadratic = registry.model("quadratic")
    >>> steps_per_pass(Setting(registry.sampler("sgd"), quadratic))
    N/S
    """
    cost = gradients_per_step(setting.sampler)
    return sp.cancel(N / cost) if cost else None


@dataclass(frozen=True)
class Reading:
    """A temperature: of what, where in the step it is read, and its value along mode i."""

    of: str
    after: int | None  # the number of the update, None at the end of a step
    value: Any


def temperatures(pairs: PairCovariance) -> list[Reading]:
    """Temperatures along mode i; that of the chain is their mean over the modes.

    >>> from sgtheory import derive
    >>> [(t.of, t.after) for t in temperatures(derive("underdamped").pairs)]
    [('theta', None), ('v', 1), ('v', 3), ('v', None)]
    """
    sampler = pairs.form.setting.sampler
    if not sampler.kinetic:
        return []
    found = [Reading("theta", None, at_one_mode(_times(N * LI, pairs.entry("theta", "theta"))))]
    for velocity, unit in sampler.kinetic:
        readings = [] if pairs.form.time == "continuous" else _places(pairs.form.setting, velocity)
        found += [Reading(velocity.name, p, _kinetic(pairs, velocity, unit, p)) for p in readings]
        own = _times(1 / sp.sympify(unit), pairs.entry(velocity.name, velocity.name))
        found.append(Reading(velocity.name, None, at_one_mode(own)))
    return found


def _times(factor: Any, expr: Any) -> Any:
    """A factor times a sum, term by term: one term to each noise."""
    return sp.Add(*(sp.factor(factor * t) for t in sp.Add.make_args(expr)))


def _places(setting: Setting, velocity: Any) -> list[int]:
    """After which updates, other than the last that writes it, the velocity is another."""
    writes = [k for k, (target, _) in enumerate(setting.updates, start=1) if target == velocity]
    return writes[:-1]


def _kinetic(pairs: PairCovariance, velocity: Any, unit: Any, place: int) -> Any:
    return at_one_mode(_times(1 / sp.sympify(unit), sp.Add(*read_entry(pairs, velocity.name, place))))


def read_entry(pairs: PairCovariance, name: str, place: int) -> list[Any]:
    """The variance of a state as it is after some updates of a step, one term to a noise."""
    part = mode_form(pairs.form.setting.reading(place))
    k = [s.name for s in part.states].index(name)
    left, right = part.M.subs(LAMBDA, LI), part.M.subs(LAMBDA, LJ).T
    terms = []
    for symbol, response, coupling in zip(
        pairs.symbols, pairs.responses, pairs.form.couplings, strict=True
    ):
        pushed = (left[k, :] * response * right[:, k])[0] + part.noise_block(coupling, LI, LJ)[k, k]
        terms.append(symbol * sp.factor(pushed))
    return terms


def window_sums(rate: Any, time: str, T: Any) -> tuple[Any, Any]:
    """For one state: the sum (integral) of (T - k) a^k from k = 1, and that of a^k from k = 0."""
    if time == "discrete":
        weighted = rate * (T * (1 - rate) - (1 - rate**T)) / (1 - rate) ** 2
        return weighted, (1 - rate**T) / (1 - rate)
    return (sp.exp(rate * T) - 1 - rate * T) / rate**2, (sp.exp(rate * T) - 1) / rate
