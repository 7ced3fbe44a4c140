"""Statistics over the steps of an ensemble: what is recorded, while it runs, and what was found.

A recording names monomials of the state at some steps, perhaps with factors some steps earlier, and
asks for their means over chains and over those steps. Only the sums are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, groupby
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.bind import Bound
from simulators.moments import LANES

Array = np.ndarray[Any, Any]

ORDER = 4  # of the largest monomials
_CACHE = 2**19  # bytes of states that are kept at once: half of a usual second-level cache
_DEVICE = 2**30  # bytes on a device, where many chains keep it busy and no cache holds them
_COPIES = 8  # sums, those of full blocks, squares, all of them beside moments, and halves of that
_ROWS = 32  # steps that are kept at once: so few are summed in the type of the run


@dataclass(frozen=True, order=True)
class Factor:
    """A number of the state, some steps before the step that is recorded."""

    state: str
    coordinate: int = 0
    lag: int = 0


Monomial = tuple[Factor, ...]


@dataclass(frozen=True)
class Recording:
    """Monomials, and the steps after which they are taken: first, first + every, ..., up to last.

    >>> Recording(moments("theta", 2), first=10, last=20, every=5).times
    3
    """

    monomials: tuple[Monomial, ...]
    first: int
    last: int
    every: int = 1

    def __post_init__(self) -> None:
        if not self.monomials or any(not 1 <= len(m) <= ORDER for m in self.monomials):
            raise UnusableInput(
                f"monomials of 1 to {ORDER} factors", str(self.monomials)[:60], "change them"
            )
        _check_steps(self.first, self.last, self.every)
        if self.lag >= self.first or any(f.lag < 0 for m in self.monomials for f in m):
            raise UnusableInput(
                "lags from 0 that do not reach before the first step",
                f"a lag of {self.lag} and first={self.first}",
                "record later, or lower the lags",
            )

    @property
    def times(self) -> int:
        """How many steps are recorded."""
        return (self.last - self.first) // self.every + 1

    @property
    def lag(self) -> int:
        """The longest lag."""
        return max(f.lag for m in self.monomials for f in m)

    @property
    def columns(self) -> int:
        """How many numbers it finds."""
        return len(self.monomials)


@dataclass(frozen=True)
class Histogram:
    """The shares of the chains in bins of one number of the state, over steps as in a recording.

    What is found begins with the share below the first bin and ends with that above the last, or
    that is no number.

    >>> Histogram("theta", 0, -1.0, 1.0, bins=4, first=10, last=10).edges
    array([-1. , -0.5,  0. ,  0.5,  1. ])
    """

    state: str
    coordinate: int
    low: float
    high: float
    bins: int
    first: int
    last: int
    every: int = 1

    def __post_init__(self) -> None:
        if not -np.inf < self.low < self.high < np.inf or not 1 <= self.bins <= 10**6:
            got = f"{self.bins} bins from {self.low} to {self.high}"
            raise UnusableInput("1 to 1000000 bins from a number to a larger one", got, "change them")
        _check_steps(self.first, self.last, self.every)

    @property
    def edges(self) -> Array:
        """The ends of the bins; a bin holds its lower end."""
        return np.linspace(self.low, self.high, self.bins + 1)

    @property
    def times(self) -> int:
        """How many steps are recorded."""
        return (self.last - self.first) // self.every + 1

    @property
    def lag(self) -> int:
        """It looks at no step but those."""
        return 0

    @property
    def columns(self) -> int:
        """How many numbers it finds."""
        return self.bins + 2

    def counts(self, values: Array, there: Array) -> Array:
        """Of each block: values (blocks, steps, 64) of the lanes that there are, (blocks, 64)."""
        place = np.searchsorted(self.edges, values.astype(np.float64), side="right")
        place[np.isnan(values)] = self.bins + 1  # where NumPy sorts it
        block = np.arange(len(values))[:, None, None] * self.columns
        counted = np.broadcast_to(there[:, None, :], values.shape)
        number = np.bincount((place + block)[counted], minlength=len(values) * self.columns)
        return number.reshape(len(values), self.columns).astype(np.float64)


def _check_steps(first: int, last: int, every: int) -> None:
    if not 1 <= first <= last or every < 1:
        got = f"first={first}, last={last}, every={every}"
        raise UnusableInput("steps with 1 <= first <= last and every >= 1", got, "change them")


def moments(state: str, dimension: int, order: int = 2) -> tuple[Monomial, ...]:
    """All monomials of a state up to an order.

    >>> [len(m) for m in moments("theta", 2)]
    [1, 1, 2, 2, 2]
    """
    numbers = [Factor(state, i) for i in range(dimension)]
    return tuple(m for k in range(1, order + 1) for m in combinations_with_replacement(numbers, k))


def lagged(state: str, dimension: int, lags: Iterable[int]) -> tuple[Monomial, ...]:
    """The products of every coordinate with every coordinate some steps earlier."""
    every = range(dimension)
    return tuple((Factor(state, i), Factor(state, j, k)) for k in lags for i in every for j in every)


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a recording found: means over chains and steps of products of offsets from a centre."""

    recording: Recording | Histogram
    mean: Array  # of a histogram, the shares
    standard_error: Array  # from the scatter between blocks of 64 chains; nan where there are too few
    centre: Mapping[str, Array]

    def __repr__(self) -> str:
        kind = type(self.recording).__name__
        return f"<Recorded: {kind}, {len(self.mean)} means of {', '.join(self.centre)}>"

    def __getitem__(self, monomial: Monomial) -> float:
        """The mean of a monomial's offsets."""
        return float(self.mean[self._monomials.index(monomial)])

    @property
    def _monomials(self) -> tuple[Monomial, ...]:
        return self.recording.monomials if isinstance(self.recording, Recording) else ()

    def covariance(self, state: str, other: str = "", lag: int = 0) -> Array:
        """Of a state with another, ``lag`` steps earlier; the mean is that of the same steps.

        Where the mean was not recorded, moments are about the centre.
        """
        other = other or state
        size = len(self.centre[state])

        def found(*factors: Factor) -> float:
            both = {tuple(sorted(m)): v for m, v in zip(self._monomials, self.mean, strict=True)}
            return float(both.get(tuple(sorted(factors)), 0.0))

        return np.array(
            [
                [
                    found(Factor(state, i), Factor(other, j, lag))
                    - found(Factor(state, i)) * found(Factor(other, j))
                    for j in range(size)
                ]
                for i in range(size)
            ]
        )


