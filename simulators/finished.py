"""Finished runs of anybody's sampler, from the files in which people keep them, as a ``Trace``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.reader import arrays as archives
from sgtheory.reader import files, limits
from simulators import tables
from simulators.trace import SCHEMA, Trace, read_trace

Array = np.ndarray[Any, Any]

_WHAT = "a run in a file .npz, .npy, .nc or .parquet"
_SHAPES = "an array (draws,), (draws, D) or (chains, draws, D)"
_LONG = {"chain", "step", "state", "coordinate", "value"}  # columns of our own long table
_ORDER = ("draw", "iteration", "step")  # columns that say when
_GROUP = "posterior"  # of ArviZ's InferenceData


def read_run(path: str | Path, state: str | None = None, D: int | None = None) -> Trace:
    """The positions of a finished run, as the state ``theta``; what else our own traces have is kept.

    ``state`` names the variable, array or columns with the positions, several with commas between them,
    and ``D`` is how many coordinates there have to be.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/run.npy", np.zeros((500, 3)))
    ...     read_run(folder + "/run.npy").states["theta"].shape
    (1, 500, 3)
    """
    path = Path(path)
    readers = {".npz": _npz, ".npy": _npy, ".nc": _netcdf, ".parquet": _parquet}
    if path.suffix not in readers:
        got = f"{path.name}, which ends otherwise"
        raise UnusableInput(_WHAT, got, "save it with numpy.save, or idata.to_netcdf")
    with files.opened(path, _WHAT):
        pass
    found = readers[path.suffix](path, state, D)
    trace = found if isinstance(found, Trace) else _trace(found, path, D)
    theta = trace.states["theta"]
    if D is not None and theta.shape[2] != D:
        raise UnusableInput(
            f"a run in the problem's {D} dimensions", f"{path.name} in {theta.shape[2]}",
            "name the right variable with --state, or give the problem of this run",
        )  # fmt: skip
    archives.check_range(theta, "theta", path.name)
    return trace


def _check_real(found: Array, path: Path) -> None:
    if found.dtype.kind not in "buif":
        raise UnusableInput("real numbers", f"{found.dtype} in {path.name}", "save them as float64")


def _trace(found: Array, path: Path, D: int | None) -> Trace:
    _check_real(found, path)
    shape = found.shape
    if found.ndim == 1:
        found = found[None, :, None]
    elif found.ndim == 2 and D == 1 and shape[1] != 1:
        found = found[:, :, None]
    elif found.ndim == 2:
        found = found[None]
    if found.ndim != 3 or 0 in found.shape:
        raise UnusableInput(_SHAPES, f"shape {shape} in {path.name}", "reshape it")
    kind = found.dtype if found.dtype == np.float32 else np.dtype(float)
    chains, draws = found.shape[:2]
    return Trace(
        {"theta": found.astype(kind)}, np.arange(draws), np.arange(chains), {"dtype": kind.name}
    )


def _npz(path: Path, state: str | None, D: int | None) -> Trace | Array:
    found = archives.archive(path)
    if str(found.get("metadata", "")).find(SCHEMA) >= 0:
        trace = read_trace(path)
        name = state or "theta"
        if name not in trace.states:
            raise UnusableInput(f"the state {name}", ", ".join(trace.states), "name one of these")
        return Trace(
            {**trace.states, "theta": trace.states[name]}, trace.steps, trace.chains, trace.provenance
        )
    return _chosen({n: x for n, x in found.items() if x.ndim in (1, 2, 3)}, path, state, D)


def _npy(path: Path, state: str | None, D: int | None) -> Array:
    if state is not None:
        got = f"--state {state[:60]}"
        raise UnusableInput(
            f"no --state beside {path.name}, an array without a name", got, "leave it out"
        )
    return np.asarray(archives.alone(path))


def _chosen(found: Mapping[str, Array], path: Path, state: str | None, D: int | None) -> Array:
    """The array that is named, or theta, or the only one; several side by side."""
    if state is not None:
        names = [name.strip() for name in state.split(",")]
    elif "theta" in found or len(found) == 1:
        names = ["theta"] if "theta" in found else list(found)
    else:
        names = list(found) if D is not None and _width(found) == D else []
    missing = [name for name in names if name not in found]
    if missing or not names:
        wanted = f"the variable {missing[0]}" if missing else "one variable with the positions"
        got = f"{', '.join(found) or 'none'} in {path.name}"
        raise UnusableInput(wanted, got, "name it with --state, several with commas between them")
    if len(names) == 1:
        return found[names[0]]
    for name in names:
        _check_real(found[name], path)
    empty = next((name for name in names if 0 in found[name].shape), None)
    if empty is not None:
        got = f"shape {found[empty].shape} of {empty} in {path.name}"
        raise UnusableInput(_SHAPES, got, "reshape it")
    parts = [_with_axis(found[name]) for name in names]
    if len({part.shape[:2] for part in parts}) > 1:
        got = ", ".join(str(found[name].shape) for name in names)
        raise UnusableInput("variables of equally many chains and draws", got, "name one of them")
    return np.concatenate(parts, axis=2)


def _with_axis(x: Array) -> Array:
    """(chains, draws, numbers) of a variable with these first two axes, or with draws alone."""
    x = x[None] if x.ndim == 1 else x
    return x.reshape(*x.shape[:2], -1) if x.ndim > 2 else x[..., None]


def _width(found: Mapping[str, Array]) -> int:
    return sum(math.prod(x.shape[2:]) for x in found.values())


def _netcdf(path: Path, state: str | None, D: int | None) -> Array:
    """The group ``posterior`` of ArviZ's InferenceData, dimensions chain and draw first."""
    xarray = tables.needed("xarray", "arviz", "xarray")
    try:
        with (
            warnings.catch_warnings(action="ignore"),  # what is odd in the file is read as it can be
            xarray.open_dataset(
                path, group=_GROUP, engine="h5netcdf", decode_times=False, drop_variables=_unread(path)
            ) as opened,
        ):
            ordered = opened.transpose("chain", "draw", ...)
            found = {str(n): np.asarray(x.values) for n, x in ordered.data_vars.items()}
    except UnusableInput:
        raise
    except ImportError:
        remedy = 'pip install "sgtheory[arviz]", or save it with numpy.save'
        raise UnusableInput("a reader of NetCDF files", "none installed", remedy) from None
    except Exception as error:  # HDF5 libraries raise anything on what is no file of theirs
        told = str(error).partition("\n")[0][:80] or type(error).__name__
        what = f"an InferenceData with a group {_GROUP}, of dimensions chain and draw"
        raise UnusableInput(what, f"{path.name}: {told}", "write it with idata.to_netcdf") from None
    flat = {n: x.reshape(*x.shape[:2], math.prod(x.shape[2:])) for n, x in found.items()}
    return _chosen(flat, path, state, D)


