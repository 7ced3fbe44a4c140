"""Statements about minibatches in normal form: for every N, S and dimension, and all data.

What is averaged over all minibatches becomes averages over the data, by counting: a product of averages
over a minibatch is a sum over the ways in which its indices coincide, and indices that differ are
independent (drawn with replacement), or run over tuples without repetition (drawn without).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import factorial
from typing import Any

import sympy as sp
from sympy.polys.fields import FracField

from sgtheory.notation.matrixwords import Trace
from verification.notation import D, N, S
from verification.terms.batchwords import (
    At,
    Average,
    BatchAverage,
    DataColumn,
    DataNumber,
    Expectation,
    First,
    FixedColumn,
    FixedSquare,
    Gradient,
    Hessian,
    Inner,
    Online,
)
from verification.terms.kinds import Transpose
from verification.theories.minibatches.drawing import WITH
from verification.theories.minibatches.vectors import (
    BATCH,
    DATA,
    FIRST,
    HERE,
    Label,
    Misfit,
    Monomial,
    Open,
    degree,
    rebuilt,
    slopes,
    times,
    traced,
    transposed,
)

FRACTION = sp.Symbol("f", positive=True)  # S/N, where minibatches grow with the data
_LETTERS = (DataColumn, DataNumber, FixedColumn, FixedSquare)
_MEANS = (Average, BatchAverage, First, Expectation, Online)  # of a constant, the constant
_WORDS = (Average, BatchAverage, First, Expectation, Online, Gradient, Hessian, At)


@dataclass(frozen=True)
class Form:
    """A sum of monomials with coefficients in a field of rational functions of the sizes.

    Equal forms are equal for all data; ``terms`` has no zero in it.
    """

    field: Any
    terms: Mapping[Monomial, Any]

    def __add__(self, other: Form) -> Form:
        return collected(self.field, [*self.terms.items(), *other.terms.items()])

    def __sub__(self, other: Form) -> Form:
        return self + other * -1

    def __mul__(self, other: Any) -> Form:
        if not isinstance(other, Form):
            return Form(self.field, {m: c * other for m, c in self.terms.items()} if other else {})
        found = []
        for a, x in self.terms.items():
            used = {k: len(a.labels(k)) for k in (DATA, BATCH)}
            for b, y in other.terms.items():
                found.append((times(a, b.relabelled(_shifted(b, used))), x * y))
        return collected(self.field, found)

    @property
    def T(self) -> Form:
        """Transposed."""
        return collected(self.field, [(transposed(m), c) for m, c in self.terms.items()])

    def each(self, change: Callable[[Monomial], Any]) -> Form:
        """The sum of what monomials become, each an iterable of monomials."""
        return collected(self.field, [(w, c) for m, c in self.terms.items() for w in change(m)])

    @property
    def shapes(self) -> set[tuple[bool, bool]]:
        """More than one where things are added that do not fit."""
        return {m.end.shape for m in self.terms}


def _shifted(m: Monomial, used: Mapping[str, int]) -> dict[Label, Label]:
    return {(k, i): (k, i + n) for k, n in used.items() for _, i in m.labels(k)}


def collected(field: Any, pairs: list[tuple[Monomial, Any]]) -> Form:
    """Like monomials together, labels in order; what does not fit is refused."""
    terms: dict[Monomial, Any] = {}
    for m, c in pairs:
        key = m.canonical()
        terms[key] = terms[key] + c if key in terms else c
    found = Form(field, {m: c for m, c in terms.items() if c})
    if len(found.shapes) > 1:
        raise Misfit("a sum of shapes that do not fit")
    return found


class Reader:
    """Reads expressions into forms, for one way of drawing; sizes may be set to values."""

    def __init__(self, drawing: str, symbols: set[Any], sizes: Mapping[Any, Any] | None = None) -> None:
        self.drawing = drawing
        self.sizes = dict(sizes or {})
        self.known: dict[Any, Form] = {}
        known = {N, S, D, FRACTION, *(s for s in symbols if not isinstance(s, _LETTERS))}
        self.roots = {s: sp.Symbol(f"_root_{s}", positive=True) for s in sorted(known, key=str)}
        # coefficients are rational in the roots of all numbers: roots of S and of N occur in print
        self.field = FracField(tuple(self.roots.values()), sp.QQ)
        self.N, self.S = (self.number(s) for s in (N, S))

    def number(self, expr: Any) -> Any:
        """A plain number in the field."""
        value = sp.sympify(expr).subs(self.sizes)
        squares = {s: r**2 for s, r in self.roots.items()}
        try:
            return self.field.from_expr(sp.powdenest(value.subs(squares), force=True))
        except ValueError as error:
            raise NotImplementedError(f"{expr} is no rational number in roots of the sizes") from error

    def written(self, x: Any) -> Any:
        """An element of the field in the letters of print."""
        back = {r: sp.sqrt(s) for s, r in self.roots.items()}
        return sp.factor(x.as_expr().subs(back)) if x else sp.Integer(0)

    def of(self, m: Monomial) -> Form:
        """One monomial."""
        return Form(self.field, {m: self.field.one})

    def plain(self, expr: Any) -> Form:
        """A number."""
        value = self.number(expr)
        return Form(self.field, {Monomial(): value} if value else {})

    def read(self, expr: Any) -> Form:
        """An expression; what was read once is kept."""
        expr = sp.sympify(expr)
        if expr not in self.known:
            self.known[expr] = self._read(expr)
        return self.known[expr]

    def _read(self, expr: Any) -> Form:
        if expr.is_Symbol and expr.name == "I" and not expr.is_commutative:
            return self.of(Monomial(end=Open()))
        if isinstance(expr, _LETTERS):
            return self._letter(expr)
        if not expr.atoms(*_LETTERS) and not expr.has(sp.Symbol("I", commutative=False)):
            return self.plain(expr.replace(lambda e: isinstance(e, _MEANS), lambda e: e.args[0]))
        if expr.is_Add:
            return self._sum(expr)
        if expr.is_Mul:
            found = self.plain(1)
            for factor in expr.args:
                found = found * self.read(factor)
            return found
        if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
            return self.read(sp.Mul(*[expr.base] * int(expr.exp), evaluate=False))
        return self._word(expr)

    def _sum(self, expr: Any) -> Form:
        found = self.read(expr.args[0])
        for term in expr.args[1:]:
            found = found + self.read(term)
        return found

    def _letter(self, letter: Any) -> Form:
        here: Label = (HERE, 0)
        if isinstance(letter, DataNumber):
            return self.of(Monomial(numbers=((letter.name, here),)))
        if isinstance(letter, FixedSquare):
            return self.of(Monomial(end=Open(middle=(letter.name,))))
        label = here if isinstance(letter, DataColumn) else None
        return self.of(Monomial(end=Open(left=((), (letter.name, label)))))

    def _word(self, expr: Any) -> Form:
        if isinstance(expr, At):
            return self._at(expr)
        if isinstance(expr, Inner):
            a, b = (self.read(e) for e in expr.args)
            return a.T * b
        if not isinstance(expr, (*_WORDS, Transpose, Trace)):
            raise NotImplementedError(f"{type(expr).__name__} in a statement about minibatches")
        inner = self.read(expr.args[0])
        kinds = {Average: DATA, BatchAverage: BATCH, First: FIRST}
        if type(expr) in kinds:
            return self._over(inner, kinds[type(expr)])
        if isinstance(expr, Transpose):
            return inner.T
        if isinstance(expr, Trace):
            return self._trace(inner)
        if isinstance(expr, Gradient):
            return inner.each(lambda m: slopes(m, "theta"))
        if isinstance(expr, Hessian):
            return inner.each(lambda m: (b for a in slopes(m, "theta") for b in slopes(a, "theta")))
        return self.expectation(inner)  # and the limit of an online average, by the law of large numbers

    def _over(self, inner: Form, kind: str) -> Form:
        """An average: the example that is here gets a label of its own."""

        def change(m: Monomial) -> Iterator[Monomial]:
            yield m.relabelled({(HERE, 0): (kind, 0 if kind == FIRST else len(m.labels(kind)))})

        return inner.each(change)

    def _trace(self, inner: Form) -> Form:
        found = inner.each(lambda m: (traced(m),))
        terms = []
        for m, c in found.terms.items():
            for word in m.traces:
                c = c if word else c * self.number(D)
            words = tuple(w for w in m.traces if w)
            terms.append((Monomial(m.numbers, m.inners, words, m.end), c))
        return collected(self.field, terms)

    def _at(self, expr: Any) -> Form:
        inner, value = (self.read(e) for e in expr.args)
        found = self.plain(0)
        for m, c in inner.terms.items():
            # a value's labels have to stay apart from those of what it is put into
            shift = dict.fromkeys((DATA, BATCH), 100)
            apart = m.relabelled(_shifted(m, shift))
            found = found + rebuilt(apart, "theta", lambda: value, self) * c
        return found

    def expectation(self, inner: Form) -> Form:
        """Over all minibatches."""
        found = []
        for m, c in inner.terms.items():
            batch, first = m.labels(BATCH), m.labels(FIRST)
            if not batch and not first:
                found.append((m, c))
                continue
            size = self.S ** len(batch)
            for blocks in partitions((*first, *batch)):
                count = self.field.one  # tuples of positions that coincide like this
                for k in range(len(blocks) - len(first)):
                    count = count * (self.S - len(first) - k)
                found += self._drawn(m, blocks, c * count / size)
        return collected(self.field, found)

    def _drawn(self, m: Monomial, blocks: Any, weight: Any) -> list[tuple[Monomial, Any]]:
        """Examples at different positions: independent, or different."""
        start = len(m.labels(DATA))

        def merged(classes: Any) -> Monomial:
            new = {
                label: (DATA, start + k)
                for k, parts in enumerate(classes)
                for part in parts
                for label in part
            }
            return m.relabelled(new)

        if self.drawing == WITH:
            return [(merged([(b,) for b in blocks]), weight)]
        falling = self.field.one
        for k in range(len(blocks)):
            falling = falling * (self.N - k)
        if not falling:
            return []  # there are not so many examples, and so no such minibatch
        found = []
        for classes in partitions(tuple(blocks)):
            sign = 1
            for part in classes:
                sign *= (-1) ** (len(part) - 1) * factorial(len(part) - 1)
            found.append((merged(classes), weight * sign * self.N ** len(classes) / falling))
        return found


@cache
def partitions(items: tuple[Any, ...]) -> tuple[tuple[tuple[Any, ...], ...], ...]:
    """All partitions of a set.

    >>> [len(partitions(tuple(range(n)))) for n in range(5)]
    [1, 1, 2, 5, 15]
    """
    if not items:
        return ((),)
    first, rest = items[0], items[1:]
    found = []
    for smaller in partitions(rest):
        found.append(((first,), *smaller))
        for k, part in enumerate(smaller):
            found.append((*smaller[:k], (first, *part), *smaller[k + 1 :]))
    return tuple(found)


def degree_of(form: Form) -> int:
    """In theta; of zero it is 0."""
    return max((degree(m, "theta") for m in form.terms), default=0)
