"""Many problems in one launch: under the shim each has the processor's bits."""

import dataclasses

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.setting import Setting
from simulators.cuda import devices as room
from simulators.cuda import engine, family, host
from simulators.family import bound_alike, simulate_family
from tests.simulators import test_family, test_minibatches


class Counting(host.HostDevice):
    """A device that counts its launches of steps."""

    def __init__(self, folder):
        super().__init__(folder)
        self.steps = []

    def launch(self, kernel, threads, args):
        if kernel.startswith("advance"):
            self.steps.append(kernel)
        super().launch(kernel, threads, args)


@pytest.fixture
def devices(tmp_path, monkeypatch):
    """The devices that a run on CUDA gets: one, unless a test adds another."""
    if not host.available():
        pytest.skip("no C++ compiler")
    found = [Counting(tmp_path)]
    monkeypatch.setattr(room, "all_devices", lambda: found)
    return found


def same(tools, one, other):
    """Sums, centres and errors equal to the bit, of every problem."""

    def arrays(run):
        yield run.centre
        yield from run.covariance.values()
        for errors in run.standard_error.values():
            yield from errors.values()

    pairs = list(zip(one, other, strict=True))
    return all(a.digest == b.digest for a, b in pairs) and all(
        tools.same_bits(x, y) for a, b in pairs for x, y in zip(arrays(a), arrays(b), strict=True)
    )


def both(setting, values, **options):
    return [simulate_family(setting, values, **options, device=device) for device in ("cpu", "cuda")]


MOMENTUM = [test_family.problem(k) for k in range(7)]


def momentum_bound():
    sampler = test_family.MOMENTUM
    setting = Setting(sampler, MOMENTUM[0].model)
    return bound_alike(setting, [MOMENTUM[0].values(sampler)], "float64")[0]


def momentum(problems, **options):
    sampler = test_family.MOMENTUM
    values = [p.values(sampler) for p in problems]
    return both(Setting(sampler, problems[0].model), values, **options)


@pytest.mark.parametrize("dtype", [pytest.param("float32", marks=pytest.mark.strong), "float64"])
def test_each_problem_has_the_processors_bits(tools, devices, dtype):
    """Chains in whole blocks and not, of an odd number of blocks, in half a thread block and in one."""
    for count, chains in ((7, 700), (5, 64), (4, 63), (3, 1), (2, 1024)):
        how = {"chains": chains, "steps": 13, "dtype": dtype, "seeds": range(20, 20 + count)}
        ours, theirs = momentum(MOMENTUM[:count], **how)
        assert same(tools, ours, theirs)
        assert {(r.device, r.path, r.normals) for r in theirs} == {("cuda", "chains", "exact")}
        assert [r.seed for r in theirs] == list(range(20, 20 + count))
        assert len({r.centre.tobytes() for r in theirs}) == count
    # one launch for all problems; in float32 a group has two steps, and one step is left
    launched = ["advance_groups", "advance_chains"] if dtype == "float32" else ["advance_groups"]
    assert devices[0].steps == launched * 5


def test_launches_are_as_short_as_the_time_that_they_may_take(tools, devices, monkeypatch):
    seen, how = [], {"chains": 100, "steps": 23, "dtype": "float32"}
    monkeypatch.setattr(engine, "SECONDS_A_CALL", 0.0)
    ours, theirs = momentum(MOMENTUM, **how, progress=lambda *p: seen.append(p))
    assert same(tools, ours, theirs)
    assert devices[0].steps == ["advance_groups"] * 11 + ["advance_chains"]
    assert seen[-1] == (7 * 100 * 23, 7 * 100 * 23)


def test_groups_and_devices_do_not_matter(tools, devices, monkeypatch, tmp_path):
    how = {"chains": 300, "steps": 9, "dtype": "float32"}
    expected, alone = momentum(MOMENTUM, **how)
    devices.append(Counting(tmp_path))
    for blocks, turns in ((2**15, 0), (20, 0), (9, 7)):
        monkeypatch.setattr(engine, "_BLOCKS_A_CHUNK", blocks)
        before = [len(d.steps) for d in devices]
        _, found = momentum(MOMENTUM, **how)
        assert same(tools, found, expected)
        launched = [len(d.steps) - n for d, n in zip(devices, before, strict=True)]
        if turns:  # 5 blocks of each: no two fit together, and every problem's steps are launched
            assert sum(launched) >= 2 * turns
        else:
            assert all(launched)
    assert same(tools, alone, expected)


