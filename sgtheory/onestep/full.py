"""One step as full matrices in a chosen floating-point type, straight from the declared updates.

This is the second route to every number: it knows nothing of modes, gains or congruences, and
supplies the residual that certifies what the mode route has found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import Noise, Root, Spread
from sgtheory.errors import UnusableInput
from sgtheory.onestep.affine import LinearForm, drive, increments, linear_form, one_step
from sgtheory.problem import Values
from sgtheory.reader import exact
from sgtheory.setting import Setting

Array = Any  # numpy.ndarray of one of several real types


@dataclass(frozen=True)
class FullStep:
    """x' = M x + noise of covariance Q (or dx = M x dt + noise), states stacked."""

    M: Array
    Q: Array


def scalar(expr: Any, values: Values, dtype: Any = float) -> Any:
    """A coefficient in floating point, computed exactly or to 30 digits, and rounded once or twice."""
    number = _number(sp.sympify(expr), values)
    if getattr(number, "is_real", True) is False:
        remedy = "choose parameters at which what stands under each root is positive"
        raise UnusableInput("numbers at which the step is real", f"{expr} = {number}", remedy)
    high = float(number)
    if np.dtype(dtype).itemsize <= 8:
        return dtype(high)
    exactly = isinstance(number, Fraction)
    low = number - Fraction(high) if exactly else (number - sp.Float(high, 40)).evalf(40)
    return dtype(high) + dtype(float(low))


def _number(expr: Any, values: Values) -> Any:
    """A coefficient as a fraction; where it is more than rational numbers and roots, as SymPy has it."""
    try:
        return _fraction(expr, values.scalars)
    except (TypeError, ZeroDivisionError):
        known = {s: sp.Rational(values.scalars[s.name]) for s in expr.free_symbols}
        return expr.subs(known)


def _fraction(expr: Any, scalars: Mapping[str, Fraction]) -> Fraction:
    """The value of a rational function, roots to 60 digits: ten times as fast as substitution."""
    if isinstance(expr, sp.Rational):
        return Fraction(expr.p, expr.q)
    if isinstance(expr, sp.Symbol):
        return scalars[expr.name]
    if isinstance(expr, sp.Add):
        return sum((_fraction(a, scalars) for a in expr.args), Fraction(0))
    if isinstance(expr, sp.Mul):
        return math.prod((_fraction(a, scalars) for a in expr.args), start=Fraction(1))
    if isinstance(expr, sp.Pow) and isinstance(expr.exp, sp.Rational):
        base, power = _fraction(expr.base, scalars), expr.exp
        if power.q == 1:
            return base ** int(power)
        if power.q == 2 and base > 0:
            return _root(base) ** int(power.p)
    raise TypeError("neither rational nor a root")


