"""Normal forms in the words that are printed, and printed letters as what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from verification.theories.sequences.normal import HERE, Forms
from verification.theories.sequences.symbols import E, T, t


def written(expr: Any, forms: Forms, bases: Mapping[str, Any]) -> Any:
    """A normal form in the words that are printed."""

    def entry(letter: Any) -> Any:
        name, index, shift = forms.entries[letter]
        if name.startswith("E("):
            inner = sp.Mul(*(bases[n][_step(index, shift)] for n in name[2:-1].split("*")))
            return E(inner)
        base = bases[name.strip("|")][_step(index, shift)]
        return sp.Abs(base) if name.startswith("|") else base

    def plain(e: Any) -> Any:
        return e.subs({x: entry(x) for x in e.free_symbols if x in forms.entries}, simultaneous=True)

    sums = {x: sp.Sum(plain(body), (t, 1, T)) for x, body in forms.sums.items()}
    return plain(sp.sympify(expr)).subs(sums, simultaneous=True)


def _step(index: Any, shift: Any) -> Any:
    if index == HERE:
        return t + shift
    return sp.sympify(shift, locals={"T": T}) if index is None else index + shift


def stand(expr: Any, where: tuple[tuple[Any, Any], ...]) -> Any:
    """What is printed, with what its letters stand for.

    >>> from verification.theories.sequences.symbols import numbers, over
    >>> x, y = numbers("x"), numbers("y")
    >>> stand(over(x[t - 1]), ((x, y[t] + 1),))
    Sum(y[t - 1] + 1, (t, 1, T))
    """
    found = sp.sympify(expr)
    for letter, meaning in where:
        if isinstance(letter, sp.IndexedBase):

            def entry(e: Any, meaning: Any = meaning) -> Any:
                return sp.sympify(meaning).subs(t, e.indices[0])

            found = found.replace(
                lambda e, letter=letter: isinstance(e, sp.Indexed) and e.base == letter, entry
            )
        else:
            found = found.subs(letter, meaning)
    return found