def test_a_table_of_other_numbers_is_noticed(tools, devices):
    how = {"chains": 100, "steps": 9, "dtype": "float32"}
    expected, _ = momentum(MOMENTUM, **how)

    def wrong(change):
        class Wrong(host.HostDevice):
            def put(self, array):
                return super().put(change(array))

        devices[:] = [Wrong(devices[0]._folder)]
        _, found = momentum(MOMENTUM, **how)
        return [a.digest == b.digest for a, b in zip(found, expected, strict=True)]

    def exchanged(kind):
        def change(array):
            return array[[1, 0, *range(2, 7)]] if array.dtype == kind and len(array) == 7 else array

        return change

    assert wrong(lambda array: array) == [True] * 7
    for kind in (np.float32, np.uint32):  # constants, seeds
        assert wrong(exchanged(kind)) == [False] * 2 + [True] * 5


def test_schedules_and_random_starts(tools, devices):
    """Schedules that differ from problem to problem, by a number and by where they switch."""
    values = [tools.values(3, eps=f"1/{20 + k}", burnin=4 + 3 * k) for k in range(3)]
    found = both(tools.setting(tools.annealed), values, chains=100, steps=12)
    assert same(tools, *found)
    again = both(tools.setting(tools.annealed), [values[0]] * 3, chains=100, steps=12)
    digests = [[r.digest for r in runs] for runs in (found[1], again[1])]
    assert [a == b for a, b in zip(*digests, strict=True)] == [True, False, False]


def test_some_start_elsewhere(tools, devices):
    starts = ({"theta": [1, 2]}, {"v": [3, 4]}, {"theta": [1, 0], "v": [0, 1]})
    values = [dataclasses.replace(tools.values(2), start=start) for start in starts]
    ours, theirs = both(tools.setting("momentum"), values, chains=70, steps=0, dtype="float32")
    assert same(tools, ours, theirs)
    for run, start in zip(theirs, starts, strict=True):
        for name in ("theta", "v"):
            assert run.mean[name].tolist() == start.get(name, [0, 0])


@pytest.mark.strong
def test_minibatches_and_loops(tools, devices):
    sgld = registry.sampler("sgld")
    problems = [
        test_minibatches.problem("linear_regression", 3, 20, 4, False, eps=f"1/{400 + k}")
        for k in range(2)
    ]
    values = [p.values(sgld) for p in problems]
    found = both(Setting(sgld, problems[0].model), values, chains=100, steps=7, dtype="float32")
    assert same(tools, *found)
    assert len({r.digest for r in found[1]}) == 2
    wide = [tools.values(40, eps=f"1/{20 + k}") for k in range(2)]
    found = both(tools.setting("sgd"), wide, chains=65, steps=4, dtype="float32")
    assert same(tools, *found)
    assert set(devices[0].steps) == {"advance_chains"}


def test_time_is_shared(devices):
    _, found = momentum(MOMENTUM, chains=64, steps=2)
    assert len({r.seconds for r in found}) == 1
    assert found[0].seconds > 0


def test_what_does_not_fit_is_refused(devices, monkeypatch):
    layout = family.emit.layout(momentum_bound())
    needed = family.bytes_needed(layout, 2, 7)
    for free, fits in ((2 * needed, True), (needed, False)):  # a part is left to others
        monkeypatch.setattr(Counting, "free_bytes", lambda self, free=free: free)
        if fits:
            momentum(MOMENTUM, chains=100, steps=2)
            continue
        with pytest.raises(UnusableInput, match="the device's memory"):
            momentum(MOMENTUM, chains=100, steps=2)


def test_matrices_take_turns(tools):
    narrow, wide = (tools.bound("sgd", D, "float32") for D in (1, 200))
    sizes = [family.problems_a_group(family.emit.layout(b), 6400) for b in (narrow, wide)]
    assert sizes == [2**15 // 100, 0]
