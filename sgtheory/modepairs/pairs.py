"""The covariance of every dimension at once, from one linear solve at a generic pair of modes.

In the eigenbasis of A the block P_ij of the covariance (m x m, m the number of state vectors)
obeys P_ij = M(l_i) P_ij M(l_j)^T + Q_ij in discrete time and F(l_i) P_ij + P_ij F(l_j)^T + Q_ij
= 0 in continuous time. Both are linear in P_ij: no eigenvalues of M are ever taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

from sgtheory.declare import Root
from sgtheory.errors import Absent, UnusableInput
from sgtheory.onestep.affine import LAMBDA, ModeForm, Word, has_spread, mode_form
from sgtheory.setting import Setting

LI, LJ = sp.symbols("lambda_i lambda_j", positive=True)


def coupling_symbol(coupling: Word, spread: bool = False) -> sp.Symbol:
    """The pair symbol of a coupling: C_ij for gradient noise, delta_ij for isotropic noise.

    The symbol stands for entry (i, j) of H^(-1/2) W W^T H^(-1/2), W the words in front of the
    noise and H the gain (if any), in the eigenbasis of H^(1/2) A H^(1/2). With real minibatches
    whose curvatures are spread, W_ij stands for what C becomes: see sgtheory.modepairs.spread.
    """
    core = [f for f in coupling if str(f) != "H" and not isinstance(f, Root)]
    if not core:
        return sp.Symbol("delta_ij", real=True)
    if [str(f) for f in core] == ["B"]:
        return sp.Symbol("W_ij" if spread else "C_ij", real=True)
    return sp.Symbol("".join(str(f) for f in core) * 2 + "_ij", real=True)


@dataclass(frozen=True)
class PairCovariance:
    """The stationary covariance at a generic pair (i, j) of modes: a theorem for every dimension.

    ``responses[k]`` is the m x m matrix that multiplies the k-th coupling symbol, factored.
    """

    form: ModeForm
    symbols: tuple[Any, ...]
    responses: tuple[sp.ImmutableMatrix, ...]

    def __repr__(self) -> str:
        return f"<PairCovariance of {', '.join(map(str, self.form.states))}, {self.form.time} time>"

    @property
    def matrix(self) -> sp.ImmutableMatrix:
        """The whole m x m block P_ij."""
        m = len(self.form.states)
        total = sp.zeros(m, m)
        for symbol, response in zip(self.symbols, self.responses, strict=True):
            total += symbol * response
        return sp.ImmutableMatrix(total)

    def entry(self, a: str, b: str) -> Any:
        """Cov(a, b) at the pair (i, j), factored.

        >>> from sgtheory import registry
        >>> setting = Setting(registry.sampler("sgd"), registry.model("quadratic"))
        >>> stationary(setting, "continuous").entry("theta", "theta")
        eps*C_ij/(S*(lambda_i + lambda_j))
        """
        names = [s.name for s in self.form.states]
        i, j = names.index(a), names.index(b)
        pairs = zip(self.symbols, self.responses, strict=True)
        return sp.Add(*(symbol * response[i, j] for symbol, response in pairs))


@cache
def stationary(setting: Setting, time: str = "discrete") -> PairCovariance:
    """The stationary covariance of a setting, for every dimension, by one linear solve."""
    form = mode_form(setting, time)
    system = stationary_operator(form)
    if not settles(form):
        reason = "its variance along a mode never settles, whatever the step; a law --at a step is there"
        raise Absent("stationary law", setting.sampler.name, reason)
    symbols = tuple(coupling_symbol(c, has_spread(setting)) for c in form.couplings)
    sources = [form.noise_block(c, LI, LJ) for c in form.couplings]
    found = (r.applyfunc(partial(squared, where=form.short)) for r in _solve(system, sources))
    return PairCovariance(form, symbols, tuple(sp.ImmutableMatrix(r) for r in found))


def squared(expr: Any, where: Mapping[Any, Any]) -> Any:
    """A formula in which squares of letters that stand for roots are what these are the roots of.

    >>> s, T, h = sp.symbols("s T h", positive=True)
    >>> squared(h * s**2 / (s**2 + 1), {s: sp.sqrt(T)}), squared(h * s, {s: sp.sqrt(T)})
    (T*h/(T + 1), h*s)
    """
    for letter, meaning in where.items():
        root = meaning.is_Pow and meaning.exp == sp.Rational(1, 2) and meaning.base.free_symbols
        if root and expr.has(letter):  # that of a number stays: its residue need not have one
            powers = {p for p in expr.atoms(sp.Pow) if p.base == letter and p.exp.is_Integer}
            even = {p: meaning.base ** (p.exp / 2) for p in powers if p.exp.is_even}
            found = expr.xreplace(even)
            expr = expr if found.has(letter) else found
    return expr


def stationary_operator(form: ModeForm) -> sp.Matrix:
    """The matrix L with L vec(P_ij) = vec(Q_ij), rows of P first."""
    left, right = form.M.subs(LAMBDA, LI), form.M.subs(LAMBDA, LJ)
    m = left.rows
    one = sp.eye(m)
    kron = sp.kronecker_product
    if form.time == "discrete":
        return sp.Matrix(kron(one, one) - kron(left, right))
    return sp.Matrix(-kron(left, one) - kron(one, right))


def settles(form: ModeForm) -> bool:
    """Whether variances along a mode have a limit at some numbers: no determinant that always vanishes.

    It is looked at exactly, at two places made of primes.
    """
    system = stationary_operator(form).subs(LJ, LI)
    letters = sorted(system.free_symbols, key=str)
    places = [
        dict(zip(letters, map(sp.prime, range(k, k + len(letters))), strict=True)) for k in (7, 29)
    ]
    return any(system.subs({x: 1 / p for x, p in place.items()}).det() != 0 for place in places)


def _solve(system: sp.Matrix, sources: list[sp.ImmutableMatrix]) -> tuple[sp.ImmutableMatrix, ...]:
    """The m x m response to every source, from one elimination."""
    if not sources:
        return ()
    m, size = sources[0].rows, system.rows
    right = sp.Matrix.hstack(*(sp.Matrix(size, 1, list(s)) for s in sources)).applyfunc(sp.expand)
    both = DomainMatrix.from_Matrix(system.row_join(right))
    if both.domain.is_Field and both.domain.has_assoc_Ring:
        _, both = both.clear_denoms_rowwise(convert=True)
    lhs = both.extract(list(range(size)), list(range(size)))
    rhs = both.extract(list(range(size)), list(range(size, size + len(sources))))
    try:
        # without a division until the end: fractions that grow cost a minute with three states
        over, under = lhs.solve_den(rhs, method="rref" if both.domain.is_EX else "charpoly")
    except DMNonInvertibleMatrixError:
        got = "steps that leave some direction free"
        raise UnusableInput(
            "a stationary law at every step size", got, "ask for --time discrete"
        ) from None
    solved = over.to_field()
    field = solved.domain
    divisor = field.convert_from(under, over.domain)
    rows = [[entry / divisor for entry in row] for row in solved.to_list()]
    known: dict[Any, Any] = {}
    return tuple(
        sp.ImmutableMatrix(m, m, [_factored(row[k], field, known) for row in rows])
        for k in range(len(sources))
    )


def _factored(entry: Any, field: Any, known: dict[Any, Any]) -> Any:
    """A fraction of polynomials with both factored; the entries of a solution share denominators."""
    if not field.is_FractionField:
        return sp.factor(field.to_sympy(entry))
    for part in (entry.numer, entry.denom):
        if part not in known:
            unit, factors = part.factor_list()
            powers = (f.as_expr() ** k for f, k in factors)
            known[part] = sp.Mul(part.ring.domain.to_sympy(unit), *powers)
    return known[entry.numer] / known[entry.denom]
