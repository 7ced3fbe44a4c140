"""Where statements about minibatches are looked at: small data, a size, and a way of drawing.

What a term is worth is found over all minibatches; nothing of that is shared with the normal form.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial, reduce
from itertools import islice, permutations, product
from math import perm
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly, fmpq_mpoly_ctx

from sgtheory.notation.display import Shown
from sgtheory.reader import exact
from verification.refuter.places import Place, Space
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Arithmetic, Unable, Undefined, walk
from verification.theories.minibatches.drawing import MARK
from verification.theories.minibatches.words import COLUMN, COLUMNS, KINDS, NUMBERS, OF_THETA, SYMMETRIC

Array = Any

_PATTERNS, _FEW = 4, 2  # of small numbers, for each shape; and for limits
_MOST, _FURTHER = 128, 130  # minibatches at a place, and at one that is further along a limit
TIMES = 3  # how much further that is
_TRIES = 20
_SMALL = tuple(map(Fraction, (0, 1, -1, 2)))
_POSITIVE = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))  # squares stand under roots


@dataclass(frozen=True)
class Samples(Space):
    """Data with N examples in D dimensions; letters in the order of their kinds.

    Every number of the data is a letter of the place, so that a failure can be shrunk.
    """

    letters: tuple[Letter, ...] = ()
    limit: bool = False

    def small(self) -> Iterator[Place]:
        """The cheap ones first."""
        return iter(_small(self.letters, self.limit))

    def spread(self) -> Iterator[Place]:
        """A place of each size, with vectors in two dimensions."""
        source = random.Random(3)
        return (
            self.place(size, self.most_rows, lambda a: _larger(a, source)) for size in _sizes(self.limit)
        )

    def random(self, source: random.Random, size: int | None = None) -> Place:
        """Larger numbers, in two dimensions where there are vectors."""
        return self.place(
            source.choice(_sizes(self.limit)), self.most_rows, lambda a: _larger(a, source)
        )

    @property
    def most_rows(self) -> int:
        """The largest dimension."""
        return 2 if any(a.kind in (COLUMNS, COLUMN, SYMMETRIC) for a in self.letters) else 1

    def has(self, place: Place) -> bool:
        """Whether sizes fit the data, and each other."""
        given = place.scalars
        n, s, d = (given[x] for x in ("N", "S", "D"))
        if any(x.denominator != 1 or x < 1 for x in (n, s, d)) or given[MARK] not in (0, 1):
            return False
        names = {name for a in self.letters for name in _names(a, int(n), int(d))}
        if set(given) != names | {"N", "S", "D", MARK}:
            return False
        positive = (given[a.name] > 0 for a in self.letters if a.kind == "positive")
        return all(positive) and _fits(int(n), int(s), bool(given[MARK]), self.limit)

    def place(self, size: tuple[int, int, bool], d: int, draw: Callable[[Letter], Fraction]) -> Place:
        """A place of some sizes with numbers that are drawn."""
        n, s, without = size
        values = {name: draw(a) for a in self.letters for name in _names(a, n, d)}
        sizes = {"N": Fraction(n), "S": Fraction(s), "D": Fraction(d), MARK: Fraction(int(without))}
        return Place({}, {**values, **sizes})

    def data(self, place: Place) -> Data:
        """The place as data that can be drawn from."""
        given = {name: fmpq(x.numerator, x.denominator) for name, x in place.scalars.items()}
        N, S, D = (int(place.scalars[x]) for x in ("N", "S", "D"))

        def array(a: Letter) -> Array:
            if a.kind == SYMMETRIC:
                names = [f"{a}_{min(i, j)}_{max(i, j)}" for i in range(D) for j in range(D)]
            else:
                names = list(_names(a, N, D))
            shape = {COLUMNS: (N, D, 1), NUMBERS: (N,), COLUMN: (D, 1), SYMMETRIC: (D, D)}
            return np.array([given[name] for name in names], object).reshape(shape.get(a.kind, ()))

        return Data({a.name: array(a) for a in self.letters}, N, S, D, not given[MARK])


def samples(letters: Iterable[Letter], limit: bool = False) -> Samples:
    """The space of some letters."""
    kinds = (*KINDS, "positive", "real")
    known = sorted({a for a in letters if a.kind in kinds}, key=lambda a: a.name)
    known.sort(key=lambda a: min(kinds.index(a.kind), len(KINDS)))
    return Samples(sizes=(1,), letters=tuple(known), limit=limit)


def _names(letter: Letter, n: int, d: int) -> Iterator[str]:
    """The letters of a place that a letter stands for."""
    indices: Iterable[tuple[int, ...]] = {
        COLUMNS: product(range(n), range(d)),
        NUMBERS: product(range(n)),
        COLUMN: product(range(d)),
        SYMMETRIC: [(i, j) for j in range(d) for i in range(j + 1)],
    }.get(letter.kind, ((),))
    return ("_".join((letter.name, *map(str, index))) for index in indices)


def _larger(letter: Letter, source: random.Random) -> Fraction:
    if letter.kind != "positive":
        return Fraction(source.randrange(-6, 7), 2)
    return Fraction(source.randrange(1, 12), source.randrange(1, 6)) ** 2


def _fits(n: int, s: int, without: bool, limit: bool) -> bool:
    """Whether the minibatches can be gone through."""
    if without and s > n:
        return False
    ways = perm(n, s) if without else n**s
    further = perm(TIMES * n, TIMES * s) if without else n ** (TIMES * s)
    return ways <= _MOST and (not limit or further <= _FURTHER)


def _sizes(limit: bool) -> list[tuple[int, int, bool]]:
    """N, S and whether nothing is drawn twice."""
    tried = [(2, 2, False), (3, 2, True), (4, 1, False), (2, 4, False), (5, 4, True), (4, 2, True)]
    tried += [(n, s, w) for n in (2, 3) for s in (1, 2, 3) for w in (False, True)]
    return [size for size in dict.fromkeys(tried) if _fits(*size, limit)]


@cache
def _small(letters: tuple[Letter, ...], limit: bool) -> tuple[Place, ...]:
    """Places at which no two examples are alike, where examples have letters."""
    space, source, found = samples(letters, limit), random.Random(5), []

    def draw(letter: Letter) -> Fraction:
        return source.choice(_POSITIVE if letter.kind == "positive" else _SMALL)

    def differ(place: Place) -> bool:
        data = space.data(place)
        each = [x.reshape(data.N, -1) for x in data.letters.values() if x.ndim % 2]
        return not each or len(set(map(tuple, np.hstack(each).tolist()))) == data.N

    for d in range(1, space.most_rows + 1):
        for size in _sizes(limit):
            for _ in range(_FEW if limit else _PATTERNS):
                tried = (space.place(size, d, draw) for _ in range(_TRIES))
                found += list(islice(filter(differ, tried), 1))
    return tuple(sorted(found, key=lambda place: place.cost))


@dataclass(repr=False, frozen=True, eq=False)
class Data(Shown):
    """Exact values of all letters, and how minibatches are drawn, ``repeats`` with replacement.

    What each example has are arrays N x D x 1 and N; what all share are D x 1, D x D and numbers.
    """

    letters: Mapping[str, Array]
    N: int
    S: int
    D: int
    repeats: bool

    @cached_property
    def batches(self) -> list[tuple[int, ...]]:
        """All minibatches, in the order in which they were drawn."""
        every = range(self.N)
        return list(product(every, repeat=self.S) if self.repeats else permutations(every, self.S))

    def to_json(self) -> dict[str, Any]:
        """Rows, one for each example, one for what all share; and the sizes."""

        def rows(x: Array) -> Array:
            return x[None] if x.ndim == 1 else x.T if x.ndim == 2 and x.shape[1] == 1 else x

        shown = {
            name: _each(str)(x[..., 0] if x.ndim == 3 else rows(x)) for name, x in self.letters.items()
        }
        told = {name: x if isinstance(x, str) else x.tolist() for name, x in shown.items()}
        return {**told, "N": self.N, "S": self.S}

    def grown(self, size: str, times: int) -> Data:
        """More examples of the same kinds; or larger minibatches, of more where each comes once."""
        if size == "S" and self.repeats:
            return replace(self, S=self.S * times)
        letters = {k: np.concatenate([x] * times) if x.ndim % 2 else x for k, x in self.letters.items()}
        return replace(self, letters=letters, N=self.N * times, S=self.S * (times if size == "S" else 1))

    def value(self, side: Term) -> Array:
        """What a term is worth: an array over minibatches and examples, of numbers or of matrices.

        Where something is a function of theta, theta is a letter of polynomials until the end.
        """
        moves = any(isinstance(t, Applied) and t.head in OF_THETA for t in side.subterms())
        known = {a.name: self._letter(a, moves) for a in side.letters}
        found = walk(side, self._arithmetic, known)
        return _each(lambda x: x(*self.letters["theta"][:, 0]) if _moves(x) else x)(found)

    def _letter(self, one: Letter, moves: bool) -> Array:
        if one.name in ("N", "S", "D"):
            return _number(getattr(self, one.name))
        if one.kind == "matrix":
            found = np.array([[fmpq(int(i == j)) for j in range(self.D)] for i in range(self.D)], object)
        elif moves and one.name == "theta":
            found = _each(self._thetas.gen)(np.arange(self.D)[:, None])
        else:
            found = self.letters[one.name]
        return found[None] if found.ndim % 2 else found[None, None]

    @cached_property
    def _thetas(self) -> Any:
        return fmpq_mpoly_ctx.get([f"theta_{k}" for k in range(self.D)], Ordering.lex)

    @cached_property
    def _arithmetic(self) -> Arithmetic:
        drawn, rows = np.array(self.batches), np.arange(len(self.batches))[:, None]

        def mean(a: Array, axis: int) -> Array:
            return a.sum(axis=axis, keepdims=True) * fmpq(1, a.shape[axis])

        def over_batch(a: Array, places: Array) -> Array:
            """Over the examples at some places of each minibatch."""
            if a.shape[1] == 1:
                return a
            whole = np.broadcast_to(a, (len(rows), self.N, *a.shape[2:]))
            return mean(whole[rows, places], 1)

        def slopes(a: Array) -> Array:
            along = (_each(partial(_slope, k)) for k in range(self.D))
            return np.stack([slope(_alone(a)) for slope in along], axis=-1)

        def at_theta(a: Array, x: Array) -> Array:
            if x.ndim == 2:
                x = np.zeros((1, 1, self.D, 1), object) if not x.any() else x[..., None, None]
            columns = [x[:, :, k, 0] if a.ndim == 2 else x[:, :, k, :, None] for k in range(self.D)]
            return np.frompyfunc(self._put, self.D + 1, 1)(a, *columns)

        return Arithmetic(
            "exact numbers over all minibatches",
            _number,
            {
                "add": added,
                "subtract": lambda a, b: added(a, -b),
                "multiply": _multiplied,
                "over": _over,
                "negative": lambda a: -a,
                "power": _power,
                "root": lambda a: _power(a, _number(Fraction(1, 2))),
                "transpose": lambda a: a.swapaxes(2, 3) if a.ndim == 4 else a,
                "trace": _trace,
                "rank": _rank,
                "inner": _inner,
                "mean_n": lambda a: mean(a, 1),
                "mean_s": lambda a: over_batch(a, drawn),
                "first_s": lambda a: over_batch(a, drawn[:, :1]),
                "E": lambda a: mean(a, 0),
                "online_average": lambda a: mean(a, 0),  # of minibatches that are drawn independently
                "grad": lambda a: slopes(a)[..., None],
                "hess": lambda a: np.stack([slopes(x) for x in np.moveaxis(slopes(a), -1, 0)], axis=-1),
                "degree": _degree,
                "at_theta": at_theta,
            },
            exact=True,
        )

    def _put(self, x: Any, *columns: Any) -> Any:
        """A polynomial with others in the place of its letters."""
        if not _moves(x):
            return x
        context = self._thetas
        return x.compose(*(c if _moves(c) else context.constant(c) for c in columns), ctx=context)


def _each(change: Callable[[Any], Any]) -> Callable[[Array], Array]:
    return np.frompyfunc(change, 1, 1)


def _moves(x: Any) -> bool:
    """Whether a number is a polynomial in theta."""
    return isinstance(x, fmpq_mpoly)


def _slope(k: int, x: Any) -> Any:
    return x.derivative(k) if _moves(x) else fmpq(0)


def _number(x: Any) -> Array:
    whole = Fraction(x)
    return np.array([[fmpq(whole.numerator, whole.denominator)]], object)


def _alone(x: Array) -> Array:
    """Numbers, perhaps as 1 x 1 matrices."""
    if x.ndim == 4 and x.shape[2:] != (1, 1):
        raise Undefined("a matrix where a number is wanted")
    return x[:, :, 0, 0] if x.ndim == 4 else x


def added(a: Array, b: Array) -> Array:
    """The sum; a plain zero fits everything."""
    if a.ndim == b.ndim:
        if a.shape[2:] != b.shape[2:]:
            raise Undefined("a sum of shapes that do not fit")
        return a + b
    number, matrix = (a, b) if a.ndim == 2 else (b, a)
    return matrix if not (number != 0).any() else number + _alone(matrix)


def _multiplied(a: Array, b: Array) -> Array:
    """The product of matrices, or with a number (a 1 x 1 matrix is one)."""
    for one, other in ((a, b), (b, a)):
        if one.ndim == 2 or one.shape[2:] == (1, 1):
            x = _alone(one)
            return x[..., None, None] * other if other.ndim == 4 else x * other
    if a.shape[3] != b.shape[2]:
        raise Undefined("a product of shapes that do not fit")
    return a @ b


def _over(a: Array, b: Array) -> Array:
    below = _alone(b)
    if (below == 0).any():
        raise Undefined("division by zero")
    if any(_moves(x) and not x.is_constant() for x in below.flat):
        raise Unable("a quotient of polynomials")
    return _multiplied(a, fmpq(1) / below)


def _power(a: Array, exponent: Array) -> Array:
    power = exponent.item()
    if power.q == 2:
        a, power = _each(_root)(_alone(a)), 2 * power
    if power.q != 1:
        raise Unable("a root that need not be rational")
    if power <= 0:
        return _over(_number(1), _alone(a) ** -int(power))
    return reduce(_multiplied, [a] * int(power))


def _root(x: Any) -> Any:
    if _moves(x):
        raise Unable("the root of a polynomial")
    found = exact.root(fraction(x), "")
    return fmpq(found.numerator, found.denominator)


def fraction(x: fmpq) -> Fraction:
    """The same number as Python has it."""
    return Fraction(int(x.p), int(x.q))


def _inner(a: Array, b: Array) -> Array:
    """Of two columns; zero with anything is zero."""
    columns = [x.shape[2:] for x in (a, b) if x.ndim == 4]
    if any(c != 1 for _, c in columns) or len(set(columns)) > 1:
        raise Undefined("an inner product of what are no columns")
    return _alone(_multiplied(a.swapaxes(2, 3) if a.ndim == 4 else a, b))


def _trace(x: Array) -> Array:
    if x.ndim == 2:
        return x
    if x.shape[2] != x.shape[3]:
        raise Undefined("the trace of what is not square")
    return np.trace(x, axis1=2, axis2=3)


def _rank(x: Array) -> Array:
    ranks = [[fmpq_mat(rows.tolist()).rank() for rows in one] for one in x]
    return _each(fmpq)(np.array(ranks, object))


def _degree(x: Array) -> Array:
    degrees = _each(lambda p: fmpq(max(p.total_degree(), 0) if _moves(p) else 0))(x)
    return degrees.max(axis=(2, 3)) if x.ndim == 4 else degrees
