"""Estimates before the start: near the truth, and refusals that say what would fit."""

import time
import tracemalloc
from dataclasses import dataclass, replace

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators import forecast as room
from simulators import plan as cut
from simulators.ensemble import _Run, run, simulate
from simulators.forecast import Forecast, Pace, allow, duration, forecast, memory_of
from simulators.moments import LANES, Monomials
from simulators.plan import Plan
from simulators.record import Recording, Table, lagged, moments


def work(engine, chains, steps, chunk=None):
    plan = Plan.make(engine, chains, steps, 1, chunk)
    return _Run(engine, plan, Monomials(engine.layout.size), None)


def test_the_estimate_is_near_the_truth(tools, cpu_engine):
    """A factor of three: other programs may take the processor away from either measurement."""
    bound = tools.bound("momentum", 2, "float64")
    engine = cpu_engine(bound)
    chains, steps = 20_000, 8_000
    estimate = forecast(work(engine, chains, steps), None).seconds()
    truth = run(bound, engine, chains, steps, 1).seconds
    assert truth / 3 < estimate < 3 * truth
    # the wrong twin: the time of one step alone, in a cold start, is not an estimate
    assert not truth / 3 < forecast(work(engine, chains, 1), None).seconds() < 3 * truth


@pytest.mark.strong
def test_recording_is_part_of_the_estimate(tools, cpu_engine):
    bound = tools.bound("momentum", 2, "float64")
    engine = cpu_engine(bound)
    chains, steps = 6_400, 4_000
    recordings = [Recording(moments("theta", 2, 4) + lagged("v", 2, range(1, 60)), 1_000, steps)]
    table = Table(tuple(recordings), bound.program.states, 2)
    plain = work(engine, chains, steps)
    wide = replace(plain, table=table, plan=replace(plain.plan, chunk=16))
    estimate = forecast(wide, None).seconds()
    truth = run(bound, engine, chains, steps, 1, chunk=1_024, record=recordings).seconds
    assert truth / 3 < estimate < 3 * truth
    assert not truth / 3 < forecast(plain, None).seconds() < 3 * truth  # it is most of the work


@dataclass(frozen=True)
class Slow:
    """An engine that takes a known time: so much for a start, and for a block's step."""

    inner: object
    start_takes: float
    step_takes: float
    workers: int

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def start(self, chain, blocks, seed):
        time.sleep(self.start_takes)
        return self.inner.start(chain, blocks, seed)

    def advance(self, x, chain, first, steps, seed):
        time.sleep(self.step_takes * steps * len(x))


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("chains", "steps"), [(6_400, 40), (640, 1_000)])
@pytest.mark.strong
def test_an_engine_of_known_speed_is_measured(tools, cpu_engine, workers, chains, steps):
    bound = tools.bound("sgd", 1, "float32")
    engine = Slow(cpu_engine(bound), 0.01, 2e-4, workers)
    estimate = forecast(work(engine, chains, steps, chunk=128), None)
    truth = run(bound, engine, chains, steps, 1, chunk=128).seconds
    assert truth / 1.6 < estimate.seconds() < 1.6 * truth
    # wrong twins: of other numbers of chains, steps and workers
    assert not truth / 1.6 < estimate.seconds(chains=3 * chains) < 1.6 * truth
    assert not truth / 1.6 < estimate.seconds(steps=3 * steps) < 1.6 * truth
    assert not truth / 1.6 < replace(estimate, workers=4 - workers).seconds() < 1.6 * truth


def test_what_a_checkpoint_holds_is_not_counted():
    whole = Forecast(64 * 101, 1_000, 0, 2, Pace(1, 0.0, 1e-3), Pace(10, 0.0, 1e-2))
    assert whole.seconds() == pytest.approx(1 + 50)
    late = replace(whole, finished=51, pilot=None)
    assert late.seconds() == pytest.approx(30)  # three rounds of five chunks on two workers
    assert replace(whole, finished=101, pilot=None).seconds() == 0


