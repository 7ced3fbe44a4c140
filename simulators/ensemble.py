"""Ensembles: many independent chains of one sampler, reduced to their means and covariances."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.setting import Setting
from simulators import rounding
from simulators.average import Average, averaged
from simulators.bind import Bound, Values, bind
from simulators.checkpoint import Checkpoint, Part
from simulators.engines import Accelerator, Engine, engine_for
from simulators.forecast import check_memory, check_time
from simulators.lower import lower
from simulators.moments import LANES, Monomials, estimate
from simulators.plan import Plan, check
from simulators.record import Histogram, Recorded, Recording, Table, found_in, table_of
from simulators.recorder import Recorder, recorder_of
from simulators.reduce import Rows, Tree, beside, digest_of, summed
from simulators.rewrites import FOLD, drop_identities
from simulators.workers import Crew, Meter, Progress, in_order

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """What a simulation found. Keys of the mappings are as in ``law``: "theta", "theta,v"."""

    sampler: str
    device: str
    dtype: str
    normals: str  # "exact", or "fast": by a GPU's special functions
    path: str  # "chains": the same bits everywhere; "matrices": a library's products, to rounding
    chains: int
    steps: int
    seed: int
    seconds: float  # without compilation
    cpu_seconds: float
    compile_seconds: float
    mean: Mapping[str, Array]
    covariance: Mapping[str, Array]
    standard_error: Mapping[str, Mapping[str, Array]]
    digest: str
    finite: bool
    centre: Array
    sums: Array = field(repr=False)  # of the monomials about the centre
    constants: Mapping[str, Any] = field(repr=False)  # what each was, and the value used
    program: str = field(repr=False)
    text: str = field(repr=False)  # the kernel's source
    recorded: tuple[Recorded, ...] = field(default=(), repr=False)  # one to a recording

    def __repr__(self) -> str:
        kind = f"{self.device}, {self.dtype}, seed {self.seed}"
        return f"<Ensemble of {self.sampler}: {self.chains:,} chains, {self.steps:,} steps; {kind}>"

    def _repr_html_(self) -> str:
        from sgtheory.notation.display import table

        rows = {f"mean of {name}": value for name, value in self.mean.items()}
        rows |= {f"covariance of {name}": value for name, value in self.covariance.items()}
        errors = self.standard_error["covariance"]
        rows |= {f"its standard error, {name}": value for name, value in errors.items()}
        return table(repr(self).strip("<>"), rows)

    @property
    def source(self) -> str:
        """The hash of the kernel's source."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The document of ``simulate --json``. Numbers that are not finite become null."""
        work = self.chains * self.steps
        return {
            "schema": "sgtheory.ensemble/1",
            "sampler": self.sampler,
            "device": self.device,
            "dtype": self.dtype,
            "normals": self.normals,
            "path": self.path,
            "chains": self.chains,
            "steps": self.steps,
            "seed": self.seed,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "compile_seconds": self.compile_seconds,
            "chain_steps_per_second": work / self.seconds if self.seconds else None,
            "chain_steps_per_cpu_second": work / self.cpu_seconds if self.cpu_seconds else None,
            "mean": _plain(self.mean),
            "covariance": _plain(self.covariance),
            "standard_error": _plain(self.standard_error),
            "digest": self.digest,
        }


