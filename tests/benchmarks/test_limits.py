"""The machine's limits: a program that computes the right things, and sums of its rates."""

import shutil

import pytest

from benchmarks import limits
from benchmarks.workloads import workload

RATES = {
    "words": 4e9, "box_muller_f32": 2e9, "box_muller_f64": 1e9, "fma_f32": 1e11, "fma_f64": 5e10,
    "rows_f32": 1e9, "rows_f64": 5e8,
    "sigmoids_f32": 4e9, "sigmoids_f64": 1e9,
}  # fmt: skip


def test_floors_are_sums_of_parts():
    assert limits.floor(workload("W1"), "float32", RATES) == pytest.approx(10 / 4e9 + 10 / 2e9 + 2e-9)
    assert limits.floor(workload("W5"), "float64", RATES) == pytest.approx(2 / 4e9 + 1e-9 + 2 / 5e10)
    parts = limits.parts(workload("W4"), "float32", RATES)
    assert parts["words"] == pytest.approx(42 / 4e9)
    assert parts["rows"] == pytest.approx(32e-9)
    assert parts["multiply-adds"] == pytest.approx(660 / 1e11)  # 20 a row, 20 for the step


@pytest.fixture(scope="module")
def program():
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    with limits.built("-O1") as built:  # quicker to compile, slower to run
        yield built


def test_the_program_computes_what_it_says(program):
    found = limits.measure(program, 0.002)
    assert set(found) >= set(RATES)
    assert all(value > 0 for value in found.values())
    # a lane or two more than one multiply-add a cycle, and no more than any processor has
    assert 1 < found["fma_f32"] / found["clock_hz"] < 129


def test_a_program_that_computes_something_else_is_refused(program):
    import json
    import subprocess

    said = subprocess.run([program, "0.001"], capture_output=True, text=True, check=True).stdout
    checks = json.loads(said)["checks"]
    assert limits.faults(checks) == []
    n, mean, second, *rest = checks["normals_f32"]
    wrong = {
        "philox": [1, 2, 3, 4],
        "normals_f32": [n, mean, second * 1.02, *rest],
        "columns": checks["columns"][::-1],
        "sigmoid": [s + 1e-5 for s in checks["sigmoid"]],
    }
    for name, value in wrong.items():
        assert limits.faults(checks | {name: value}) == [name]


def test_without_a_compiler_there_are_no_limits(monkeypatch):
    monkeypatch.setattr(limits.shutil, "which", lambda name: None)
    with pytest.raises(limits.NoLimits, match="no g"), limits.built():
        pass
