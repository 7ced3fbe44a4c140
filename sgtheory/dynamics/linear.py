"""Linear equations over a field of parameters: a solution, or a proof that there is none.

A system without a solution has a combination of its equations that reads 0 = 1 (Fredholm). That
combination is the proof, and it is multiplied out again before it is handed over.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

Column = Mapping[Any, Any]  # the name of an equation -> a coefficient in parameters


@dataclass(frozen=True)
class Solved:
    """One value to each unknown; those in ``free`` may be anything and are 0 here."""

    values: tuple[Any, ...]
    free: tuple[int, ...]


@dataclass(frozen=True)
class Contradiction:
    """Multiples of equations whose sum has no unknown in it and 1 on its right."""

    weights: Mapping[Any, Any]

    def check(self, columns: Sequence[Column], right: Column) -> bool:
        """Whether it is one, multiplied out.

        >>> solve([{"first": 1, "second": 1}], {"first": 1}).check([{"first": 1}], {"first": 1})
        False
        """
        if _paired(self.weights, right) != 1:
            return False
        return all(_paired(self.weights, c) == 0 for c in columns)


def solve(columns: Sequence[Column], right: Column) -> Solved | Contradiction:
    """Unknowns x with sum_k x_k columns_k = right; the first unknowns are used before later ones.

    >>> a = sp.Symbol("a")
    >>> solve([{"u": a}, {"u": 1, "v": 1}], {"u": 2, "v": 1})
    Solved(values=(1/a, 1), free=())
    >>> solve([{"u": 1, "v": a}], {"u": 1})
    Contradiction(weights={'u': 1, 'v': -1/a})
    """
    found = solvable(columns, right)
    if found is not None:
        return found
    names, system = _system(columns, right)
    dual = {(j, i): x for (i, j), x in system.items()} | {(len(columns), len(names)): sp.Integer(1)}
    solved = _reduced(dual, len(columns) + 1, len(names))
    if solved is None:
        raise ArithmeticError("neither the equations nor their contradiction can be solved")
    proof = Contradiction({k: w for k, w in zip(names, solved.values, strict=True) if w != 0})
    if not proof.check(columns, right):
        raise ArithmeticError("a contradiction that is none")
    return proof


def solvable(columns: Sequence[Column], right: Column) -> Solved | None:
    """The same without the proof, which costs as much again and more."""
    names, system = _system(columns, right)
    return _reduced(system, len(names), len(columns))


def _system(columns: Sequence[Column], right: Column) -> tuple[list[Any], dict[tuple[int, int], Any]]:
    names = list(dict.fromkeys(k for c in (*columns, right) for k, x in c.items() if x != 0))
    place = {name: i for i, name in enumerate(names)}
    entries = {(place[k], j): x for j, c in enumerate((*columns, right)) for k, x in c.items() if x != 0}
    return names, entries


def _reduced(entries: Mapping[tuple[int, int], Any], height: int, size: int) -> Solved | None:
    """By elimination; the right-hand side is the last column."""
    from sympy.polys.matrices import DomainMatrix

    if not height:
        return Solved((sp.Integer(0),) * size, tuple(range(size)))
    roots, back = _without_roots(list(entries.values()))
    rows: dict[int, dict[int, Any]] = {}
    for (i, j), e in entries.items():
        rows.setdefault(i, {})[j] = sp.sympify(e).xreplace(roots)
    matrix = DomainMatrix.from_dict_sympy(height, size + 1, rows).to_field()
    reduced, pivots = matrix.rref(method="CD")
    if size in pivots:
        return None
    values = [sp.Integer(0)] * size
    last = reduced[:, size].to_Matrix()
    for k, pivot in enumerate(pivots):
        values[pivot] = sp.factor(last[k, 0]).xreplace(back)
    return Solved(tuple(values), tuple(k for k in range(size) if k not in pivots))


def _without_roots(entries: Sequence[Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Parameters that stand under a root become squares, so that entries are rational."""
    under = {
        s
        for e in entries
        for power in sp.sympify(e).atoms(sp.Pow)
        if not power.exp.is_Integer
        for s in power.free_symbols
    }
    names = {s: sp.Dummy(f"root_{s.name}", positive=True) for s in sorted(under, key=lambda s: s.name)}
    return {s: d**2 for s, d in names.items()}, {d: sp.sqrt(s) for s, d in names.items()}


def _paired(weights: Mapping[Hashable, Any], column: Column) -> Any:
    return sp.cancel(sp.together(sp.Add(*(w * column[k] for k, w in weights.items() if k in column))))