def simulate(
    setting: Setting,
    values: Values,
    *,
    chains: int = 65_536,
    steps: int = 1_000,
    seed: int = 0,
    device: str = "auto",
    dtype: str = "float64",
    normals: str = "exact",
    threads: int | None = None,
    chunk: int | None = None,
    centre: Any = None,
    average: Average | None = None,
    record: Sequence[Recording | Histogram] = (),
    checkpoint: str | Path | None = None,
    save_every: float = 10.0,
    cluster: str | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Run ``chains`` independent chains for ``steps`` steps and estimate their law.

    ``centre`` is what second moments are summed about: the mean of the first 64 chains unless it
    is given. ``chunk`` is how many chains a worker has in memory at once. ``checkpoint`` is a folder
    from which a run that was broken off goes on; it is saved to every ``save_every`` seconds.
    ``cluster`` is the address of a Dask scheduler whose workers carry the run out. Not a bit of the
    result depends on ``chunk``, ``threads`` or ``cluster``, or on being broken off. A run that would
    take longer than ``time_limit`` seconds, by a short measurement, is refused before it starts.
    ``normals="fast"``, for a GPU in float32, makes normals of the same random words by special
    functions, with errors of about 1e-5 and in half the time. With ``average`` states have averages
    beside them; ``record`` names moments, lagged products and histograms.

    >>> from sgtheory import Problem, registry
    >>> problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[1]], "S": 4,
    ...                       "params": {"eps": "1/4"}, "start": {"theta": [8]}})
    >>> sgd = registry.sampler("sgd")
    >>> run = simulate(Setting(sgd, problem.model), problem.values(sgd), chains=1000, steps=3)
    >>> bool(abs(run.mean["theta"][0] - 1) < 6 * run.standard_error["mean"]["theta"][0])
    True
    """
    check(chains, steps, seed, dtype, threads, chunk)
    program = lower(setting, (drop_identities(values), FOLD), values.replacement, values.count)
    if average is not None:
        program = averaged(program, average)
    bound = bind(program, values, dtype)
    how = (chains, steps, seed, chunk, centre, progress, checkpoint, save_every)
    if cluster is None:
        engine = engine_for(bound, device, threads, normals)
        return run(bound, engine, *how, time_limit=time_limit, record=record)
    from simulators.cluster import joined

    if threads is not None:
        raise UnusableInput("threads or a cluster", "both", "leave threads out: workers have their own")
    with joined(cluster, bound, device, normals, steps) as crew:
        return run(bound, crew.engine, *how, crew=crew, time_limit=time_limit, record=record)


def run(
    bound: Bound, engine: Engine, chains: int, steps: int, seed: int,
    chunk: int | None = None, centre: Any = None, progress: Progress | None = None,
    checkpoint: str | Path | None = None, save_every: float = 10.0, crew: Crew | None = None,
    time_limit: float | None = None, record: Sequence[Recording | Histogram] = (),
) -> Ensemble:  # fmt: skip
    """``simulate`` for a program that is bound and an engine that is made."""
    table = table_of(record, bound, steps)
    groups = (table.group, table.blocks_a_chunk(bound, engine.device)) if table else ()
    plan = Plan.make(engine, chains, steps, seed, chunk, *groups)
    monomials = Monomials(engine.layout.size)
    check_memory(engine, plan, checkpoint is not None, crew is not None, table)
    identity = _identity(bound, engine, plan, centre, table)
    how = (identity, plan.chunk, save_every)
    alone = nullcontext() if checkpoint is None else Checkpoint(checkpoint, *how)
    with alone as saved, np.errstate(all="ignore"):  # divergence is reported by ``finite``
        plan = replace(plan, chunk=saved.chunk) if saved else plan
        work = _Run(engine, plan, monomials, saved, crew, table, bound)
        check_time(work, centre, time_limit)
        wall, cpu = time.perf_counter(), time.process_time()
        total, middle = work.total(centre, progress)
    seconds = time.perf_counter() - wall, time.process_time() - cpu + (crew.cpu_seconds if crew else 0)
    return ensemble_of(bound, engine, (chains, steps, seed), seconds, total, middle, table)


def ensemble_of(
    bound: Bound, engine: Any, size: tuple[int, int, int], seconds: tuple[float, float],
    total: Array, middle: Array, table: Table | None = None,
) -> Ensemble:  # fmt: skip
    """What a reduction's total says of chains, steps and a seed that took so long."""
    (chains, steps, seed), monomials = size, Monomials(engine.layout.size)
    found = estimate(monomials, total[: monomials.columns], chains, middle)
    recorded, more = found_in(table, total[monomials.columns :], chains, middle)
    names = bound.program.states
    return Ensemble(
        sampler=bound.program.sampler,
        device=engine.device,
        dtype=bound.dtype.name,
        normals=engine.normals,
        path=engine.path,
        chains=chains,
        steps=steps,
        seed=seed,
        seconds=seconds[0],
        cpu_seconds=seconds[1],
        compile_seconds=engine.compile_seconds,
        mean=_vectors(names, found.mean),
        covariance=_matrices(names, found.covariance),
        standard_error={
            "mean": _vectors(names, found.mean_error),
            "covariance": _matrices(names, found.covariance_error),
        },
        digest=digest_of(np.concatenate([found.sums, more])),
        finite=bool(np.isfinite(found.sums).all()),
        centre=middle,
        sums=found.sums,
        constants=bound.recorded(),
        program=str(bound.program),
        text=engine.text,
        recorded=recorded,
    )


