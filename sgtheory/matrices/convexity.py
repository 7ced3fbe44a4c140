"""Certificates that a scalar is positive, above all a second differential: then a minimum is one."""

from __future__ import annotations

from typing import Any

import sympy as sp

from sgtheory.matrices.coefficients import canonical, generators, positive, scalar
from sgtheory.matrices.definite import Sign, word_sign
from sgtheory.matrices.hypotheses import Given, pairs_of
from sgtheory.matrices.letters import Letter, Word, letters_of
from sgtheory.matrices.scalars import Trace, cyclic_class, trace_sign
from sgtheory.matrices.substitution import Replacement
from sgtheory.matrices.sums import letter_of
from sgtheory.matrices.words import Pairs, transposed_word


def quadratic_sign(form: Any, direction: Any, given: Given = ()) -> Sign:
    """What is certain of a quadratic form in dX: positive for all dX other than 0, or never negative.

    Every term must be a positive multiple of tr(P Q) with P and Q semidefinite; it is positive where
    it is tr(P dX Q dX^T) with P and Q definite, the squared length of P^(1/2) dX Q^(1/2).

    >>> from sgtheory.matrices.calculus import second_differential
    >>> from sgtheory.matrices.scalars import logdet, tr
    >>> from sgtheory.matrices.sums import matrix
    >>> A, X = matrix("A", "positive_definite"), matrix("X", "positive_definite")
    >>> dX = matrix("dX", "symmetric")
    >>> quadratic_sign(second_differential(tr(A * X) - logdet(X), X, dX), dX).name
    'DEFINITE'
    """
    pairs = pairs_of(given)
    towards = letter_of(direction)
    signs = []
    for term in sp.Add.make_args(sp.expand(Replacement(pairs=pairs).scalar(scalar(form)))):
        traces = [a for a in term.atoms(Trace) if towards in letters_of(a.word)]
        if len(traces) != 1:
            return Sign.UNKNOWN
        weight = canonical(term / traces[0])
        if traces[0] in generators(weight) or not positive(weight):
            return Sign.UNKNOWN
        signs.append(_form_sign(traces[0].word, towards, pairs))
    return Sign.UNKNOWN if not signs or Sign.UNKNOWN in signs else max(signs)


def _form_sign(word: Word, towards: Letter, pairs: Pairs) -> Sign:
    splits = ((w[:k], w[k:]) for w in cyclic_class(word, pairs) for k in range(len(w)))
    if any(_is_square(first, second, towards, pairs) for first, second in splits):
        return Sign.DEFINITE
    return min(trace_sign(word, pairs), Sign.SEMIDEFINITE)


def _is_square(first: Word, second: Word, towards: Letter, pairs: Pairs) -> bool:
    """Whether first is definite and second is dX Q dX^T (or dX^2) with Q definite."""
    if word_sign(first, pairs) is not Sign.DEFINITE or towards in letters_of(first):
        return False
    if len(second) == 1:
        return second[0].base == towards and second[0].power == 2 and towards.symmetric
    ends, core = (second[:1], second[-1:]), second[1:-1]
    return (
        all(w[0].base == towards and w[0].power == 1 for w in ends)
        and ends[1] == transposed_word(ends[0])
        and towards not in letters_of(core)
        and word_sign(core, pairs) is Sign.DEFINITE
    )
