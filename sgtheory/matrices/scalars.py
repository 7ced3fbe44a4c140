"""Traces, log determinants and diagonal parts."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.language import D
from sgtheory.matrices.coefficients import MatrixScalar, canonical, logarithm, positive, primitive
from sgtheory.matrices.definite import Sign, sign, word_sign
from sgtheory.matrices.inverses import inverse, outer_factors
from sgtheory.matrices.letters import (
    ONE,
    Block,
    DiagonalPart,
    Factor,
    Letter,
    Word,
    place,
    word_place,
)
from sgtheory.matrices.rewriting import settle
from sgtheory.matrices.sums import Matrix, as_matrix, is_symmetric, of_word, product, scaled, transpose
from sgtheory.matrices.words import FREE, Pairs, Terms, fronts, normal, transposed_word, unit
from sgtheory.matrices.writing import word_latex, word_plain

_MOST_ROTATIONS = 2_000
_MOST_CLEARED = 12  # inverses multiplied away under a log det


class Trace(MatrixScalar):
    """The trace of a word, in the normal form of its cyclic class. Made by ``tr``."""

    def _sympystr(self, printer: Any) -> str:
        return f"tr({word_plain(self.word)})"

    def _latex(self, printer: Any) -> str:
        return rf"\operatorname{{tr}}\left({word_latex(self.word)}\right)"

    def _eval_is_positive(self) -> bool | None:
        return True if trace_sign(self.word) is Sign.DEFINITE else None

    def _eval_is_nonnegative(self) -> bool | None:
        return True if trace_sign(self.word) else None


class LogDet(MatrixScalar):
    """log |det X| of one letter, inverted sum or diagonal part. Made by ``logdet``."""

    def _sympystr(self, printer: Any) -> str:
        return f"logdet{self._bracketed()}" if self._definite() else f"log|det {word_plain(self.word)}|"

    def _latex(self, printer: Any) -> str:
        inner = word_latex(self.word)
        return rf"\log\det {inner}" if self._definite() else rf"\log\left|\det {inner}\right|"

    def _bracketed(self) -> str:
        text = word_plain(self.word)
        return text if text.startswith("(") else f"({text})"

    def _definite(self) -> bool:
        return word_sign(self.word) is Sign.DEFINITE


# -- traces ------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def cyclic_class(word: Word, pairs: Pairs = FREE) -> tuple[Word, ...]:
    """The words with the same trace by rotating, transposing and tr(diag(P) W) = tr(P diag(W))."""
    found = [normal(word, pairs)]
    met = set(found)
    for w in found:
        for new in _moves(w, pairs):
            if new not in met:
                met.add(new)
                found.append(new)
        if len(found) > _MOST_ROTATIONS:
            raise UnusableInput("a word with fewer rotations in a trace", word_plain(word), "shorten it")
    return tuple(sorted(found, key=_trace_place))


def _moves(w: Word, pairs: Pairs) -> list[Word]:
    out = [transposed_word(w, pairs)]
    for i in fronts(w, pairs):
        rest = (*w[:i], *w[i + 1 :])
        out.append(normal((*rest, w[i]), pairs))
        base = w[i].base
        if isinstance(base, DiagonalPart) and w[i].power == 1:
            out.append(normal((*base.word, *_diagonal_word(rest, pairs)), pairs))
    return out


def _trace_place(w: Word) -> tuple[Any, ...]:
    parts = sum(isinstance(f.base, DiagonalPart) for f in w)
    return len(w) > 0, parts, word_place(w)


@lru_cache(maxsize=20_000)
def trace_sign(word: Word, pairs: Pairs = FREE) -> Sign:
    """What is certain of a trace: tr(P Q) is not negative, or is positive, where P and Q are so."""
    turned = cyclic_class(word, pairs)
    halves = ((w[:k], w[k:]) for w in turned for k in range(len(w)))
    return max((min(word_sign(h, pairs) for h in both) for both in halves), default=Sign.DEFINITE)


@lru_cache(maxsize=20_000)
def _settled_trace(word: Word, pairs: Pairs) -> Terms:
    """The trace of a word as a sum of traces in normal form."""
    rotations = cyclic_class(word, pairs)
    for rotation in rotations:
        terms = settle(rotation, pairs)
        if terms == ((rotation, sp.S.One),):
            continue
        # Rewriting some rotation must lead to a smaller class, or it could go in circles.
        if all(_trace_place(cyclic_class(w, pairs)[0]) < _trace_place(rotations[0]) for w, _ in terms):
            return tuple((v, c * d) for w, c in terms for v, d in _settled_trace(w, pairs))
    return ((rotations[0], sp.S.One),)


def tr(a: Any, pairs: Pairs = FREE) -> Any:
    """The trace, as a SymPy expression; tr(I) is the dimension D.

    >>> from sgtheory.matrices.sums import matrices
    >>> A, B, C = matrices("A B C")
    >>> tr(A * B * C) - tr((B * C * A).T), tr(A * B * C) == tr(A * C * B), tr(A - 2 + A.T)
    (0, False, -2*D + 2*tr(A))
    """
    parts = [
        c * d * (Trace(v) if v else D)
        for w, c in as_matrix(a).terms
        for v, d in _settled_trace(w, pairs)
    ]
    return canonical(sp.Add(*parts))


# -- log determinants --------------------------------------------------------------------------


def logdet(a: Any, declared: bool = False, pairs: Pairs = FREE) -> Any:
    """log |det a|, which is log det a where a is positive definite; of invertible matrices only.

    >>> from sgtheory.matrices.sums import matrices
    >>> A, C = matrices("A C", "positive_definite")
    >>> eps = sp.Symbol("eps", positive=True)
    >>> logdet(eps * A * C**-1), logdet(A * A + C * A)
    (logdet(A) - logdet(C) + D*log(eps), logdet(A + C) + logdet(A))
    """
    a = as_matrix(a)
    if len(a.terms) == 1:
        word, c = a.terms[0]
        return canonical(D * _log_size(c) + _logdet_word(word))
    certain = declared or sign(a, pairs) is Sign.DEFINITE
    cleared, whole = _without_outer_inverses(a, pairs)
    left, core, right = outer_factors(whole, pairs)
    left = (*left, *cleared)
    if len(core.terms) < 2:
        return canonical(_logdet_word(left) + logdet(core, pairs=pairs) + _logdet_word(right))
    outside, core = _definite_core(core, pairs)
    if not certain and sign(core, pairs) is not Sign.DEFINITE:
        inverse(a, pairs=pairs)  # refuses, and says what to do
    common = primitive(c for _, c in core.terms)
    core = scaled(core, 1 / common)
    # A matrix and its transpose have one determinant, and so have m and -m up to a sign.
    core = min(core, transpose(core, pairs), key=str)
    if core.terms[0][1].could_extract_minus_sign():
        core = scaled(core, -1)
    parts = [D * _log_size(common), _log_size_of(Block(core.terms))]
    return canonical(sp.Add(*parts, *map(_logdet_word, (left, outside, right))))


def _without_outer_inverses(a: Matrix, pairs: Pairs) -> tuple[Word, Matrix]:
    """Inverses at the ends of words multiplied away: A^-1 + C^-1 = A^-1 (A + C) C^-1.

    The word returned is what was divided by, in any order: only its determinant is wanted.
    """
    taken: list[Factor] = []
    while len(taken) < _MOST_CLEARED:
        ends = [(w[i], True) for w, _ in a.terms for i in fronts(w, pairs)]
        ends += [(w[-1 - i], False) for w, _ in a.terms for i in fronts(w[::-1], pairs)]
        inverses = [e for e in ends if e[0].power < 0 and not isinstance(e[0].base, Block)]
        if not inverses:
            break
        f, in_front = min(inverses, key=lambda e: (not e[1], place(e[0])))
        undone = of_word((f._replace(power=-f.power),))
        a = product(*((undone, a) if in_front else (a, undone)), pairs=pairs)
        taken.append(f)
    return tuple(taken), a


def _definite_core(core: Matrix, pairs: Pairs) -> tuple[Word, Matrix]:
    """A letter stepped out where that shows definiteness: I + A C = A (A^-1 + C)."""
    core = min(core, transpose(core, pairs), key=str)
    if sign(core, pairs) is Sign.DEFINITE:
        return ONE, core
    for x in sorted(core.letters, key=lambda x: x.name, reverse=True):
        for power in (1, -1) if x.invertible else ():
            outside = unit(x, power)
            undone = of_word(unit(x, -power))
            for factors in ((undone, core), (core, undone)):
                other = product(*factors, pairs=pairs)
                if sign(other, pairs) is Sign.DEFINITE:
                    return outside, other
    return ONE, core


def _log_size(c: Any) -> Any:
    return logarithm(-c if positive(-c) else c)


def _logdet_word(word: Word) -> Any:
    parts = sp.S.Zero
    for f in word:
        if not f.base.invertible:
            raise UnusableInput(
                "an invertible matrix under log det", f.base.text, "declare it invertible"
            )
        power = sp.Rational(f.power.numerator, f.power.denominator)
        if isinstance(f.base, Block):
            parts += power * logdet(Matrix.of(f.base.terms), declared=True)
        elif not f.base.orthogonal:
            parts += power * _log_size_of(f.base)
    return parts


def _log_size_of(base: Letter | Block | DiagonalPart) -> Any:
    return LogDet((Factor(base, Fraction(1)),))


# -- diagonal parts ----------------------------------------------------------------------------


def _diagonal_word(word: Word, pairs: Pairs) -> Word:
    """The diagonal of a word: diagonal factors at its ends step out, d w -> d diag(w)."""
    outside: list[Factor] = []
    core = normal(word, pairs)
    while True:
        ends = [*fronts(core, pairs), *(len(core) - 1 - j for j in fronts(core[::-1], pairs))]
        k = next((i for i in ends if core[i].base.diagonal), None)
        if k is None:
            break
        outside.append(core[k])
        core = (*core[:k], *core[k + 1 :])
    if not core:
        return normal(tuple(outside), pairs)
    core = min(normal(core, pairs), transposed_word(core, pairs), key=word_place)
    part = DiagonalPart(core, word_sign(core, pairs) is Sign.DEFINITE)
    return normal((*outside, *unit(part)), pairs)


def diagonal_part(a: Any, pairs: Pairs = FREE) -> Matrix:
    """The diagonal of a matrix, as a diagonal matrix.

    >>> from sgtheory.matrices.sums import matrix
    >>> A, d = matrix("A"), matrix("d", "diagonal")
    >>> diagonal_part(2 * d * A + A.T), diagonal_part(d * d)
    (diag(A) + 2*d*diag(A), d^2)
    """
    return Matrix.of(
        (v, c * e) for w, c in as_matrix(a).terms for v, e in settle(_diagonal_word(w, pairs), pairs)
    )


def symmetric_part(a: Matrix, pairs: Pairs = FREE) -> Matrix:
    """(M + M^T) / 2."""
    return a if is_symmetric(a, pairs) else (a + transpose(a, pairs)) / 2
