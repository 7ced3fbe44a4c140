"""How the work of a run is cut: no bit of a result depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm
from typing import Protocol, runtime_checkable

from sgtheory.errors import UnusableInput
from simulators import philox
from simulators.engines import Engine
from simulators.moments import LANES, Monomials

# A call into a kernel is not interrupted: this many operations take a fraction of a second.
_OPERATIONS_A_CALL = 2e9
_BLOCKS_A_CHUNK = 64
_BYTES_A_CHUNK = 2**27  # of sums and what is made of them


@runtime_checkable
class _Paced(Protocol):
    """An engine that knows its own speed and memory, or a driver that was told."""

    def steps_a_call(self, blocks: int) -> int: ...
    def blocks_a_chunk(self, monomials: Monomials) -> int: ...


def steps_a_call(engine: Engine, blocks: int) -> int:
    """How many steps of so many blocks a call may take, so that it is over soon."""
    if isinstance(engine, _Paced):
        return engine.steps_a_call(blocks)
    return int(_OPERATIONS_A_CALL / (LANES * engine.layout.work * blocks))


def blocks_a_chunk(engine: Engine) -> int:
    """How many blocks are worth having in memory at once."""
    monomials = Monomials(engine.layout.size)
    if isinstance(engine, _Paced):
        return engine.blocks_a_chunk(monomials)
    return min(_BLOCKS_A_CHUNK, blocks_in_memory(monomials))


def blocks_in_memory(monomials: Monomials) -> int:
    """How many blocks have rows that are not too large."""
    return max(1, _BYTES_A_CHUNK // (8 * monomials.columns))


@dataclass(frozen=True)
class Plan:
    """How the work is cut: chunks of whole blocks of chains, segments of steps."""

    chains: int
    steps: int
    seed: int
    blocks: int
    chunk: int  # blocks
    segment: int  # steps

    @classmethod
    def make(
        cls, engine: Engine, chains: int, steps: int, seed: int, chunk: int | None,
        group: int = 1, most: int | None = None,
    ) -> Plan:  # fmt: skip
        """A plan for an engine; ``chunk`` is a number of chains, ``group`` of steps not to be cut.

        Without a chunk there are ``most`` blocks in one, or as many as the engine likes if that is less.
        """
        blocks = -(-chains // LANES)
        if chunk is None:
            most = min(blocks_a_chunk(engine), most or blocks)
            # several chunks for each worker, so that none waits long for the last one
            share = -(-blocks // (4 * engine.workers)) if engine.workers > 1 else blocks
            size = max(1, min(share, most))
        else:
            size = min(blocks, -(-chunk // LANES))
        whole = lcm(engine.layout.fused, group)
        segment = max(1, min(steps_a_call(engine, size), 2**20) // whole) * whole
        return cls(chains, steps, seed, blocks, size, segment)

    def pilot(self, engine: Engine, recorded: bool = False) -> int:
        """How many blocks the centre waits for: a device is not kept busy by one, many workers are.

        One where chains are recorded: they are carried out again when the centre is known.
        """
        alone = engine.device == "cuda" and engine.workers == 1 and not recorded
        return min(self.chunk, self.blocks) if alone else 1

    def chunks(self, begin: int) -> Iterator[tuple[int, int]]:
        """First block and number of blocks of each chunk, from block ``begin``."""
        for first in range(begin, self.blocks, self.chunk):
            yield first, min(self.chunk, self.blocks - first)


def check(
    chains: int, steps: int, seed: int, dtype: str, threads: int | None, chunk: int | None
) -> None:
    """Refuse what cannot be run."""
    philox.check(seed, chains)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 0 <= steps < 2**62:
        raise UnusableInput("a whole number of steps from 0", repr(steps), "change steps")
    if dtype not in ("float32", "float64"):
        raise UnusableInput("dtype float32 or float64", repr(dtype), "choose one of them")
    for name, count in (("threads", threads), ("chunk", chunk)):
        if count is not None and (not isinstance(count, int) or count < 1):
            raise UnusableInput(f"{name} as a whole number from 1", repr(count), f"change {name}")