def test_the_refusal_says_what_would_fit(tools, cpu_engine):
    found = Forecast(64 * 1_000, 1_000, 0, 2, Pace(1, 0.0, 1e-3), Pace(10, 0.0, 1e-2))
    assert found.seconds() == pytest.approx(1 + 500)
    assert replace(found, workers=1).seconds() == pytest.approx(1 + 999)
    allow(found, found.seconds())
    with pytest.raises(UnusableInput) as error:
        allow(found, 60)
    assert "8.3 min" in error.value.got
    chains, steps = (
        int(word.replace(",", "")) for word in error.value.remedy.split() if word[0].isdigit()
    )
    for fits, wrong in (({"chains": chains}, {"chains": 1.3 * chains}), ({"steps": steps},) * 2):
        assert found.seconds(**fits) <= 60
        assert found.seconds(**{k: int(1.3 * v) for k, v in wrong.items()}) > 60
    with pytest.raises(UnusableInput, match="raise the time limit"):
        allow(replace(found, chunk=Pace(10, 100.0, 0.1), pilot=Pace(1, 100.0, 0.1)), 60)


def test_a_run_that_takes_too_long_does_not_start(tools, tmp_path):
    how = {"device": "cpu", "dtype": "float32"}
    before = time.monotonic()
    with pytest.raises(UnusableInput, match="chain-steps a second"):
        simulate(tools.setting("sgd"), tools.values(1), chains=10**9, steps=10**6, time_limit=5, **how)
    assert time.monotonic() - before < 60
    short = {"chains": 100, "steps": 10, "seed": 3}
    free = simulate(tools.setting("sgd"), tools.values(1), **short, **how)
    held = simulate(tools.setting("sgd"), tools.values(1), **short, **how, time_limit=100)
    assert free.digest == held.digest


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf"), "1h", True])
def test_a_limit_that_is_none_is_refused(wrong):
    with pytest.raises(UnusableInput, match="time limit"):
        allow(Forecast(1, 1, 0, 1, None, Pace(1, 0.0, 0.0)), wrong)


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(
    ("D", "chunk", "lag"), [(40, 1_280, None), (2, 640_000, None), (2, 16_000, 0), (2, 6_400, 100)]
)
def test_memory_is_counted(tools, cpu_engine, tmp_path, monkeypatch, D, chunk, lag, saved):
    """What NumPy really allocates is at most the count, and not far below it."""
    monkeypatch.setattr(cut, "_OPERATIONS_A_CALL", 1)  # so that chunks are saved midway
    bound = tools.bound("sgld", D, "float32")
    engine = cpu_engine(bound)
    chains = 4 * chunk
    steps = 4 * engine.layout.fused if lag is None else 300
    recordings = [Recording(lagged("theta", D, (lag,)), 1 + lag, steps)] if lag is not None else []
    table = Table(tuple(recordings), bound.program.states, D) if recordings else None
    plan = Plan.make(engine, chains, steps, 1, chunk)
    counted = memory_of(engine, plan, saved, table)
    folder = tmp_path / "saved" if saved else None
    tracemalloc.start()
    try:
        run(
            bound, engine, chains, steps, 1, chunk, checkpoint=folder, save_every=0.0,
            record=recordings,
        )  # fmt: skip
        truth = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    total = counted.workers + counted.driver
    assert truth < total + 2**20 < 6 * truth  # Python's own objects are not counted
    states = engine.workers * plan.chunk * LANES * engine.layout.size * 4
    assert states < truth  # states alone would be too little


def test_a_device_has_memory_of_its_own(tools, host_engine, monkeypatch):
    engine = host_engine(tools.bound("sgd", 1, "float32"))
    plan = Plan.make(engine, 10**6, 1, 1, 10**6)
    needed = memory_of(engine, plan, False)
    room.check_memory(engine, plan, False, False)
    monkeypatch.setattr(type(engine), "available_bytes", lambda self: needed.workers)
    with pytest.raises(UnusableInput, match="the device's memory"):
        room.check_memory(engine, plan, False, False)
    monkeypatch.setattr(type(engine), "available_bytes", lambda self: 2 * needed.workers)
    room.check_memory(engine, plan, False, False)
    monkeypatch.setattr(room, "free_bytes", lambda: needed.driver)
    with pytest.raises(UnusableInput, match="GB of memory"):
        room.check_memory(engine, plan, False, False)


def test_durations():
    assert [duration(s) for s in (59, 61, 7_200, 10**7)] == ["59 s", "1 min", "2 h", "116 days"]
    assert np.isinf(Forecast(1, 1, 1, 1, None, Pace(1, 0.0, 0.0)).rate)
