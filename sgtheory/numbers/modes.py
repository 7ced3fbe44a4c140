"""A mode form in numbers: small matrices to each eigenvalue, and what can be computed from them.

Arrays are indexed (mode, state, state) for M and (mode, mode, state, state) for covariances. Where
updates depend on the step counter there is one M and one set of noise columns to a phase.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import sympy as sp

from sgtheory.declare import Root, t
from sgtheory.errors import UnusableInput
from sgtheory.onestep.affine import LAMBDA, ModeForm
from sgtheory.onestep.full import Array, matrix, scalar, symmetric_root
from sgtheory.problem import Values
from sgtheory.setting import EPOCH

_PHASES = 100_000  # more phases than this would not fit the table of their matrices


@dataclass(frozen=True, eq=False)
class Modes:
    """A mode form in numbers. ``columns`` are the noises: their coupling and their coefficients."""

    form: ModeForm
    eigenvalues: Array  # (D,)
    bases: Array  # (m, D, D): a state's modes to its coordinates, H^(1/2) U for positions
    inverses: Array
    table: Array  # (phases, D, m, m)
    columns: tuple[tuple[Array, Array], ...]  # shared (D, D), coefficients (phases, D, m)

    def at(self, values: Values) -> Modes:
        """The same modes at other numbers, where these change no matrix."""
        table = table_of(self.form, self.eigenvalues, values)
        columns = [
            (shared, _along(sp.Matrix(noise.coefficients), self.eigenvalues, values, len(table)))
            for (shared, _), noise in zip(self.columns, self.form.noises, strict=True)
        ]
        return replace(self, table=table, columns=tuple(columns))

    def only(self, places: Array) -> Modes:
        """Some of the modes, in coordinates along them: the law of each is what it was."""
        one = np.broadcast_to(np.eye(len(places)), (self.bases.shape[0], len(places), len(places)))
        columns = tuple((w[np.ix_(places, places)], c[:, places]) for w, c in self.columns)
        eigenvalues, table = self.eigenvalues[places], self.table[:, places]
        return Modes(self.form, eigenvalues, one, one, table, columns)

    @property
    def size(self) -> tuple[int, int]:
        """The dimension D, and how many states there are."""
        return self.table.shape[1], self.table.shape[2]

    @property
    def phases(self) -> int:
        """How many steps are tabled: the period, or the steps of an unperiodic run."""
        return len(self.table)

    def M(self, clock: int = 0) -> Array:
        """The matrices of one step, (D, m, m)."""
        return self.table[clock % self.phases]

    def Q(self, clock: int = 0) -> Array:
        """The noise of one step, (D, D, m, m)."""
        d, m = self.size
        total = np.zeros((d, d, m, m))
        for shared, coefficients in self.columns:
            c = coefficients[clock % self.phases]
            total += shared[:, :, None, None] * c[:, None, :, None] * c[None, :, None, :]
        return total

    @cached_property
    def whole(self) -> tuple[Array, Array]:
        """M and Q of a whole period."""
        return self.steps(self.phases)

    def steps(self, n: int, begin: int = 0) -> tuple[Array, Array]:
        """M and Q of n steps from a clock: by doubling where all steps are equal."""
        d, m = self.size
        one, none = np.broadcast_to(np.eye(m), (d, m, m)), np.zeros((d, d, m, m))
        if self.phases == 1:
            return power(self.M(), self.Q(), n)
        if n > self.phases and self.form.setting.period is not None and begin == 0:
            M, Q = power(*self.whole, n // self.phases)
            more_m, more_q = self.steps(n % self.phases)
            return more_m @ M, more_q + push(more_m, Q)
        M, Q = one, none
        for clock in range(begin, begin + n):
            step = self.M(clock)
            M, Q = step @ M, self.Q(clock) + push(step, Q)
        return M, Q

    def to_coordinates(self, blocks: Array) -> Array:
        """From pair blocks to the stacked covariance of all states."""
        d, m = self.size
        grid = blocks.transpose(2, 3, 0, 1)
        turned = self.bases[:, None] @ grid @ self.bases[None].transpose(0, 1, 3, 2)
        stacked = turned.transpose(0, 2, 1, 3).reshape(m * d, m * d)
        return (stacked + stacked.T) / 2

    def to_modes(self, stacked: Array, places: Array | None = None) -> Array:
        """From a stacked covariance to pair blocks, of all modes or of those at some places."""
        d, m = self.size
        rows = self.inverses if places is None else self.inverses[:, places]
        grid = stacked.reshape(m, d, m, d).transpose(0, 2, 1, 3)
        turned = rows[:, None] @ grid @ rows[None].transpose(0, 1, 3, 2)
        return turned.transpose(2, 3, 0, 1)


def push(M: Array, blocks: Array) -> Array:
    """M_i P_ij M_j^T for all pairs."""
    return M[:, None] @ blocks @ M[None].transpose(0, 1, 3, 2)


def power(M: Array, Q: Array, steps: int) -> tuple[Array, Array]:
    """M^n and the noise gathered over n steps, by doubling."""
    total_m, total_q = np.broadcast_to(np.eye(M.shape[1]), M.shape), np.zeros_like(Q)
    while steps:
        if steps & 1:
            total_m, total_q = M @ total_m, Q + push(M, total_q)
        M, Q = M @ M, Q + push(M, Q)
        steps >>= 1
    return total_m, total_q


def solve(M: Array, Q: Array, time: str) -> Array:
    """The pair blocks of the stationary covariance for a given noise, all pairs at once."""
    d, m, _ = M.shape
    one = np.eye(m)
    if m == 1 and time == "discrete":
        return Q / (1 - M[:, None] * M[None])
    if time == "discrete":
        system = np.eye(m * m) - np.einsum("iac,jbd->ijabcd", M, M).reshape(d, d, m * m, m * m)
    else:
        left = np.einsum("iac,bd->iabcd", M, one)[:, None]
        right = np.einsum("ac,jbd->jabcd", one, M)[None]
        system = -(left + right).reshape(d, d, m * m, m * m)
    return np.linalg.solve(system, Q.reshape(d, d, m * m, 1)).reshape(d, d, m, m)


def modes_of(form: ModeForm, values: Values, steps: int | None = None) -> Modes:
    """A mode form in numbers; ``steps`` says how far an unperiodic run is wanted."""
    eigenvalues, basis, inverse = _eigenbasis(form, values)
    table = table_of(form, eigenvalues, values, steps)
    phases = len(table)
    columns = []
    for noise in form.noises:
        c = _along(sp.Matrix(noise.coefficients), eigenvalues, values, phases)
        columns.append((_coupling(noise.coupling, inverse, values), c))
    # sums of gradients transform inversely to positions
    bases = np.stack([inverse.T if s == EPOCH else basis for s in form.states])
    inverses = np.stack([basis.T if s == EPOCH else inverse for s in form.states])
    return Modes(form, eigenvalues, bases, inverses, table, tuple(columns))


def table_of(form: ModeForm, eigenvalues: Array, values: Values, steps: int | None = None) -> Array:
    """The matrices of every phase: (phases, D, m, m)."""
    phases, m = _phases(form, values, steps), len(form.states)
    return _along(form.M, eigenvalues, values, phases).reshape(phases, len(eigenvalues), m, m)


def growth(form: ModeForm, table: Array) -> float:
    """What a step multiplies by in the long run: the spectral radius of a period, to one step."""
    if form.setting.period is None:  # a mean of ever more iterates: its own eigenvalues tend to 1
        return float("nan")
    whole = table[0]
    for M in table[1:]:
        whole = M @ whole
    eigenvalues = np.linalg.eigvals(whole)
    if form.time == "continuous":
        return float(np.exp(eigenvalues.real.max()))
    return float(np.abs(eigenvalues).max() ** (1 / len(table)))


def period_of(form: ModeForm, values: Values) -> int | None:
    """The period in numbers; None where the updates never repeat."""
    period = form.setting.period
    if period is None:
        return None
    known = {s: sp.Rational(values.scalars[s.name]) for s in sp.sympify(period).free_symbols}
    number = sp.sympify(period).subs(known)
    if not number.is_Integer:
        raise UnusableInput(
            f"a whole number of steps in {period}", str(number), "change N, S or the window"
        )
    return int(number)


def _phases(form: ModeForm, values: Values, steps: int | None) -> int:
    period = period_of(form, values)
    if period is None:
        if steps is None:
            raise UnusableInput(
                f"a number of steps for {form.setting.sampler.name}, which never settles",
                "none",
                "give --at 1000",
            )
        period = max(steps, 1)
    if period > _PHASES:
        raise UnusableInput(f"at most {_PHASES} phases", str(period), "shorten the period or the run")
    return period


def _eigenbasis(form: ModeForm, values: Values) -> tuple[Array, Array, Array]:
    if "A" not in values.arrays:
        what = "a model with a curvature A, such as quadratic, for a law in closed form"
        raise UnusableInput(
            what, form.setting.model.name, 'write "model": "quadratic", "hessian": [[1]]'
        )
    curvature = values.arrays["A"]
    if form.gain is None or values.is_identity(str(form.gain)):
        eigenvalues, U = np.linalg.eigh(curvature)
        return eigenvalues, U, U.T
    root = symmetric_root(matrix(form.gain, values))
    turned = root @ curvature @ root
    eigenvalues, U = np.linalg.eigh((turned + turned.T) / 2)
    return eigenvalues, root @ U, U.T @ np.linalg.inv(root)


def _along(entries: Any, eigenvalues: Array, values: Values, phases: int) -> Array:
    """A matrix of functions of lambda at every phase and eigenvalue: (phases, D, entries)."""
    columns = []
    for entry in entries:
        total = np.zeros((phases, len(eigenvalues)))
        for power_, coefficient in _terms(entry):
            total += clocked(coefficient, values, phases)[:, None] * eigenvalues**power_
        columns.append(total)
    return np.stack(columns, axis=-1)


@cache
def _terms(entry: Any) -> tuple[tuple[int, Any], ...]:
    """A polynomial in lambda, power by power."""
    return tuple((power_, coefficient) for (power_,), coefficient in sp.Poly(entry, LAMBDA).terms())


def clocked(coefficient: Any, values: Values, phases: int) -> Array:
    """A coefficient at every phase."""
    if t not in coefficient.free_symbols:
        return np.full(phases, scalar(coefficient, values))
    known = {s: sp.Rational(values.scalars[s.name]) for s in coefficient.free_symbols if s != t}
    # below the period, the clock is its own remainder
    clock = sp.Symbol("clock", integer=True, nonnegative=True)
    plain = coefficient.subs(known).replace(
        lambda e: isinstance(e, sp.Mod) and e.args[0] == t, lambda e: clock
    )
    # in floats before NumPy sees it: it has no square root of an integer beyond 64 bits
    evaluated = sp.lambdify(clock, sp.N(plain.subs(t, clock), 20), "numpy")
    return np.broadcast_to(np.asarray(evaluated(np.arange(phases)), float), (phases,)).copy()


def _coupling(word: Any, back: Array, values: Values) -> Array:
    """(W W^T)_ij in mode coordinates, W the word in front of a noise."""
    front = back
    coloured = bool(word) and str(word[-1]) == "B"
    for factor in word[:-1] if coloured else word:
        if isinstance(factor, Root) or not values.is_identity(str(factor)):
            front = front @ matrix(factor, values)
    middle = front @ values.arrays["C"] if coloured else front
    return middle @ front.T
