"""The law of an affine sampler to sixty digits, by running its declared step: any finite step, or none.

It shares the declaration with the formulas and with the floating-point law, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from sgtheory.errors import UnusableInput
from sgtheory.independent.fields import Rows, add, multiply, square_root, transpose
from sgtheory.independent.running import Point, linear_map
from sgtheory.problem import Values
from sgtheory.reader.exact import identity
from sgtheory.setting import Setting
from verification.laws.elimination import solve_stationary

DIGITS = 60
_MOST_STEPS = 100_000


@dataclass(frozen=True)
class DecimalLaw:
    """One step, its noise, and mean and second moments about the mean of all states, stacked."""

    step: Rows
    noise: Rows
    mean: tuple[Decimal, ...]
    covariance: Rows
    names: tuple[str, ...]
    size: int

    def block(self, a: str, b: str) -> Rows:
        """The covariance of two states."""
        i, j, d = self.names.index(a), self.names.index(b), self.size
        return [row[j * d : (j + 1) * d] for row in self.covariance[i * d : (i + 1) * d]]


def decimal(x: Fraction | int) -> Decimal:
    """A fraction to the digits of the context."""
    x = Fraction(x)
    return Decimal(x.numerator) / Decimal(x.denominator)


def decimal_law(setting: Setting, values: Values, steps: int | None) -> DecimalLaw:
    """After so many steps from the start, or in the stationary state.

    >>> from sgtheory.problem import Problem
    >>> from sgtheory import registry
    >>> content = {"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1, "params": {"eps": 1}}
    >>> problem = Problem.of(content)
    >>> sgd = Setting(registry.sampler("sgd"), problem.model)
    >>> decimal_law(sgd, problem.values("sgd"), None).covariance
    [[Decimal('1')]]
    """
    if steps is not None and steps > _MOST_STEPS:
        raise UnusableInput(f"at most {_MOST_STEPS} steps", str(steps), "ask for the stationary law")
    with localcontext() as context:
        context.prec = DIGITS
        step, noise = linear_map(setting, "discrete", _point(setting, values))
        noise = multiply(noise, transpose(noise))
        names, d = tuple(s.name for s in setting.state), values.D
        mean = tuple(_start(values, n, k) for n in names for k in range(d))
        zero = [[Decimal(0)] * (len(names) * d) for _ in range(len(names) * d)]
        if steps is None:
            mean, P = tuple(Decimal(0) for _ in mean), solve_stationary(step, noise, "discrete")
        else:
            P = zero
            for _ in range(steps):
                P = add(multiply(multiply(step, P), transpose(step)), noise)
                mean = tuple(row[0] for row in multiply(step, [[x] for x in mean]))
        return DecimalLaw(step, noise, mean, P, names, d)


def _start(values: Values, name: str, k: int) -> Decimal:
    return decimal(values.start[name][k]) if name in values.start else Decimal(0)


def _point(setting: Setting, values: Values) -> Point:
    scalars = {s for _, e in setting.updates for s in e.free_symbols if s.name in values.scalars}
    matrices = {n: _rows(m) for n, m in values.matrices.items()}
    for name, root in (("C", "B"), ("H", "Root(H)")):
        if name in matrices:
            matrices[root] = _factor(matrices[name])
    roots = {s: decimal(values.scalars[s.name]).sqrt() for s in scalars}
    return Point(Decimal, roots, (), matrices, _rows(identity(values.D)))


def _rows(m: Any) -> Rows:
    return [[decimal(x) for x in row] for row in m]


def _factor(C: Rows) -> Rows:
    """A lower triangular L with L L^T = C; a column of a pivot that vanishes is zero."""
    size = len(C)
    L = [[Decimal(0)] * size for _ in range(size)]
    tiny = Decimal(10) ** (10 - DIGITS) * max((C[k][k] for k in range(size)), default=Decimal(1))
    for j in range(size):
        for i in range(j, size):
            rest = C[i][j] - sum((L[i][k] * L[j][k] for k in range(j)), Decimal(0))
            if i == j:
                L[j][j] = square_root(rest, Decimal) if rest > tiny else Decimal(0)
            elif L[j][j]:
                L[i][j] = rest / L[j][j]
    return L


def plain_law(law: DecimalLaw) -> Mapping[str, Rows]:
    """Blocks under the names that claims use."""
    found = {f"P_{a}_{b}": law.block(a, b) for a in law.names for b in law.names}
    return {**found, "Sigma": found["P_theta_theta"]}