def _root(x: Fraction) -> Fraction:
    """A square root: exact where it is rational, else to 60 digits.

    >>> _root(Fraction(9, 4))
    Fraction(3, 2)
    """
    product = x.numerator * x.denominator
    shift = 10 ** max(0, 60 - len(str(product)) // 2)
    return Fraction(math.isqrt(product * shift**2), x.denominator * shift)


def matrix(factor: Any, values: Values, dtype: Any = float) -> Array:
    """The matrix that a word's letter stands for; the noise factor B is left to its covariance."""
    if isinstance(factor, Root):
        return symmetric_root(matrix(factor.args[0], values, float)).astype(dtype)
    if np.dtype(dtype).itemsize <= 8:
        return values.arrays[str(factor)]
    return exact.floats(values.matrices[str(factor)], dtype)


def symmetric_root(m: Array) -> Array:
    """The symmetric positive-semidefinite square root."""
    eigenvalues, vectors = np.linalg.eigh(m)
    return (vectors * np.sqrt(np.clip(eigenvalues, 0, None))) @ vectors.T


def at_clock(values: Values, clock: int) -> Values:
    """The same where the clock shows so many steps, without rounding the matrices again."""
    found = replace(values, scalars={**values.scalars, "t": Fraction(clock)})
    vars(found)["arrays"] = values.arrays
    return found


def full_step(
    setting: Setting, values: Values, time: str, dtype: Any = float, clock: int = 0
) -> FullStep:
    """The full matrices of one step (or of one unit of continuous time)."""
    states = setting.state
    forms = one_step(setting) if time == "discrete" else increments(setting)
    now = at_clock(values, clock)
    return _assemble(forms, states, now, dtype)


def full_steps(setting: Setting, values: Values, steps: int, dtype: Any = float) -> FullStep:
    """The full matrices of several steps from clock 0."""
    total = full_step(setting, values, "discrete", dtype)
    for clock in range(1, steps):
        one = full_step(setting, values, "discrete", dtype, clock)
        total = FullStep(one.M @ total.M, one.M @ total.Q @ one.M.T + one.Q)
    return total


def start(setting: Setting, values: Values) -> tuple[Array, Array]:
    """Mean, from the mode, and covariance of the first state: theta where the problem says."""
    states = setting.state
    declared = {target: linear_form(sp.sympify(e), {}) for target, e in setting.sampler.start if e != 0}
    covariance = _assemble({s: declared.get(s, {}) for s in states}, states, values, float).Q
    zero = [0.0] * values.D
    places = [np.array([float(x) for x in values.start.get(s.name, zero)]) for s in states]
    moving = setting.sampler.positions
    mean = np.concatenate(
        [p - center(values) * (s in moving) for p, s in zip(places, states, strict=True)]
    )
    return mean, covariance


@dataclass(frozen=True)
class Means:
    """What steps do to the mean, from the mode, of a chain that something pulls away from it.

    Each matrix acts on the mean and a 1: one for every clock of a period, or a generator.
    """

    maps: tuple[Array, ...]
    time: str

    @classmethod
    def of(cls, setting: Setting, values: Values, time: str, phases: int) -> Means | None:
        """None where a chain that rests at the mode stays there, as nearly always."""
        if values.examples is None or not any(drive(setting, time).values()):
            return None
        n = len(setting.state) * values.D
        maps = []
        for clock in range(phases):
            found = np.zeros((n + 1, n + 1))
            found[:n, :n] = full_step(setting, values, time, clock=clock).M
            found[:n, n], found[n, n] = _driven(setting, values, time, clock), time == "discrete"
            maps.append(found)
        return cls(tuple(maps), time) if any(m[:n, n].any() for m in maps) else None

    @property
    def resting(self) -> Array:
        """Where the mean settles, at the end of a period."""
        total = _one_after_the_other(self.maps)
        M, added = total[:-1, :-1], total[:-1, -1]
        return np.linalg.solve(np.eye(len(M)) - M if self.time == "discrete" else -M, added)

    def after(self, steps: int, mean: Array) -> Array:
        """The mean after a number of steps from clock 0, or after a time."""
        if self.time != "discrete":
            from scipy.linalg import expm

            return (expm(self.maps[0] * steps) @ np.r_[mean, 1.0])[:-1]
        periods, more = divmod(steps, len(self.maps))
        whole = np.linalg.matrix_power(_one_after_the_other(self.maps), periods)
        return (_one_after_the_other(self.maps[:more], whole) @ np.r_[mean, 1.0])[:-1]


def _one_after_the_other(maps: Sequence[Array], first: Array | None = None) -> Array:
    total = first
    for one in maps:
        total = one if total is None else one @ total
    return total


def _driven(setting: Setting, values: Values, time: str, clock: int) -> Array:
    """What a step, or a unit of time, adds to the states of a chain at the mode, stacked."""
    now = at_clock(values, clock)
    forms = drive(setting, time)
    return np.concatenate([on_mode(forms[s], now) for s in setting.state])


def on_mode(form: LinearForm, values: Values) -> Array:
    """Words on the mode in numbers; the curvature of a minibatch alone is of mean zero."""
    total = np.zeros(values.D)
    for (word, _), coefficient in form.items():
        if not any(isinstance(letter, Spread) for letter in word):
            total += scalar(coefficient, values) * product(word, values, float) @ center(values)
    return total


def center(values: Values) -> Array:
    """Where the mode is."""
    if values.examples is None:
        return np.zeros(values.D)
    return np.array([float(x) for x in values.examples.mode])


def precision(setting: Setting, values: Values) -> Array:
    """The precision of what a sampler is after: the model's posterior, or a local one."""
    form = linear_form(setting.model.posterior_precision, {})
    found = sum(scalar(c, values) * product(word, values, float) for (word, _), c in form.items())
    power, spring = (scalar(sp.sympify(x), values) for x in setting.sampler.target)
    return power * found + spring * np.eye(values.D)


def _assemble(forms: Mapping[Any, LinearForm], states: Any, values: Values, dtype: Any) -> FullStep:
    d, m = values.D, len(states)
    M = np.zeros((m * d, m * d), dtype)
    drives: dict[Any, list[tuple[int, Array, bool]]] = {}
    for a, state in enumerate(states):
        rows = slice(a * d, (a + 1) * d)
        for (word, source), coefficient in forms[state].items():
            if any(isinstance(letter, Spread) for letter in word):
                continue  # of mean zero: numbers.multiplicative adds what it does to covariances
            value = scalar(coefficient, values, dtype)
            if isinstance(source, Noise):
                ends_in_b = bool(word) and str(word[-1]) == "B"
                front = value * product(word[:-1] if ends_in_b else word, values, dtype)
                drives.setdefault(source, []).append((a, front, ends_in_b))
            else:
                b = states.index(source)
                M[rows, b * d : (b + 1) * d] += value * product(word, values, dtype)
    Q = np.zeros((m * d, m * d), dtype)
    C = matrix("C", values, dtype) if "C" in values.matrices else None
    for terms in drives.values():
        for a, front, coloured in terms:
            for b, other, _ in terms:
                middle = front @ C if coloured else front
                Q[a * d : (a + 1) * d, b * d : (b + 1) * d] += middle @ other.T
    return FullStep(M, Q)


def product(word: Any, values: Values, dtype: Any) -> Array:
    """The matrix of a word; the identity for the empty word."""
    product = None
    for factor in word:
        if not isinstance(factor, Root) and values.is_identity(str(factor)):
            continue
        letter = matrix(factor, values, dtype)
        product = letter if product is None else product @ letter
    return np.eye(values.D, dtype=dtype) if product is None else product
