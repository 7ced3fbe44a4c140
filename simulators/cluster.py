"""A run on the workers of an existing Dask cluster: to the same bits as anywhere else.

The driver cuts the work, sums the pieces in their order and saves the checkpoint, as it does for its
own threads; workers carry the pieces out. What a lost worker had is computed again by another.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from sgtheory.errors import UnusableInput
from simulators.bind import Bound
from simulators.plan import blocks_in_memory
from simulators.provenance import versions
from simulators.workers import Meter

_ANSWER_WITHIN = 4.0  # seconds, for a scheduler
_RESUBMISSIONS = 3  # of a piece that Dask gave up: the workers that had it died
_PATIENCE = 60.0  # seconds without a worker, or without the scheduler
_POLL_EVERY, _SHOW_EVERY, _LOOK_EVERY = 0.01, 0.1, 2.0
_ADDRESS = "tcp://host:8786"


@dataclass(frozen=True)
class Far:
    """What the driver knows of the engines that the workers made."""

    device: str
    path: str
    normals: str
    text: str
    layout: Any
    steps: tuple[int, ...]  # of 1, 2, 4, ... blocks in a call
    needed: tuple[int, ...]  # bytes for 1, 2, 4, ... blocks
    most: int  # blocks in a chunk of a worker of its own
    length: int  # steps of the run
    workers: int  # threads of all workers
    compile_seconds: float
    bytes: int | None

    def steps_a_call(self, blocks: int) -> int:
        """How many steps of so many blocks a call may take, so that it is over soon."""
        return self.steps[min((blocks - 1).bit_length(), len(self.steps) - 1)]

    def blocks_a_chunk(self, monomials: Any) -> int:
        """How many blocks are worth sending to a worker at once: as many as one call may take."""
        if self.device == "cuda":
            return self.most
        in_a_call = self.steps_a_call(1) // max(1, self.length)
        return max(self.most, min(in_a_call, blocks_in_memory(monomials)))

    def bytes_needed(self, blocks: int, monomials: Any) -> int:
        """How much memory all workers take, with so many blocks each."""
        larger = min(blocks.bit_length(), len(self.needed) - 1)
        low, high = self.needed[larger - 1], self.needed[larger]
        share = (blocks - 2 ** (larger - 1)) / 2 ** (larger - 1)
        return int(self.workers * (low + share * (high - low)))

    def available_bytes(self) -> int | None:
        """Memory that a run may use, as if every thread had what the poorest one has."""
        return self.bytes


@contextmanager
def joined(address: str, bound: Bound, device: str, normals: str, length: int) -> Iterator[Cluster]:
    """The cluster at an address, ready for a run of ``length`` steps; what is in flight ends with it."""
    with _client(address) as client:
        from simulators.remote import Recipe

        recipe = Recipe.of(bound, device, normals)
        engine = _recruited(client, address, recipe, length)
        yield Cluster(client, replace(recipe, device=engine.device), engine)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise UnusableInput(
            "the package distributed, to run on a cluster",
            "an installation without it",
            'pip install "sgtheory[cluster]"',
        ) from None
    patient = {
        "distributed.comm.timeouts.connect": _ANSWER_WITHIN,
        "distributed.admin.large-graph-warning-threshold": "1 GiB",  # large matrices are meant to go
    }
    with dask.config.set(patient):
        try:
            _knock(address)
            client = Client(address, timeout=_ANSWER_WITHIN, set_as_default=False)
        except Exception as error:  # what may be at an address is without end
            raise UnusableInput(
                f"a Dask scheduler at {address or 'an address'}",
                _who(error),
                f"check the address, which looks like {_ADDRESS}, and that the scheduler runs",
            ) from None
        with _quiet():
            try:
                yield client
            finally:
                with suppress(OSError, RuntimeError):
                    client.close(timeout=_ANSWER_WITHIN)


@contextmanager
def _quiet() -> Iterator[None]:
    """What goes wrong is told once, by an error of ours: Dask's own log of it is a page long."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


