"""Quantities that statements are about: whose laws they look at, and where they are looked at.

``Sigma`` is the covariance of the sampler's law in the statement's own time; ``SIGMA_DISCRETE`` and
``SIGMA_CONTINUOUS`` are those of the algorithm and of its limit, whatever the statement's time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.independent.fields import Rows
from sgtheory.notation.matrixwords import EE, SIGMA, A, C, Determinant, E, Entry, H, Trace
from sgtheory.setting import Setting
from verification.laws.lagsums import LAGS, OverLags
from verification.laws.rational import law_numbers, plain_matrices, problem_space
from verification.notation import D, N
from verification.refuter.places import Place, Space
from verification.terms.kinds import Transpose
from verification.terms.walking import Unable

SIGMA_DISCRETE, SIGMA_CONTINUOUS = sp.symbols("Sigma_discrete Sigma_continuous", commutative=False)
TIME_OF = {"Sigma_discrete": "discrete", "Sigma_continuous": "continuous"}
FUNCTIONALS = (Trace, Determinant, Entry)

# KL(law || posterior), the law being normal about the mode with covariance Sigma
DIVERGENCE = (N * Trace(A * SIGMA) - sp.log(Determinant(N * A * SIGMA)) - D) / 2


def setting_of(of: Any) -> Setting:
    """A sampler, or the one of a name, on the quadratic model."""
    return _on_quadratic(registry.sampler(of))


@cache  # what a setting writes out of its updates it writes once
def _on_quadratic(sampler: Any) -> Setting:
    return Setting(sampler, registry.model("quadratic"))


def is_matrix(expr: Any) -> bool:
    """Whether a quantity is a matrix."""
    return not sp.sympify(expr).is_commutative


def letters(*exprs: Any) -> set[str]:
    """The names of all matrices and scalars in some quantities."""
    return {s.name for e in exprs for s in sp.sympify(e).free_symbols}


def times_of(exprs: tuple[Any, ...], time: str) -> dict[str, str]:
    """Whose laws the quantities look at: a time for each ending of a moment's name."""
    names = letters(*exprs)
    own = any(n == SIGMA.name or n.startswith("P_") or n in LAGS for n in names)
    found = {"": time} if own else {}
    return found | {n.removeprefix(SIGMA.name): t for n, t in TIME_OF.items() if n in names}


def matrices_at(
    exprs: tuple[Any, ...], setting: Setting | None, place: Place, time: str, stable: bool = True
) -> dict[str, Rows] | None:
    """The matrices of some quantities at an exact place; None where a law that they need is unstable.

    Equations of moments may be solved where they have no law, too.
    """
    matrices = plain_matrices(place.matrices, place.D)
    for ending, when in times_of(exprs, time).items():
        if setting is None:
            raise Unable("a law of no sampler: name one, with of=")
        law = law_numbers(setting, place, when, stable)
        if law is None:
            return None
        matrices |= law.named(ending) | ({} if ending else OverLags(law).sums(letters(*exprs)))
    return matrices


def space_of(
    exprs: tuple[Any, ...],
    setting: Setting | None,
    kinds: Mapping[str, str],
    without: tuple[str, ...] = (),
) -> Space:
    """Where quantities are looked at: a sampler's problems, or just the letters that they have."""
    names, follows = letters(*exprs), None
    if setting is not None:
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
    if symbol.is_positive:
        return "positive"
    return "nonnegative" if symbol.is_nonnegative else "real"


def free_letters(kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """The letters of which antisymmetric ones are made."""
    return {f"{n}_free": "any" for n, kind in kinds if kind == "antisymmetric"}


def antisymmetric_letters(kinds: tuple[tuple[str, str], ...]) -> dict[Any, Any]:
    """Antisymmetric letters as F - F^T, F free: that is all that a proof knows of them."""
    free = {n.removesuffix("_free"): sp.Symbol(n, commutative=False) for n in free_letters(kinds)}
    return {sp.Symbol(n, commutative=False): x - Transpose(x) for n, x in free.items()}