@dataclass(frozen=True, eq=False)
class _Run:
    """One run: chunks are advanced by workers, and summed in their order."""

    engine: Engine
    plan: Plan
    monomials: Monomials
    saved: Checkpoint | None
    crew: Crew | None = None
    table: Table | None = None  # what is recorded over steps
    bound: Bound | None = None  # where it is known, the first chains are looked at for rounding

    def check(self, states: Array) -> None:
        """Refuse a run whose steps are lost in the rounding of its states."""
        rounding.check(self.bound, states, self.plan.chains, self.plan.steps, self.plan.seed)

    def first_block(self, x: Any) -> Array:
        """The states of the first chains."""
        return self.engine.host(x[:1])[: min(LANES, self.plan.chains)]

    def begun(self) -> tuple[Tree, Array | None]:
        """What a checkpoint has of the sum, and the centre that it is about."""
        columns = self.monomials.columns + (3 * self.table.columns if self.table else 0)
        like = (self.engine.layout.size, columns, self.plan.blocks)
        single = not isinstance(self.engine, Accelerator)
        return self.saved.finished(*like, single) if self.saved else (Tree(), None)

    def total(self, centre: Any, progress: Progress | None) -> tuple[Array, Array]:
        """The reduction's total, and the centre that was used."""
        plan, meter = self.plan, Meter(self.plan.chains * self.plan.steps, progress)
        tree, middle = self.begun()
        meter.add(min(tree.blocks * LANES, plan.chains) * plan.steps)
        if middle is None and centre is None:
            first = plan.pilot(self.engine, self.table is not None)
            ((middle, rows, states),) = self.carry_out(_Run.pilot, [(first,)], meter)
            self.check(states)
            tree.add_all(() if self.table else rows)  # nothing was recorded before the centre was known
        elif middle is None:
            middle = _given_centre(centre, self.engine.layout.size)
        places = [(middle, *c) for c in plan.chunks(tree.blocks)]
        for rows in self.carry_out(_Run.chunk, places, meter):
            tree.add_all(rows)
            if self.saved:
                self.saved.save_finished(tree, middle)
        if self.saved:
            self.saved.save_finished(tree, middle, last=True)
        return tree.total(), middle

    def carry_out(self, what: Any, places: Sequence[tuple[Any, ...]], meter: Meter) -> Iterator[Any]:
        """What a function of (run, meter, *place) finds at some places, in their order."""
        if self.crew:
            return self.crew.in_order(self, what, places, meter)
        return in_order([partial(what, self, meter, *p) for p in places], self.engine.workers, meter)

    @np.errstate(all="ignore")  # a worker's thread has its own settings
    def pilot(self, meter: Meter, blocks: int) -> tuple[Array, list[Rows], Array]:
        """The centre, which is the mean of the first block, what the first blocks sum to; that block."""
        x, _ = self.advance(meter, 0, blocks)
        states = self.first_block(x)
        return centre_of(states), self.sums(centre_of(states), x, 0), states

    @np.errstate(all="ignore")
    def chunk(self, meter: Meter, middle: Array, first: int, blocks: int) -> list[Rows]:
        """A chunk's part of the reduction."""
        x, recorder = self.advance(meter, first, blocks, middle)
        if not first:  # the centre was given
            self.check(self.first_block(x))
        return self.sums(middle, x, first, recorder)

    def sums(self, middle: Array, x: Any, first: int, recorder: Recorder | None = None) -> list[Rows]:
        """The sums over some blocks, about the centre, added up as far as they go without others."""
        left = min(self.plan.chains - first * LANES, len(x) * LANES)
        if isinstance(self.engine, Accelerator):
            found = self.engine.reduced(x, self.monomials, middle, left, first)
        else:
            sums = self.engine.sums(x, self.monomials.index, middle, left)
            found = summed(self.monomials.rows(sums, left), first)
        return beside(found, recorder.reduced(first)) if recorder else found

    def advance(
        self, meter: Meter, first: int, blocks: int, middle: Array | None = None
    ) -> tuple[Any, Recorder | None]:
        """A chunk after all its steps: from its start, or from where it was broken off."""
        engine, plan, saved = self.engine, self.plan, self.saved
        chains = min(blocks * LANES, plan.chains - first * LANES)
        part = saved.part(first, blocks, plan.steps) if saved else None
        table = None if middle is None else self.table
        if part and table and not part.more:
            part = None  # it is the pilot's, in which nothing was recorded
        x, done, recorder = engine.start(first * LANES, blocks, plan.seed), 0, None
        if table and middle is not None:
            recorder = recorder_of(table, engine, middle, chains, blocks)
        if saved and part:
            fresh = recorder.arrays() if recorder else {}
            saved.check_part(part, {"states": engine.packed(x), **fresh})
            x, done = engine.unpacked(part.states), part.step
            if table and middle is not None:
                recorder = recorder_of(table, engine, middle, chains, blocks, part.more)
        meter.add(done * chains)
        since = time.monotonic()
        while done < plan.steps:
            count = min(plan.segment, plan.steps - done)
            (recorder or engine).advance(x, first * LANES, done, count, plan.seed)
            done += count
            if saved and done < plan.steps and (meter.stopped or saved.due(since)):
                more = recorder.arrays() if recorder else {}
                saved.save_part(Part(first, blocks, done, engine.packed(x), more))
                since = time.monotonic()
            meter.add(count * chains)
        return x, recorder


