"""Where statements about minibatches are looked at: small data, a size, and a way of drawing.

What a term is worth is found over all minibatches; nothing of that is shared with the normal form.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from itertools import islice, permutations, product
from math import perm, prod
from typing import Any

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from sgtheory.notation.display import Shown
from verification.refuter.places import Place, Space
from verification.terms.arithmetics.series import normal_moment
from verification.terms.term import Applied, Letter, Term
from verification.terms.walking import Arithmetic, Unable, walk
from verification.theories.minibatches import arrays as of
from verification.theories.minibatches.arrays import Array, each, is_polynomial, number
from verification.theories.minibatches.drawing import MARK
from verification.theories.minibatches.words import COLUMN, COLUMNS, KINDS, NUMBERS, OF_THETA, SYMMETRIC

Letters = tuple[Letter, ...]

_PATTERNS, _FEW = 4, 2  # of small numbers, for each shape; and for limits
_MOST, _FURTHER = 128, 130  # minibatches at a place, and at one that is further along a limit
_DRAWN, EXACT = 3, 7  # examples for which numbers are drawn, and the highest power of them
TIMES = 3  # how much further that is
_TRIES = 20
_SMALL = tuple(map(Fraction, (0, 1, -1, 2)))
_POSITIVE = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3))  # squares stand under roots


@dataclass(frozen=True)
class Samples(Space):
    """Data with N examples in D dimensions; letters in the order of their kinds.

    Every number of the data is a letter of the place, so that a failure can be shrunk.
    """

    letters: Letters = ()
    limit: bool = False
    drawn: Letters = ()

    def small(self) -> Iterator[Place]:
        """The cheap ones first."""
        return iter(_small(self.letters, self.limit, self.drawn))

    def random(self, source: random.Random, size: int | None = None, wide: int = 1) -> Place:
        """Larger numbers, in two dimensions where there are vectors."""
        return self.place(source.choice(self.tried), self.most_rows, lambda a: _larger(a, source))

    @property
    def tried(self) -> list[tuple[int, int, bool]]:
        """N, S and whether nothing is drawn twice; scripts go through all that few examples draw."""
        sizes = _sizes(self.limit)
        return [size for size in sizes if size[0] <= _DRAWN or not self.drawn]

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

    def redrawn(self, place: Place, source: Any) -> Place:
        """Other data of the same sizes."""
        n, d = int(place.scalars["N"]), int(place.scalars["D"])
        return place.but(**{m: _larger(a, source) for a in self.letters for m in _names(a, n, d)})

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

        return Data({a.name: array(a) for a in self.letters}, N, S, D, not given[MARK], self.drawn)


def samples(letters: Iterable[Letter], limit: bool = False, drawn: Letters = ()) -> Samples:
    """The space of some letters, beside those of examples that are drawn and averaged."""
    kinds = (*KINDS, "positive", "real")
    known = sorted({a for a in letters if a.kind in kinds and a not in drawn}, key=lambda a: a.name)
    known.sort(key=lambda a: min(kinds.index(a.kind), len(KINDS)))
    return Samples(sizes=(1,), letters=tuple(known), limit=limit, drawn=drawn)


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
def _small(letters: Letters, limit: bool, drawn: Letters) -> tuple[Place, ...]:
    """Places at which no two examples are alike, where examples have letters."""
    space, source, found = samples(letters, limit, drawn), random.Random(5), []

    def draw(letter: Letter) -> Fraction:
        return source.choice(_POSITIVE if letter.kind == "positive" else _SMALL)

    def differ(place: Place) -> bool:
        data = space.data(place)
        each = [x.reshape(data.N, -1) for x in data.letters.values() if x.ndim % 2]
        return not each or len(set(map(tuple, np.hstack(each).tolist()))) == data.N

    for d in range(1, space.most_rows + 1):
        for size in space.tried:
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
    drawn: Letters = ()  # letters of examples that are standard normal, and averaged
    highest = 0  # power of one of them that was met

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
            name: each(str)(x[..., 0] if x.ndim == 3 else rows(x)) for name, x in self.letters.items()
        }
        told = {name: x if isinstance(x, str) else x.tolist() for name, x in shown.items()}
        return {**told, "N": self.N, "S": self.S}

    @property
    def is_generic(self) -> bool:
        """Whether no number of the data is zero, and no two examples are alike."""
        data = [a for name, a in self.letters.items() if name != "theta"]
        rows = [[str(x) for x in a] for a in data if a.ndim % 2]
        return all(x != 0 for a in data for x in a.flat) and all(len({*r}) == len(r) for r in rows)

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
        theta = self.letters["theta"][:, 0] if "theta" in self.letters else [fmpq(0)] * self.D
        rest = [fmpq(0)] * (self._moving.nvars() - self.D)  # what is drawn is averaged by now
        return each(lambda x: x(*theta, *rest) if is_polynomial(x) else x)(found)

    def _letter(self, one: Letter, moves: bool) -> Array:
        if one.name in ("N", "S", "D"):
            return number(getattr(self, one.name))
        if one.kind == "matrix":
            found = np.array([[fmpq(int(i == j)) for j in range(self.D)] for i in range(self.D)], object)
        elif moves and one.name == "theta":
            found = each(self._moving.gen)(np.arange(self.D)[:, None])
        elif one in self.drawn:
            found = self._noise(one)
        else:
            found = self.letters[one.name]
        return found[None] if found.ndim % 2 else found[None, None]

    @cached_property
    def _moving(self) -> Any:
        """Polynomials in theta, and in what is drawn for each example."""
        names = [f"theta_{k}" for k in range(self.D)]
        drawn = (f"{a}{k}" for a in self.drawn for k in range(self._width(a)))
        return fmpq_mpoly_ctx.get([*names, *drawn], Ordering.lex)

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
            along = (each(partial(of.slope, k)) for k in range(self.D))
            return np.stack([slope(of.alone(a)) for slope in along], axis=-1)

        def at_theta(a: Array, x: Array) -> Array:
            if x.ndim == 2:
                x = np.zeros((1, 1, self.D, 1), object) if not x.any() else x[..., None, None]
            columns = [x[:, :, k, 0] if a.ndim == 2 else x[:, :, k, :, None] for k in range(self.D)]
            return np.frompyfunc(self._put, self.D + 1, 1)(a, *columns)

        return Arithmetic(
            "exact numbers over all minibatches",
            number,
            {
                "add": of.added,
                "subtract": lambda a, b: of.added(a, -b),
                "multiply": of.multiplied,
                "over": of.over,
                "negative": lambda a: -a,
                "power": of.raised,
                "root": lambda a: of.raised(a, number(Fraction(1, 2))),
                "transpose": lambda a: a.swapaxes(2, 3) if a.ndim == 4 else a,
                "trace": of.trace,
                "rank": of.rank,
                "inner": of.inner,
                "mean_n": lambda a: mean(a, 1),
                "mean_s": lambda a: over_batch(a, drawn),
                "first_s": lambda a: over_batch(a, drawn[:, :1]),
                "E": lambda a: mean(a, 0),
                "over_noise": self._over_noise,
                "online_average": lambda a: mean(a, 0),  # of minibatches that are drawn independently
                "grad": lambda a: slopes(a)[..., None],
                "hess": lambda a: np.stack([slopes(x) for x in np.moveaxis(slopes(a), -1, 0)], axis=-1),
                "degree": partial(of.degree, self.D),
                "at_theta": at_theta,
            },
            exact=True,
        )

    def _put(self, x: Any, *columns: Any) -> Any:
        """A polynomial with others in the place of its letters."""
        if not is_polynomial(x):
            return x
        context = self._moving
        new = (*columns, *context.gens()[self.D :])
        return x.compose(*(c if is_polynomial(c) else context.constant(c) for c in new), ctx=context)

    def _noise(self, one: Letter) -> Array:
        """A number, or a column, for each example, of letters of polynomials."""
        start = self.D + sum(map(self._width, self.drawn[: self.drawn.index(one)]))
        shape = (self.N, self.D, 1) if one.kind == COLUMNS else (self.N,)
        return each(self._moving.gen)(np.arange(start, start + self._width(one)).reshape(shape))

    def _width(self, one: Letter) -> int:
        return self.N * (self.D if one.kind == COLUMNS else 1)

    def _over_noise(self, a: Array, *noises: Array) -> Array:
        """With the moments of standard normal numbers in the place of their powers."""
        gens = list(self._moving.gens())
        places = [gens.index(x) for noise in noises for x in noise.flat]

        def mean(x: Any) -> Any:
            found: dict[Any, Any] = {}
            for powers, c in x.to_dict().items() if is_polynomial(x) else ():
                highest = max(self.highest, *(powers[k] for k in places))
                if highest > EXACT:
                    raise Unable("moments beyond those that scripts have")
                self.__dict__["highest"] = highest
                rest = tuple(0 if k in places else n for k, n in enumerate(powers))
                weight = c * prod(normal_moment(powers[k]) for k in places)
                found[rest] = found.get(rest, fmpq(0)) + weight
            return self._moving.from_dict(found) if is_polynomial(x) else x

        return each(mean)(a)
