"""Monomials in the vectors and numbers of examples: numbers, inner products and at most one open end.

Each letter is labelled by the example that it belongs to. By the fundamental theorems on invariants of
vectors, inner products in many dimensions satisfy no relation; so sums of monomials are equal in every
dimension and for all data exactly where they are made of the same monomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, permutations, product

# A label is a kind (data: of an average over examples; batch: of one over the minibatch; first; here: of
# the example that is being summed over) and a number. Letters that are fixed have no label.
Label = tuple[str, int]
Token = tuple[str, Label | None, str]  # a letter, its label, and what it is here
Tokens = tuple[Token, ...]  # a product of them
Place = tuple[int, int]  # which product, and where in it
DATA, BATCH, FIRST, HERE = "data", "batch", "first", "here"
NUMBER, COLUMN, ROW, SQUARE = "number", "column", "row", "square"
_TURNED = {COLUMN: ROW, ROW: COLUMN}


class Misfit(TypeError):
    """A sum or product of things whose shapes do not fit."""


@dataclass(frozen=True)
class Monomial:
    """``closed`` products are numbers, inner products ``x^T W y`` and traces of matrices ``W``.

    What is ``open`` is a column, a row, a column times a row or a product of symmetric matrices, of none
    the identity; None where all of it is a number.
    """

    closed: tuple[Tokens, ...] = ()
    open: Tokens | None = None

    @cached_property
    def shape(self) -> tuple[bool, bool]:
        """Whether there are D rows, and D columns."""
        return (False, False) if self.open is None else _shape(self.open)

    @property
    def tokens(self) -> Iterator[Token]:
        """All letters, with repetitions."""
        return chain(*self.closed, self.open or ())

    def labels(self, kind: str) -> tuple[Label, ...]:
        """The labels of a kind, each once."""
        return tuple(sorted({x for _, x, _ in self.tokens if x is not None and x[0] == kind}))

    def relabelled(self, new: Mapping[Label, Label]) -> Monomial:
        """With other labels."""

        def of(tokens: Tokens) -> Tokens:
            return tuple((name, label and new.get(label, label), what) for name, label, what in tokens)

        return _monomial(map(of, self.closed), None if self.open is None else of(self.open))

    def canonical(self) -> Monomial:
        """With the labels that sort first: sums do not care how their index is called."""
        kinds = [(kind, self.labels(kind)) for kind in (DATA, BATCH)]
        ways = product(*(permutations(range(len(labels))) for _, labels in kinds))
        tried = (
            {
                label: (kind, k)
                for (kind, labels), order in zip(kinds, way, strict=True)
                for label, k in zip(labels, order, strict=True)
            }
            for way in ways
        )
        return min(map(self.relabelled, tried), key=repr)

    def degree(self, name: str) -> int:
        """How often a fixed letter occurs."""
        return sum(token[:2] == (name, None) for token in self.tokens)

    @property
    def T(self) -> Monomial:
        """Rows for columns; numbers are themselves."""
        return Monomial(self.closed, None if self.open is None else _turned(self.open))

    def __mul__(self, other: Monomial) -> Monomial:
        """The product of two monomials whose labels are apart."""
        both = (*self.closed, *other.closed)
        if self.open is None or other.open is None:
            return _monomial(both, other.open if self.open is None else self.open)
        if self.shape[1] != other.shape[0]:
            raise Misfit("a product of shapes that do not fit")
        left, right = (_place(t, what) for t, what in ((self.open, ROW), (other.open, COLUMN)))
        if left is None or right is None:
            return _monomial(both, self.open + other.open)
        inner = self.open[left:] + other.open[: right + 1]
        return _monomial((*both, inner), self.open[:left] + other.open[right + 1 :] or None)

    def traced(self) -> Monomial:
        """The trace of a matrix; of a number, itself."""
        if self.open is None:
            return self
        if self.shape != (True, True):
            raise Misfit("the trace of what is not square")
        start = _place(self.open, ROW) or 0
        return _monomial((*self.closed, self.open[start:] + self.open[:start]), None)

    def slopes(self, name: str) -> Iterator[Monomial]:
        """The derivative with respect to a fixed column: of a number a column, of a column a matrix."""
        if self.shape[1]:
            raise Misfit("the derivative of what is neither a number nor a column")
        column = (name, None, COLUMN)
        if self.open is not None and self.open[-1] == column:
            yield Monomial(self.closed, self.open[:-1])
        for k, one in enumerate(self.closed):
            rest = (*self.closed[:k], *self.closed[k + 1 :])
            for inner in (one, _turned(one)):
                if inner[-1] == column:  # of x^T W theta by theta: W x, or as a row
                    row = inner[:-1]
                    yield _monomial(rest, _turned(row) if self.open is None else self.open + row)

    @property
    def _pieces(self) -> list[Tokens]:
        return [*self.closed, *([] if self.open is None else [self.open])]

    def places(self, wanted: Callable[[Token], bool]) -> list[Place]:
        """Where some letters stand."""
        every = ((k, i, token) for k, one in enumerate(self._pieces) for i, token in enumerate(one))
        return [(k, i) for k, i, token in every if wanted(token)]

    def at(self, place: Place) -> Token:
        """The letter that stands somewhere."""
        return self._pieces[place[0]][place[1]]

    def paired(self, first: Place, second: Place, without: Place | None = None) -> Monomial:
        """With the product of two letters left out: of numbers it is one, of x and y^T the identity."""
        pieces = self._pieces
        if without is not None:
            p, at = without
            pieces[p] = pieces[p][:at] + pieces[p][at + 1 :]
            first, second = ((k, i - (k == p and i > at)) for k, i in (first, second))
        (k, i), (m, j) = (first, second)
        last = -1 if self.open is None else len(self.closed)
        rest = tuple(one for n, one in enumerate(pieces) if n not in (k, m, last))
        end = None if self.open is None else pieces[last]
        if pieces[k][i][2] == NUMBER:
            return _monomial(rest, end)
        if k == m != last:  # the trace of what is between
            return _monomial((*rest, pieces[k][1:-1]), end)
        if k == m:
            return _monomial(rest, pieces[k][:i] + pieces[k][j + 1 :])
        if m == last:
            (k, i), (m, j) = (m, j), (k, i)
        other = pieces[m][1:] if j == 0 else _turned(pieces[m])[1:]  # W y, of x^T W y
        if k == last:
            other = other if pieces[k][i][2] == COLUMN else _turned(other)
            return _monomial(rest, pieces[k][:i] + other + pieces[k][i + 1 :])
        own = pieces[k] if i else _turned(pieces[k])
        return _monomial((*rest, own[:-1] + other), end)

    def solved(self) -> Monomial:
        """With the mean of x x^T over all examples left out where its inverse stands beside it."""
        pieces = self._pieces
        for label in self.labels(DATA):
            own = self.places(lambda token, label=label: token[1] == label)  # type: ignore[misc]
            (name, _, what), *others = (pieces[k][i] for k, i in own)
            if len(own) != 2 or others[0][0] != name or what == NUMBER:
                continue
            for k, i in own:
                beside = i - 1 if pieces[k][i][2] == COLUMN else i + 1
                if pieces[k][beside : beside + 1] == ((inverse_of(name), None, SQUARE),):
                    return self.paired(own[0], own[1], (k, beside)).solved()
        return self

    def put(self, name: str, columns: Iterable[Monomial]) -> Monomial:
        """With columns in the place of a fixed letter, one for each time that it occurs."""
        new, found = iter(columns), Monomial()
        for k, tokens in enumerate(self._pieces):
            if all(token[:2] != (name, None) for token in tokens):
                found *= Monomial((tokens,)) if k < len(self.closed) else Monomial((), tokens)
                continue
            for token in tokens:
                is_new = token[:2] == (name, None)
                one = next(new) if is_new else Monomial((), (token,))
                found *= one.T if is_new and token[2] == ROW else one
        return found

    def shifted(self, name: str) -> Iterator[Monomial]:
        """What a shift of a letter of examples adds: each of them in turn replaced by a fixed one."""
        for k, i in self.places(lambda token: token[0] == name and token[1] is not None):
            one = self._pieces[k]
            new = (*one[:i], ("", None, one[i][2]), *one[i + 1 :])
            is_open = k == len(self.closed)
            closed = (*self.closed[:k], new, *self.closed[k + 1 :])
            yield Monomial(self.closed, new) if is_open else _monomial(closed, self.open)


_INVERSE = "1/"


def inverse_of(name: str) -> str:
    """What the inverse of the mean of x x^T over all examples is called among symmetric matrices.

    >>> inverted(inverse_of("x")), inverted("x")
    ('x', None)
    """
    return _INVERSE + name


def inverted(name: str) -> str | None:
    """The x of such an inverse; None where a letter is none."""
    return name.removeprefix(_INVERSE) if name.startswith(_INVERSE) else None


def _monomial(closed: Iterable[Tokens], open_: Tokens | None) -> Monomial:
    return Monomial(tuple(sorted(map(_least, closed), key=repr)), open_)


def _shape(tokens: Tokens) -> tuple[bool, bool]:
    column, row = (_place(tokens, what) is not None for what in (COLUMN, ROW))
    return column or not row, row or not column


def _place(tokens: Tokens, what: str) -> int | None:
    return next((k for k, token in enumerate(tokens) if token[2] == what), None)


def _turned(tokens: Tokens) -> Tokens:
    """A product transposed; matrices are symmetric."""
    return tuple((name, label, _TURNED.get(what, what)) for name, label, what in reversed(tokens))


def _least(closed: Tokens) -> Tokens:
    """a^T W b is b^T W^T a; the matrices of a trace may be turned in a circle."""
    circle = all(what == SQUARE for *_, what in closed)
    turns = [closed[k:] + closed[:k] for k in range(len(closed))] if circle and closed else [closed]
    return min([*turns, *map(_turned, turns)], key=repr)
