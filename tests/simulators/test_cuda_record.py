"""Statistics over steps on a device: under the shim they have the processor's bits."""

import dataclasses

import numpy as np
import pytest

from simulators import plan
from simulators.cuda import engine, host
from simulators.cuda.fleet import engine_on
from simulators.cuda.matrices import MatrixEngine
from simulators.ensemble import run
from simulators.record import Factor, Histogram, Recording, Table, moments
from simulators.recorder import recorder_of
from tests.simulators.test_record import BLOCKS, CHAINS, RECORDINGS, SEED

BINS = Histogram("v", 1, -0.05, 0.125, 9, 5, 59, 3)
# every order and a lag that is longer than a group; a histogram before others and behind them
ALL = [BINS, *RECORDINGS, dataclasses.replace(BINS, state="theta", bins=4)]
CENTRE = np.array([0.25, -0.5, 0.125, 0.0])


def sums(b, engine, recordings=ALL, steps=100, cuts=(13, 64), centre=CENTRE, first=5):
    """What the reduction is given, from block ``first`` of a run on: parts of the tree, with levels."""
    recorder = recorder_of(
        Table(tuple(recordings), b.program.states, b.D), engine, centre, CHAINS, BLOCKS
    )
    x, done = engine.start(0, BLOCKS, SEED), 0
    for end in (*cuts, steps):
        recorder.advance(x, 0, done, end - done, SEED)
        done = end
    return [(part.level, part.values.tobytes()) for part in recorder.reduced(first)]


@pytest.mark.parametrize("dtype", [pytest.param("float32", marks=pytest.mark.strong), "float64"])
def test_sums_have_the_processors_bits(tools, cpu_engine, host_engine, dtype):
    b = tools.bound("momentum", 2, dtype)
    ours, theirs = cpu_engine(b), host_engine(b)
    expected = sums(b, ours)
    assert sums(b, theirs) == expected
    assert sums(b, theirs, cuts=()) != expected  # the cuts that were made count: one is inside a group
    assert sums(b, theirs, cuts=()) == sums(b, ours, cuts=())
    off = np.nextafter(CENTRE.astype(dtype), 1).astype(float)
    assert sums(b, theirs, centre=off) != expected
    for k, other in ((0, dataclasses.replace(BINS, every=4)), (3, ALL[2])):
        assert sums(b, theirs, [*ALL[:k], other, *ALL[k + 1 :]]) != expected


def test_another_order_of_sums_is_noticed(tools, cpu_engine, host_engine, monkeypatch):
    b = tools.bound("momentum", 2, "float32")
    expected = sums(b, cpu_engine(b))
    monkeypatch.setattr(Table, "group", 64)  # more steps to a sum than the processor takes
    assert sums(b, host_engine(b)) != expected


@pytest.mark.parametrize(
    ("name", "D", "dtype"),
    [pytest.param("sgd", 40, "float32", marks=pytest.mark.strong), ("annealed", 3, "float64")],
)
def test_loops_and_schedules_are_recorded(tools, cpu_engine, host_engine, name, D, dtype):
    b = tools.bound(getattr(tools, name, name), D, dtype)
    last = Factor("theta", D - 1)
    wanted = [Recording(((last,), (last, Factor("theta", 1, 3)), (last,) * 4), 8, 47, 3)]
    centre = np.linspace(-1, 1, b.size)
    found = [sums(b, e(b), wanted, 50, (7,), centre) for e in (cpu_engine, host_engine)]
    assert found[0] == found[1]
    assert sums(b, host_engine(b), wanted, 50, (7,), -centre) != found[0]


@pytest.fixture
def devices(tmp_path):
    if not host.available():
        pytest.skip("no C++ compiler")
    return [host.HostDevice(tmp_path) for _ in range(2)]


def same(tools, one, other):
    pairs = zip(one.recorded, other.recorded, strict=True)
    return one.digest == other.digest and all(
        tools.same_bits(getattr(a, name), getattr(b, name))
        for a, b in pairs
        for name in ("mean", "standard_error")
    )


