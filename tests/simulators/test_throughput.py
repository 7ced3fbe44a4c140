"""What ``sgtheory bench`` measures: limits that are limits of something, rates that are rates."""

import ctypes

import numpy as np
import pytest

from sgtheory.numbers.numeric import law
from simulators import philox
from simulators.cpu import draws, limits, native
from simulators.cpu.frame import attributes
from simulators.cpu.ir import WIDE, Code, Value
from simulators.throughput import WORKS, problem, throughput


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_limits_are_of_a_processor(dtype):
    """Between a tenth and a hundred of each for every nanosecond, and doubles at most as fast."""
    found = limits.measured(dtype)
    for rate in (found.multiply_adds, found.words, found.normals):
        assert 1e7 < rate < 1e12
    assert found.floor(10, 2, 1) == pytest.approx(
        10 / found.multiply_adds + 2 * (1 / found.words + 1 / found.normals)
    )
    assert found.floor(10, 2, 2) > found.floor(10, 2, 1)


def test_the_words_that_are_timed_are_the_generators():
    code = Code("float32", 16)
    lane = Value(f"<{', '.join(f'i64 {k}' for k in range(16))}>", WIDE)
    made = draws.words(code, (lane, lane, lane, lane), 1)
    for k, word in enumerate(made):
        code.store(word, code.at("%out", str(16 * k), WIDE))
    lines = "\n".join(["entry:", *code.lines, "  ret void"])
    text = f"define void @go(ptr %out, i64 %seed) #0 {{\n{lines}\n}}\n"
    text += attributes(native.machine().vector_bytes)
    out = np.zeros((4, 16), np.uint64)
    native.load(text, (("go", (ctypes.c_void_p, ctypes.c_int64)),))["go"](out.ctypes.data, 7)
    numbers = np.arange(16)
    expected = philox.words((numbers, numbers, numbers, numbers), (7, 1))
    for row, word in zip(out, expected, strict=True):
        assert (row.astype(np.uint32) == word).all()
    assert not (out[0].astype(np.uint32) == philox.words((numbers,) * 4, (8, 1))[0]).all()


def test_the_workloads_are_stable():
    for work in WORKS:
        if work.D <= 10:
            assert law(work.sampler, problem(work.D)).stable


@pytest.mark.strong
def test_the_document():
    document = throughput("cpu", quick=True)
    assert document["schema"] == "sgtheory.bench/1"
    assert {(w["name"], w["dtype"]) for w in document["workloads"]} == {
        (w.name, d) for w in WORKS for d in ("float32", "float64")
    }
    for row in document["workloads"]:
        share = row["chain_steps_per_cpu_second"] * row["floor_seconds"]
        assert row["fraction_of_floor"] == pytest.approx(share)
        assert 0 < share < 10
