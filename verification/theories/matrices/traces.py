"""Formulas in traces of letters that no law is behind: each trace is a number, often a positive one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.notation.matrixwords import (
    EE,
    B,
    C,
    Determinant,
    E,
    Entry,
    LargestEigenvalue,
    SmallestEigenvalue,
    Trace,
)
from sgtheory.polynomials import is_zero
from verification.laws.per_mode import General
from verification.notation import D
from verification.refuter.places import FACTORS
from verification.terms.kinds import Transpose
from verification.terms.term import Term
from verification.theories.answers import Answer, Silence, Silent
from verification.theories.signs import Bound, under

if TYPE_CHECKING:
    from verification.theories.matrices.laws import Law

_DEFINITE = ("positive definite", "squared")
_OTHERS = (Determinant, Entry, LargestEigenvalue, SmallestEigenvalue)


def formula(law: Law, side: Term) -> General | None:
    """A sum of traces with a letter for each product of matrices; None where there are other words."""
    expr = sp.sympify(law.expanded(side))
    if not expr.has(Trace) or expr.has(*_OTHERS):
        return None
    kinds = law.space((side,)).matrices
    found = sp.expand(expr.replace(Trace, lambda inner: _spelt(inner, kinds)))
    return General((found,), "formula", "in every dimension") if found.is_commutative else None


def has_sign(
    law: Law, left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[tuple[Term, Term, bool]]
) -> Answer:
    """Whether left minus right has a wanted sign, in positive traces and ends of spectra.

    Of a positive definite matrix the largest eigenvalue is at most its trace, which is at most as many
    times that as there are dimensions; the smallest is at most the largest. The trace of a product of
    two that are nowhere negative is at most the product of their traces.
    """
    small, large = (right, left) if wanted[0] > 0 else (left, right)
    kinds = law.space((left, right, *(side for a, b, _ in given for side in (a, b)))).matrices

    squares = {C: B * Transpose(B), EE: E * Transpose(E)}
    squares = {whole: x for whole, x in squares.items() if FACTORS[whole.name] in kinds}

    def read(side: Term) -> Any:
        expr = sp.sympify(law.expanded(side)).subs(squares)
        ends = {e: _end(e, kinds) for e in expr.atoms(LargestEigenvalue, SmallestEigenvalue)}
        return expr.xreplace(ends).replace(Trace, lambda inner: _spelt(inner, kinds))

    rest, bounds = read(large) - read(small), list[Bound]()
    definite = [sp.Symbol(n, commutative=False) for n, kind in kinds.items() if kind in _DEFINITE]
    for P, Q in combinations_with_replacement((*definite, *squares.values()), 2):
        bounds.append((_spelt(P * Q, kinds), _spelt(P, kinds) * _spelt(Q, kinds), True))
    for M in definite:
        low, top = _end(SmallestEigenvalue(M), kinds), _end(LargestEigenvalue(M), kinds)
        trace = _spelt(M, kinds)
        bounds += [(low, top, True), (top, trace, True), (trace, D * top, True)]
    bounds = [b for b in bounds if (b[1] - b[0]).free_symbols - {D} <= rest.free_symbols]
    bounds += [b for a, c, equal in given if _has_positive((b := (read(a), read(c), equal))[:2])]
    if rest.has(*_OTHERS) or not _has_positive((rest,)):
        return Silent(Silence.NO_CERTIFICATE)
    return under(sp.factor(rest), bounds, 0 not in wanted)


def _has_positive(exprs: Sequence[Any]) -> bool:
    """Whether all letters are positive numbers."""
    return all(s.is_positive for e in exprs for s in e.free_symbols)


def _end(end: Any, kinds: Any) -> Any:
    """A letter for the largest or the smallest eigenvalue of a matrix that is positive definite."""
    known = kinds.get(str(end.args[0])) in _DEFINITE
    return sp.Symbol(f"_{end}", positive=True) if known else end


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
