"""The worker's side of a cluster: an engine made once in each process, and the pieces of a run.

Everything here is called by Dask in a worker's process; ``simulators.cluster`` is the other side.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from simulators.bind import Bound
from simulators.engines import Engine, engine_for
from simulators.forecast import bytes_needed
from simulators.plan import blocks_a_chunk, steps_a_call
from simulators.provenance import versions
from simulators.workers import Meter, Stopped

TOPIC = "sgtheory-progress"
REMEDY = "install the same versions where the workers run"
_REPORT_EVERY = 0.5  # seconds between two messages about a piece of work
_ENGINES = 4  # that a process keeps
_SIZES = 24  # of chunks


@dataclass(frozen=True)
class Recipe:
    """All that a worker needs to make a run's engine. It is equal to another if its bytes are."""

    name: str
    device: str = field(compare=False)
    normals: str = field(compare=False)
    content: bytes = field(compare=False, repr=False)
    versions: Mapping[str, str] = field(compare=False)

    @classmethod
    def of(cls, bound: Bound, device: str, normals: str = "exact") -> Recipe:
        """A recipe of plain data: expressions become text, for SymPy's pickles are its version's."""
        constants = tuple(replace(c, expression=str(c.expression)) for c in bound.program.constants)
        plain = replace(bound, program=replace(bound.program, constants=constants))
        content = pickle.dumps(plain)
        name = hashlib.sha256(f"{device} {normals} ".encode() + content).hexdigest()
        return cls(name, device, normals, content, versions())


@dataclass(frozen=True)
class Recruit:
    """A worker that has made the engine of a run."""

    device: str
    path: str
    normals: str
    text: str
    layout: Any
    steps: tuple[int, ...]  # of 1, 2, 4, ... blocks in a call
    needed: tuple[int, ...]  # bytes for 1, 2, 4, ... blocks
    most: int  # blocks in a chunk
    compile_seconds: float
    bytes: int | None  # that a run may use there


@dataclass(frozen=True)
class Done:
    """A piece of a run that has been carried out."""

    value: Any
    work: int
    cpu_seconds: float


def disagreement(
    expected: Mapping[str, str], got: Mapping[str, str], where: str
) -> UnusableInput | None:
    """What is said of a worker with other versions; None of one with the same.

    >>> disagreement({"numpy": "2.4.6"}, {"numpy": "2.4.6"}, "tcp://somewhere:1")
    >>> disagreement({"numpy": "2.4.6"}, {"numpy": "1.26.4"}, "tcp://somewhere:1").got
    'numpy 1.26.4 on tcp://somewhere:1'
    """
    for name, version in expected.items():
        other = got.get(name, "not installed")
        if other != version:
            return UnusableInput(f"workers with {name} {version}", f"{name} {other} on {where}", REMEDY)
    return None


async def recruit(recipe: Recipe, dask_worker: Any = None) -> Recruit | UnusableInput:
    """Make the engine, beside the worker's loop; a refusal is returned, so that no log is filled."""
    limit = getattr(getattr(dask_worker, "memory_manager", None), "memory_limit", None)
    before = time.perf_counter()
    try:
        engine = await asyncio.get_running_loop().run_in_executor(None, engine_of, recipe)
    except UnusableInput as error:
        return error
    made = time.perf_counter() - before
    room = [b for b in (engine.available_bytes(), limit) if b is not None]
    least = min(room) if room else None
    sizes = [2**k for k in range(_SIZES)]
    return Recruit(
        device=engine.device,
        path=engine.path,
        normals=engine.normals,
        text=engine.text,
        layout=engine.layout,
        steps=tuple(steps_a_call(engine, n) for n in sizes),
        needed=tuple(bytes_needed(engine, n) for n in sizes),
        most=blocks_a_chunk(engine),
        compile_seconds=made,
        bytes=least,
    )


def carry_out(
    recipe: Recipe, run: Any, what: Callable[..., Any], place: tuple[Any, ...], name: str
) -> Done:
    """A piece of a run, which comes without its engine and gets the one of this process."""
    meter = Messages(name)
    engine = engine_of(recipe)
    alone = _bench().device if engine.device == "cuda" else nullcontext()
    with np.errstate(all="ignore"), alone:
        before = time.thread_time()
        value = what(replace(run, engine=engine), meter, *place)
        return Done(value, meter.work, time.thread_time() - before)


class Messages(Meter):
    """Tells the driver now and then how far a piece is, and leaves when nobody waits for it."""

    def __init__(self, name: str) -> None:
        super().__init__(0)
        self.work, self._name, self._last = 0, name, time.monotonic()

    def add(self, work: int) -> None:
        """Called after each part of the piece."""
        self.work += work
        if time.monotonic() - self._last < _REPORT_EVERY:
            return
        from distributed import get_worker

        self._last = time.monotonic()
        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
        if task is None or task.state not in ("executing", "long-running"):
            raise Stopped  # it was cancelled, or the driver has gone
        worker.log_event(TOPIC, [self._name, self.work])


@dataclass(frozen=True)
class _Bench:
    """What the threads of a worker's process share."""

    making: threading.Lock  # of an engine: once, however many threads ask
    device: threading.Lock  # a GPU carries out one piece at a time
    engines: OrderedDict[Recipe, Engine]


@cache
def _bench() -> _Bench:
    return _Bench(threading.Lock(), threading.Lock(), OrderedDict())


def engine_of(recipe: Recipe) -> Engine:
    """The engine of a recipe, made when this process is first asked for it."""
    bench = _bench()
    with bench.making:
        if recipe not in bench.engines:
            bench.engines[recipe] = _made(recipe)
        bench.engines.move_to_end(recipe)
        while len(bench.engines) > _ENGINES:
            bench.engines.popitem(last=False)
        return bench.engines[recipe]


def _made(recipe: Recipe) -> Engine:
    error = disagreement(recipe.versions, versions(), "a worker that joined")
    if error:
        raise error
    return engine_for(pickle.loads(recipe.content), recipe.device, 1, recipe.normals)
