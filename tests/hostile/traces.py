"""Finished runs, in files of every kind that ``audit-run`` reads, in which something is wrong."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from random import Random
from typing import Any

import numpy as np

from tests.hostile import archives, problems
from tests.hostile.trial import Case

_PROBLEM = {**problems.VALID[0], "params": {"eps": "1/10", "mu": "1/2", "beta": "1/2"}}
_NAMES = (
    "theta",
    "theta",
    "x",
    "y",
    "chain",
    "draw",
    "step",
    "a,b",
    "",
    "\x1b[31m",
    "é",
    "metadata",
    "n" * 300,
)
_VALUES: dict[str, tuple[str, ...]] = {
    "--like": ("sgd", "sgld", "momentum", "svrg_ld", "no", "", "psgld:x", "own.py"),
    "--state": ("theta", "x", "a,b", ",", "", "x,x", "\x1b", "n" * 5000),
    "--every": ("1", "7", "1000000000000", "0", "x"),
    "--burn-in": ("0", "3", "1000000000000", "-1"),
    "--mode": ("0,0", "run", "1e9999999999,0", "1/0,1", "nan,nan", "", "0", "1e400,0",
        "1" * 5000 + ",0"),
    "--false-alarm": ("0.001", "nan", "1e-300", "0", "1", "1e-9"),
}  # fmt: skip


def finished(draw: Random) -> Case:
    """A file said to be a run, and how it is asked about."""
    ending = draw.choice(("npz", "npz", "npy", "nc", "parquet", "txt"))
    content = _MAKERS[ending](draw)
    if content and draw.random() < 0.25:
        at = draw.randrange(len(content))
        flipped = bytes([content[at] ^ 1 << draw.randrange(8)])
        content = content[:at] + (b"" if draw.random() < 0.3 else flipped + content[at + 1 :])
    words = ["audit-run", f"run.{ending}", "--problem", "p.json"]
    if draw.random() < 0.8:
        words += ["--like", draw.choice(("sgd", "sgld", "momentum"))]
    for option, values in _VALUES.items():
        if draw.random() < 0.15:
            words += [option, draw.choice(values)]
    if draw.random() < 0.3:
        words += ["--json"]
    return Case(
        "finished", tuple(words), {f"run.{ending}": content, "p.json": json.dumps(_PROBLEM).encode()}
    )


def _numbers(draw: Random) -> Any:
    """Draws of two coordinates, or of what has another shape, kind or range."""
    if draw.random() < 0.4:
        return archives._array(draw)
    shape = draw.choice(
        ((500, 2), (3, 200, 2), (200,), (1, 100, 1), (4, 0, 2), (0, 90, 2), (2, 2), (60, 2, 1))
    )
    found = np.random.default_rng(draw.randrange(99)).normal(size=shape)
    kind = draw.random()
    if kind < 0.2 and found.size:
        found.reshape(-1)[draw.randrange(found.size)] = draw.choice((np.nan, np.inf, 1e99, 1e160, -0.0))
    elif kind < 0.4:
        found = found * draw.choice((0.0, 1e-300, 1e-99, 1e50, 1e99))
    with np.errstate(all="ignore"):
        return (
            found if draw.random() < 0.8 else found.astype(draw.choice(("f4", "f2", "i8", "?", "c16")))
        )


def _named(draw: Random) -> dict[str, Any]:
    if draw.random() < 0.3:
        return {"theta": np.random.default_rng(draw.randrange(99)).normal(size=(3, 200, 2))}
    return {draw.choice(_NAMES): _numbers(draw) for _ in range(draw.choice((1, 1, 2, 3)))}


def _npz(draw: Random) -> bytes:
    if draw.random() < 0.3:
        return archives.archive(draw, ("theta",))
    made, arrays = io.BytesIO(), _named(draw)
    if draw.random() < 0.4:  # a trace of our own, forged
        arrays = {f"states/{name}": x for name, x in arrays.items()}
        steps = np.arange(500) * draw.choice((1, 3, 0, -1))
        arrays |= {"steps": steps, "chains": np.arange(3)}
        said = problems.changed(draw, {
            "schema": "sgtheory.trace/1", "sampler": "sgd", "every": 1, "states": {"theta": [3, 200, 2]},
            "digest": "0" * 64, "chains": [0, 1, 2], "steps": [0, 499],
        })  # fmt: skip
        arrays["metadata"] = np.array(json.dumps(said))
    np.savez(made, **arrays)
    return made.getvalue()


def _npy(draw: Random) -> bytes:
    if draw.random() < 0.4:
        return archives._crafted(draw)
    made = io.BytesIO()
    np.save(made, _numbers(draw), allow_pickle=True)
    return made.getvalue()


def _nc(draw: Random) -> bytes:
    """What HDF5 holds in a group, or another, with the dimensions that it needs, or others."""
    h5py = _library("h5py")
    if h5py is None:
        return draw.randbytes(50)
    made = io.BytesIO()
    with h5py.File(made, "w") as file:
        group = file.create_group(draw.choice(("posterior",) * 5 + ("prior", "posterior/x")))
        for name, x in _named(draw).items():
            if name and name not in group:
                one = group.create_dataset(name, data=x if x.dtype.kind in "buifc" else [b"x"])
                if draw.random() < 0.7:
                    for k, dimension in enumerate(("chain", "draw", "d")[: one.ndim]):
                        if dimension not in group:
                            group.create_dataset(dimension, data=np.arange(one.shape[k])).make_scale(
                                dimension
                            )
                        with contextlib.suppress(RuntimeError):  # of a variable that is one itself
                            one.dims[k].attach_scale(group[dimension])
                if draw.random() < 0.2:
                    one.attrs[draw.choice(("units", "scale_factor", "_FillValue"))] = draw.choice(
                        ("days since 1970-01-01", "x", 1e300, np.nan)
                    )
    return made.getvalue()


def _parquet(draw: Random) -> bytes:
    arrow = _library("pyarrow")
    if arrow is None:
        return draw.randbytes(50)
    import pyarrow.parquet as parquet

    rows = draw.choice((0, 1, 60, 200))
    columns = {}
    long = draw.random() < 0.4
    for name in ("chain", "step", "state", "coordinate", "value") if long else _named(draw):
        kind = draw.random()
        if kind < 0.6:
            column: Any = np.random.default_rng(1).normal(size=rows)
            column = np.arange(rows) // 2 if name in ("chain", "step", "draw", "coordinate") else column
            column = ["theta"] * rows if name == "state" else column
        else:
            column = [draw.choice((None, 1.5, 2.5))] * rows if kind < 0.8 else [[1.0]] * rows
            column = [draw.choice(("a", "b"))] * rows if kind > 0.9 else column
        columns[name] = column
    made = io.BytesIO()
    parquet.write_table(arrow.table(columns), made)
    return made.getvalue()


def _library(name: str) -> Any:
    import importlib

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ImportError:
        return None


_MAKERS = {"npz": _npz, "npy": _npy, "nc": _nc, "parquet": _parquet, "txt": _npy}
