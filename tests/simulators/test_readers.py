"""The three readers: interpreter, LLVM code, and the CUDA text under the shim.

The two compiled readers must agree to the bit. With the interpreter they agree, step by step and on
the same noise, to a bound on the roundings: it rounds products before adding them.
"""

import dataclasses

import numpy as np
import pytest

from simulators import emit, interpret, philox
from simulators.cpu.emit import Target
from simulators.cpu.engine import CpuEngine
from simulators.cpu.native import machine
from simulators.moments import LANES
from simulators.program import GRADIENT
from tests.simulators.steps import magnitude, noise_of, states_of

DTYPES = ["float32", "float64"]
FIRST, STEPS, CHAIN, SEED = 3, 14, 5, 9  # begins and ends inside a group of fused steps


def advanced(engine, first=FIRST, steps=STEPS, seed=SEED):
    x = engine.start(CHAIN, 2, seed)
    engine.advance(x, CHAIN, first, steps, seed)
    return x


def agree(tools, a, b):
    return tools.same_bits(a.host(advanced(a)), b.host(advanced(b)))


CASES = [
    ("sgd", 1, "float32"), ("sgd", 1, "float64"), ("sgld", 2, "float64"), ("momentum", 2, "float32"),
    ("sgd", 5, "float32"), ("momentum", 5, "float64"), ("sgld", 5, "float32"),
    ("psgld", 2, "float32"), ("annealed", 3, "float64"),
]  # fmt: skip


def find(tools, name, D, dtype, **scalars):
    return tools.bound(getattr(tools, name, name), D, dtype, **scalars)


@pytest.mark.parametrize(("name", "D", "dtype"), CASES)
def test_processor_and_cuda_text_give_the_same_bits(tools, cpu_engine, host_engine, name, D, dtype):
    b = find(tools, name, D, dtype)
    ours, theirs = cpu_engine(b), host_engine(b)
    assert agree(tools, ours, theirs)
    index = np.array([[0, -1], [0, 0], [b.size - 1, 0]])
    centre = np.linspace(-1, 1, b.size)
    sums = [e.sums(advanced(e), index, centre, 100) for e in (ours, theirs)]
    assert tools.same_bits(*sums)


def test_a_change_in_the_last_bit_of_a_constant_is_noticed(tools, cpu_engine):
    b = find(tools, "sgd", 5, "float32")
    name = b.program.constants[0].name
    nudged = np.nextafter(b.constant(name), np.float32(np.inf))
    other = dataclasses.replace(b, exact={**b.exact, name: nudged})
    assert not agree(tools, cpu_engine(b), cpu_engine(other))


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld", "psgld", "annealed"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_loops_and_unrolled_code_give_the_same_bits(tools, host_engine, monkeypatch, name, dtype):
    b = find(tools, name, 5, dtype)
    unrolled = host_engine(b)
    assert unrolled.layout.unrolled
    expected = unrolled.host(advanced(unrolled))
    monkeypatch.setattr(emit, "UNROLLED_LIMIT", 0)
    looped = host_engine(dataclasses.replace(b))
    assert looped.text != unrolled.text
    assert tools.same_bits(looped.host(advanced(looped)), expected)


def test_processor_loops_give_the_same_bits(tools, cpu_engine, host_engine):
    b = find(tools, "sgld", 40, "float32")
    assert not cpu_engine(b).layout.unrolled
    assert agree(tools, cpu_engine(b), host_engine(b))


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld"])
@pytest.mark.parametrize("D", [1, 2, 5])
@pytest.mark.parametrize("dtype", DTYPES)
def test_each_step_is_the_interpreters_to_rounding(tools, host_engine, name, D, dtype):
    """At most 6 D + 8 roundings between them, each relative to a sum of absolute values."""
    b = find(tools, name, D, dtype)
    engine = host_engine(b)
    x = engine.start(CHAIN, 1, SEED)
    chains = np.arange(CHAIN, CHAIN + LANES)
    for step in range(FIRST, FIRST + 6):
        state = states_of(b, engine.host(x).copy())
        noise = noise_of(b, engine, step, CHAIN, LANES, SEED)
        expected = interpret.interpret(b, chains, step, 1, SEED, state, noise=lambda _, n=noise: n)
        engine.advance(x, CHAIN, step, 1, SEED)
        got, size = states_of(b, engine.host(x)), magnitude(b, state, noise)
        for s in b.program.states:
            bound = (6 * D + 8) * np.finfo(dtype).eps * size[s]
            assert (np.abs(got[s] - expected[s]) <= bound).all()