def _unread(path: Path) -> list[str]:
    """What is in the group beside arrays of numbers, such as coordinates; of those, what they declare.

    A part that is packed is unpacked whole, however little of it is in the array.
    """
    with tables.needed("h5netcdf", "arviz", "h5netcdf").File(path, "r") as file:
        group = file[_GROUP]
        read = {
            n: v
            for n, v in group.variables.items()
            if n not in group.dimensions and np.dtype(v.dtype).kind in "buif"
        }
        _check_size(sum(max(math.prod(v.shape), math.prod(v.chunks or ())) for v in read.values()), path)
        return [n for n in group.variables if n not in read]


def _check_size(numbers: int, path: Path) -> None:
    if numbers > limits.NUMBERS:
        got = f"{numbers:,} in {path.name}"
        raise UnusableInput(f"at most {limits.NUMBERS:,} numbers", got, "give a part")


def _parquet(path: Path, state: str | None, D: int | None) -> Array:
    """Our long table, or one with a row to a draw and a column to a coordinate."""
    parquet = tables.needed("pyarrow.parquet", "parquet", "PyArrow")
    try:
        with parquet.ParquetFile(path) as file:
            words = _columns_of_words(file, path)
        table = parquet.read_table(path, page_checksum_verification=True, read_dictionary=words)
        columns = {n: table.column(n) for n in table.column_names}
        for name in words:
            _check_size(len(table) * max(map(_longest, columns[name].chunks), default=0), path)
            columns[name] = columns[name].cast(columns[name].type.value_type)
        columns = {n: column.to_numpy() for n, column in columns.items()}
    except UnusableInput:
        raise
    except Exception as error:  # of what is no such file, Arrow raises kinds of its own
        told = str(error).partition("\n")[0][:80] or type(error).__name__
        raise UnusableInput(
            "a table in a Parquet file", f"{path.name}: {told}", "write it again"
        ) from None
    if not len(table):
        raise UnusableInput(_SHAPES, f"no rows in {path.name}", "give a run")
    if set(columns) >= _LONG:
        return _long(columns, state or "theta", path)
    order = next((n for n in _ORDER if n in columns), None)
    named = [n.strip() for n in state.split(",")] if state else None
    names = named or [n for n in columns if n not in ("chain", *_ORDER)]
    missing = [n for n in names if n not in columns]
    if missing or not names:
        got = ", ".join(columns) or "none"
        raise UnusableInput(f"columns {', '.join(names) or 'of numbers'}", got, "name them with --state")
    chain = _key(columns, "chain", path) if "chain" in columns else np.zeros(len(table))
    when = _key(columns, order, path) if order else np.arange(len(chain))
    rows = np.lexsort((when, chain))
    values = np.column_stack([columns[n] for n in names])[rows]
    return _by_chain(chain[rows], values, path)


