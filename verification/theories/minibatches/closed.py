"""Normal forms written as formulas again: averages over the data, of single examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import sympy as sp

from sgtheory.notation.matrixwords import Trace
from verification.terms.batchwords import (
    Average,
    BatchAverage,
    DataColumn,
    DataNumber,
    First,
    FixedColumn,
    FixedSquare,
    Inner,
)
from verification.terms.kinds import Transpose
from verification.theories.minibatches.draws import Form, Reader, collected
from verification.theories.minibatches.vectors import BATCH, DATA, FIRST, Label, Letter, Monomial, Open

_OVER = {DATA: Average, BATCH: BatchAverage, FIRST: First}
_SHIFT = "_shift"


def written(form: Form, reader: Reader, centred: bool = True) -> Any:
    """A form as an expression; None where it is not made of averages of single examples.

    A form that does not change when all examples are shifted is written in deviations from the mean.
    """
    about = centred_letters(form) if centred else ()
    kept = form
    if about:
        pairs = [(m, c) for m, c in form.terms.items() if not any(_has_mean(m, n) for n in about)]
        kept = collected(form.field, pairs)
    terms = [_monomial(m, about) for m in kept.terms]
    if any(t is None for t in terms):
        return None
    factors = [reader.written(c) for c in kept.terms.values()]
    grouped: dict[Any, Any] = {}
    for factor, term in zip(factors, terms, strict=True):
        grouped[factor] = grouped.get(factor, 0) + term
    return sp.Add(*(factor * term for factor, term in grouped.items()))


def _has_mean(m: Monomial, name: str) -> bool:
    """Whether an average of the letter alone is a factor, which vanishes in deviations."""
    count = Counter(label for _, label in m.letters() if label is not None)
    return any(
        x == name and label and label[0] == DATA and count[label] == 1 for x, label in m.letters()
    )


def centred_letters(form: Form) -> tuple[str, ...]:
    """The letters of examples that may be shifted together without any change."""
    names = sorted({x for m in form.terms for x, label in m.letters() if label is not None})
    return tuple(n for n in names if collected(form.field, list(_shifts(form, n))).terms == {})


def _shifts(form: Form, name: str) -> Iterator[tuple[Monomial, Any]]:
    """The derivative under a shift of a letter: each occurrence replaced by a fixed one."""
    for m, c in form.terms.items():
        yield from ((wrong, c) for wrong in _each_replaced(m, name))


def _each_replaced(m: Monomial, name: str) -> Iterator[Monomial]:
    new: Letter = (_SHIFT, None)

    def is_one(letter: Letter) -> bool:
        return letter[0] == name and letter[1] is not None

    for k, x in enumerate(m.numbers):
        if is_one(x):
            rest = (*m.numbers[:k], new, *m.numbers[k + 1 :])
            yield Monomial(rest, m.inners, m.traces, m.end)
    for k, (a, w, b) in enumerate(m.inners):
        rest_of = (m.inners[:k], m.inners[k + 1 :])
        for inner, hit in (((new, w, b), is_one(a)), ((a, w, new), is_one(b))):
            if hit:
                yield Monomial(m.numbers, (*rest_of[0], inner, *rest_of[1]), m.traces, m.end)
    left, right = m.end.left, m.end.right
    if left is not None and is_one(left[1]):
        yield Monomial(m.numbers, m.inners, m.traces, Open((left[0], new), right))
    if right is not None and is_one(right[0]):
        yield Monomial(m.numbers, m.inners, m.traces, Open(left, (new, right[1])))


def _monomial(m: Monomial, about: tuple[str, ...]) -> Any:
    """A product of averages; letters whose example occurs once are averaged where they stand."""
    count = Counter(label for _, label in m.letters() if label is not None)
    numbers = set(m.numbers)
    pieces: list[tuple[set[Label], Any]] = []

    def letter(x: Letter) -> tuple[set[Label], Any]:
        name, label = x
        if label is None:
            return set(), FixedColumn(name, commutative=False)
        kind: Any = DataNumber(name, real=True) if x in numbers else DataColumn(name, commutative=False)
        symbol = kind - Average(kind) if name in about else kind
        return (set(), _OVER[label[0]](symbol)) if count[label] == 1 else ({label}, symbol)

    def product(words: tuple[str, ...]) -> Any:
        return sp.Mul(*(FixedSquare(w, commutative=False) for w in words))

    pieces += [letter(x) for x in m.numbers]
    for a, w, b in m.inners:
        (first, left), (second, right) = letter(a), letter(b)
        pieces.append((first | second, Inner(left, product(w) * right)))
    pieces += [(set(), Trace(product(w))) for w in m.traces]
    ends: list[tuple[set[Label], Any]] = []
    if m.end.left is not None:
        labels, x = letter(m.end.left[1])
        ends.append((labels, product(m.end.left[0]) * x))
    if m.end.right is not None:
        labels, x = letter(m.end.right[0])
        ends.append((labels, Transpose(x) * product(m.end.right[1])))
    if not ends and not m.end.is_number:
        words = product(m.end.middle)
        ends.append((set(), words if m.end.middle else sp.Symbol("I", commutative=False)))
    if len(ends) == 2 and ends[0][0] and ends[0][0] == ends[1][0]:
        ends = [(ends[0][0], ends[0][1] * ends[1][1])]
    return _gathered(pieces, ends)


def _gathered(pieces: list[tuple[set[Label], Any]], ends: list[tuple[set[Label], Any]]) -> Any:
    """Pieces of one example under one average, the open end among them last."""
    if any(len(labels) > 1 for labels, _ in (*pieces, *ends)):
        return None
    found = sp.Mul(*(x for labels, x in pieces if not labels))
    by_label: dict[Label, Any] = {}
    for labels, x in pieces:
        for label in labels:
            by_label[label] = by_label.get(label, sp.Integer(1)) * x
    open_ends = sp.Integer(1)
    for labels, x in ends:
        for label in labels:
            x = _OVER[label[0]](by_label.pop(label, sp.Integer(1)) * x)
        open_ends = open_ends * x
    closed = sp.Mul(*(_OVER[label[0]](x) for label, x in by_label.items()))
    return found * closed * open_ends
