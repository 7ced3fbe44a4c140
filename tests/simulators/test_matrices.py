"""Many dimensions: chains as a matrix, on NumPy and the shim, against the interpreter."""

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators import interpret
from simulators.cuda import emit, host
from simulators.cuda.engine import CudaEngine
from simulators.cuda.fleet import engine_on
from simulators.cuda.matrices import MatrixEngine
from simulators.cuda.stages import Inner, Map, Product, staged
from simulators.emit import Layout
from simulators.ensemble import run
from simulators.moments import LANES, Monomials
from simulators.program import Block, Instruction
from tests.simulators.steps import magnitude, noise_of, states_of

CHAIN, SEED, FIRST = 5, 9, 3


@pytest.fixture
def engine(tmp_path):
    if not host.available():
        pytest.skip("no C++ compiler")
    return lambda b: MatrixEngine(b, host.HostDevice(tmp_path))


def find(tools, name, D, dtype):
    return tools.bound(getattr(tools, name, name), D, dtype)


def worst(b, engine, steps=5):
    """The largest distance from the interpreter's step, in units of the bound.

    A product of D terms, however it is added up, has at most D roundings of products and D - 1 of
    sums on the way of each term; with two products, and a few more operations, that is at most
    6 D + 8 for both readers together, each relative to the sum of absolute values.
    """
    x, found = engine.start(CHAIN, 1, SEED), 0.0
    chains = np.arange(CHAIN, CHAIN + LANES)
    for step in range(FIRST, FIRST + steps):
        state, noise = states_of(b, engine.host(x).copy()), noise_of(b, engine, step, CHAIN, LANES, SEED)
        expected = interpret.interpret(b, chains, step, 1, SEED, state, noise=lambda _, n=noise: n)
        engine.advance(x, CHAIN, step, 1, SEED)
        got, size = states_of(b, engine.host(x)), magnitude(b, state, noise)
        for s in b.program.states:
            bound = (6 * b.D + 8) * np.finfo(b.dtype).eps * size[s]
            found = max(found, float((np.abs(got[s] - expected[s]) / bound).max()))
    return found


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld"])
@pytest.mark.parametrize(("D", "dtype"), [(3, "float32"), (65, "float32"), (40, "float64")])
def test_each_step_is_the_interpreters_to_rounding(tools, engine, name, D, dtype):
    b = find(tools, name, D, dtype)
    assert worst(b, engine(b)) <= 1


def test_another_matrix_or_other_noise_is_noticed(tools, engine):
    b = find(tools, "sgd", 40, "float64")
    other = engine(b)
    for name, matrix in other._matrices.items():
        other._matrices[name] = np.ascontiguousarray(matrix.T)
    assert worst(b, other) > 1
    other = engine(b)
    draw = other._draw
    other._draw = lambda z, chain, *rest: draw(z, chain + (chain > 0), *rest)
    assert worst(b, other) > 1


