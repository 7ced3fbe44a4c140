"""Finished runs from files of every kind that people keep them in, and one line for what is none."""

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators.finished import read_run
from simulators.trace import Trace

X = np.random.default_rng(3).normal(size=(2, 50, 3))


def written(kind, folder):
    path = folder / f"run{kind}"
    if kind == ".npy":
        np.save(path, X)
    elif kind == ".npz":
        np.savez(path, theta=X, other=np.zeros(4))
    elif kind == ".nc":
        arviz = pytest.importorskip("arviz")
        arviz.from_dict({"w": X[:, :, :2], "b": X[:, :, 2]}).to_netcdf(str(path))
    elif kind == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        chain, draw = np.indices((2, 50))
        columns = {"chain": chain.ravel(), "draw": draw.ravel()}
        columns |= {f"x{i}": X[:, :, i].ravel() for i in range(3)}
        rows = np.random.default_rng(0).permutation(100)
        parquet.write_table(pyarrow.table({n: c[rows] for n, c in columns.items()}), path)
    return path


@pytest.mark.parametrize("kind", [".npy", ".npz", ".nc", ".parquet"])
def test_a_run_is_read_as_it_was_written(kind, tmp_path):
    found = read_run(written(kind, tmp_path), D=3).states["theta"]
    assert np.array_equal(found, X)


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_our_own_traces_are_read(kind, tmp_path):
    pytest.importorskip("pyarrow")
    made = Trace({"theta": X, "v": 2 * X}, np.arange(0, 100, 2), np.arange(2), {"sampler": "sghmc"})
    path = tmp_path / f"trace.{kind}"
    (made.to_npz if kind == "npz" else made.to_parquet)(path)
    assert np.array_equal(read_run(path).states["theta"], X)
    assert np.array_equal(read_run(path, "v").states["theta"], 2 * X)


@pytest.mark.parametrize(
    ("array", "D", "shape"),
    [
        (X[0, :, 0], 1, (1, 50, 1)),
        (X[0], 3, (1, 50, 3)),
        (X[:, :, 0], 1, (2, 50, 1)),
        (X, 3, (2, 50, 3)),
    ],
)
def test_shapes_are_read_as_what_they_must_be(array, D, shape, tmp_path):
    np.save(tmp_path / "run.npy", array)
    assert read_run(tmp_path / "run.npy", D=D).states["theta"].shape == shape


def _refused(path, **how):
    with pytest.raises(UnusableInput) as caught:
        read_run(path, **how)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", [".npz", ".npy", ".nc", ".parquet", ".pt", ""])
@pytest.mark.parametrize("content", [b"", b"nothing of the kind", b"PK\x03\x04", b"\x93NUMPY\x01"])
def test_what_is_no_run_is_refused_in_one_line(kind, content, tmp_path):
    path = tmp_path / f"run{kind}"
    path.write_bytes(content)
    _refused(path)


def test_what_does_not_fit_is_said(tmp_path):
    np.savez(tmp_path / "two.npz", a=X, b=X)
    assert "--state" in _refused(tmp_path / "two.npz", D=3)
    assert read_run(tmp_path / "two.npz", "a,b", 6).states["theta"].shape == (2, 50, 6)
    np.save(tmp_path / "nan.npy", np.where(X > 2, np.nan, X))
    assert "finite" in _refused(tmp_path / "nan.npy")
    assert "4 dimensions" in _refused(written(".npy", tmp_path), D=4)
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    _refused(tmp_path / "objects.npy")
    _refused(tmp_path / "none.npy")


def _declared(path, chunk=(1, 10), draws=10):
    """A group posterior with (1, 10) numbers, in parts of that shape, and a coordinate that long."""
    h5netcdf = pytest.importorskip("h5netcdf")
    with h5netcdf.File(path, "w") as file:
        group = file.create_group("posterior")
        group.dimensions = {"chain": 1, "draw": 10, "other": draws}
        variable = {"chunks": chunk, "compression": "gzip", "maxshape": (None, None)} if chunk else {}
        group.create_variable("theta", ("chain", "draw"), float, np.ones((1, 10)), **variable)
        group.create_variable(
            "other", ("other",), float, chunks=(min(draws, 10**6),), compression="gzip"
        )
        group.create_variable("draw", ("draw",), float, np.arange(10.0))
    return path


def test_a_coordinate_that_declares_gigabytes_is_not_read(tmp_path):
    resource = pytest.importorskip("resource")
    path = _declared(tmp_path / "run.nc", draws=2 * 10**8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert read_run(path).states["theta"].shape == (1, 10, 1)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000  # of 1.6 GB


def test_a_part_that_unpacks_to_gigabytes_is_refused_before_it_is_opened(tmp_path, monkeypatch):
    xarray = pytest.importorskip("xarray")
    path = _declared(tmp_path / "run.nc", chunk=(1, 9 * 10**7))
    monkeypatch.setattr(xarray, "open_dataset", None)
    with pytest.raises(UnusableInput, match="at most 60,000,000 numbers; got 90,000,000"):
        read_run(path)


@pytest.mark.parametrize("kind", ["lists", "records", "words"])
def test_columns_of_lists_and_of_words_are_refused_before_they_are_read(kind, tmp_path, monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    column = {"lists": [[0.0] * 1000] * 2, "records": [{"a": 1.0}] * 2, "words": ["a", "b"]}[kind]
    parquet.write_table(arrow.table({"x": column}), tmp_path / "run.parquet")
    monkeypatch.setattr(parquet, "read_table", None)
    with pytest.raises(UnusableInput, match="expected columns of numbers; got others"):
        read_run(tmp_path / "run.parquet")


def test_long_words_for_chains_are_counted_before_they_are_written_out(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    words = arrow.DictionaryArray.from_arrays(np.zeros(70_000, np.int32), ["a" * 1000])
    parquet.write_table(arrow.table({"x": np.zeros(70_000), "chain": words}), tmp_path / "run.parquet")
    with pytest.raises(UnusableInput, match="at most 60,000,000 numbers; got 70,000,000"):
        read_run(tmp_path / "run.parquet")
    short = arrow.DictionaryArray.from_arrays(np.zeros(10, np.int32), ["a" * 1000])
    parquet.write_table(arrow.table({"x": np.zeros(10), "chain": short}), tmp_path / "run.parquet")
    assert read_run(tmp_path / "run.parquet").states["theta"].shape == (1, 10, 1)