@pytest.mark.parametrize(("name", "D"), [("psgld", 2), ("annealed", 3)])
def test_nonlinear_steps_are_the_interpreters_to_rounding(tools, host_engine, name, D):
    """In double, a hundred roundings amplified at most by 1/lambda = 10 leave 12 digits."""
    b = find(tools, name, D, "float64")
    engine = host_engine(b)
    chains = np.arange(CHAIN, CHAIN + LANES)
    state = interpret.start(b, chains, SEED)
    x = engine.start(CHAIN, 1, SEED)
    for step in range(12):
        state = interpret.interpret(b, chains, step, 1, SEED, state)
        engine.advance(x, CHAIN, step, 1, SEED)
        for s, got in states_of(b, engine.host(x)).items():
            assert np.allclose(got, state[s], rtol=1e-11, atol=1e-11)


def test_a_step_on_other_noise_is_noticed(tools, host_engine):
    b = find(tools, "sgd", 5, "float32")
    engine = host_engine(b)
    chains = np.arange(CHAIN, CHAIN + LANES)
    x = advanced(engine, 0, 3)
    wrong = interpret.interpret(b, chains + 1, 0, 3, SEED, interpret.start(b, chains, SEED))
    assert np.abs(engine.host(x)[:LANES] - wrong["theta"]).max() > 1e-2


@pytest.mark.parametrize("dtype", DTYPES)
def test_steps_may_be_cut_anywhere(tools, cpu_engine, host_engine, dtype):
    b = find(tools, "sgd", 1, dtype)
    for engine in (cpu_engine(b), host_engine(b)):
        whole = engine.host(advanced(engine, 0, 23))
        x = engine.start(CHAIN, 2, SEED)
        for first, steps in ((0, 1), (1, 2), (3, 9), (12, 11)):
            engine.advance(x, CHAIN, first, steps, SEED)
        assert tools.same_bits(engine.host(x), whole)
        assert not tools.same_bits(engine.host(advanced(engine, 1, 23)), whole)


@pytest.mark.parametrize("first", [2**32 * 4 - 2, 2**40 + 1])
def test_the_step_counter_has_more_than_32_bits(tools, cpu_engine, host_engine, first):
    b = find(tools, "sgd", 1, "float32")
    ends = [e.host(advanced(e, first, 7)) for e in (cpu_engine(b), host_engine(b))]
    assert tools.same_bits(*ends)
    chains = np.arange(CHAIN, CHAIN + 2 * LANES)
    state = interpret.start(b, chains, SEED)
    slow = interpret.interpret(b, chains, first, 7, SEED, state)["theta"]
    assert np.abs(ends[0] - slow).max() < 1e-5
    low = cpu_engine(b).host(advanced(cpu_engine(b), first % 2**32, 7))
    assert np.abs(ends[0] - low).max() > 1e-3


def ulps(a, b):
    kind = {4: np.int32, 8: np.int64}[a.itemsize]
    return np.abs(a.view(kind).astype(object) - b.view(kind).astype(object)).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("normals", [1, 3, 10])
def test_compiled_normals_are_the_references(tools, host_engine, dtype, normals):
    engine = host_engine(find(tools, "sgd", 1, dtype))
    for step in (0, 1, 2, 3, 2**35 + 1):
        got = engine.draws(GRADIENT, 3000, step, normals, SEED)
        expected = philox.normals(SEED, GRADIENT, np.arange(3000), step, normals, dtype)
        assert ulps(np.ascontiguousarray(got), expected) <= philox.ULPS


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_processors_normals_have_the_same_bits(tools, cpu_engine, host_engine, dtype):
    b = find(tools, "sgd", 10, dtype)
    for step in (0, 1, 7):
        ours = cpu_engine(b).draws(GRADIENT, LANES, step, SEED)
        theirs = host_engine(b).draws(GRADIENT, LANES, step, 10, SEED)
        assert tools.same_bits(ours, np.ascontiguousarray(theirs))
        other = cpu_engine(b).draws(GRADIENT, LANES, step + 1, SEED)
        assert not tools.same_bits(ours, other)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "D"), [("sgld", 2), ("sgd", 40)])
def test_bits_do_not_depend_on_the_length_of_vectors(tools, cpu_engine, name, D, dtype):
    b = find(tools, name, D, dtype)
    usual = cpu_engine(b)
    for size in (16, 32, 64):
        if size <= machine().vector_bytes:
            other = CpuEngine(b, 1, Target(size))
            assert agree(tools, usual, other)
            assert (other.text == usual.text) == (size == machine().vector_bytes)
