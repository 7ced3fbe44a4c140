"""A normal form for expressions in averages over data, over a minibatch, and over all minibatches.

A sum of products of columns and rows, each letter labelled by the example that it belongs to, is a sum
of numbers times inner products times at most one open end: a column, a row, a column times a row, or a
product of symmetric matrices. By the fundamental theorems on invariants of vectors, inner products in
many dimensions satisfy no relation; so two expressions are equal in every dimension and for all data
exactly where their normal forms are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

# A label is a kind (data: of an average over examples; batch: of one over the minibatch; first; here: of
# the example that is being summed over) and a number. Letters that are fixed have no label.
Label = tuple[str, int]
Letter = tuple[str, Label | None]
Words = tuple[str, ...]  # names of symmetric matrices, multiplied
Inner = tuple[Letter, Words, Letter]
DATA, BATCH, FIRST, HERE = "data", "batch", "first", "here"
_HERE: Label = (HERE, 0)


class Misfit(TypeError):
    """A sum or product of things whose shapes do not fit."""


@dataclass(frozen=True)
class Open:
    """What is not yet closed: ``left`` is a column in front, ``right`` a row behind, ``middle`` between.

    With neither it is the product ``middle`` of matrices, or a number where ``is_number``.
    """

    left: tuple[Words, Letter] | None = None
    right: tuple[Letter, Words] | None = None
    middle: Words = ()
    is_number: bool = False

    @property
    def shape(self) -> tuple[bool, bool]:
        """Whether there are D rows, and D columns."""
        if self.is_number:
            return False, False
        if self.left is None and self.right is None:
            return True, True
        return self.left is not None, self.right is not None


NUMBER = Open(is_number=True)


@dataclass(frozen=True)
class Monomial:
    """Numbers of examples, inner products and traces of products of matrices, and an open end."""

    numbers: tuple[Letter, ...] = ()
    inners: tuple[Inner, ...] = ()
    traces: tuple[Words, ...] = ()
    end: Open = NUMBER

    def letters(self) -> Iterator[Letter]:
        """All letters, with repetitions."""
        yield from self.numbers
        for a, _, b in self.inners:
            yield a
            yield b
        if self.end.left is not None:
            yield self.end.left[1]
        if self.end.right is not None:
            yield self.end.right[0]

    def labels(self, kind: str) -> tuple[Label, ...]:
        """The labels of a kind, each once."""
        return tuple(sorted({x for _, x in self.letters() if x is not None and x[0] == kind}))

    def relabelled(self, new: Mapping[Label, Label]) -> Monomial:
        """With other labels, in order."""

        def of(letter: Letter) -> Letter:
            name, label = letter
            return name, None if label is None else new.get(label, label)

        end = self.end
        left = None if end.left is None else (end.left[0], of(end.left[1]))
        right = None if end.right is None else (of(end.right[0]), end.right[1])
        return Monomial(
            tuple(sorted(map(of, self.numbers), key=_key)),
            tuple(sorted((_turned((of(a), w, of(b))) for a, w, b in self.inners), key=_key)),
            self.traces,
            replace(end, left=left, right=right),
        )

    def canonical(self) -> Monomial:
        """With the labels that sort first: sums do not care how their index is called."""
        kinds = {k: self.labels(k) for k in (DATA, BATCH)}
        choices = [list(permutations(range(len(v)))) for v in kinds.values()]
        best: Monomial | None = None
        for chosen in product(*choices):
            new = {
                label: (kind, k)
                for (kind, labels), order in zip(kinds.items(), chosen, strict=True)
                for label, k in zip(labels, order, strict=True)
            }
            tried = self.relabelled(new)
            if best is None or repr(tried) < repr(best):
                best = tried
        assert best is not None
        return best


def _key(x: Any) -> str:
    return repr(x)


def _turned(inner: Inner) -> Inner:
    """a^T W b is b^T W^T a, and the matrices are symmetric."""
    a, w, b = inner
    return min((a, w, b), (b, w[::-1], a), key=repr)


def _cycled(w: Words) -> Words:
    turns = [w[k:] + w[:k] for k in range(len(w))] or [w]
    return min([*turns, *(t[::-1] for t in turns)])


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials whose labels are apart."""
    end, closed, traces = _joined(a.end, b.end)
    inners = (*a.inners, *b.inners, *closed)
    return Monomial(
        tuple(sorted((*a.numbers, *b.numbers), key=_key)),
        tuple(sorted(map(_turned, inners), key=_key)),
        tuple(sorted((*a.traces, *b.traces, *traces))),
        end,
    )


