"""Certificates that a matrix is positive definite: congruences of positive definite letters."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache

from sgtheory.matrices.coefficients import positive
from sgtheory.matrices.letters import Block, DiagonalPart, Factor, Word
from sgtheory.matrices.sums import Matrix
from sgtheory.matrices.words import FREE, Pairs, Terms, commute, fronts, standard


class Sign(IntEnum):
    """What is known of x^T M x for all x other than 0."""

    UNKNOWN = 0
    SEMIDEFINITE = 1  # never negative
    DEFINITE = 2  # always positive


@lru_cache(maxsize=20_000)
def word_sign(word: Word, pairs: Pairs = FREE) -> Sign:
    """The sign of a product: u P u^T has that of P, and commuting factors multiply their signs."""
    if not word:
        return Sign.DEFINITE
    peeled = _peel(word, pairs)
    if peeled is not None:
        outer, core = peeled
        inner = word_sign(core, pairs)
        # x -> u^T x may have a kernel where u is not known to be invertible
        return inner if outer.base.invertible else min(inner, Sign.SEMIDEFINITE)
    if all(commute(f, g, pairs) for f in word for g in word):
        return min(factor_sign(f, pairs) for f in word)
    return Sign.UNKNOWN


def _peel(word: Word, pairs: Pairs) -> tuple[Factor, Word] | None:
    """A factor u and a word P with word = u P u^T."""
    if len(word) < 2:
        return None
    backwards = word[::-1]
    ends = [len(word) - 1 - j for j in fronts(backwards, pairs)]
    for i in fronts(word, pairs):
        turned = standard(word[i]._replace(transposed=not word[i].transposed))
        for j in ends:
            if i != j and word[j] == turned:
                return word[i], tuple(f for k, f in enumerate(word) if k not in (i, j))
    return None


def factor_sign(f: Factor, pairs: Pairs = FREE) -> Sign:
    """The sign of a power of one letter, inverted sum or diagonal part."""
    if f.base.positive_definite:
        return Sign.DEFINITE
    even = f.power.denominator == 1 and f.power % 2 == 0
    if isinstance(f.base, Block):
        sign = terms_sign(f.base.terms, pairs)
        return Sign.DEFINITE if sign is Sign.DEFINITE else Sign.UNKNOWN
    if isinstance(f.base, DiagonalPart):
        return Sign.SEMIDEFINITE if even or word_sign(f.base.word, pairs) else Sign.UNKNOWN
    if f.base.symmetric and even:
        return Sign.DEFINITE if f.base.invertible else Sign.SEMIDEFINITE
    return Sign.UNKNOWN


@lru_cache(maxsize=20_000)
def terms_sign(terms: Terms, pairs: Pairs = FREE) -> Sign:
    """The sign of a sum: positive multiples of semidefinite words, one of them definite."""
    if not terms:
        return Sign.SEMIDEFINITE
    signs = [word_sign(w, pairs) if positive(c) else Sign.UNKNOWN for w, c in terms]
    return Sign.UNKNOWN if Sign.UNKNOWN in signs else max(signs)


def sign(a: Matrix, pairs: Pairs = FREE) -> Sign:
    """What is certain of the sign of a matrix; ``UNKNOWN`` says nothing.

    >>> from sgtheory.matrices.sums import matrix, matrices
    >>> A, C = matrices("A C", "positive_definite")
    >>> B = matrix("B")
    >>> sign(A + B * C * B.T).name, sign(B * B.T).name, sign(A * C).name, sign(A - C).name
    ('DEFINITE', 'SEMIDEFINITE', 'UNKNOWN', 'UNKNOWN')
    """
    return terms_sign(a.terms, pairs)
