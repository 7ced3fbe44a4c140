"""Recording while a run goes on: which steps are kept, and the sums of them in the making.

Steps are kept and summed in groups whose ends are multiples of ``Table.group``, wherever a run is cut.
The sums of a group are made where the states are: here on the processor, in ``simulators.cuda.record``
on a device, in the same order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulators.engines import Accelerator
from simulators.moments import LANES
from simulators.record import Table, span
from simulators.reduce import Rows, summed

Array = np.ndarray[Any, Any]


class Recorder(ABC):
    """The sums of one chunk of chains, in the making."""

    def __init__(self, table: Table, engine: Any) -> None:
        self.table, self.engine = table, engine

    @abstractmethod
    def keep(self, x: Any, chain: int, now: int, steps: int, seed: int) -> None:
        """Carry out some steps, all of one group, and add what they say."""

    @abstractmethod
    def reduced(self, first: int) -> list[Rows]:
        """What the reduction adds up, from block ``first`` of the run on, as far as the tree has it.

        Sums, and those of full blocks again, with their squares.
        """

    @abstractmethod
    def arrays(self) -> dict[str, Array]:
        """What has to be saved."""

    def advance(self, x: Any, chain: int, first: int, steps: int, seed: int) -> None:
        """Carry out some steps in place, recording what is wanted of them."""
        begin, last = self.table.wanted
        end = first + steps
        quiet = min(max(begin - 1 - first, 0), steps)  # the state after step t is wanted from t = begin
        if quiet:
            self.engine.advance(x, chain, first, quiet, seed)
        now = first + quiet
        while now < min(end, last):
            count = min(self.table.group - now % self.table.group, min(end, last) - now)
            self.keep(x, chain, now, count, seed)
            now += count
        if now < end:
            self.engine.advance(x, chain, now, end - now, seed)


class HostRecorder(Recorder):
    """On the processor, of a chunk in which and after which there are ``chains`` chains."""

    def __init__(
        self, table: Table, engine: Any, centre: Array, chains: int, blocks: int,
        saved: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(table, engine)
        self._centre, self._chains = centre, chains
        self.sums = saved["sums"] if saved else np.zeros((blocks, table.columns))
        # the last states: (blocks, rows, size, 64)
        self._rows: Array | None = saved.get("rows") if saved else None

    def arrays(self) -> dict[str, Array]:
        """What has to be saved."""
        return {"sums": self.sums} | ({} if self._rows is None else {"rows": self._rows})

    def reduced(self, first: int) -> list[Rows]:
        """What the reduction adds up."""
        full = self.sums.copy()
        full[self._chains // LANES :] = 0.0
        return summed(np.concatenate([self.sums, full, full**2], axis=1), first)

    def keep(self, x: Any, chain: int, now: int, steps: int, seed: int) -> None:
        """Carry out some steps, and add what they say."""
        fresh = self.engine.kept(x, chain, now, steps, seed)
        rows = fresh if self._rows is None else np.concatenate([self._rows, fresh], axis=1)
        offset = now + 1 - (rows.shape[1] - steps)  # row r holds the state after step offset + r
        for recording, order, index, lag, columns in self.table.parts:
            wanted = span(recording, now, steps, offset)
            if wanted[0] < wanted[1]:
                part = np.zeros((len(self.sums), len(columns)))
                of = (index, lag, self._centre, part, wanted, self._chains)
                self.engine.accumulate(order, rows, *of)
                self.sums[:, columns] += part
        there = np.arange(len(rows) * LANES).reshape(-1, LANES) < self._chains
        for histogram, number, place in self.table.histograms:
            values = rows[:, slice(*span(histogram, now, steps, offset)), number]
            self.sums[:, place] += histogram.counts(values, there)
        past = min(self.table.lag, rows.shape[1])
        self._rows = rows[:, rows.shape[1] - past :].copy() if past else None


def recorder_of(
    table: Table, engine: Any, centre: Array, chains: int, blocks: int,
    saved: Mapping[str, Array] | None = None,
) -> Recorder:  # fmt: skip
    """What records a chunk of so many blocks on an engine: it has seen nothing, or what was saved."""
    if isinstance(engine, Accelerator):
        made: Recorder = engine.recorder(table, centre, chains, blocks, saved)
        return made
    return HostRecorder(table, engine, centre, chains, blocks, saved)
