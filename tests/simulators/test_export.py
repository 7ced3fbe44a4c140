"""Ensembles as files: everything comes back, and what cannot be written is refused beforehand."""

import json
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators import tables
from simulators.ensemble import simulate
from simulators.export import ENSEMBLE, TRACE, check_file, read_ensemble, write
from simulators.record import Recording, lagged, moments


@pytest.fixture(scope="module")
def made():
    from tests.simulators.conftest import setting, values

    return simulate(setting("momentum"), values(2), chains=200, steps=5, seed=1, device="cpu")


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes() and a.shape == b.shape
    if hasattr(a, "items"):
        return list(a) == list(b) and all(same(x, b[k]) for k, x in a.items())
    return a == b


def test_json_is_the_document(made, tmp_path):
    write(made, tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text()) == made.to_json()


def test_npz_gives_everything_back(made, tmp_path):
    write(made, tmp_path / "run.npz")
    again = read_ensemble(tmp_path / "run.npz")
    for field in fields(made):
        assert same(getattr(made, field.name), getattr(again, field.name)), field.name
    assert again.to_json() == made.to_json()
    with np.load(tmp_path / "run.npz") as file:
        assert file["mean/v"].tolist() == made.mean["v"].tolist()
        assert file["standard_error/covariance/theta,v"].shape == (2, 2)
        metadata = json.loads(str(file["metadata"]))
    assert metadata["schema"] == "sgtheory.ensemble/1"
    assert metadata["digest"] == made.digest
    assert metadata["seed"] == 1


def test_recordings_come_back(made, tmp_path):
    from tests.simulators.conftest import setting, values

    recordings = [
        Recording(moments("theta", 2), 2, 5),
        Recording(lagged("v", 2, (1, 2)), 4, 5, every=1),
    ]
    wide = simulate(
        setting("momentum"), values(2), chains=200, steps=5, seed=1, device="cpu", record=recordings
    )
    write(wide, tmp_path / "run.npz")
    again = read_ensemble(tmp_path / "run.npz")
    assert [r.recording for r in again.recorded] == recordings
    for one, other in zip(again.recorded, wide.recorded, strict=True):
        assert same(one.mean, other.mean)
        assert same(one.standard_error, other.standard_error)
        assert same(one.centre, other.centre)
    assert again.recorded[0].covariance("theta").tolist() == (
        wide.recorded[0].covariance("theta").tolist()
    )
    assert (again.digest, again.to_json()) == (wide.digest, wide.to_json())


def test_numbers_that_are_not_finite_survive(made, tmp_path):
    wild = replace(made, mean={"theta": np.array([np.nan, np.inf])}, constants={"c": [np.inf, 1.0]})
    write(wild, tmp_path / "run.npz")
    again = read_ensemble(tmp_path / "run.npz")
    assert again.mean["theta"].tobytes() == wild.mean["theta"].tobytes()
    assert again.constants == {"c": [None, 1.0]}


def test_a_damaged_file_is_refused(made, tmp_path):
    path = tmp_path / "run.npz"
    write(made, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnusableInput, match="damaged"):
        read_ensemble(path)
    write(replace(made, sums=made.sums + 1), path)  # not the sums that the digest is of
    with pytest.raises(UnusableInput, match="damaged"):
        read_ensemble(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    np.savez(path, **arrays | {"mean/theta": arrays["mean/theta"] + 1})  # not what was written
    with pytest.raises(UnusableInput, match="damaged"):
        read_ensemble(path)
    tables.write_npz(path, {}, {"schema": "sgtheory.ensemble/1", "chains": 1})
    with pytest.raises(UnusableInput, match="damaged"):
        read_ensemble(path)
    tables.write_npz(path, {}, {"schema": "sgtheory.ensemble/2"})
    with pytest.raises(UnusableInput, match=r"got run\.npz of sgtheory\.ensemble/2"):
        read_ensemble(path)


def test_parquet_is_a_tidy_table(made, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write(made, tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    assert table.column_names == [
        "quantity", "row_state", "row", "column_state", "column", "value", "standard_error",
    ]  # fmt: skip
    rows = table.to_pylist()
    assert len(rows) == 4 + 3 * 4
    mean = {(r["row_state"], r["row"]): r for r in rows if r["quantity"] == "mean"}
    for state, values in made.mean.items():
        for i, value in enumerate(values):
            row = mean[state, i]
            assert (row["value"], row["column_state"], row["column"]) == (value, None, None)
            assert row["standard_error"] == made.standard_error["mean"][state][i]
    places = ("row_state", "column_state", "row", "column")
    entries = {tuple(r[p] for p in places): r for r in rows if r["quantity"] == "covariance"}
    for pair, matrix in made.covariance.items():
        errors = made.standard_error["covariance"][pair]
        for (i, j), value in np.ndenumerate(matrix):
            row = entries[(*pair.split(","), i, j)]
            assert (row["value"], row["standard_error"]) == (value, errors[i, j])
    assert json.loads(table.schema.metadata[b"sgtheory"])["digest"] == made.digest


@pytest.mark.parametrize("name", ["run", "run.csv", "run.npz.gz", ".npz"])
def test_another_suffix_is_refused_with_those_that_work(made, tmp_path, name):
    with pytest.raises(UnusableInput, match=r"\.json, \.npz or \.parquet"):
        write(made, tmp_path / name)
    with pytest.raises(UnusableInput, match=r"in \.npz or \.parquet"):
        check_file(tmp_path / name, TRACE)
    assert not list(tmp_path.iterdir())


def test_a_library_that_is_missing_is_named_before_the_run(monkeypatch):
    assert check_file("RUN.PARQUET", ENSEMBLE) == ".parquet"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(UnusableInput, match=r"sgtheory\[parquet\]"):
        check_file("run.parquet", ENSEMBLE)