@pytest.mark.parametrize(("name", "D"), [("psgld", 12), ("annealed", 9)])
def test_nonlinear_steps_are_the_interpreters_to_rounding(tools, engine, name, D):
    """In double, a few hundred roundings amplified at most by 1/lambda = 10 leave 11 digits."""
    b = find(tools, name, D, "float64")
    made = engine(b)
    chains = np.arange(CHAIN, CHAIN + 2 * LANES)
    state, x = interpret.start(b, chains, SEED), made.start(CHAIN, 2, SEED)
    for s, got in states_of(b, made.host(x)).items():
        assert np.allclose(got, state[s], rtol=1e-13, atol=1e-13)
    made.advance(x, CHAIN, 0, 12, SEED)
    state = interpret.interpret(b, chains, 0, 12, SEED, state)
    for s, got in states_of(b, made.host(x)).items():
        assert np.allclose(got, state[s], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_are_those_of_the_other_engines(tools, engine, host_engine, dtype):
    b = find(tools, "sgld", 5, dtype)
    for step in (0, 1, 2, 2**34 + 3):
        for purpose, normals in ((1, 5), (2, 10)):
            ours = engine(b).draws(purpose, 70, step, normals, SEED)
            theirs = host_engine(b).draws(purpose, 70, step, normals, SEED)
            assert tools.same_bits(np.ascontiguousarray(ours), np.ascontiguousarray(theirs))


def test_an_ensemble_agrees_with_the_processors(tools, engine, cpu_engine):
    """In double after 20 contracting steps: 12 digits are left, and standard errors have 9."""
    b = find(tools, "momentum", 6, "float64")
    expected = run(b, cpu_engine(b), chains=1000, steps=20, seed=3)
    for chunk in (None, 64, 320):
        found = run(b, engine(b), chains=1000, steps=20, seed=3, chunk=chunk)
        assert (found.path, found.to_json()["path"], expected.path) == ("matrices", "matrices", "chains")
        for name, value in expected.covariance.items():
            assert np.allclose(found.covariance[name], value, rtol=1e-11, atol=1e-12)
            error = expected.standard_error["covariance"][name]
            assert np.allclose(found.standard_error["covariance"][name], error, rtol=1e-9)
        for name, value in expected.mean.items():
            assert np.allclose(found.mean[name], value, rtol=1e-11, atol=1e-12)
    other = run(b, engine(b), chains=1000, steps=20, seed=4)
    assert np.abs(other.mean["theta"] - expected.mean["theta"]).max() > 1e-4


def test_rows_are_sums_of_blocks(tools, engine):
    b = find(tools, "sgd", 6, "float64")
    made, monomials = engine(b), Monomials(6)
    x = made.start(0, 3, SEED)
    made.advance(x, 0, 0, 3, SEED)
    centre, chains = np.linspace(-1, 1, 6), 150
    (rows,) = made.reduced(x, monomials, centre, chains, 7)
    assert rows.blocks == 3
    expected = monomials.rows(made.sums(x, monomials.index, centre, chains), chains).sum(axis=0)
    assert np.allclose(rows.values[0], expected, rtol=1e-12, atol=1e-12)


def test_a_matrix_of_chains_can_be_packed(tools, engine):
    b = find(tools, "momentum", 4, "float32")
    made = engine(b)
    x = made.start(0, 2, SEED)
    made.advance(x, 0, 0, 5, SEED)
    again = made.unpacked(made.packed(x).copy())
    for y in (x, again):
        made.advance(y, 0, 5, 4, SEED)
    assert tools.same_bits(made.host(x), made.host(again))
    assert tools.same_bits(np.ascontiguousarray(made.host(x[1:2])), made.host(x)[LANES:].copy())


def test_who_takes_it(tools, tmp_path):
    if not host.available():
        pytest.skip("no C++ compiler")
    for D, kind in ((20, CudaEngine), (200, MatrixEngine)):
        folder = tmp_path / str(D)
        folder.mkdir()
        b = find(tools, "sgd", D, "float32")
        assert isinstance(engine_on([host.HostDevice(folder)], b, "exact"), kind)
    program = tools.bound("sgd", 3, "float64").program
    for dtype, limit in (("float32", 78), ("float64", 47)):
        layouts = [Layout(program, D, dtype) for D in (*range(1, 2 * limit), 256, 1024, 4096)]
        assert [layout.D for layout in layouts if emit.fits(layout)] == list(range(1, limit + 1))


def test_stages(tools):
    b = find(tools, "sgd", 5, "float64")
    stages = staged(b.program.body, emit.layout(b), "map").stages
    assert [type(s) for s in stages] == [Product, Product, Map]
    inner = staged(find(tools, "annealed", 5, "float64").program.body, emit.layout(b), "map").stages
    assert any(isinstance(s, Inner) for s in inner)
    odd = Block(instructions=(Instruction("%0", "gather", ("theta",), "vector"),))
    with pytest.raises(UnusableInput, match="gather in 5 dimensions"):
        staged(odd, emit.layout(b), "map")
