"""Matrices that are zero in places: kernels leave the zeros out, and nothing else changes."""

import dataclasses

import numpy as np
import pytest

from simulators import emit
from simulators.bind import factor_of, pattern
from simulators.cpu.engine import CpuEngine

SEED = 8
FULL = np.array([[1.0, 0.5, -0.25], [0.5, 2.0, 0.125], [-0.25, 0.125, 1.5]])
SHAPES = {
    "full": FULL,
    "lower": np.tril(FULL),
    "diagonal": np.diag(np.diag(FULL)),
    "columns:2": FULL * np.array([1, 1, 0]),
    "columns:1": FULL * np.array([1, 0, 0]),
}


def with_matrices(b, matrix, known=True):
    """The program with this matrix in place of each of its own, scaled to their size."""
    exact = {
        c.name: matrix * np.abs(b.exact[c.name]).max() if c.shape == "matrix" else b.exact[c.name]
        for c in b.program.constants
    }
    kind = pattern(matrix) if known else "full"
    patterns = tuple((name, kind) for name, _ in b.patterns)
    return dataclasses.replace(b, exact=exact, patterns=patterns)


def ends(engine):
    x = engine.start(3, 2, SEED)
    engine.advance(x, 3, 5, 9, SEED)
    return engine.host(x)


@pytest.mark.parametrize("kind", SHAPES)
def test_patterns_are_seen(kind):
    assert pattern(SHAPES[kind]) == kind


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("limit", [emit.UNROLLED_LIMIT, 0])
def test_zeros_that_are_left_out_change_no_bit(tools, monkeypatch, kind, dtype, limit):
    monkeypatch.setattr(emit, "UNROLLED_LIMIT", limit)
    b = tools.bound("sgld", 3, dtype)
    short = CpuEngine(with_matrices(b, SHAPES[kind]), 1)
    whole = CpuEngine(with_matrices(b, SHAPES[kind], known=False), 1)
    assert (short.text == whole.text) == (kind == "full")
    assert tools.same_bits(ends(short), ends(whole))
    other = CpuEngine(with_matrices(b, 1.001 * SHAPES[kind]), 1)
    assert not tools.same_bits(ends(short), ends(other))


@pytest.mark.parametrize("kind", ["lower", "diagonal", "columns:2"])
@pytest.mark.parametrize("limit", [emit.UNROLLED_LIMIT, 0])
def test_processor_and_cuda_text_agree(tools, host_engine, monkeypatch, kind, limit):
    monkeypatch.setattr(emit, "UNROLLED_LIMIT", limit)
    b = with_matrices(tools.bound("momentum", 3, "float32"), SHAPES[kind])
    assert tools.same_bits(ends(CpuEngine(b, 1)), ends(host_engine(b)))


@pytest.mark.strong
def test_tiles_stop_at_the_diagonal(tools):
    """In many dimensions too, where rows are taken six at a time and columns in panels."""
    b = tools.bound("sgd", 61, "float32")
    rng = np.random.default_rng(0)
    for matrix in (np.tril(rng.normal(size=(61, 61))), np.diag(rng.normal(size=61))):
        engines = [CpuEngine(with_matrices(b, matrix / 8, known), 1) for known in (True, False)]
        assert engines[0].text != engines[1].text
        assert tools.same_bits(*(ends(e) for e in engines))


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_a_factor_of_any_rank(rank):
    """A rank that is full gives a triangle; a lower one gives as many columns."""
    g = np.random.default_rng(rank).integers(-3, 4, (4, rank)).astype(float)
    g[:rank] += 5 * np.eye(rank)
    covariance = g @ g.T
    factor = factor_of(covariance)
    assert np.allclose(factor @ factor.T, covariance, atol=1e-12)
    assert pattern(factor) == ("lower" if rank == 4 else f"columns:{rank}")


def test_unused_normals_are_not_drawn(tools):
    """Noise of rank 1 in three dimensions: the unrolled kernel calls the generator less often."""
    b = tools.bound("sgd", 3, "float64")
    texts = [CpuEngine(with_matrices(b, SHAPES[k]), 1).text for k in ("columns:1", "full")]
    roots = [t[t.index("@groups") :].count("llvm.sqrt") for t in texts]
    assert roots[0] < roots[1]
