"""Quantities that claims are about, in exact numbers: formulas in scalars, matrices and laws.

A quantity is a formula in scalars, or in traces, determinants and entries of matrices, or a matrix.
``Sigma`` is the covariance of the sampler's law in the claim's own time; ``SIGMA_DISCRETE`` and
``SIGMA_CONTINUOUS`` are those of the algorithm and of its limit, whatever the claim's time. Logarithms
may stand as terms: a sum of rational numbers and logarithms of them is compared exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.independent.fields import Itself, Rows, evaluate, total
from sgtheory.notation.matrixwords import EE, SIGMA, A, C, Determinant, E, Entry, H, Trace
from sgtheory.reader import exact
from sgtheory.setting import Setting
from verification.laws.lagsums import LAGS, sums_over_lags
from verification.laws.rational import (
    Numbers,
    matrix_value,
    plain_matrices,
    point_of,
    rooted,
    stationary_moments,
)
from verification.notation import D, N
from verification.refuter.places import Place, Space
from verification.terms.kinds import Transpose

SIGMA_DISCRETE, SIGMA_CONTINUOUS = sp.symbols("Sigma_discrete Sigma_continuous", commutative=False)
TIME_OF = {"Sigma_discrete": "discrete", "Sigma_continuous": "continuous"}


FUNCTIONALS = (Trace, Determinant, Entry)

# KL(law || posterior), the law being normal about the mode with covariance Sigma
DIVERGENCE = (N * Trace(A * SIGMA) - sp.log(Determinant(N * A * SIGMA)) - D) / 2
TEMPERATURE = N * Trace(A * SIGMA) / D  # 1 at the posterior
COVARIANCE_GAP = SIGMA_DISCRETE - SIGMA_CONTINUOUS


@dataclass(frozen=True)
class Amount:
    """A number ``rational + sum of c log a``, all c rational and all a positive.

    >>> Amount(Fraction(0), ((Fraction(1), Fraction(4)), (Fraction(-2), Fraction(2)))).is_zero
    True
    """

    rational: Any
    logs: tuple[tuple[Any, Any], ...] = ()

    @property
    def is_zero(self) -> bool:
        """Exactly: e to a rational power other than 0 is transcendental (Lindemann)."""
        if self.rational != 0:
            return False
        parts = 1
        for c, _ in self.logs:
            parts = parts * c.denominator
        product = Fraction(1)
        for c, a in self.logs:
            product *= a ** int(c * parts)
        return product == 1

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.rational - other.rational, (*self.logs, *((-c, a) for c, a in other.logs)))

    def __str__(self) -> str:
        logs = "".join(f" + ({c}) log({a})" for c, a in self.logs if c != 0 and a != 1)
        return f"{self.rational}{logs}"

    def decimal(self, digits: int = 60) -> Any:
        """To so many digits, beyond what cancels."""
        import mpmath

        def number(x: Fraction) -> Any:
            return mpmath.mpf(x.numerator) / x.denominator

        with mpmath.workdps(3 * digits):
            logs = [number(c) * mpmath.log(number(a)) for c, a in self.logs]
            return number(self.rational) + mpmath.fsum(logs)


def is_matrix(expr: Any) -> bool:
    """Whether a quantity is a matrix."""
    return not sp.sympify(expr).is_commutative


def amounts(expr: Any, numbers: Numbers) -> tuple[Amount, ...]:
    """A scalar quantity as one number, a matrix as its entries."""
    if is_matrix(expr):
        return tuple(Amount(x) for row in matrix_value(sp.expand(expr), numbers) for x in row)
    rational, logs = sp.Integer(0), []
    for term in sp.Add.make_args(sp.expand_mul(sp.sympify(expr), deep=False)):
        found = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.log)]
        if found:
            factor = number(term / found[0], numbers)
            logs.append((factor, number(found[0].args[0], numbers)))
        else:
            rational += term
    return (Amount(number(rational, numbers), tuple(logs)),)


def number(expr: Any, numbers: Numbers) -> Any:
    """A scalar without logarithms in the field of its letters."""
    expr, roots = sp.sympify(expr), {}
    for atom in expr.atoms(*FUNCTIONALS):
        symbol = sp.Dummy(positive=True)
        expr = expr.subs(atom, symbol)
        roots[symbol] = Itself(_functional(atom, numbers))
    roots |= {s: numbers.roots[s.name] for s in expr.free_symbols if s not in roots}
    return evaluate(expr, roots, numbers.field)


def _functional(atom: Any, numbers: Numbers) -> Any:
    rows = matrix_value(sp.expand(atom.args[0]), numbers)
    if isinstance(atom, Trace):
        return total((rows[k][k] for k in range(len(rows))), numbers.field(0))
    if isinstance(atom, Entry):
        return rows[int(atom.args[1])][int(atom.args[2])]
    return determinant(rows)


def determinant(rows: Rows) -> Any:
    """By the first row; matrices here are small.

    >>> determinant([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(3)]])
    Fraction(5, 1)
    """
    if len(rows) == 1:
        return rows[0][0]
    value = rows[0][0] - rows[0][0]
    for j, x in enumerate(rows[0]):
        part = x * determinant([[*r[:j], *r[j + 1 :]] for r in rows[1:]])
        value = value + part if j % 2 == 0 else value - part
    return value


def letters(*exprs: Any) -> set[str]:
    """The names of all matrices and scalars in some quantities."""
    return {s.name for e in exprs for s in sp.sympify(e).free_symbols}


def times_of(exprs: tuple[Any, ...], time: str) -> dict[str, str]:
    """Whose laws the quantities look at: a time for each ending of a moment's name."""
    names = letters(*exprs)
    own = any(n == SIGMA.name or n.startswith("P_") or n in LAGS for n in names)
    found = {"": time} if own else {}
    return found | {n.removeprefix(SIGMA.name): t for n, t in TIME_OF.items() if n in names}


