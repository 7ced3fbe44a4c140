"""An ensemble as a file, for other programs to read: its suffix says which kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from sgtheory.errors import UnusableInput
from sgtheory.files.writing import write as write_file
from simulators import tables
from simulators.ensemble import Ensemble
from simulators.provenance import versions
from simulators.record import Factor, Histogram, Recorded, Recording
from simulators.reduce import digest_of
from simulators.trace import Trace

Array = np.ndarray[Any, Any]

ENSEMBLE, TRACE = (".json", ".npz", ".parquet"), (".npz", ".parquet")
_COLUMNS = {
    "quantity": "string",
    "row_state": "string",
    "row": "int64",
    "column_state": "string",
    "column": "int64",
    "value": "float64",
    "standard_error": "float64",
}


def check_file(path: str | Path, suffixes: Sequence[str]) -> str:
    """The suffix of a file that can be written; refused before long work, not after it.

    >>> check_file("run.npz", ENSEMBLE)
    '.npz'
    >>> check_file("run.csv", TRACE)
    Traceback (most recent call last):
        ...
    sgtheory.errors.UnusableInput: expected a file that ends in .npz or .parquet; got run.csv; rename it
    """
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        listed = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise UnusableInput(f"a file that ends in {listed}", Path(path).name, "rename it")
    if suffix == ".parquet":
        tables.needed("pyarrow.parquet", "parquet", "PyArrow")
    return suffix


def write(found: Ensemble, path: str | Path) -> None:
    """Write an ensemble: ``.json`` the document, ``.npz`` all of it, ``.parquet`` a tidy table.

    What was recorded over steps is in the ``.npz`` only.
    """
    writers: Mapping[str, Callable[[Ensemble, Path], None]] = {
        ".json": _write_json,
        ".npz": _write_npz,
        ".parquet": _write_parquet,
    }
    writers[check_file(path, ENSEMBLE)](found, Path(path))


def write_trace(found: Trace, path: str | Path) -> None:
    """Write a trace: ``.npz`` all of it, ``.parquet`` a long table."""
    {".npz": found.to_npz, ".parquet": found.to_parquet}[check_file(path, TRACE)](path)


def _write_json(found: Ensemble, path: Path) -> None:
    write_file(path, json.dumps(found.to_json(), indent=1, allow_nan=False) + "\n")


def _write_npz(found: Ensemble, path: Path) -> None:
    """Every field: arrays under their names and keys, the rest in the metadata."""
    arrays: dict[str, Array] = {}
    plain: dict[str, Any] = {}
    for field in fields(found):
        if field.name == "recorded":
            continue
        value = getattr(found, field.name)
        leaves = dict(_leaves(field.name, value))
        if leaves and all(isinstance(leaf, np.ndarray) for leaf in leaves.values()):
            arrays |= leaves
        else:
            plain[field.name] = value
    for k, one in enumerate(found.recorded):
        arrays[f"recorded/{k}/mean"] = one.mean
        arrays[f"recorded/{k}/standard_error"] = one.standard_error
    plain["recordings"] = [asdict(one.recording) for one in found.recorded]
    schema = found.to_json()["schema"]
    tables.write_npz(path, arrays, {"schema": schema, "versions": versions(), **plain}, small=True)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(f"{name}/{key}", item)
    else:
        yield name, value


def read_ensemble(path: str | Path) -> Ensemble:
    """The ensemble that was written to an ``.npz``; another file, or a damaged one, is refused."""
    arrays, metadata = tables.read_npz(path, "sgtheory.ensemble/1")
    values = {k: v for k, v in metadata.items() if k not in ("schema", "versions")}
    for name, array in arrays.items():
        place, *keys = name.split("/")
        home, last = values, place
        for key in keys:
            home, last = home.setdefault(last, {}), key
        home[last] = array
    try:
        recordings = [_recording(r) for r in values.pop("recordings")]
        parts = values.pop("recorded", {})
        found = Ensemble(**values)
        # the digest is also of recordings' sums, which are not kept
        if not recordings and digest_of(found.sums) != found.digest:
            raise ValueError("the digest is another's")
        names = list(found.mean)
        middle = dict(zip(names, found.centre.reshape(len(names), -1), strict=True))
        recorded = (Recorded(r, **parts[str(k)], centre=middle) for k, r in enumerate(recordings))
        return replace(found, recorded=tuple(recorded))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise tables.damaged(path) from None


def _recording(plain: dict[str, Any]) -> Recording | Histogram:
    if "monomials" not in plain:
        return Histogram(**plain)
    monomials = tuple(tuple(Factor(**f) for f in m) for m in plain.pop("monomials"))
    return Recording(monomials, **plain)


def _write_parquet(found: Ensemble, path: Path) -> None:
    tables.write_parquet(path, _COLUMNS, _columns(found), found.to_json())


def _columns(found: Ensemble) -> Iterator[tuple[Any, ...]]:
    """The tidy table, a vector or matrix at a time: a row for each number, with its standard error."""
    for state, mean in found.mean.items():
        n, nothing = len(mean), [None] * len(mean)
        error = found.standard_error["mean"][state]
        yield ["mean"] * n, [state] * n, np.arange(n), nothing, nothing, mean, error
    for pair, matrix in found.covariance.items():
        (first, second), n = pair.split(","), matrix.size
        i, j = np.indices(matrix.shape).reshape(2, -1)
        error = found.standard_error["covariance"][pair].ravel()
        yield ["covariance"] * n, [first] * n, i, [second] * n, j, matrix.ravel(), error
