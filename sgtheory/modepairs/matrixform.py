"""Between pair formulas and matrix equations: l_i stands left of a matrix as A, l_j right of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ, PairCovariance
from sgtheory.notation.matrixwords import EE, SIGMA, A, C, H, W
from sgtheory.polynomials import cancelled, factored


@dataclass(frozen=True)
class MatrixEquation:
    """An equation between matrix polynomials, written with non-commuting SymPy symbols."""

    left: Any
    right: Any


def block_symbol(a: str, b: str) -> sp.Symbol:
    """The non-commuting symbol of the covariance block (a, b); Sigma for the position.

    >>> block_symbol("theta", "theta"), block_symbol("theta", "v")
    (Sigma, P_theta_v)
    """
    return SIGMA if a == b == "theta" else sp.Symbol(f"P_{a}_{b}", commutative=False)


def blocks(states: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The names of all blocks of some states, each with its two states.

    >>> blocks(["theta", "v"])["P_v_theta"]
    ('v', 'theta')
    """
    return {block_symbol(a, b).name: (a, b) for a, b in product(tuple(states), repeat=2)}


def from_pair(polynomial: Any, core: Any, gain: Any = None) -> Any:
    """The matrix expression of ``polynomial(l_i, l_j) * core_ij``.

    >>> from_pair(LI + LJ, SIGMA)
    A*Sigma + Sigma*A
    """
    left, right = (A, A) if gain is None else (H * A, A * H)
    terms = sp.Poly(polynomial, LI, LJ).terms()
    return sp.Add(*(factored(c) * left**a * core * right**b for (a, b), c in terms))


def coupling_matrix(symbol: Any, gain: Any) -> Any:
    """The matrix whose pair symbol is given: C (or H C H with a gain), I (or H), E E^T."""
    name = str(symbol).removesuffix("_ij")
    if name == "delta":
        return sp.Integer(1) if gain is None else H
    core = {"C": C, "W": W}.get(name, EE)
    return core if gain is None else H * core * H


def law_equation(pair: PairCovariance, a: str = "theta", b: str = "theta") -> MatrixEquation:
    """The equation that the block (a, b) solves, in matrices: valid in every dimension.

    Its terms of lowest degree in A are normalised to coefficient one.

    >>> from sgtheory import registry
    >>> from sgtheory.modepairs.pairs import stationary
    >>> from sgtheory.setting import Setting
    >>> lmc = Setting(registry.sampler("lmc"), registry.model("quadratic"))
    >>> law_equation(stationary(lmc)).left
    -gamma*N*A*Sigma*A + A*Sigma + Sigma*A
    """
    names = [s.name for s in pair.form.states]
    i, j = names.index(a), names.index(b)
    fractions = [sp.fraction(r[i, j]) for r in pair.responses]
    denominator = sp.lcm_list([d for _, d in fractions])
    polynomial = sp.Poly(denominator, LI, LJ)
    lowest = min(sum(m) for m in polynomial.monoms())
    unit = factored(next(c for m, c in polynomial.terms() if sum(m) == lowest))
    gain = pair.form.gain
    left = from_pair(cancelled(denominator / unit), block_symbol(a, b), gain)
    right = sp.Add(
        *(
            from_pair(cancelled(n * denominator / (d * unit)), coupling_matrix(symbol, gain), gain)
            for symbol, (n, d) in zip(pair.symbols, fractions, strict=True)
            if n != 0
        )
    )
    return MatrixEquation(left, right)
