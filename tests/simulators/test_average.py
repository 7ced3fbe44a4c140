"""Averages as states: those of the trajectory, and with the exact law of averaged iterates."""

import dataclasses

import numpy as np
import pytest

from sgtheory import Problem, registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.setting import Setting
from simulators import interpret
from simulators.average import Average, averaged, name_of, square_of
from simulators.ensemble import simulate

SEED = 6


def with_averages(b, average):
    return dataclasses.replace(b, program=averaged(b.program, average), **_bound(b, average))


def _bound(b, average):
    new = averaged(b.program, average)
    more = {c.name: float(c.expression) for c in new.constants if c.name not in b.exact}
    return {"exact": {**b.exact, **more}}


AVERAGES = [Average(), Average(since=5), Average(since=23), Average(window=7), Average(window=1)]
AVERAGES += [Average(every=3), Average(since=5, every=4, squares=True)]


@pytest.mark.parametrize("average", AVERAGES, ids=str)
@pytest.mark.parametrize(("name", "dtype"), [("momentum", "float64"), ("sgd", "float32")])
def test_it_is_the_average_of_the_trajectory(tools, cpu_engine, average, name, dtype):
    b = tools.bound(name, 2, dtype)
    chains, steps = np.arange(64), 28
    states = [
        s["theta"].astype(float)
        for s in interpret.trajectory(b, chains, 0, steps, SEED, interpret.start(b, chains, SEED))
    ]
    kept = states[-average.window :] if average.window else states[average.since - 1 :: average.every]
    expected = np.mean(kept, axis=0)
    engine = cpu_engine(with_averages(b, average))
    x = engine.start(0, 1, SEED)
    engine.advance(x, 0, 0, steps, SEED)
    place = engine.layout.program.states.index(name_of("theta")) * b.D
    found = engine.host(x)[:, place : place + b.D]
    # each of 28 updates rounds twice, numbers below 4
    assert np.abs(found - expected).max() <= 28 * 2 * 4 * np.finfo(dtype).eps
    if average.squares:
        place = engine.layout.program.states.index(square_of("theta")) * b.D
        found_squares = engine.host(x)[:, place : place + b.D]
        assert (
            np.abs(found_squares - np.mean(np.square(kept), axis=0)).max()
            <= 28 * 2 * 16 * np.finfo(dtype).eps
        )
    if steps > average.since + 1 and average.window != 1:
        assert np.abs(found - states[-1]).max() > 1e-3


def test_the_processor_and_the_cuda_text_agree(tools, cpu_engine, host_engine):
    b = with_averages(tools.bound("sgld", 3, "float32"), Average(window=5))
    ends = []
    for engine in (cpu_engine(b), host_engine(b)):
        x = engine.start(0, 1, SEED)
        engine.advance(x, 0, 0, 13, SEED)
        ends.append(engine.host(x))
    assert tools.same_bits(*ends)


def test_its_law_is_that_of_averaged_sgd():
    """The sampler that averages by itself has an exact law: mean and covariance at a finite step."""
    content = {
        "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, 0], [0, 2]], "N": 8, "S": 4,
        "params": {"eps": "1/5"}, "start": {"theta": [1, -1]},
    }  # fmt: skip
    problem, sgd = Problem.of(content), registry.sampler("sgd")
    setting, values = Setting(sgd, problem.model), problem.values(sgd)
    exact = law("averaged_sgd", problem, at=30)
    second = next(s for s in exact.states if s != "theta")
    runs = {
        since: simulate(setting, values, chains=100_000, steps=30, average=Average(since=since))
        for since in (1, 9)
    }
    name = name_of("theta")
    worst = {
        since: np.abs(
            (run.covariance[f"{name},{name}"] - exact.covariance[second, second])
            / run.standard_error["covariance"][f"{name},{name}"]
        ).max()
        for since, run in runs.items()
    }
    assert worst[1] < 6 < worst[9]


@pytest.mark.parametrize(
    "wrong", [{"since": 0}, {"window": 0}, {"since": 2, "window": 3}, {"since": 1.5}]
)
def test_what_is_no_average_is_refused(wrong):
    with pytest.raises(UnusableInput):
        Average(**wrong)