@dataclass(frozen=True)
class Table:
    """The monomials of all recordings as numbers, for the names of a program's states."""

    recordings: tuple[Recording | Histogram, ...]
    states: tuple[str, ...]
    D: int

    @cached_property
    def parts(self) -> tuple[tuple[Recording, int, Array, Array, Array], ...]:
        """For each recording and order: numbers of the state, lags, and columns of the result."""
        found, begin = [], 0
        for recording in self.recordings:
            if isinstance(recording, Histogram):
                begin += recording.columns
                continue
            numbered = sorted(enumerate(recording.monomials, begin), key=lambda m: len(m[1]))
            for order, group in groupby(numbered, key=lambda m: len(m[1])):
                columns, monomials = zip(*group, strict=True)
                index = [[self._number(f) for f in m] for m in monomials]
                lag = [[f.lag for f in m] for m in monomials]
                part = (np.array(a, np.int64) for a in (index, lag, columns))
                found.append((recording, order, *part))
            begin += recording.columns
        return tuple(found)  # type: ignore[arg-type]

    @cached_property
    def histograms(self) -> tuple[tuple[Histogram, int, slice], ...]:
        """Each histogram, its number of the state, and its columns of the result."""
        found, begin = [], 0
        for recording in self.recordings:
            columns = slice(begin, begin + recording.columns)
            begin = columns.stop
            if isinstance(recording, Histogram):
                factor = Factor(recording.state, recording.coordinate)
                found.append((recording, self._number(factor), columns))
        return tuple(found)

    def _number(self, factor: Factor) -> int:
        if factor.state not in self.states or not 0 <= factor.coordinate < self.D:
            raise UnusableInput(
                f"coordinates 0 to {self.D - 1} of {', '.join(self.states)}",
                f"{factor.state}[{factor.coordinate}]",
                "record a number of the state",
            )
        return self.states.index(factor.state) * self.D + factor.coordinate

    @property
    def columns(self) -> int:
        """How many numbers all recordings find."""
        return sum(r.columns for r in self.recordings)

    @property
    def lag(self) -> int:
        """The longest lag: how many rows before those that are recorded are kept."""
        return max((r.lag for r in self.recordings), default=0)

    @property
    def group(self) -> int:
        """How many steps are kept and summed together, wherever a run is cut."""
        return max(_ROWS, self.lag)

    @property
    def widest(self) -> int:
        """The most monomials that are summed together: those of a recording that are of one order."""
        return max((len(columns) for *_, columns in self.parts), default=0)

    def bytes_needed(self, state: int, device: str) -> tuple[int, int]:
        """What a block takes whose state takes so many bytes, and what of it a checkpoint saves.

        On the processor the states of a group, those before, both together, and those that the next
        group needs; on a device the first two, and what lanes sum to.
        """
        kept, sums = (2 * self.group + 3 * self.lag) * state, 8 * self.columns
        if device == "cuda":
            kept = (self.group + self.lag) * state + 8 * LANES // 2 * self.widest
        return kept + _COPIES * sums, self.lag * state + sums

    def blocks_a_chunk(self, bound: Bound, device: str) -> int:
        """So many that the states which are kept stay in a cache, or in a part of a device's memory."""
        state = bound.size * LANES * bound.dtype.itemsize
        if device == "cuda":
            return max(1, _DEVICE // self.bytes_needed(state, device)[0])
        return max(1, _CACHE // (self.group * state))

    @property
    def wanted(self) -> tuple[int, int]:
        """The first and the last step whose state is needed."""
        return min(r.first - r.lag for r in self.recordings), max(r.last for r in self.recordings)


def span(recording: Recording | Histogram, now: int, steps: int, offset: int) -> tuple[int, int, int]:
    """The rows of a recording's steps among those from ``now`` on; the first row is of ``offset``."""
    start = max(recording.first, now + 1)
    start += -(start - recording.first) % recording.every
    stop = min(recording.last, now + steps) + 1
    return start - offset, max(stop, start) - offset, recording.every


def found_in(
    table: Table | None, total: Array, chains: int, centre: Array
) -> tuple[tuple[Recorded, ...], Array]:
    """The results, and the sums that they were made of, from the reduction's total."""
    if table is None:
        return (), total[:0]
    sums, full, squares = np.split(total, 3)
    names = table.states
    middle = dict(zip(names, centre.reshape(len(names), -1), strict=True))
    results, begin, blocks = [], 0, chains // LANES
    for recording in table.recordings:
        columns = slice(begin, begin + recording.columns)
        begin = columns.stop
        number = chains * recording.times
        errors = np.full(recording.columns, np.nan)
        if blocks > 1:
            scatter = squares[columns] - full[columns] ** 2 / blocks
            errors = np.sqrt(np.maximum(scatter, 0.0) / (blocks - 1) * chains / LANES) / number
        results.append(Recorded(recording, sums[columns] / number, errors, middle))
    return tuple(results), sums


def table_of(recordings: Sequence[Recording | Histogram], bound: Bound, steps: int) -> Table | None:
    """The recordings of a run, or None; refuses those that cannot be made."""
    if not recordings:
        return None
    for recording in recordings:
        if recording.last > steps:
            raise UnusableInput(
                f"recordings up to the last step, {steps}", f"last={recording.last}", "run longer"
            )
    table = Table(tuple(recordings), bound.program.states, bound.D)
    _ = table.parts, table.histograms  # both refuse names that the program does not have
    return table