def _who(error: Exception) -> str:
    if isinstance(error, OSError):
        return "nothing that answers"
    return str(error) if isinstance(error, ValueError) else "something else that answers"


def _knock(address: str) -> None:
    """Raise if no scheduler answers: a Client that fails to connect takes many seconds to go away."""
    from distributed import Security, rpc

    async def ask() -> Any:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as other:
            return await asyncio.wait_for(other.identity(), _ANSWER_WITHIN)

    with ThreadPoolExecutor(1) as pool:  # a notebook has a loop of its own in this thread
        kind = pool.submit(asyncio.run, ask()).result()["type"]
    if kind != "Scheduler":
        raise ValueError(f"a {kind}")


def _recruited(client: Any, address: str, recipe: Any, length: int) -> Far:
    """Every worker's engine made, and what they have in common."""
    from simulators import provenance, remote

    with suppress(TimeoutError):
        client.wait_for_workers(1, timeout=_ANSWER_WITHIN)
    threads = client.nthreads()
    if not threads:
        raise UnusableInput(f"a cluster with workers at {address}", "none", "start some: dask worker")
    for where, got in _answers(client.run(provenance.versions, on_error="return")).items():
        if isinstance(got, Exception):
            raise _without_it(f"{got} on {where}")
        error = remote.disagreement(provenance.versions(), got, where)
        if error:
            raise error
    return agreed(_answers(client.run(remote.recruit, recipe, on_error="return")), threads, length)


def _answers(found: Mapping[str, Any]) -> dict[str, Any]:
    """The answers of those workers that are still there."""
    answers = {where: got for where, got in found.items() if not isinstance(got, OSError)}
    if not answers:
        raise _lost("workers that are gone")
    return answers


