"""Small changes to what stands in exponents: for corruptions, and for what may have been meant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import sympy as sp

from sgtheory.declare import Parameter, Size
from sgtheory.printing import plain
from verification.spectral.words import MatrixExp


def exchanges(expr: Any) -> Iterator[tuple[str, Any]]:
    """Two letters exchanged in one exponent, or the sign of an exponent."""
    letters = sorted(expr.atoms(Parameter, Size), key=str)
    for atom in sorted(expr.atoms(MatrixExp, sp.exp), key=str):
        for a, b in combinations(letters, 2):
            turned = atom.subs({a: b, b: a}, simultaneous=True)
            if turned != atom:
                yield f"{a} and {b} exchanged in {plain(atom)}", expr.subs(atom, turned)
    yield from exponents(expr)


def exponents(expr: Any) -> Iterator[tuple[str, Any]]:
    """Each exponent with its sign flipped, and doubled."""
    for atom in sorted(expr.atoms(MatrixExp, sp.exp), key=str):
        inside = atom.args[0]
        yield f"sign flipped in {plain(atom)}", expr.subs(atom, atom.func(-inside))
        yield f"exponent doubled in {plain(atom)}", expr.subs(atom, atom.func(2 * inside))


def keeps_letters(wrong: Any, right: Any) -> bool:
    """Whether a correction is about the same matrices: one without them would be no correction."""
    names = [{s for s in e.free_symbols if not s.is_commutative} for e in (wrong, right)]
    return names[0] == names[1]