def test_an_ensemble_is_the_processors(tools, cpu_engine, host_engine, devices):
    b = tools.bound("momentum", 2, "float32")
    how = {"chains": 1000, "steps": 120, "seed": SEED}
    expected = run(b, cpu_engine(b), **how, record=ALL)
    for chunk in (None, 192):
        assert same(tools, run(b, host_engine(b), **how, record=ALL, chunk=chunk), expected)
    fleet = engine_on(devices, b, "exact")
    assert fleet.workers == 2
    assert same(tools, run(b, fleet, **how, record=ALL, chunk=128), expected)
    other = run(b, fleet, **{**how, "seed": SEED + 1}, record=ALL)
    assert not same(tools, other, expected)
    assert run(b, host_engine(b), **how, record=ALL, time_limit=3600.0).digest == expected.digest


def test_what_is_no_number_is_counted(tools, cpu_engine, host_engine):
    """Chains that leave every bin, become infinite and then nothing."""
    b = tools.bound("momentum", 2, "float32", eps=50)
    wanted = [Histogram("theta", 0, -10.0, 10.0, 5, 1, 90), Recording(moments("theta", 2), 1, 90)]
    runs = [run(b, e(b), 100, 90, SEED, record=wanted) for e in (cpu_engine, host_engine)]
    assert same(tools, *runs)
    assert not runs[0].finite
    shares = runs[0].recorded[0].mean
    assert 0 < shares[0] < shares[-1]  # above the last bin, or no number
    assert 0 < shares[1:-1].sum() < 0.2


def test_a_recording_that_is_broken_off_goes_on(tools, cpu_engine, host_engine, tmp_path, monkeypatch):
    b = tools.bound("momentum", 2, "float32")
    how = {"chains": 300, "steps": 200, "seed": SEED, "record": ALL}
    expected = run(b, cpu_engine(b), **how)
    monkeypatch.setattr(engine, "SECONDS_A_CALL", 0.0)

    class Broken(Exception):
        pass

    def stop(done, total):
        if done > 0.3 * total:
            raise Broken

    saved = {"checkpoint": tmp_path, "save_every": 0.0, "chunk": 64}
    with pytest.raises(Broken):
        run(b, host_engine(b), **how, **saved, progress=stop)
    assert list(tmp_path.glob("part-*"))
    assert same(tools, run(b, host_engine(b), **how, **saved), expected)


def test_a_matrix_of_chains_is_recorded(tools, cpu_engine, tmp_path):
    """In double 12 digits are left of sums whose terms are products of up to four numbers."""
    if not host.available():
        pytest.skip("no C++ compiler")
    b = tools.bound("momentum", 2, "float64")
    made = MatrixEngine(b, host.HostDevice(tmp_path))
    expected = run(b, cpu_engine(b), 1000, 120, SEED, record=ALL)
    found = run(b, made, 1000, 120, SEED, record=ALL, chunk=320)
    for one, other in zip(found.recorded, expected.recorded, strict=True):
        assert np.allclose(one.mean, other.mean, rtol=1e-10, atol=1e-12)
        assert np.allclose(one.standard_error, other.standard_error, rtol=1e-8, atol=1e-12)
    assert np.abs(found.recorded[1].mean).max() > 1e-3


def test_chunks_fit_in_a_part_of_the_memory(tools, host_engine):
    b = tools.bound("momentum", 2, "float32")
    table = Table(tuple(ALL), b.program.states, b.D)
    state = b.size * 64 * 4
    needed, _ = table.bytes_needed(state, "cuda")
    assert needed > (table.group + table.lag) * state + 256 * table.widest
    blocks = table.blocks_a_chunk(b, "cuda")
    assert blocks * needed <= 2**30 < (blocks + 1) * needed
    made = plan.Plan.make(host_engine(b), 10**8, 1000, SEED, None, table.group, blocks)
    assert made.chunk == blocks
    assert made.segment % table.group == 0
    assert made.pilot(host_engine(b), recorded=True) == 1 < made.pilot(host_engine(b))