def agreed(found: Mapping[str, Any], threads: Mapping[str, int], length: int) -> Far:
    """The engine that all workers have alike; refused where their devices differ."""
    for where, got in found.items():
        if isinstance(got, UnusableInput):
            raise UnusableInput(got.expected, f"{got.got} on {where}", got.remedy)
        if isinstance(got, Exception):
            raise _lost(f"{got or type(got).__name__} on {where}")
    counts = Counter(got.device for got in found.values())
    if len(counts) != 1:
        told = " and ".join(f"{device} on {n}" for device, n in sorted(counts.items()))
        remedy = "choose device cpu, or other workers"
        raise UnusableInput("workers with one type of device", told, remedy)
    total = sum(threads.get(where, 1) for where in found)
    shares = [w.bytes // threads.get(where, 1) for where, w in found.items() if w.bytes is not None]
    # texts may differ where processors do; their results do not
    first = min(found.values(), key=lambda w: w.text)
    return Far(
        device=first.device,
        path=first.path,
        normals=first.normals,
        text=first.text,
        layout=first.layout,
        steps=first.steps,
        needed=first.needed,
        most=first.most,
        length=length,
        workers=total,
        compile_seconds=max(w.compile_seconds for w in found.values()),
        bytes=min(shares) * total if shares else None,
    )


class Cluster:
    """Who carries out the pieces of one run."""

    def __init__(self, client: Any, recipe: Any, engine: Far) -> None:
        self.engine: Any = engine  # of which the driver asks only what Far knows
        self.cpu_seconds = 0.0  # of all workers
        self._client = client
        self._recipe = client.submit(_same, recipe, key=f"sgtheory-recipe-{uuid.uuid4()}")
        self._looked, self._alone_since = time.monotonic(), 0.0

    def in_order(
        self, run: Any, what: Any, places: Iterable[tuple[Any, ...]], meter: Meter
    ) -> Iterator[Any]:
        """The results of pieces in order; only a few are in flight, so that memory is bounded."""
        from simulators.remote import TOPIC

        bare = replace(run, engine=None, saved=None, crew=None, bound=None)
        under_way: dict[str, int] = {}  # pieces that workers report about, and their work so far
        self._client.subscribe_topic(TOPIC, lambda event: _note(under_way, event))
        ahead: list[_Piece] = []
        try:
            for place in places:
                ahead.append(self._submit(_Piece(bare, what, place)))
                under_way[ahead[-1].name] = 0
                if len(ahead) > 2 * self.engine.workers:
                    yield self._result(ahead, under_way, meter)
            while ahead:
                yield self._result(ahead, under_way, meter)
        finally:  # Ctrl-C too
            if self._client.status == "running":
                self._client.cancel([piece.future for piece in ahead])
                self._client.unsubscribe_topic(TOPIC)

    def _submit(self, piece: _Piece) -> _Piece:
        from simulators.remote import carry_out

        name = f"sgtheory-piece-{uuid.uuid4()}"
        task = (self._recipe, piece.run, piece.what, piece.place, name)
        future = self._client.submit(carry_out, *task, key=name)
        return replace(piece, name=name, future=future)

    def _result(self, ahead: list[_Piece], under_way: dict[str, int], meter: Meter) -> Any:
        """The first piece's value; it is submitted again if the workers that had it died."""
        from distributed import CancelledError
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        for _ in range(1 + _RESUBMISSIONS):
            self._wait(ahead[0].future, under_way, meter)
            try:
                done = ahead[0].future.result()
            except (KilledWorker, CommClosedError):  # the second while its value was on the way
                under_way.pop(ahead[0].name, None)
                ahead[0] = self._submit(ahead[0])
                under_way[ahead[0].name] = 0
                continue
            except CancelledError as error:
                reason = getattr(error, "reason", "reason unknown").replace("-", " ")
                raise _lost(f"work that was cancelled: {reason}") from None
            except ImportError as error:
                raise _without_it(str(error)) from None
            under_way.pop(ahead.pop(0).name, None)
            self.cpu_seconds += done.cpu_seconds
            meter.add(done.work)
            meter.show(sum(list(under_way.values())))
            return done.value
        raise UnusableInput(
            "workers that stay alive",
            "a piece of the run that killed every worker that had it",
            "read the workers' logs; give them more memory, or lower chunk",
        )

    def _wait(self, future: Any, under_way: dict[str, int], meter: Meter) -> None:
        shown = time.monotonic()
        while future.status in ("pending", "lost"):  # lost with its worker: made again by another
            time.sleep(_POLL_EVERY)
            if time.monotonic() - shown > _SHOW_EVERY:
                shown = time.monotonic()
                meter.show(sum(list(under_way.values())))
            if time.monotonic() - self._looked > _LOOK_EVERY:
                self._look()

    def _look(self) -> None:
        """Give up where for a while there has been no scheduler, or no worker."""
        self._looked = time.monotonic()
        threads = 0
        if self._client.status == "running":
            with suppress(OSError, TimeoutError):
                threads = sum(self._client.nthreads().values())
        if threads:
            self._alone_since = 0.0
        else:
            self._alone_since = self._alone_since or self._looked
            if self._looked - self._alone_since > _PATIENCE:
                raise _lost(f"no worker for {_PATIENCE:.0f} s")


@dataclass(frozen=True)
class _Piece:
    run: Any
    what: Any
    place: tuple[Any, ...]
    name: str = ""
    future: Any = None


def _same(recipe: Any) -> Any:
    return recipe


def _note(under_way: dict[str, int], event: tuple[float, tuple[str, int]]) -> None:
    name, work = event[1]
    if name in under_way:  # other runs speak on the same topic
        under_way[name] = max(work, under_way[name])


def _without_it(got: str) -> UnusableInput:
    from simulators.remote import REMEDY

    return UnusableInput(f"workers with sgtheory {versions()['sgtheory']}", got, REMEDY)


def _lost(what: str) -> UnusableInput:
    return UnusableInput(
        "a cluster that stays up", what, "start it again; with a checkpoint the run goes on from there"
    )
