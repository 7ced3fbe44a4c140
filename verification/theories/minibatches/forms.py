"""Statements about minibatches in normal form: for every N, S and dimension, and all data.

What is averaged over all minibatches becomes averages over the data, by counting: a product of averages
over a minibatch is a sum over the ways in which its indices coincide, and indices that differ are
independent (drawn with replacement), or run over tuples without repetition (drawn without).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import factorial
from typing import Any

import sympy as sp
from sympy.polys.fields import FracField
from sympy.utilities.iterables import multiset_partitions

from sgtheory.polynomials import factored
from verification.notation import D, N, S
from verification.terms.arithmetics.symbols import symbol
from verification.terms.term import Letter, Term
from verification.terms.walking import Arithmetic, Unable, walk
from verification.theories.minibatches import monomials as of
from verification.theories.minibatches import words
from verification.theories.minibatches.drawing import WITH
from verification.theories.minibatches.monomials import BATCH, DATA, FIRST, HERE, Misfit, Monomial

FRACTION = sp.Symbol("f", positive=True)  # S/N, where minibatches grow with the data
SIZES = {s.name: s for s in (N, S, D)}
_WHAT = {words.NUMBERS: of.NUMBER, words.SYMMETRIC: of.SQUARE}


@dataclass(frozen=True)
class Form:
    """A sum of monomials with coefficients in a field of rational functions of the sizes.

    Equal forms are equal for all data; ``terms`` has no zero in it.
    """

    field: Any
    terms: Mapping[Monomial, Any]

    def __add__(self, other: Form) -> Form:
        return collected(self.field, [*self.terms.items(), *other.terms.items()])

    def __neg__(self) -> Form:
        return Form(self.field, {m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Form) -> Form:
        return self + -other

    def __mul__(self, other: Form) -> Form:
        found = []
        for a, x in self.terms.items():
            used = _used(a)
            found += [(a * _apart(b, used), x * y) for b, y in other.terms.items()]
        return collected(self.field, found)

    @property
    def T(self) -> Form:
        """Transposed."""
        return self.each(lambda m: (m.T,))

    def each(self, change: Callable[[Monomial], Iterable[Monomial]]) -> Form:
        """The sum of what monomials become."""
        return collected(self.field, [(w, c) for m, c in self.terms.items() for w in change(m)])


def _used(m: Monomial) -> dict[str, int]:
    return {kind: len(m.labels(kind)) for kind in (DATA, BATCH)}


def _apart(m: Monomial, used: Mapping[str, int]) -> Monomial:
    """With labels that others do not use."""
    return m.relabelled({(k, i): (k, i + n) for k, n in used.items() for _, i in m.labels(k)})


def collected(field: Any, pairs: Iterable[tuple[Monomial, Any]]) -> Form:
    """Like monomials together, labels in order; what does not fit is refused."""
    terms: dict[Monomial, Any] = {}
    for m, c in pairs:
        key = m.canonical()
        terms[key] = terms[key] + c if key in terms else c
    found = {m: c for m, c in terms.items() if c}
    if len({m.shape for m in found}) > 1:
        raise Misfit("a sum of shapes that do not fit")
    return Form(field, found)


def partitions(items: tuple[Any, ...]) -> list[tuple[tuple[Any, ...], ...]]:
    """All partitions of a set.

    >>> [len(partitions(tuple(range(n)))) for n in range(5)]
    [1, 1, 2, 5, 15]
    """
    if not items:
        return [()]
    blocks = multiset_partitions(list(range(len(items))))
    return [tuple(tuple(items[k] for k in block) for block in one) for one in blocks]


def _is_plain(letter: Letter) -> bool:
    return letter.kind not in (*words.KINDS, "matrix")


def _symbol(letter: Letter) -> Any:
    return SIZES.get(letter.name, symbol(letter))


class Reader:
    """Reads terms into forms, for one way of drawing; sizes may be set to values."""

    def __init__(self, drawing: str, letters: Iterable[Letter], sizes: Mapping[Any, Any]) -> None:
        self.drawing, self.sizes = drawing, sizes
        plain = {FRACTION, *SIZES.values(), *(_symbol(a) for a in letters if _is_plain(a))}
        # coefficients are rational in the roots of all numbers: roots of S and of N occur in print
        self.roots = {s: sp.Symbol(f"_root_{s}", positive=True) for s in sorted(plain, key=str)}
        self.field = FracField(tuple(self.roots.values()), sp.QQ)
        self.N, self.S = (self.number(s) for s in (N, S))
        self.known: dict[Term, Form] = {}
        self.arithmetic = Arithmetic("averages in normal form", self.plain, self._operations, exact=True)

    def number(self, expr: Any) -> Any:
        """A plain number in the field."""
        squares = {s: r**2 for s, r in self.roots.items()}
        if isinstance(expr, type):
            raise Unable(f"the function {expr} in the place of a number")
        value = sp.sympify(expr).subs(self.sizes).subs(squares)
        try:
            return self.field.from_expr(sp.powdenest(value, force=True))
        except ValueError as error:
            raise Unable(f"{expr} is no rational number in roots of the sizes") from error

    def written(self, x: Any) -> Any:
        """An element of the field in the letters of print."""
        back = {r: sp.sqrt(s) for s, r in self.roots.items()}
        return factored(x.as_expr().subs(back)) if x else sp.Integer(0)

    def plain(self, expr: Any) -> Form:
        """A number."""
        return collected(self.field, [(Monomial(), self.number(expr))])

    def number_of(self, form: Form) -> Any:
        """The number that a form is, in the letters of print."""
        if any(m != Monomial() for m in form.terms):
            raise Unable("a form in the place of a number")
        return self.written(form.terms.get(Monomial(), 0))

    def read(self, side: Term) -> Form:
        """A term; what was read once is kept."""
        if side not in self.known:
            values = {a.name: self._letter(a) for a in side.letters}
            found = walk(side, self.arithmetic, values).each(lambda m: (m.solved(),))
            self.known[side] = self._counted(found)
        return self.known[side]

    def _counted(self, form: Form) -> Form:
        """With D for each trace of the identity."""
        found = []
        for m, c in form.terms.items():
            closed = tuple(one for one in m.closed if one)
            weight = self.number(D) ** (len(m.closed) - len(closed))
            found.append((Monomial(closed, m.open), c * weight))
        return collected(self.field, found)

    def _letter(self, letter: Letter) -> Form:
        if _is_plain(letter):
            return self.plain(_symbol(letter))
        if letter.kind == "matrix":
            if letter.name != "I":
                raise Unable(f"{letter} among minibatches")
            return self._of(Monomial((), ()))
        label = (HERE, 0) if letter.kind in (words.COLUMNS, words.NUMBERS) else None
        what = _WHAT.get(letter.kind, of.COLUMN)
        one = ((letter.name, label, what),)
        return self._of(Monomial((one,)) if what == of.NUMBER else Monomial((), one))

    def _of(self, m: Monomial) -> Form:
        return Form(self.field, {m: self.field.one})

    @property
    def _operations(self) -> dict[str, Callable[..., Form]]:
        def averaged(kind: str) -> Callable[[Form], Form]:
            """The example that is here gets a label of its own."""

            def change(m: Monomial) -> tuple[Monomial]:
                new = 0 if kind == FIRST else len(m.labels(kind))
                return (m.relabelled({(HERE, 0): (kind, new)}),)

            return lambda a: a.each(change)

        def slopes(m: Monomial) -> Iterable[Monomial]:
            return m.slopes("theta")

        return {
            "add": lambda a, b: a + b,
            "subtract": lambda a, b: a - b,
            "multiply": lambda a, b: a * b,
            "negative": lambda a: -a,
            "over": lambda a, b: a * self.plain(1 / self.number_of(b)),
            "power": self._power,
            "root": lambda a: self.plain(sp.sqrt(self.number_of(a))),
            "transpose": lambda a: a.T,
            "trace": lambda a: self._counted(a.each(lambda m: (m.traced(),))),
            "inner": lambda a, b: a.T * b,
            "mean_n": averaged(DATA),
            "mean_s": averaged(BATCH),
            "first_s": averaged(FIRST),
            "E": self._expectation,
            "over_noise": self._over_noise,
            "online_average": self._expectation,  # by the law of large numbers
            "grad": lambda a: a.each(slopes),
            "hess": lambda a: a.each(slopes).each(slopes),
            "degree": lambda a: self.plain(max((m.degree("theta") for m in a.terms), default=0)),
            "at_theta": self._at,
        }

    def _power(self, base: Form, exponent: Form) -> Form:
        power = self.number_of(exponent)
        if power == -1 and (True, True) in {m.shape for m in base.terms}:
            return self._inverse(base)
        if not power.is_Integer or power <= 0:
            return self.plain(self.number_of(base) ** power)
        found = base
        for _ in range(int(power) - 1):
            found = found * base
        return found

    def _inverse(self, base: Form) -> Form:
        """Of a multiple of the mean of x x^T over all examples, as a letter of its own."""
        (m, c), *others = base.terms.items()
        letters = {token[:2] for token in m.open or ()}
        (name, label), *more = letters or {("", None)}
        if others or m.closed or more or label is None or label[0] != DATA:
            raise Unable("the inverse of what is no mean of x x^T")
        return Form(self.field, {Monomial((), ((of.inverse_of(name), None, of.SQUARE),)): 1 / c})

    def _over_noise(self, inner: Form, *noises: Form) -> Form:
        """Over letters of examples that are standard normal: a sum over all ways to pair them."""
        drawn = {token[0] for noise in noises for m in noise.terms for token in m.tokens}
        found = (
            (one, c * weight) for m, c in inner.terms.items() for one, weight in self._paired(m, drawn)
        )
        return collected(self.field, found)

    def _paired(self, m: Monomial, drawn: set[str]) -> Iterator[tuple[Monomial, Any]]:
        """Two letters have a mean together where they are the same letter of one example."""
        places = m.places(lambda token: token[0] in drawn)
        if not places:
            yield m, self.field.one
            return
        first, *others = places
        name, label, _ = m.at(first)
        for second in others:
            other, its, _ = m.at(second)
            if not (label and its and {label[0], its[0]} <= {DATA, HERE}):
                raise Unable("minibatches of what is drawn anew")
            if other == name:
                kept, gone = (label, its) if label[0] == HERE else (its, label)
                merged = m.paired(first, second).relabelled({gone: kept})
                weight = self.field.one if kept == gone else 1 / self.N
                yield from ((x, w * weight) for x, w in self._paired(merged, drawn))

    def _at(self, inner: Form, value: Form) -> Form:
        """A value in the place of theta, with labels of its own each time."""
        found = []
        for m, c in inner.terms.items():
            for chosen in product(value.terms.items(), repeat=m.degree("theta")):
                used, columns, weight = _used(m), [], c
                for one, factor in chosen:
                    columns.append(_apart(one, used))
                    used = {kind: n + len(one.labels(kind)) for kind, n in used.items()}
                    weight = weight * factor
                found.append((m.put("theta", columns), weight))
        return collected(self.field, found)

    def _expectation(self, inner: Form) -> Form:
        """Over all minibatches."""
        found = []
        for m, c in inner.terms.items():
            batch, first = m.labels(BATCH), m.labels(FIRST)
            for blocks in partitions((*first, *batch)):
                count = c / self.S ** len(batch)
                for k in range(len(first), len(blocks)):  # tuples of positions that coincide like this
                    count = count * (self.S - k)
                found += self._drawn(m, blocks, count)
        return collected(self.field, found)

    def _drawn(self, m: Monomial, blocks: Any, weight: Any) -> list[tuple[Monomial, Any]]:
        """Examples at different positions: independent, or different."""
        start = len(m.labels(DATA))

        def merged(classes: Any) -> Monomial:
            labels = ((x, k) for k, parts in enumerate(classes) for part in parts for x in part)
            return m.relabelled({x: (DATA, start + k) for x, k in labels})

        if self.drawing == WITH:
            return [(merged([(b,) for b in blocks]), weight)]
        falling = self.field.one
        for k in range(len(blocks)):
            falling = falling * (self.N - k)
        if not falling:
            return []  # there are not so many examples, and so no such minibatch
        found = []
        for classes in partitions(blocks):
            sign = 1
            for part in classes:
                sign *= (-1) ** (len(part) - 1) * factorial(len(part) - 1)
            found.append((merged(classes), weight * sign * self.N ** len(classes) / falling))
        return found
