"""Wrong twins: a printed expression, corrupted mechanically in the ways that people err."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from sgtheory.declare import N, Parameter, S


def corruptions(expr: Any) -> Iterator[tuple[str, Any]]:
    """Named corruptions of a scalar or matrix expression, each a different expression.

    >>> from verification.notation import A, Sigma
    >>> [name for name, _ in corruptions(A * Sigma)]
    ['A*Sigma doubled', 'A*Sigma with its sign flipped', 'A*Sigma dropped', 'order reversed in A*Sigma']
    """
    seen = {expr}
    for name, twin in _all(expr):
        if twin not in seen:
            seen.add(twin)
            yield name, twin


def _all(expr: Any) -> Iterator[tuple[str, Any]]:
    terms = sp.Add.make_args(expr)
    for k, term in enumerate(terms):
        others = sp.Add(*terms[:k], *terms[k + 1 :])
        yield f"{term} doubled", others + 2 * term
        yield f"{term} with its sign flipped", others - term
        yield f"{term} dropped", others
        scalars, words = term.args_cnc()
        if len(words) > 1:
            turned = sp.Mul(*scalars) * sp.Mul(*reversed(words))
            yield f"order reversed in {term}", others + turned
        for name, wrong in _wrong_scalars(sp.Mul(*scalars)):
            yield f"{name} in {term}", others + wrong * sp.Mul(*words)


def _wrong_scalars(scalar: Any) -> Iterator[tuple[str, Any]]:
    symbols = scalar.free_symbols
    for parameter in sorted((s for s in symbols if isinstance(s, Parameter)), key=str):
        yield f"sqrt({parameter}) for {parameter}", scalar.subs(parameter, sp.sqrt(parameter))
        yield f"{parameter} missing", scalar.subs(parameter, 1)
    if N in symbols or S in symbols:
        yield "N and S exchanged", scalar.subs({N: S, S: N}, simultaneous=True)
    if N in symbols:
        yield "N squared", scalar.subs(N, N**2)
