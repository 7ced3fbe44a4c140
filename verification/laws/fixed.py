"""Matrices that equations fix: P of A P + P A = h C, or of P C = I; R of R = 2 h T I - h^2 C.

Where one side solves an equation by a formula, that is put in; else it stays an equation, which at a
place is a linear system for the entries of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from sgtheory import matrices as mx
from sgtheory.errors import UnusableInput
from sgtheory.matrices.obeying import particular
from verification.laws.pair_form import letters_of
from verification.laws.quantities import TIME_OF
from verification.refuter.kinds import matrix_is
from verification.terms.arithmetics.rational import exactly
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.kinds import Transpose
from verification.terms.term import Letter, Term
from verification.terms.walking import CANNOT
from verification.terms.words import is_matrix

_LAST = ("C", "A")  # letters of the problem are made to fit where nothing else can be
_NEVER = ("I", "B", "E", "EE^T", "H", "Sigma", *TIME_OF)
_SYMMETRIC = ("positive definite", "positive semidefinite", "squared", "symmetric", "diagonal")
_I = sp.Symbol("I", commutative=False)


@dataclass(frozen=True)
class Equation:
    """Two terms that are equal."""

    left: Term
    right: Term
    relation = "="

    @property
    def sides(self) -> tuple[Term, Term]:
        """Both."""
        return self.left, self.right

    @property
    def letters(self) -> tuple[Letter, ...]:
        """Those of both."""
        return tuple(dict.fromkeys((*self.left.letters, *self.right.letters)))


@dataclass(frozen=True)
class Fixed:
    """A matrix by name, the equation that fixes it, and the formula that solves it, where one does."""

    name: str
    equation: Any  # between terms
    value: Term | None

    def at(self, values: Mapping[str, Any], kind: str) -> Any:
        """What it is at a place; None where nothing of its kind solves the equation."""
        try:
            found = self._solved(values, kind) if self.value is None else exactly(self.value, values)
        except CANNOT:
            return None
        if found is None:
            return None
        size = len(values["I"])
        if not isinstance(found, tuple | list):  # a number times the identity
            found = [[found if i == j else Fraction(0) for j in range(size)] for i in range(size)]
        rows = tuple(tuple(map(Fraction, row)) for row in found)
        return rows if matrix_is(kind, rows) else None

    def _solved(self, values: Mapping[str, Any], kind: str) -> Any:
        """One linear system for the entries."""
        size = len(values["I"])
        directions = [*_directions(size, kind)]
        zero = ((Fraction(0),) * size,) * size
        start = self._rest(values, zero)
        columns = [
            [a - b for a, b in zip(self._rest(values, e), start, strict=True)] for e in directions
        ]
        weights = particular(columns, [-x for x in start])
        if weights is None:
            return None
        pairs = [*zip(weights, directions, strict=True)]
        return [[sum(w * e[i][j] for w, e in pairs) for j in range(size)] for i in range(size)]

    def _rest(self, values: Mapping[str, Any], matrix: Any) -> list[Fraction]:
        there = {**values, self.name: matrix}
        sides = [exactly(side, there) for side in (self.equation.left, self.equation.right)]
        size = len(values["I"])

        def entry(side: Any, i: int, j: int) -> Fraction:
            if isinstance(side, tuple | list):
                return Fraction(side[i][j])
            return Fraction(side) if i == j else Fraction(0)

        pairs = ((i, j) for i in range(size) for j in range(size))
        return [entry(sides[0], i, j) - entry(sides[1], i, j) for i, j in pairs]


def _directions(size: int, kind: str) -> Iterator[Any]:
    for i in range(size):
        for j in range(i, size) if kind in _SYMMETRIC else range(size):
            if kind == "diagonal" and i != j:
                continue
            places = {(i, j), (j, i)} if kind in _SYMMETRIC else {(i, j)}
            yield tuple(tuple(Fraction(int((a, b) in places)) for b in range(size)) for a in range(size))


def fixed_by(relations: Iterable[Any], moments: Iterable[str]) -> tuple[Fixed, ...]:
    """Which letters equations between matrices fix, each by one, in the order in which they are made.

    >>> A, C, P = (Letter(n, "matrix") for n in "ACP")
    >>> told = [Equation(A * P + P * A, C), Equation(P * C, Letter("I", "matrix"))]
    >>> [(one.name, str(one.value)) for k in (0, 1) for one in fixed_by(told[k:k + 1], ())]
    [('P', 'None'), ('P', 'C**(-1)')]
    """
    taken, found = {*moments}, list[Fixed]()
    for one in relations:
        if one.relation != "=" or not any(map(is_matrix, one.sides)):
            continue
        if {a.name for a in one.letters} & taken:
            continue
        made = next(_made(one, {f.name for f in found}), None)
        if made is not None:
            found.append(made)
    return _in_order(found)


def _in_order(found: list[Fixed]) -> tuple[Fixed, ...]:
    """Each after those of which it is made; what is made of itself in the end is none."""
    done: list[Fixed] = []
    while found:
        names = {f.name for f in found}
        ready = [f for f in found if not (_used(f) & (names - {f.name}))]
        if not ready:
            break
        done += ready
        found = [f for f in found if f not in ready]
    return tuple(done)


def _used(one: Fixed) -> set[str]:
    sides = one.equation.sides if one.value is None else (one.value,)
    return {a.name for side in sides for a in side.letters}


def _made(one: Any, taken: set[str]) -> Iterator[Fixed]:
    left, right = one.sides
    for a, b in ((left, right), (right, left)):
        if _may_be_fixed(a, taken) and a not in b.letters and a.name not in _LAST:
            yield Fixed(a.name, one, b)
    matrices = sorted((a for a in one.letters if _may_be_fixed(a, taken)), key=lambda a: a.name)
    rest = sp.expand(in_symbols(left) - in_symbols(right))
    for a in sorted(matrices, key=lambda a: _LAST.index(a.name) + 1 if a.name in _LAST else 0):
        x = sp.Symbol(a.name, commutative=False)
        value = _by_a_formula(rest, x)
        if value is not None:
            yield Fixed(a.name, one, from_sympy(value))
        elif _is_linear(rest, x):
            yield Fixed(a.name, one, None)


def _may_be_fixed(a: Any, taken: set[str]) -> bool:
    return isinstance(a, Letter) and a.kind == "matrix" and a.name not in (*_NEVER, *taken)


def _is_linear(rest: Any, x: Any) -> bool:
    """Whether every word has the letter once at most, and under no power."""
    y = sp.Dummy(commutative=False)
    for term in sp.Add.make_args(rest):
        words = letters_of(term.args_cnc()[1])
        plain = [w.xreplace({Transpose(x): y}) for w in words]
        if sum(w in (x, y) for w in plain) > 1 or any(w.has(x) for w in plain if w != x):
            return False
    scalars = (c for t in sp.Add.make_args(rest) for c in t.args_cnc()[0])
    return not any(c.has(x) for c in scalars)


def _by_a_formula(rest: Any, x: Any) -> Any:
    """X of L X R = V or of L X^(-1) R = V, what stands around it having inverses; None of others."""
    if rest.has(Transpose(x)):
        return None
    names = {s for s in rest.free_symbols if not s.is_commutative and s != _I}
    inverted = names if rest.has(x**-1) else names - {x}
    letters = {s: mx.matrix(s.name, *(("invertible",) if s in inverted else ())) for s in names}
    try:
        equation = mx.equation(mx.from_sympy(rest, letters.values(), declared=True), 0)
        found = mx.solve_for(equation, letters[x], declared=True)
        value = sp.expand(mx.to_sympy(found.of_letter(declared=True)))
    except (UnusableInput, NotImplementedError):
        return None
    turned = {sp.Symbol(f"{s}^T", commutative=False): Transpose(s) for s in names}
    value = value.xreplace(turned) * (_I if value.is_commutative else 1)
    return value.replace(lambda e: e.is_Add and not e.is_commutative, _with_identity)


def _with_identity(total: Any) -> Any:
    """A sum in which numbers stand for multiples of the identity, with the identity written."""
    return sp.Add(*(t * _I if t.is_commutative else t for t in total.args))