def numbers_at(
    exprs: tuple[Any, ...], setting: Setting | None, place: Place, time: str
) -> Numbers | None:
    """The letters of some quantities at an exact place; None where a law that they need is unstable."""
    matrices = plain_matrices(place.matrices, place.D)
    for ending, when in times_of(exprs, time).items():
        assert setting is not None
        solved = stationary_moments(setting, place, when)
        if solved is None:
            return None
        matrices |= named(solved, ending)
        if not ending:
            point = point_of(setting, place)
            matrices |= sums_over_lags(setting, point, when, solved, letters(*exprs))
    roots = {name: rooted(value) for name, value in place.scalars.items()}
    return Numbers(Fraction, matrices, {**roots, "D": Itself(Fraction(place.D))})


def named(moments: Mapping[str, Rows], ending: str) -> dict[str, Rows]:
    """Second moments under the names that claims use."""
    found = {f"P_{k.replace(',', '_')}{ending}": m for k, m in moments.items()}
    return {**found, f"{SIGMA.name}{ending}": moments["theta,theta"]}


def space_of(
    exprs: tuple[Any, ...],
    setting: Setting | None,
    kinds: Mapping[str, str],
    without: tuple[str, ...] = (),
) -> Space:
    """Where quantities are looked at: a sampler's problems, or just the letters that they have."""
    names, follows = letters(*exprs), None
    if setting is not None:
        from verification.laws.rational import problem_space

        whole = problem_space(setting, gain=H.name in names)
        follows = whole.follows
        own = (*whole.scalars, D.name, *(follows.names if follows else ()))
        rest = {n: k for n, k in _scalars(exprs).items() if n not in own}
        matrices, scalars = {**whole.matrices, "B": "nonzero"}, {**whole.scalars, **rest}
    else:
        known = {A.name: "positive definite", H.name: "positive definite", E.name: "any", "B": "nonzero"}
        factors = {C.name: "B", EE.name: E.name}
        used = [factors.get(n, n) for n in sorted(names)]
        matrices = {n: known[n] for n in used if n in known}
        scalars = {n: k for n, k in _scalars(exprs).items() if n != D.name}
    if matrices:  # fractions have roots only where they are squares
        scalars = {n: _SQUARE.get(k, k) if n in _rooted(exprs) else k for n, k in scalars.items()}
    scalars = {n: kinds.get(n, k) for n, k in scalars.items() if n not in without}
    return Space(matrices, scalars, follows=follows)


_SQUARE = {"positive": "square", "count": "square count"}


def _rooted(exprs: tuple[Any, ...]) -> set[str]:
    """The scalars that stand under a root."""
    powers = {p for e in exprs for p in sp.sympify(e).atoms(sp.Pow) if not p.exp.is_integer}
    return {s.name for p in powers for s in p.base.free_symbols}


def _scalars(exprs: tuple[Any, ...]) -> dict[str, str]:
    symbols = {s for e in exprs for s in sp.sympify(e).free_symbols if s.is_commutative}
    return {s.name: _kind(s) for s in sorted(symbols, key=str)}


def _kind(symbol: Any) -> str:
    if symbol.is_integer:
        return "count"
    return "positive" if symbol.is_positive else "real"


def frozen(rows: Rows) -> exact.Matrix:
    """Rows that can be hashed."""
    return tuple(tuple(row) for row in rows)


def free_letters(kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The letters of which antisymmetric ones are made."""
    return {f"{n}_free": "any" for n, kind in kinds if kind == "antisymmetric"}


def antisymmetric_letters(kinds: tuple[tuple[str, str], ...]) -> dict[Any, Any]:
    """Antisymmetric letters as F - F^T, F free: that is all that a proof knows of them."""
    free = {n.removesuffix("_free"): sp.Symbol(n, commutative=False) for n in free_letters(kinds)}
    return {sp.Symbol(n, commutative=False): x - Transpose(x) for n, x in free.items()}
