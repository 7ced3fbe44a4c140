"""Several GPUs: whichever does a chunk, the bits are the same."""

import numpy as np
import pytest

from simulators.cuda import host
from simulators.cuda.fleet import Fleet, Held, engine_on
from simulators.ensemble import run


class Counting(host.HostDevice):
    """A device that counts its launches of steps."""

    def __init__(self, folder):
        super().__init__(folder)
        self.launches = 0

    def launch(self, kernel, threads, args):
        self.launches += kernel.startswith("advance")
        super().launch(kernel, threads, args)


@pytest.fixture
def devices(tmp_path):
    if not host.available():
        pytest.skip("no C++ compiler")
    folders = [tmp_path / str(k) for k in range(3)]
    for folder in folders:
        folder.mkdir()
    return [Counting(f) for f in folders]


def test_the_number_of_devices_does_not_matter(tools, cpu_engine, devices):
    b = tools.bound("momentum", 2, "float32")
    expected = run(b, cpu_engine(b), chains=5000, steps=11, seed=3)
    fleet = engine_on(devices, b, "exact")
    assert (fleet.workers, fleet.device, fleet.path) == (3, "cuda", "chains")
    for chunk in (None, 64, 700):
        found = run(b, fleet, chains=5000, steps=11, seed=3, chunk=chunk)
        assert found.digest == expected.digest
        errors = [r.standard_error["covariance"]["theta,v"] for r in (found, expected)]
        assert tools.same_bits(*errors)
    assert all(device.launches > 0 for device in devices)
    assert engine_on(devices[:1], b, "exact").workers == 1


def test_devices_that_compute_something_else_are_noticed(tools, devices):
    """A run uses at least two devices, the first chunk's and another, so one of these."""
    b = tools.bound("sgd", 1, "float32")
    fleet = engine_on(devices, b, "exact")
    expected = run(b, fleet, chains=5000, steps=11, seed=3, chunk=64).digest
    constants = [b.constant(c.name).ravel() for c in b.program.constants]
    for device in devices[1:]:
        device.set_constants(np.nextafter(np.concatenate(constants), np.float32(1)))
    assert run(b, fleet, chains=5000, steps=11, seed=3, chunk=64).digest != expected


def test_a_chunk_stays_where_it_was_started(tools, devices):
    b = tools.bound("sgd", 1, "float32")
    fleet = engine_on(devices, b, "exact")
    assert isinstance(fleet, Fleet)
    x = fleet.start(0, 2, seed=3)
    assert isinstance(x, Held)
    assert len(x) == 2
    fleet.advance(x, 0, 0, 8, 3)
    busy = [d.launches for d in devices]
    assert sorted(busy) == [0, 0, 1]
    again = fleet.unpacked(fleet.packed(x))
    fleet.advance(again, 0, 8, 4, 3)
    assert [d.launches for d in devices] == [2 * n for n in busy]
    assert fleet.available_bytes() is None


def test_a_launch_is_over_soon(tools, devices):
    """Twice the chains, half the steps; but few chains do not make a launch of many steps fast."""
    b = tools.bound("sgd", 1, "float32")
    engine = engine_on(devices[:1], b, "exact")
    engine._on.operations_a_second = lambda dtype: 3e13
    steps = {blocks: engine.steps_a_call(blocks) for blocks in (1, 256, 2**14, 2**15)}
    assert steps[1] == steps[256]
    assert steps[2**14] == pytest.approx(2 * steps[2**15], rel=1e-3)
    for blocks, count in steps.items():
        assert count * max(blocks * 64, 2**14) * engine.layout.work <= 0.1 * 3e13