def _joined(a: Open, b: Open) -> tuple[Open, tuple[Inner, ...], tuple[Words, ...]]:
    if a.is_number:
        return b, (), ()
    if b.is_number:
        return a, (), ()
    if a.shape[1] != b.shape[0]:
        raise Misfit("a product of shapes that do not fit")
    if not a.shape[1]:  # a column times a row
        return Open(a.left, b.right), (), ()
    if a.right is None:  # a product of matrices in front
        if b.left is None:
            return Open(middle=a.middle + b.middle), (), ()
        words, letter = b.left
        return replace(b, left=(a.middle + words, letter)), (), ()
    letter, words = a.right
    if b.left is None:
        return replace(a, right=(letter, words + b.middle)), (), ()
    more, other = b.left
    inner = (letter, words + more, other)
    rest = Open(a.left, b.right) if a.left or b.right else NUMBER
    return rest, (inner,), ()


def transposed(m: Monomial) -> Monomial:
    """Rows for columns; numbers are themselves."""
    end = m.end
    left = None if end.right is None else (end.right[1][::-1], end.right[0])
    right = None if end.left is None else (end.left[1], end.left[0][::-1])
    return replace(m, end=replace(end, left=left, right=right, middle=end.middle[::-1]))


def traced(m: Monomial) -> Monomial:
    """The trace of a matrix; of a number, itself."""
    end = m.end
    if end.is_number:
        return m
    if end.shape != (True, True):
        raise Misfit("the trace of what is not square")
    if end.left is None or end.right is None:
        return replace(m, traces=tuple(sorted((*m.traces, _cycled(end.middle)))), end=NUMBER)
    inner = _turned((end.right[0], end.right[1] + end.left[0], end.left[1]))
    return replace(m, inners=tuple(sorted((*m.inners, inner), key=_key)), end=NUMBER)


def slopes(m: Monomial, name: str) -> Iterator[Monomial]:
    """The derivative with respect to a fixed column: of a number a column, of a column a matrix."""
    x: Letter = (name, None)
    if m.end.right is not None or (m.end.left is None and not m.end.is_number):
        raise Misfit("the derivative of what is neither a number nor a column")
    if m.end.left is not None and m.end.left[1] == x:
        yield replace(m, end=Open(middle=m.end.left[0]))
    for k, (a, w, b) in enumerate(m.inners):
        rest = replace(m, inners=(*m.inners[:k], *m.inners[k + 1 :]))
        for first, other, words in ((a, b, w), (b, a, w[::-1])):
            if first != x:
                continue
            if m.end.is_number:
                yield replace(rest, end=Open(left=(words, other)))
            else:
                yield replace(rest, end=Open(left=m.end.left, right=(other, words[::-1])))


def degree(m: Monomial, name: str) -> int:
    """How often a fixed column occurs."""
    return sum(letter == (name, None) for letter in m.letters())


def rebuilt(m: Monomial, name: str, value: Any, algebra: Any) -> Any:
    """The monomial with a form in the place of a fixed column; ``algebra`` multiplies forms."""
    x: Letter = (name, None)

    def column(letter: Letter) -> Any:
        return value() if letter == x else algebra.of(Monomial(end=Open(left=((), letter))))

    def square(words: Words) -> Any:
        return algebra.of(Monomial(end=Open(middle=words)))

    found = algebra.of(Monomial(numbers=m.numbers, traces=m.traces))
    for a, w, b in m.inners:
        found = found * column(a).T * square(w) * column(b)
    if m.end.left is not None:
        found = found * square(m.end.left[0]) * column(m.end.left[1])
    if m.end.right is not None:
        found = found * column(m.end.right[0]).T * square(m.end.right[1])
    if m.end.left is None and m.end.right is None and not m.end.is_number:
        found = found * square(m.end.middle)
    return found
