"""Words in normal form: powers merged, inverses cancelled, commuting factors in one order.

``pairs`` holds the pairs of letters that commute by hypothesis. Diagonal matrices commute anyway,
and a sum commutes with whatever commutes with it as a sum of words: A with (A + 1)^-1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from sgtheory.matrices.coefficients import canonical
from sgtheory.matrices.letters import ONE, Block, DiagonalPart, Factor, Letter, Word, place, word_place

Pairs = frozenset[frozenset[Letter]]
Terms = tuple[tuple[Word, Any], ...]
FREE: Pairs = frozenset()


def standard(f: Factor) -> Factor:
    """A factor without a transpose where the letter's assumptions absorb it."""
    base, power, transposed = f
    if isinstance(base, Block):
        return Factor(Block(transposed_terms(base.terms)), power) if transposed else f
    if base.orthogonal:
        power = -power if transposed else power
        return Factor(base, power % 2 if base.symmetric else power)
    return Factor(base, power) if base.symmetric else f


@lru_cache(maxsize=100_000)
def normal(word: Word, pairs: Pairs = FREE) -> Word:
    """The one word that stands for all that are equal to it by cancelling and commuting."""
    out: list[Factor] = []
    for f in map(standard, word):
        if f.power == 0:
            continue
        k = _partner(out, f, pairs)
        if k is None:
            out.append(f)
            continue
        merged = standard(f._replace(power=out[k].power + f.power))
        out[k : k + 1] = [merged] if merged.power else []
    return _ordered(out, pairs)


def _partner(out: list[Factor], f: Factor, pairs: Pairs) -> int | None:
    """The place of an earlier power of the same thing that f can be moved to."""
    for k in range(len(out) - 1, -1, -1):
        if out[k].base == f.base and out[k].transposed == f.transposed:
            return k
        if not commute(out[k], f, pairs):
            return None
    return None


def _ordered(factors: list[Factor], pairs: Pairs) -> Word:
    rest, out = list(factors), []
    while rest:
        k = min(fronts(rest, pairs), key=lambda i: place(rest[i]))
        out.append(rest.pop(k))
    return tuple(out)


def fronts(word: Iterable[Factor], pairs: Pairs) -> list[int]:
    """The places of the factors that can be moved to the front."""
    factors = list(word)
    return [i for i, f in enumerate(factors) if all(commute(g, f, pairs) for g in factors[:i])]


@lru_cache(maxsize=100_000)
def commute(f: Factor, g: Factor, pairs: Pairs = FREE) -> bool:
    """Whether two factors are known to commute."""
    if f.base == g.base:
        return f.transposed == g.transposed
    if f.base.diagonal and g.base.diagonal:
        return True
    if isinstance(f.base, Block) or isinstance(g.base, Block):
        return _sums_commute(_as_terms(f), _as_terms(g), pairs)
    if isinstance(f.base, DiagonalPart) or isinstance(g.base, DiagonalPart):
        return False
    if frozenset([f.base, g.base]) not in pairs:
        return False
    # From A C = C A follows A^T C^T = C^T A^T; the mixed pairs need X^T = X or X^T = X^-1.
    return f.transposed == g.transposed or any(x.base.symmetric or x.base.orthogonal for x in (f, g))


def _as_terms(f: Factor) -> Terms:
    if isinstance(f.base, Block):
        return f.base.terms
    return (((f._replace(power=Fraction(1)),), sp.S.One),)


def _sums_commute(x: Terms, y: Terms, pairs: Pairs) -> bool:
    totals: dict[Word, list[Any]] = {}
    for u, a in x:
        for v, b in y:
            totals.setdefault(normal(u + v, pairs), []).append(a * b)
            totals.setdefault(normal(v + u, pairs), []).append(-a * b)
    return all(canonical(sp.Add(*cs)) == 0 for cs in totals.values())


def transposed_word(word: Word, pairs: Pairs = FREE) -> Word:
    """The transpose of a product: transposed factors in reverse order."""
    return normal(tuple(f._replace(transposed=not f.transposed) for f in reversed(word)), pairs)


def transposed_terms(terms: Terms, pairs: Pairs = FREE) -> Terms:
    """The transpose of a sum."""
    return collect(((transposed_word(w, pairs), c) for w, c in terms))


def collect(terms: Iterable[tuple[Word, Any]]) -> Terms:
    """Equal words together, terms that are zero dropped, the rest in order."""
    totals: dict[Word, list[Any]] = {}
    for w, c in terms:
        totals.setdefault(w, []).append(c)
    found = ((w, canonical(sp.Add(*cs))) for w, cs in totals.items())
    return tuple(sorted(((w, c) for w, c in found if c != 0), key=lambda t: word_place(t[0])))


def unit(base: Letter | Block | DiagonalPart, power: Fraction | int = 1) -> Word:
    """The word that is one power of one thing."""
    return normal((Factor(base, Fraction(power)),)) if power else ONE