def _columns_of_words(file: Any, path: Path) -> list[str]:
    """The columns that say which chain, state or draw in words; what else is no number is refused."""
    kinds, held = file.schema, file.metadata
    columns = [kinds.column(k) for k in range(len(kinds))]
    nested = next((c.path for c in columns if c.max_repetition_level or c.path != c.name), None)
    words = [c.name for c in columns if c.physical_type.endswith("BYTE_ARRAY")]
    other = nested or next((n for n in words if n not in ("chain", "state", *_ORDER)), None)
    if other is not None:
        raise UnusableInput("columns of numbers", f"others in {path.name}: {other}", "leave them out")
    _check_size(held.num_rows * held.num_columns, path)
    groups = [held.row_group(k) for k in range(held.num_row_groups)]
    parts = [group.column(k) for group in groups for k in range(held.num_columns)]
    _check_size(
        max(sum(p.num_values for p in parts), sum(p.total_uncompressed_size for p in parts) // 16), path
    )
    return words


def _longest(words: Any) -> int:
    """How many bytes the longest word of a column has."""
    return max((len(word.as_buffer()) for word in words.dictionary if word.is_valid), default=0)


def _long(columns: Mapping[str, Array], state: str, path: Path) -> Array:
    here = columns["state"] == state
    if not here.any():
        got = ", ".join(sorted(set(map(str, columns["state"]))))
        raise UnusableInput(f"the state {state} in {path.name}", got, "name one of these with --state")
    part = {"value": columns["value"][here]}
    part |= {n: _key(columns, n, path)[here] for n in ("chain", "step", "coordinate")}
    rows = np.lexsort((part["coordinate"], part["step"], part["chain"]))
    width = len(np.unique(part["coordinate"]))
    if len(rows) % width:
        raise UnusableInput("every coordinate at every step", f"{path.name} without some", "write all")
    values = part["value"][rows].reshape(-1, width)
    return _by_chain(part["chain"][rows][::width], values, path)


def _key(columns: Mapping[str, Array], name: str, path: Path) -> Array:
    """A column by which rows are put in order."""
    found = columns[name]
    if found.dtype.kind == "O" and all(isinstance(x, str) for x in found):
        return found.astype(str)
    if found.dtype.kind not in "buifM" or (found.dtype.kind == "f" and np.isnan(found).any()):
        got = f"others in {path.name}"
        raise UnusableInput(f"a number or a name in every row of {name}", got, "fill it, or drop it")
    return found


def _by_chain(chain: Array, values: Array, path: Path) -> Array:
    counts: Sequence[int] = np.unique(chain, return_counts=True)[1].tolist()
    if len(set(counts)) > 1:
        got = f"from {min(counts)} to {max(counts)} in {path.name}"
        raise UnusableInput("equally many draws of every chain", got, "give one chain, or cut them")
    return values.reshape(len(counts), counts[0], -1)
