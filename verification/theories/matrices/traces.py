"""Formulas in traces of letters that no law is behind: each trace is a number, often a positive one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
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
from verification.laws.pair_form import by_word
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
_SYMMETRIC = (*_DEFINITE, "positive semidefinite", "symmetric", "diagonal")
_OTHERS = (Determinant, Entry, LargestEigenvalue, SmallestEigenvalue)


class _Sign(IntEnum):
    """What is known of a trace, or of a matrix: POSITIVE is nowhere negative, and not zero."""

    UNKNOWN, NONNEGATIVE, POSITIVE, DEFINITE = range(4)


_SAID = {_Sign.UNKNOWN: {}, _Sign.NONNEGATIVE: {"nonnegative": True}, _Sign.POSITIVE: {"positive": True}}


def formula(law: Law, side: Term) -> General | None:
    """A sum of traces with a letter for each product of matrices; None where there are other words."""
    expr = sp.sympify(law.expanded(side))
    if not expr.has(Trace) or expr.has(*_OTHERS):
        return None
    kinds = law.space((side,)).matrices
    found = sp.expand(expr.replace(Trace, Traces(kinds).spelt))
    return General((found,), "formula", "in every dimension") if found.is_commutative else None


def has_sign(
    law: Law, left: Term, right: Term, wanted: tuple[int, ...], given: Sequence[tuple[Term, Term, bool]]
) -> Answer:
    """Whether left minus right has a wanted sign, in traces and ends of spectra of what is definite."""
    small, large = (right, left) if wanted[0] > 0 else (left, right)
    kinds = law.space((left, right, *(side for a, b, _ in given for side in (a, b)))).matrices
    squares = {C: B * Transpose(B), EE: E * Transpose(E)}
    squares = {whole: x for whole, x in squares.items() if FACTORS[whole.name] in kinds}
    for n in (n for n, kind in kinds.items() if kind == "positive semidefinite"):
        X = sp.Symbol(f"X_{n}", commutative=False)
        squares[sp.Symbol(n, commutative=False)] = X * Transpose(X)
    traces = Traces(kinds)

    def read(side: Term) -> Any:
        expr = sp.sympify(law.expanded(side)).subs(squares)
        ends = {e: traces.end(e) for e in expr.atoms(LargestEigenvalue, SmallestEigenvalue)}
        return expr.xreplace(ends).replace(Trace, traces.spelt)

    rest = read(large) - read(small)
    bounds = [(read(a), read(c), equal) for a, c, equal in given]
    told = (b for b in dict.fromkeys(traces.bounds()) if b[0] != b[1])
    known = [b for b in told if (b[1] - b[0]).free_symbols - {D} <= rest.free_symbols]
    bounds = [*known, *bounds]
    # numbers that may be zero are taken for positive ones, and no term of them makes a sign strict
    may_vanish = {s for s in rest.free_symbols if s.is_nonnegative and not s.is_positive}
    positive = {s: sp.Symbol(s.name, positive=True) for s in may_vanish}
    bounds = [(a.xreplace(positive), c.xreplace(positive), equal) for a, c, equal in bounds]
    rest, bounds = rest.xreplace(positive), [b for b in bounds if _has_positive(b[:2])]
    if rest.has(*_OTHERS) or not _has_positive((rest,)):
        return Silent(Silence.NO_CERTIFICATE)
    return under(sp.factor(rest), bounds, 0 not in wanted, positive.values())


def _has_positive(exprs: Sequence[Any]) -> bool:
    """Whether all letters are positive numbers."""
    return all(s.is_positive for e in exprs for s in e.free_symbols)


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


@dataclass(frozen=True)
class Traces:
    """Letters for traces of products of matrices of some kinds, and for ends of spectra."""

    kinds: Mapping[str, str]
    words: dict[Any, tuple[Any, ...]] = field(default_factory=dict)  # the product that a letter is of
    ends: dict[tuple[type, Any], Any] = field(default_factory=dict)  # letters, by end and matrix

    def spelt(self, inner: Any) -> Any:
        """A trace in letters, one for each product."""
        total = sp.Integer(0)
        for one in sp.Add.make_args(sp.expand(inner)):
            scalars, powers = one.args_cnc()
            if any(not p.as_base_exp()[1].is_Integer for p in powers):
                return Trace(inner)
            parts = [(b, n) for b, n in (p.as_base_exp() for p in powers)]
            total += sp.Mul(*scalars) * self.of(
                [b ** sp.sign(n) for b, n in parts for _ in range(abs(n))]
            )
        return total

    def of(self, word: Sequence[Any]) -> Any:
        """The letter for the trace of a product; it is one for all rotations."""
        rotated = min(_rotations(word), key=str) if word else [sp.Symbol("I", commutative=False)]
        sign = max((sign for *_, sign in self._halves(rotated)), default=_Sign.UNKNOWN)
        letter = sp.Symbol(f"tr({'*'.join(map(str, rotated))})", real=True, **_SAID[sign])
        self.words[letter] = tuple(rotated)
        return letter

    def end(self, end: Any) -> Any:
        """A letter for the largest or the smallest eigenvalue of a matrix that is nowhere negative."""
        kind, M = type(end), sp.expand(end.args[0])
        sign = self._sign_of_sum(M)
        if sign is _Sign.UNKNOWN:
            return end
        positive = sign is _Sign.DEFINITE or (kind is LargestEigenvalue and sign is _Sign.POSITIVE)
        said = _SAID[_Sign.POSITIVE if positive else _Sign.NONNEGATIVE]
        return self.ends.setdefault((kind, M), sp.Symbol(f"_{end}", real=True, **said))

    def _sign_of_sum(self, M: Any) -> _Sign:
        signs = []
        for word, number in by_word(M).items():
            signs.append(self._sign(letters_of(word) or ()) if number.is_positive else _Sign.UNKNOWN)
        return _Sign.UNKNOWN if _Sign.UNKNOWN in signs else max(signs)

    def bounds(self) -> Iterator[Bound]:
        """What is known of the letters: of traces of products of two, and of ends of spectra.

        For P and Q nowhere negative: tr(P Q) is at most tr(P) tr(Q), and between the ends of P's
        spectrum times tr(Q); tr(P)^2 is at most tr(P^2) in each dimension.
        """
        for (end, M), letter in self.ends.items():
            trace, largest = self.spelt(M), end is LargestEigenvalue
            yield (letter, trace, True) if largest else (D * letter, trace, True)
            yield (trace, D * letter, True) if largest else (letter, trace, True)
            if largest and (low := self.ends.get((SmallestEigenvalue, M))) is not None:
                yield low, letter, True
        for letter, word in list(self.words.items()):
            for P, Q, _ in self._halves(word):
                if P and Q:
                    yield letter, self.of(P) * self.of(Q), True
                for (end, M), bound in self.ends.items():
                    if Q and letters_of(M) == P:
                        sides = (letter, bound * self.of(Q))
                        yield (*(sides if end is LargestEigenvalue else sides[::-1]), True)
                if P and Q:
                    yield letter**2, self.of([*P, *P]) * self.of([*Q, *Q]), True
                if P == Q:
                    yield self.of(P) ** 2, D * letter, True

    def _halves(self, word: Sequence[Any]) -> Iterator[tuple[list[Any], list[Any], _Sign]]:
        """Two products that are nowhere negative, of which it is the product when rotated."""
        for rotated in _rotations(word):
            for k in range(len(rotated)):
                P, Q = rotated[:k], rotated[k:]
                signs = self._sign(P), self._sign(Q)
                if _Sign.UNKNOWN not in signs:
                    positive = max(signs) is _Sign.DEFINITE and min(signs) >= _Sign.POSITIVE
                    yield P, Q, _Sign.POSITIVE if positive else _Sign.NONNEGATIVE

    def _sign(self, word: Sequence[Any]) -> _Sign:
        """Of X X^T, or of X M X^T with M positive definite; of I where there is nothing."""
        folded = self.folded(word)
        if folded is None or not all(map(self._is_definite, folded[1])):
            return _Sign.UNKNOWN
        unlike = [self._kind(a) for a in folded[0] if not self._is_definite(a)]
        if not unlike:
            return _Sign.DEFINITE
        return _Sign.POSITIVE if unlike == ["nonzero"] else _Sign.NONNEGATIVE

    def is_symmetric(self, M: Any) -> bool:
        """Whether each product in a sum is surely its own transpose."""
        found = [None if (word := letters_of(p)) is None else self.folded(word) for p in by_word(M)]
        return all(f is not None and all(self._kind(a) in _SYMMETRIC for a in f[1]) for f in found)

    def folded(self, word: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]] | None:
        """X and M of a product X M X^T, M one letter or none; None of any other."""
        half = len(word) // 2
        before, middle, behind = word[:half], word[half : len(word) - half], word[len(word) - half :]
        mirrored = all(
            _bare(a) == _bare(b) and self._is_turned(a, b)
            for a, b in zip(before, reversed(behind), strict=True)
        )
        return (before, middle) if mirrored else None

    def _kind(self, one: Any) -> str:
        return self.kinds.get(str(_bare(one)), "")

    def _is_definite(self, one: Any) -> bool:
        return self._kind(one) in _DEFINITE

    def _is_turned(self, a: Any, b: Any) -> bool:
        if self._kind(a) in _SYMMETRIC:
            return bool(a == b)
        return not a.is_Pow and not b.is_Pow and isinstance(a, Transpose) is not isinstance(b, Transpose)


def letters_of(product: Any) -> list[Any] | None:
    """The letters of a product of whole powers, each as often as it is in it, or its inverse; none of I.

    >>> from sgtheory.notation.matrixwords import A, C
    >>> letters_of(A**2 / C)
    [A, A, C**(-1)]
    """
    parts = [p.as_base_exp() for p in product.args_cnc()[1]]
    if product.is_Add or any(not n.is_Integer for _, n in parts):
        return None
    return [b ** sp.sign(n) for b, n in parts if str(b) != "I" for _ in range(abs(n))]


def _rotations(word: Sequence[Any]) -> list[list[Any]]:
    return [[*word[k:], *word[:k]] for k in range(len(word))]


def _bare(one: Any) -> Any:
    """A letter, of itself, its transpose or its inverse."""
    return one.args[0] if isinstance(one, Transpose) or one.is_Pow else one
