"""The whole GPU check, rehearsed on the processor: every part works, and failures are written down."""

import json

import pytest

from benchmarks import gpu, many, sass
from simulators.cuda import host


@pytest.fixture
def check(tmp_path):
    if not host.available():
        pytest.skip("no C++ compiler")
    return gpu.Check(lambda: host.HostDevice(tmp_path), small=True)


@pytest.mark.parametrize(
    "part",
    [
        gpu.fast_normals,
        gpu.large,
        gpu.several,
        gpu.launches,
        gpu.minibatches,
        many.families,
        many.recordings,
    ],
)
@pytest.mark.strong
def test_a_part_passes(check, part):
    found = part(check)
    assert found["passed"], found
    json.dumps(found, allow_nan=False)


def test_rates(check, monkeypatch):
    monkeypatch.setattr(gpu, "WORKLOADS", {"W5": ("sgd", 1)})
    monkeypatch.setattr(gpu.sass, "measured", lambda toolchain: sass.stored()["loops"])
    found = gpu.rates(check)
    assert found["passed"], found
    row = found["rates"][0]
    assert row["issue_bound"] == pytest.approx(132 * 1.98e9 * 128 * 4 / row["instructions"])
    assert row["share_of_issue_bound"] == row["kernel_chain_steps_per_second"] / row["issue_bound"]


def test_agreement(check):
    row = gpu._agree(check, "momentum", "float32")
    assert row["passed"]
    assert row["same_bits"]


def test_what_fails_is_written_down(check, monkeypatch):
    def broken(check):
        raise ZeroDivisionError("of this test")

    def works(check):
        return {"passed": True}

    monkeypatch.setattr(gpu, "PARTS", (("machine", works), ("one", broken), ("two", works)))
    reports = []
    found = gpu.check_all(check, lambda document: reports.append(json.dumps(document)))
    assert not found["passed"]
    assert "ZeroDivisionError" in found["one"]["error"][-1]
    assert found["two"]["passed"]
    assert len(reports) == 4
    monkeypatch.setattr(gpu, "PARTS", (("machine", works), ("two", works)))
    assert gpu.check_all(check, lambda document: None)["passed"]


def test_no_part_begins_too_late(check, monkeypatch):
    monkeypatch.setattr(gpu, "LIMIT", 0.0)
    found = gpu.check_all(check, lambda document: None)
    assert {found[name].get("left_out") for name, _ in gpu.PARTS} == {"no time was left"}
    assert not found["passed"]


@pytest.mark.strong
def test_a_device_that_computes_something_else_is_noticed(check, tmp_path):
    class Wrong(host.HostDevice):
        def set_constants(self, array):
            super().set_constants(array * array.dtype.type(1.0000001))

    wrong = gpu.Check(lambda: Wrong(tmp_path), small=True)
    assert not gpu._agree(wrong, "momentum", "float32")["same_bits"]
    assert not many._recording_agrees(wrong, "float32")["same_bits"]


def test_a_device_that_exchanges_two_problems_is_noticed(check, tmp_path):
    class Wrong(host.HostDevice):
        def put(self, array):
            seeds = array.dtype == "uint32"
            return super().put(array[::-1] if seeds else array)

    assert many._family_agrees(check, "momentum", 3)["same_bits"]
    wrong = gpu.Check(lambda: Wrong(tmp_path), small=True)
    assert not many._family_agrees(wrong, "momentum", 3)["same_bits"]
