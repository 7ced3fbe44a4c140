"""Formulas in traces of letters that no law is behind: each trace is a number, often a positive one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.notation.matrixwords import B, Determinant, E, Entry, Trace
from sgtheory.polynomials import is_zero
from verification.laws.per_mode import General
from verification.terms.kinds import Transpose
from verification.terms.term import Term

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_DEFINITE = ("positive definite", "squared")
_OTHERS = (Determinant, Entry)


def formula(law: Law, side: Term) -> General | None:
    """A sum of traces with a letter for each product of matrices; None where there are other words."""
    expr = sp.sympify(law.expanded(side))
    if not expr.has(Trace) or expr.has(*_OTHERS):
        return None
    kinds = law.space((side,)).matrices
    found = sp.expand(expr.replace(Trace, lambda inner: _spelt(inner, kinds)))
    return General((found,), "formula", "in every dimension") if found.is_commutative else None


def determinants_agree(left: Any, right: Any) -> bool:
    """Whether both sides are one formula once determinants of products of square matrices are products.

    >>> from sgtheory.notation.matrixwords import A, C
    >>> determinants_agree(Determinant(A * C), Determinant(C) * Determinant(A))
    True
    """
    rest = sp.sympify(left) - sp.sympify(right)
    apart = rest.replace(Determinant, _of_factors)
    return bool(apart != rest and apart.is_commutative and is_zero(apart))


def _of_factors(M: Any) -> Any:
    scalars, words = M.args_cnc()
    if scalars or M.has(B, E, Transpose):  # B and E need not be square
        return Determinant(M)
    powers = (w.as_base_exp() for w in words)
    return sp.Mul(*(Determinant(base) ** power for base, power in powers))


def _spelt(inner: Any, kinds: Any) -> Any:
    total = sp.Integer(0)
    for one in sp.Add.make_args(sp.expand(inner)):
        scalars, powers = one.args_cnc()
        if any(not p.as_base_exp()[1].is_Integer for p in powers):
            return Trace(inner)
        words = [b for b, n in (p.as_base_exp() for p in powers) for _ in range(abs(n))]
        rotations = [words[k:] + words[:k] for k in range(len(words))]
        positive = all(p.as_base_exp()[1] > 0 for p in powers) and any(
            _is_positive(w, kinds) for w in rotations
        )
        word = min(rotations, key=str) if words else [sp.Symbol("I", commutative=False)]
        letter = sp.Symbol(f"tr({'*'.join(map(str, word))})", real=True, positive=positive or None)
        total += sp.Mul(*scalars) * letter
    return total


def _is_positive(words: list[Any], kinds: Any) -> bool:
    """Whether a product is X X^T or X M X^T, M positive definite, with X surely not zero."""
    middle = len(words) // 2
    ends = list(zip(words[:middle], reversed(words[len(words) - middle :]), strict=True))
    at_middle = words[middle : len(words) - middle]
    unlike = [a for a, _ in ends if kinds.get(str(_bare(a))) not in _DEFINITE]
    return (
        all(_bare(a) == _bare(b) and _is_turned(a, b, kinds) for a, b in ends)
        and all(kinds.get(str(m)) in _DEFINITE for m in at_middle)
        and (not unlike or (len(unlike) == 1 and kinds.get(str(_bare(unlike[0]))) == "nonzero"))
    )


def _bare(word: Any) -> Any:
    return word.args[0] if isinstance(word, Transpose) else word


def _is_turned(a: Any, b: Any, kinds: Any) -> bool:
    symmetric = kinds.get(str(_bare(a))) in (*_DEFINITE, "symmetric", "diagonal")
    return symmetric or isinstance(a, Transpose) is not isinstance(b, Transpose)
