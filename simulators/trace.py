"""Traces: the states of some chains as they went, with what made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.notation.display import Shown
from sgtheory.setting import Setting
from simulators import tables
from simulators.average import Average, averaged
from simulators.bind import Bound, Values, bind
from simulators.engines import Engine, engine_for
from simulators.forecast import fit, free_bytes
from simulators.lower import lower
from simulators.moments import LANES
from simulators.plan import Plan, check
from simulators.provenance import versions
from simulators.rewrites import FOLD, drop_identities
from simulators.workers import Meter, Progress, in_order

Array = np.ndarray[Any, Any]

SCHEMA = "sgtheory.trace/1"
_COLUMNS = {
    "chain": "int64",
    "step": "int64",
    "state": "string",
    "coordinate": "int64",
    "value": "float64",
}
_ROWS_AT_ONCE = 2**20  # of a long table
_CHAINS_AT_ONCE = 1024  # of a worker


@dataclass(repr=False, frozen=True, eq=False)
class Trace(Shown):
    """States of chains at some steps: for each state's name an array (chains, steps, D).

    ``steps[k]`` is after how many steps ``states[...][:, k]`` was taken, ``chains`` are the chains'
    numbers in the ensemble of the seed, and ``provenance`` says what made them.

    >>> import numpy as np
    >>> found = Trace({"theta": np.zeros((2, 3, 1))}, np.array([0, 5, 10]), np.arange(2), {})
    >>> found.after(5).steps
    array([ 5, 10])
    """

    states: Mapping[str, Array]
    steps: Array
    chains: Array
    provenance: Mapping[str, Any]

    def __post_init__(self) -> None:
        shapes = {name: x.shape for name, x in self.states.items()}
        for name, shape in shapes.items():
            if len(shape) != 3 or shape[:2] != (len(self.chains), len(self.steps)):
                raise UnusableInput(
                    f"{name} of {len(self.chains)} chains at {len(self.steps)} steps",
                    f"an array of shape {shape}",
                    "give an array (chains, steps, coordinates)",
                )

    @property
    def digest(self) -> str:
        """A hash of all states and where they belong."""
        found = hashlib.sha256()
        for name, x in [("steps", self.steps), ("chains", self.chains), *self.states.items()]:
            found.update(f"{name} {x.dtype.str} {x.shape}".encode())
            found.update(np.ascontiguousarray(x).data)
        return found.hexdigest()

    def after(self, step: int) -> Trace:
        """The trace from a step on: what came before is warming up."""
        keep = self.steps >= step
        states = {name: x[:, keep] for name, x in self.states.items()}
        return replace(self, states=states, steps=self.steps[keep])

    def to_json(self) -> dict[str, Any]:
        """The document of ``simulate --trace --json``: what it is, without the states."""
        return {
            "schema": SCHEMA,
            **self.provenance,
            "states": {name: list(x.shape) for name, x in self.states.items()},
            "chains": self.chains.tolist(),
            "steps": [int(self.steps[0]), int(self.steps[-1])] if len(self.steps) else [],
            "digest": self.digest,
        }

    def to_npz(self, path: str | Path) -> None:
        """Arrays ``states/theta``, ..., ``steps``, ``chains``, and ``metadata`` as a JSON string."""
        arrays = {f"states/{name}": x for name, x in self.states.items()}
        tables.write_npz(path, {**arrays, "steps": self.steps, "chains": self.chains}, self.to_json())

    def to_parquet(self, path: str | Path) -> None:
        """A long table: chain, step, state, coordinate, value. Needs pyarrow."""
        tables.write_parquet(path, _COLUMNS, self._rows(), self.to_json())

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """The long table's columns, some rows at a time."""
        for name, x in self.states.items():
            size = max(1, x.shape[2])
            many = max(1, min(len(self.steps), _ROWS_AT_ONCE // size))
            chains = max(1, _ROWS_AT_ONCE // (many * size))
            for i in range(0, len(self.chains), chains):
                for j in range(0, len(self.steps), many):
                    part = x[i : i + chains, j : j + many]
                    steps, each = self.steps[j : j + many], part[0].size
                    yield (
                        np.repeat(self.chains[i : i + chains], each),
                        np.tile(np.repeat(steps, part.shape[2]), len(part)),
                        np.full(part.size, name),
                        np.tile(np.arange(part.shape[2]), len(part) * len(steps)),
                        part.reshape(-1),
                    )

    def to_xarray(self) -> Any:
        """An ``xarray.Dataset`` with dimensions chain, draw and coordinate, and ``step`` along draw."""
        xarray = tables.needed("xarray", "arviz", "xarray")
        dims = ("chain", "draw", "coordinate")
        size = max((x.shape[2] for x in self.states.values()), default=0)
        return xarray.Dataset(
            {name: (dims, x) for name, x in self.states.items()},
            coords={
                "chain": self.chains,
                "draw": np.arange(len(self.steps)),
                "coordinate": np.arange(size),
                "step": ("draw", self.steps),
            },
            attrs={k: _attribute(v) for k, v in self.to_json().items()},
        )

    def to_arviz(self) -> Any:
        """What the installed ArviZ works on, with the states in its group ``posterior``.

        An ``InferenceData`` before ArviZ 1, an ``xarray.DataTree`` since.
        """
        arviz = tables.needed("arviz", "arviz", "ArviZ")
        posterior = self.to_xarray()
        if "InferenceData" in vars(arviz):  # asking for it warns where it is no more
            return arviz.InferenceData(posterior=posterior)
        return tables.needed("xarray", "arviz", "xarray").DataTree.from_dict({"posterior": posterior})


def _attribute(value: Any) -> str | int | float:
    """What a netCDF file can hold."""
    return value if isinstance(value, str | int | float) else json.dumps(value)


def read_trace(path: str | Path) -> Trace:
    """The trace that ``to_npz`` wrote; a file that is another's, or damaged, is refused.

    >>> import tempfile
    >>> made = Trace({"theta": np.zeros((2, 3, 1))}, np.array([0, 5, 10]), np.arange(2), {"seed": 7})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made.to_npz(Path(folder, "trace.npz"))
    ...     read_trace(Path(folder, "trace.npz")).provenance
    {'seed': 7}
    """
    arrays, metadata = tables.read_npz(path, SCHEMA)
    try:
        shapes = metadata.pop("states")
        states = {name: arrays[f"states/{name}"] for name in shapes}
        digest = metadata.pop("digest")
        for key in ("schema", "chains", "steps"):
            metadata.pop(key)
        found = Trace(states, arrays["steps"], arrays["chains"], metadata)
    except (KeyError, TypeError, AttributeError, UnusableInput):
        raise tables.damaged(path) from None
    if found.digest != digest:
        raise tables.damaged(path)
    return found


def trace(
    setting: Setting,
    values: Values,
    *,
    chains: int = 4,
    steps: int = 1_000,
    every: int = 1,
    seed: int = 0,
    device: str = "auto",
    dtype: str = "float64",
    normals: str = "exact",
    threads: int | None = None,
    average: Average | None = None,
    progress: Progress | None = None,
) -> Trace:
    """The states of the first chains of the ensemble of a seed after 0, ``every``, ... steps.

    With ``average`` states have averages beside them.

    >>> from sgtheory import Problem, registry
    >>> problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[1]], "S": 4,
    ...                       "params": {"eps": "1/4"}, "start": {"theta": [8]}})
    >>> sgd = registry.sampler("sgd")
    >>> found = trace(Setting(sgd, problem.model), problem.values(sgd), chains=3, steps=10, every=5)
    >>> found.states["theta"].shape, found.steps.tolist()
    ((3, 3, 1), [0, 5, 10])
    """
    check(chains, steps, seed, dtype, threads, None)
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise UnusableInput("every as a whole number from 1", repr(every), "change every")
    program = lower(setting, (drop_identities(values), FOLD), values.replacement, values.count)
    if average is not None:
        program = averaged(program, average)
    bound = bind(program, values, dtype)
    engine = engine_for(bound, device, threads, normals)
    return traced(bound, engine, chains, steps, every, seed, progress)


def traced(
    bound: Bound, engine: Engine, chains: int, steps: int, every: int, seed: int,
    progress: Progress | None = None,
) -> Trace:  # fmt: skip
    """``trace`` for a program that is bound and an engine that is made."""
    times = np.arange(0, steps + 1, every, dtype=np.int64)
    available = engine.available_bytes() if engine.device == "cpu" else free_bytes()
    needed = chains * len(times) * bound.size * bound.dtype.itemsize
    fit(needed, available, "memory", "take fewer chains, or look less often")
    plan = Plan.make(engine, chains, steps, seed, _CHAINS_AT_ONCE)
    shape = (chains, len(times), bound.D)
    walk = _Walk(engine, plan, times, {s: np.empty(shape, bound.dtype) for s in bound.program.states})
    meter = Meter(chains * int(times[-1]), progress)
    for _ in in_order([partial(walk.write, meter, *c) for c in plan.chunks(0)], engine.workers, meter):
        pass
    return Trace(walk.states, times, np.arange(chains), _provenance(bound, engine, seed, every))


@dataclass(frozen=True, eq=False)
class _Walk:
    """Chains that are advanced from one time to the next, and looked at."""

    engine: Engine
    plan: Plan
    times: Array
    states: Mapping[str, Array]

    def write(self, meter: Meter, first: int, blocks: int) -> None:
        """Write down the states of some blocks of chains."""
        engine, plan, chain, done = self.engine, self.plan, first * LANES, 0
        chains = min(blocks * LANES, plan.chains - chain)
        x = engine.start(chain, blocks, plan.seed)
        for k, time in enumerate(self.times.tolist()):
            while done < time:
                count = min(plan.segment, time - done)
                engine.advance(x, chain, done, count, plan.seed)
                done += count
                meter.add(count * chains)
            seen = engine.host(x)[:chains].reshape(chains, len(self.states), -1)
            for place, states in enumerate(self.states.values()):
                states[chain : chain + chains, k] = seen[:, place]


def _provenance(bound: Bound, engine: Engine, seed: int, every: int) -> dict[str, Any]:
    return {
        "sampler": bound.program.sampler,
        "device": engine.device,
        "dtype": bound.dtype.name,
        "normals": engine.normals,
        "path": engine.path,
        "seed": seed,
        "every": every,
        "versions": versions(),
        "kernel": hashlib.sha256(engine.text.encode()).hexdigest(),
        "constants": bound.recorded(),
        "program": str(bound.program),
    }
