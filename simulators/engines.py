"""What runs kernels, and which one a run gets: the processor, or the GPUs of this host."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.bind import Bound
from simulators.moments import Monomials
from simulators.reduce import Rows

Array = np.ndarray[Any, Any]


class Engine(Protocol):
    """What runs kernels: the processor, a GPU, or a GPU's source built for the processor."""

    device: str
    path: str
    normals: str
    text: str
    workers: int
    compile_seconds: float
    layout: Any

    def rebound(self, bound: Bound) -> Engine: ...  # noqa: D102
    def start(self, chain: int, blocks: int, seed: int) -> Any: ...  # noqa: D102
    def advance(self, x: Any, chain: int, first: int, steps: int, seed: int) -> None: ...  # noqa: D102
    def sums(self, x: Any, index: Array, centre: Array, chains: int) -> Array: ...  # noqa: D102
    def host(self, x: Any) -> Array: ...  # noqa: D102
    def packed(self, x: Any) -> Array: ...  # noqa: D102
    def unpacked(self, states: Array) -> Any: ...  # noqa: D102
    def available_bytes(self) -> int | None: ...  # noqa: D102


@runtime_checkable
class Accelerator(Engine, Protocol):
    """An engine that knows its own speed and memory, and adds up rows where its chains are."""

    def steps_a_call(self, blocks: int) -> int: ...  # noqa: D102
    def blocks_a_chunk(self, monomials: Monomials) -> int: ...  # noqa: D102
    def bytes_needed(self, blocks: int, monomials: Monomials) -> int: ...  # noqa: D102
    def reduced(  # noqa: D102
        self, x: Any, monomials: Monomials, centre: Array, chains: int, first: int
    ) -> list[Rows]: ...
    def recorder(  # noqa: D102
        self, table: Any, centre: Array, chains: int, blocks: int, saved: Mapping[str, Array] | None
    ) -> Any: ...


def engine_for(bound: Bound, device: str, threads: int | None, normals: str) -> Engine:
    """The engine of a bound program on a device, which may be "auto"."""
    found = devices_for(bound, device, normals)
    if found:
        from simulators.cuda.fleet import engine_on

        return engine_on(found, bound, normals)
    from simulators.cpu.engine import CpuEngine

    return CpuEngine(bound, threads or processors())


def devices_for(bound: Bound, device: str, normals: str) -> Sequence[Any]:
    """The GPUs that a run gets; none where it gets the processor."""
    from simulators.cuda.devices import all_devices
    from simulators.cuda.normals import check

    if device not in ("auto", "cpu", "cuda"):
        raise UnusableInput("device auto, cpu or cuda", repr(device), "choose one of them")
    found = [] if device == "cpu" else all_devices()
    if device == "cuda" and not found:
        raise UnusableInput(
            "a CUDA device", "none that CuPy can see", 'install "sgtheory[gpu]", or use cpu'
        )
    check(normals, "cuda" if found else "cpu", bound.dtype.name)
    return found


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1
