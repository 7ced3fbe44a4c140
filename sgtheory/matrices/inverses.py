"""Inverses, powers and symmetric roots."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory.errors import UnusableInput
from sgtheory.matrices.coefficients import canonical, primitive
from sgtheory.matrices.definite import Sign, sign
from sgtheory.matrices.letters import ONE, Block, Factor, Word
from sgtheory.matrices.sums import Matrix, as_matrix, matrix_one, of_word, product, scaled
from sgtheory.matrices.words import FREE, Pairs, fronts, normal, unit


def inverse(a: Any, declared: bool = False, pairs: Pairs = FREE) -> Matrix:
    """The inverse. A sum must be certified positive definite, or be declared invertible.

    >>> from sgtheory.matrices.sums import matrix, matrices
    >>> A, C = matrices("A C", "positive_definite")
    >>> inverse(2 * A * C), inverse(A + C), inverse(A + C) * C
    (C^-1*A^-1/2, (A + C)^-1, I - (A + C)^-1*A)
    >>> inverse(A - C)
    Traceback (most recent call last):
    ...
    sgtheory.errors.UnusableInput: expected an invertible matrix; got A - C; show that it is \
positive definite, or say inverse(..., declared=True)
    """
    a = as_matrix(a)
    if not a:
        raise _singular(a, "zero has no inverse")
    if len(a.terms) == 1:
        word, c = a.terms[0]
        return scaled(_invert_word(word, pairs), 1 / c)
    if declared or sign(a, pairs) is Sign.DEFINITE:
        return _inverted_sum(a)
    left, core, right = outer_factors(a, pairs)
    if (left or right) and (len(core.terms) == 1 or sign(core, pairs) is Sign.DEFINITE):
        parts = _invert_word(right, pairs), inverse(core, pairs=pairs), _invert_word(left, pairs)
        return product(*parts, pairs=pairs)
    raise _singular(a, "show that it is positive definite, or say inverse(..., declared=True)")


def _singular(a: Matrix, remedy: str) -> UnusableInput:
    return UnusableInput("an invertible matrix", str(a), remedy)


def _inverted_sum(a: Matrix) -> Matrix:
    """The sum as one opaque thing, without its scalar factor, to the power -1."""
    common = primitive(c for _, c in a.terms)
    first = canonical(a.terms[0][1] / common)
    if first.could_extract_minus_sign():
        common = -common
    block = Block(scaled(a, 1 / common).terms)
    return of_word(unit(block, -1), 1 / common)


def _invert_word(word: Word, pairs: Pairs) -> Matrix:
    return product(matrix_one, *map(_invert_factor, reversed(word)), pairs=pairs)


def _invert_factor(f: Factor) -> Matrix:
    if isinstance(f.base, Block):
        return matrix_power(Matrix.of(f.base.terms), int(-f.power))
    if not f.base.invertible:
        raise UnusableInput(
            "an invertible matrix",
            f.base.text,
            "declare it invertible or positive definite",
        )
    return of_word(normal((f._replace(power=-f.power),)))


def outer_factors(a: Matrix, pairs: Pairs = FREE) -> tuple[Word, Matrix, Word]:
    """Words u and v of invertible letters and a sum m with a = u m v, u as long as possible.

    >>> from sgtheory.matrices.sums import matrices
    >>> A, C = matrices("A C", "positive_definite")
    >>> outer_factors(A * A + C * A)[1]
    A + C
    """
    left, core = _take_fronts(a, pairs, front=True)
    right, core = _take_fronts(core, pairs, front=False)
    return left, core, right


def _take_fronts(a: Matrix, pairs: Pairs, front: bool) -> tuple[Word, Matrix]:
    taken: list[Factor] = []
    while len(a.terms) > 1:
        common = _common_end(a, pairs, front)
        if common is None:
            break
        taken.append(common)
        undone = of_word((common._replace(power=-common.power),))
        a = product(*((undone, a) if front else (a, undone)), pairs=pairs)
    return tuple(taken if front else taken[::-1]), a


def _common_end(a: Matrix, pairs: Pairs, front: bool) -> Factor | None:
    """A power of an invertible letter with which every word begins (or ends)."""
    choices: list[dict[Any, Fraction]] = []
    for word, _ in a.terms:
        word = word if front else word[::-1]
        found = [word[i] for i in fronts(word, pairs)]
        choices.append(
            {
                (f.base, f.transposed, f.power > 0): abs(f.power)
                for f in found
                if not isinstance(f.base, Block) and f.base.invertible
            }
        )
    for key in choices[0]:
        if all(key in c for c in choices):
            base, transposed, up = key
            power = min(c[key] for c in choices)
            return Factor(base, power if up else -power, transposed)
    return None


def matrix_power(a: Matrix, power: Any, pairs: Pairs = FREE) -> Matrix:
    """A whole power of any expression (negative ones of invertible ones), or a half power."""
    exponent = sp.sympify(power)
    if exponent.is_Integer:
        base = a if exponent >= 0 else inverse(a, pairs=pairs)
        return product(matrix_one, *[base] * abs(int(exponent)), pairs=pairs)
    if (2 * exponent).is_Integer:
        return matrix_power(root(a), int(2 * exponent), pairs)
    raise UnusableInput("a whole or half power", str(power), "use whole powers and root(H)")


def root(a: Matrix) -> Matrix:
    """The symmetric positive definite square root of a power of a positive definite letter.

    >>> from sgtheory.matrices.sums import matrix
    >>> H = matrix("H", "positive_definite")
    >>> root(H), root(H) * root(H), (root(H) ** -1).T
    (H^(1/2), H, H^(-1/2))
    """
    if len(a.terms) == 1 and a.terms[0][1] == 1:
        word = a.terms[0][0]
        if word == ONE:
            return a
        f = word[0]
        if len(word) == 1 and f.base.positive_definite and (f.power / 2).denominator <= 2:
            return of_word((f._replace(power=f.power / 2),))
    raise UnusableInput(
        "a power of a positive definite letter under a root",
        str(a),
        "name the root by a letter R and write R*R",
    )
