"""Normal forms as formulas again, in averages of single examples; how fast one of them vanishes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import Trace
from verification.notation import N, S
from verification.terms import batchwords as words
from verification.terms.kinds import Transpose
from verification.theories.minibatches import monomials as of
from verification.theories.minibatches.drawing import WITHOUT
from verification.theories.minibatches.forms import FRACTION, Form, Reader, collected
from verification.theories.minibatches.monomials import (
    NUMBER,
    ROW,
    SQUARE,
    Label,
    Monomial,
    Token,
    Tokens,
)

_OVER = {of.DATA: words.Average, of.BATCH: words.BatchAverage, of.FIRST: words.First}


def written(form: Form, reader: Reader) -> Any:
    """A form as an expression; None where it is not made of averages of single examples.

    A form that does not change when all examples are shifted is written in deviations from the mean.
    """
    about = _centred(form)
    grouped: dict[Any, Any] = {}
    for m, c in form.terms.items():
        if any(_has_mean(m, name) for name in about):
            continue  # an average of deviations
        term, factor = _term(m, about), reader.written(c)
        if term is None:
            return None
        grouped[factor] = grouped.get(factor, 0) + term
    return sp.Add(*(factor * term for factor, term in grouped.items()))


def _count(m: Monomial) -> Counter[Label]:
    return Counter(label for _, label, _ in m.tokens if label is not None)


def _has_mean(m: Monomial, name: str) -> bool:
    """Whether an average of the letter alone is a factor, which vanishes in deviations."""
    count = _count(m)
    return any(
        x == name and label and label[0] == of.DATA and count[label] == 1 for x, label, _ in m.tokens
    )


def _centred(form: Form) -> tuple[str, ...]:
    """The letters of examples that may be shifted together without any change."""
    names = sorted({x for m in form.terms for x, label, _ in m.tokens if label is not None})
    moved = {token[0] for m in form.terms for token in m.tokens}
    names = [n for n in names if of.inverse_of(n) not in moved]
    return tuple(n for n in names if not form.each(partial(Monomial.shifted, name=n)).terms)


def _term(m: Monomial, about: tuple[str, ...]) -> Any:
    """A product of averages; letters whose example occurs once are averaged where they stand.

    Pieces of one example stand under one average, the open end among them last.
    """
    count = _count(m)

    def letter(token: Token) -> tuple[set[Label], Any]:
        name, label, what = token
        of_inverse = of.inverted(name)
        if of_inverse is not None:
            x = words.DataColumn(of_inverse, commutative=False)
            return set(), words.Average(words.outer(x)) ** -1
        if label is None:
            made = words.FixedSquare if what == SQUARE else words.FixedColumn
            return set(), made(name, commutative=False)
        made = (
            words.DataNumber(name, real=True)
            if what == NUMBER
            else words.DataColumn(name, commutative=False)
        )
        made = made - words.Average(made) if name in about else made
        return (set(), _OVER[label[0]](made)) if count[label] == 1 else ({label}, made)

    def piece(tokens: Tokens) -> tuple[set[Label], Any]:
        labels, found = set[Label](), sp.Integer(1)
        for token in tokens:
            own, x = letter(token)
            labels, found = labels | own, found * (Transpose(x) if token[2] == ROW else x)
        return labels, found

    def closed(tokens: Tokens) -> tuple[set[Label], Any]:
        if tokens[0][2] != ROW:
            labels, x = piece(tokens)
            return labels, Trace(x) if tokens[0][2] == SQUARE else x
        (first, left), (others, right) = letter(tokens[0]), piece(tokens[1:])
        return first | others, words.Inner(left, right)

    inside, ends = list(map(closed, m.closed)), []
    if m.open is not None:
        k = next((k for k, token in enumerate(m.open) if token[2] == ROW), len(m.open))
        ends = [piece(part) for part in (m.open[:k], m.open[k:]) if part]
        ends = ends or [(set(), sp.Symbol("I", commutative=False))]
    if len(ends) == 2 and ends[0][0] and ends[0][0] == ends[1][0]:
        ends = [(ends[0][0], ends[0][1] * ends[1][1])]
    if any(len(labels) > 1 for labels, _ in (*inside, *ends)):
        return None
    by_label: dict[Label, Any] = {}
    for labels, x in inside:
        for label in labels:
            by_label[label] = by_label.get(label, sp.Integer(1)) * x
    last = sp.Integer(1)
    for labels, x in ends:
        for label in labels:
            x = _OVER[label[0]](by_label.pop(label, sp.Integer(1)) * x)
        last = last * x
    first = sp.Mul(*(x for labels, x in inside if not labels))
    return first * sp.Mul(*(_OVER[label[0]](x) for label, x in by_label.items())) * last


@dataclass(frozen=True)
class Growth:
    """The relative error is ``term``, of an order in 1/size, to first order."""

    order: Any
    term: Any


def growth(
    rest: Form, right: Form, scale_squared: Form | None, reader: Reader, size: Any
) -> Growth | None:
    """Rest against right, or its square against the square of a scale, as a size grows.

    Minibatches without replacement cannot grow alone: the data grow with them, in proportion.
    """
    if not rest.terms:
        return Growth(sp.oo, sp.Integer(0))
    root = 2 if scale_squared else 1
    above, below = (_first(f, reader, size) for f in (
        (rest * rest, scale_squared) if scale_squared else (rest, right)))  # fmt: skip
    if above is None or below is None:
        return None
    ratio = _ratio(above[0], below[0], reader)
    if ratio is None:
        return None
    if scale_squared:
        ratio = sp.Mul(*(base ** (power / 2) for base, power in ratio.as_powers_dict().items()))
    order = (above[1] - below[1]) / root
    return Growth(order, ratio * size ** (-order))


def _first(form: Form, reader: Reader, size: Any) -> tuple[Form, Any] | None:
    """The terms of lowest order in 1/size, their coefficients without it, and the order."""
    root = sp.Symbol("_h", positive=True)
    orders: dict[Any, tuple[Any, Any]] = {}
    for m, c in form.terms.items():
        value = reader.written(c)
        value = value.subs(N, S / FRACTION) if size == S and reader.drawing == WITHOUT else value
        quotient = sp.fraction(sp.together(value.subs(size, root**2)))
        top, bottom = (sp.Poly(part, root) for part in quotient)
        orders[m] = (sp.Rational(bottom.degree() - top.degree(), 2), top.LC() / bottom.LC())
    if not orders:
        return None
    lowest = min(order for order, _ in orders.values())
    kept = [(m, reader.number(c)) for m, (order, c) in orders.items() if order == lowest]
    return collected(form.field, kept), lowest


def ratio_of(left: Form, right: Form) -> Any:
    """The number that one form is of another, in the field; None where it is none."""
    if not left.terms or set(left.terms) != set(right.terms):
        return None
    ratios = {left.terms[m] / right.terms[m] for m in left.terms}
    return ratios.pop() if len(ratios) == 1 else None


def weights_of_squares(form: Form, reader: Reader) -> tuple[Any, Any] | None:
    """How often a form has the variance of one column of data, and the square of its mean.

    None where it is anything else.
    """
    found = {True: sp.Integer(0), False: sp.Integer(0)}
    for monomial, times in form.terms.items():
        inner = monomial.closed[0] if len(monomial.closed) == 1 and monomial.open is None else ()
        labels = [label for _, label, _ in inner if label is not None and label[0] == of.DATA]
        if len(labels) != 2 or len(inner) != 2:
            return None
        found[labels[0] == labels[1]] += reader.written(times)
    names = {name for m in form.terms for name, *_ in m.tokens}
    return (found[True], sp.cancel(found[True] + found[False])) if len(names) < 2 else None


def _ratio(high: Form, low: Form, reader: Reader) -> Any:
    """As one factor where it is one, else as a quotient of averages over the data."""
    factor = ratio_of(high, low)
    if factor is not None:
        return reader.written(factor)
    above, below = (written(f, reader) for f in (high, low))
    return None if above is None or below is None else above / below