def _identity(
    bound: Bound, engine: Engine, plan: Plan, centre: Any, table: Table | None
) -> dict[str, Any]:
    """All that the bits of a run depend on."""
    numbers = hashlib.sha256(json.dumps(bound.recorded(), sort_keys=True).encode())
    for name in sorted(bound.start):
        numbers.update(name.encode() + bound.start[name].tobytes())
    middle = "" if centre is None else np.asarray(centre, np.float64).tobytes().hex()
    return {
        "sampler": bound.program.sampler,
        "device": engine.device,
        "dtype": bound.dtype.name,
        "chains": plan.chains,
        "steps": plan.steps,
        "seed": plan.seed,
        "kernel": hashlib.sha256(engine.text.encode()).hexdigest(),
        "numbers": numbers.hexdigest(),
        "centre": middle,
        "recordings": hashlib.sha256(repr(table and table.recordings).encode()).hexdigest(),
    }


def centre_of(first: Array) -> Array:
    """What second moments are summed about: the mean of some chains' states, where it is finite."""
    mean = first.astype(np.float64).mean(axis=0)
    return np.where(np.isfinite(mean), mean, 0.0)


def _given_centre(centre: Any, size: int) -> Array:
    given = np.asarray(centre, np.float64).ravel()
    if given.shape != (size,) or not np.isfinite(given).all():
        raise UnusableInput(f"a centre of {size} finite numbers", str(centre), "match the state")
    return given


def _vectors(names: Sequence[str], flat: Array) -> dict[str, Array]:
    return dict(zip(names, flat.reshape(len(names), -1), strict=True))


def _matrices(names: Sequence[str], full: Array) -> dict[str, Array]:
    """The blocks of a symmetric matrix on and above the diagonal, by pairs of states."""
    size = len(full) // len(names)
    return {
        f"{a},{b}": full[i * size : (i + 1) * size, j * size : (j + 1) * size]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i <= j
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | list):
        return [_plain(v) for v in value]
    return float(value) if np.isfinite(value) else None
