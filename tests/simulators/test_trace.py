"""Traces: the bits of the ensemble's chains, and files that give them back."""

import json
from dataclasses import replace

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators import tables
from simulators.interpret import start, trajectory
from simulators.moments import LANES
from simulators.trace import Trace, read_trace, trace, traced

SEED = 9


@pytest.fixture
def made(tools, cpu_engine):
    bound = tools.bound("momentum", 2, "float64")
    return traced(bound, cpu_engine(bound), chains=3, steps=20, every=5, seed=SEED)


def last(engine, chains, step):
    """The states of the first chains of the ensemble of the seed, advanced in one go."""
    x = engine.start(0, -(-chains // LANES), SEED)
    engine.advance(x, 0, 0, step, SEED)
    return engine.host(x)[:chains]


@pytest.mark.parametrize("name", ["sgd", "momentum", pytest.param("annealed", marks=pytest.mark.strong)])
@pytest.mark.parametrize("every", [1, 7])
def test_every_state_is_the_ensembles_own(tools, cpu_engine, host_engine, name, every):
    bound = tools.bound(getattr(tools, name, name), 3, "float32")
    for engine in (cpu_engine(bound), host_engine(bound)):
        found = traced(bound, engine, 70, 30, every, SEED)
        assert found.steps.tolist() == list(range(0, 31, every))
        for k, step in enumerate(found.steps.tolist()):
            together = np.concatenate([x[:, k] for x in found.states.values()], axis=1)
            assert tools.same_bits(together, last(engine, 70, step))


def test_another_seed_gives_other_states(tools, cpu_engine, made):
    bound = tools.bound("momentum", 2, "float64")
    other = traced(bound, cpu_engine(bound), chains=3, steps=20, every=5, seed=SEED + 1)
    assert other.digest != made.digest
    assert (other.states["theta"][:, 0] == made.states["theta"][:, 0]).all()  # the same start
    assert not (other.states["theta"][:, 1:] == made.states["theta"][:, 1:]).any()


def test_chains_follow_the_interpreter(tools, cpu_engine):
    """It rounds products before adding them, so to some roundings of a contraction, not to the bit."""
    bound = tools.bound("momentum", 2, "float64")
    found = traced(bound, cpu_engine(bound), chains=3, steps=12, every=1, seed=SEED)
    chains = np.arange(3)
    state = start(bound, chains, SEED)
    for k, after in enumerate(trajectory(bound, chains, 0, 12, SEED, state), start=1):
        for name in ("theta", "v"):
            assert np.allclose(found.states[name][:, k], after[name], rtol=0, atol=1e-13)
    shifted = [after["theta"] for after in trajectory(bound, chains + 1, 0, 12, SEED, state)]
    assert not np.allclose(found.states["theta"][:, -1], shifted[-1], atol=1e-3)


def test_many_chains_and_threads(tools, cpu_engine):
    bound = tools.bound("sgd", 1, "float32")
    found = traced(bound, cpu_engine(bound), chains=2_500, steps=10, every=10, seed=SEED)
    assert tools.same_bits(found.states["theta"][:, -1], last(cpu_engine(bound), 2_500, 10))


def test_a_trace_says_what_made_it(tools):
    shown = []
    found = trace(
        tools.setting("sgd"), tools.values(1), chains=2, steps=11, every=4, seed=SEED, device="cpu",
        dtype="float32", progress=lambda done, total: shown.append((done, total)),
    )  # fmt: skip
    assert found.steps.tolist() == [0, 4, 8]
    assert shown[-1] == (16, 16)
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert document["schema"] == "sgtheory.trace/1"
    assert (document["sampler"], document["seed"], document["every"]) == ("sgd", SEED, 4)
    assert document["states"] == {"theta": [2, 3, 1]}
    assert set(document["versions"]) == {"sgtheory", "numpy", "llvmlite"}
    assert found.after(4).steps.tolist() == [4, 8]
    assert tools.same_bits(found.after(4).states["theta"], found.states["theta"][:, 1:])


def test_no_steps_leave_the_start(tools):
    found = trace(
        tools.setting("sgd"), tools.values(1), chains=1, steps=0, device="cpu", dtype="float32"
    )
    assert found.states["theta"].tolist() == [[[0.5]]]


@pytest.mark.parametrize(
    "wrong", [{"every": 0}, {"every": True}, {"chains": 0}, {"steps": -1}, {"chains": 2**31, "every": 1}]
)
def test_what_cannot_be_traced_is_refused(tools, wrong):
    usual = {"chains": 2, "steps": 10**5, "every": 5, "device": "cpu"}
    with pytest.raises(UnusableInput):
        trace(tools.setting("sgd"), tools.values(1), **(usual | wrong))


def test_states_of_another_shape_are_refused():
    with pytest.raises(UnusableInput, match="2 chains at 3 steps"):
        Trace({"theta": np.zeros((3, 2, 1))}, np.arange(3), np.arange(2), {})


def test_npz_gives_everything_back(tools, made, tmp_path):
    made.to_npz(tmp_path / "t.npz")
    again = read_trace(tmp_path / "t.npz")
    assert list(again.states) == ["theta", "v"]
    for name, states in made.states.items():
        assert tools.same_bits(again.states[name], states)
    assert tools.same_bits(again.steps, made.steps)
    assert tools.same_bits(again.chains, made.chains)
    assert again.provenance == json.loads(json.dumps(made.provenance))
    assert again.digest == made.digest
    assert [p.name for p in tmp_path.iterdir()] == ["t.npz"]


def refused(path, words):
    with pytest.raises(UnusableInput, match=words):
        read_trace(path)


def test_a_file_that_is_not_one_is_refused(made, tmp_path):
    path = tmp_path / "t.npz"
    refused(path, "no .*t.npz")
    made.to_npz(path)
    whole = path.read_bytes()
    for size in (0, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        refused(path, "damaged")
    place = whole.index(made.states["theta"].tobytes()[:16])
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    refused(path, "damaged")
    arrays, metadata = {"steps": made.steps}, made.to_json()
    tables.write_npz(path, arrays, {"schema": "sgtheory.ensemble/1"})
    refused(path, "sgtheory.ensemble/1")
    tables.write_npz(path, arrays, metadata)
    refused(path, "damaged")
    good = {f"states/{k}": x for k, x in made.states.items()} | {"chains": made.chains} | arrays
    tables.write_npz(path, good, metadata)
    assert read_trace(path).digest == made.digest
    tables.write_npz(path, good | {"steps": made.steps + 1}, metadata)
    refused(path, "damaged")
    np.savez(path, theta=np.zeros(3))
    refused(path, "damaged")


def test_a_write_that_fails_leaves_the_old_file(made, tmp_path, monkeypatch):
    path = tmp_path / "t.npz"
    path.write_bytes(b"old")
    monkeypatch.setattr(np, "savez", lambda file, **arrays: file.write(b"half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made.to_npz(path)
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("t.npz", b"old")]


@pytest.mark.parametrize("at_once", [2**20, 7, 1])
def test_parquet_is_a_long_table(made, tmp_path, monkeypatch, at_once):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("simulators.trace._ROWS_AT_ONCE", at_once)
    made.to_parquet(tmp_path / "t.parquet")
    table = parquet.read_table(tmp_path / "t.parquet")
    rows = table.to_pylist()
    assert len(rows) == sum(x.size for x in made.states.values())
    found = {k: np.full_like(x, np.nan) for k, x in made.states.items()}
    for row in rows:
        place = (row["chain"], made.steps.tolist().index(row["step"]), row["coordinate"])
        found[row["state"]][place] = row["value"]
    for name, states in made.states.items():
        assert found[name].tobytes() == states.tobytes()
    assert json.loads(table.schema.metadata[b"sgtheory"])["digest"] == made.digest


def test_xarray_has_dimensions_and_steps(made):
    pytest.importorskip("xarray")
    found = made.to_xarray()
    assert dict(found.sizes) == {"chain": 3, "draw": 5, "coordinate": 2}
    assert found["theta"].dims == ("chain", "draw", "coordinate")
    one = found["v"].sel(chain=2, coordinate=1)
    assert one.values.tolist() == made.states["v"][2, :, 1].tolist()
    assert found.swap_dims(draw="step").sel(step=15)["theta"].values.tolist() == (
        made.states["theta"][:, 3].tolist()
    )
    assert found.attrs["seed"] == SEED
    assert found.attrs["digest"] == made.digest


def test_arviz_reads_it(tools, cpu_engine):
    pytest.importorskip("arviz")
    bound = tools.bound("sgd", 2, "float64")
    found = traced(bound, cpu_engine(bound), chains=4, steps=500, every=5, seed=SEED).after(100)
    data = found.to_arviz()
    arviz = tables.needed("arviz", "arviz", "ArviZ")
    summary = arviz.summary(data)
    assert list(summary.index) == ["theta[0]", "theta[1]"]
    means = found.states["theta"].mean(axis=(0, 1))
    assert np.allclose(summary["mean"].astype(float), means, atol=1e-3)
    wrong = replace(found, states={"theta": found.states["theta"] + 1.0}).to_arviz()
    assert not np.allclose(arviz.summary(wrong)["mean"].astype(float), means, atol=1e-3)


def test_since_arviz_1_it_is_a_tree(made, monkeypatch):
    pytest.importorskip("xarray")
    honest, bare = tables.needed, type("bare", (), {})
    monkeypatch.setattr(tables, "needed", lambda m, *a: bare if m == "arviz" else honest(m, *a))
    tree = made.to_arviz()
    assert type(tree).__name__ == "DataTree"
    assert tree["posterior"]["theta"].values.tolist() == made.states["theta"].tolist()
