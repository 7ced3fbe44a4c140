"""Two factors for each tensor of a model beside the whole curvature and noise."""

import numpy as np
import pytest

import sgtheory as sg
from sgtheory.estimate import Blocks, UserModel, blocks
from sgtheory.estimate.blocks import Block, Factors

RNG = np.random.default_rng(5)
N, INPUTS, HIDDEN = 200, 4, 3
X, Y = RNG.normal(size=(N, INPUTS)) * [2, 1, 1, 0.5], RNG.standard_t(5, size=N)
SHAPES = [(HIDDEN, INPUTS), (HIDDEN,)]
D = HIDDEN * INPUTS + HIDDEN
START = RNG.normal(size=D) / 2


def network(theta, which):
    """Gradients of a hidden layer of tanh under squares, with a little decay, by hand."""
    W, v = theta[: HIDDEN * INPUTS].reshape(HIDDEN, INPUTS), theta[HIDDEN * INPUTS :]
    x, hidden = X[which], np.tanh(X[which] @ W.T)
    off = hidden @ v - Y[which]
    inner = off[:, None] * v * (1 - hidden**2)
    first = np.einsum("nh,ni->nhi", inner, x).reshape(len(x), -1)
    return np.concatenate([first, off[:, None] * hidden], axis=1) + 0.1 * theta


MODEL = UserModel(network, N, START)


def nearest(matrix, p, q):
    """The nearest product of two factors and the share that it leaves out, by singular values."""
    turned = matrix.reshape(p, q, p, q).transpose(0, 2, 1, 3).reshape(p * p, q * q)
    u, s, v = np.linalg.svd(turned)
    return s[0] * np.kron(u[:, 0].reshape(p, p), v[0].reshape(q, q)), 1 - s[0] ** 2 / np.sum(s**2)


def off(matrix, factors):
    return np.sum((matrix - np.kron(factors.left, factors.right)) ** 2) / np.sum(matrix**2)


def test_the_noise_of_a_tensor_is_the_nearest_product():
    rows = network(START, np.arange(N))
    C = np.cov(rows.T, bias=True)
    found = blocks(MODEL, SHAPES)
    inside = 0.0
    for block, (begin, end) in zip(found.blocks, ((0, 12), (12, 15)), strict=True):
        own = C[begin:end, begin:end]
        best, missing = nearest(own, *block.shape)
        assert np.kron(block.noise.left, block.noise.right) == pytest.approx(best, abs=1e-7 * best.max())
        assert block.noise.missing == pytest.approx(missing, abs=1e-9)
        inside += np.sum(own**2)
    assert 0.01 < found.blocks[0].noise.missing < 0.5
    assert found.between_noise == pytest.approx(1 - inside / np.sum(C**2), abs=1e-9)


def test_the_curvature_of_a_tensor_is_nearly_the_nearest_product():
    A = MODEL.curvature(START)
    found = blocks(MODEL, SHAPES, probes=400)
    own = A[:12, :12]
    least, told = nearest(own, 3, 4)[1], found.blocks[0].curvature
    # 25 numbers are fitted to 400 products of 12, and add that share to the least, five times at most
    assert least <= off(own, told) <= least * (1 + 5 * 25 / 4_800)
    assert told.missing == pytest.approx(off(own, told), rel=0.35)  # of 200 products, 5 deviations
    assert least > 0.001
    beside = 2 * np.sum(A[:12, 12:] ** 2) / np.sum(A**2)
    assert found.between_curvature == pytest.approx(beside, rel=0.2)


def test_a_tensor_taken_for_its_transpose_leaves_more_out():
    right = blocks(MODEL, SHAPES).blocks[0]
    wrong = blocks(MODEL, [(INPUTS, HIDDEN), (HIDDEN,)]).blocks[0]
    assert wrong.noise.missing > 2 * right.noise.missing
    own = MODEL.curvature(START)[:12, :12]
    assert off(own, wrong.curvature) > nearest(own, INPUTS, HIDDEN)[1] > off(own, right.curvature)


def test_a_problem_has_the_law_of_the_stiffest_axes():
    """Of several outputs under squares of different weights, where curvature is a product."""
    weights, y = np.array([1.0, 0.3]), RNG.normal(size=(N, 2)) * [1, 3]

    def gradients(w, which):
        away = (X[which] @ w.reshape(2, INPUTS).T - y[which]) * weights
        return np.einsum("na,nb->nab", away, X[which]).reshape(len(which), -1)

    model = UserModel(gradients, N, np.zeros(8), ((2, INPUTS),))
    found, params = blocks(model), {"eps": 0.05}
    (block,) = found.blocks
    A = np.kron(np.diag(weights), X.T @ X / N)
    assert block.curvature.missing < 1e-9
    assert found.eigenvalues == pytest.approx(np.linalg.eigvalsh(A)[::-1], rel=1e-6)
    two = {"hessian": A, "noise": np.kron(block.noise.left, block.noise.right), "N": N, "S": 10}
    exact = sg.law("sgd", {**two, "params": params}).covariance["theta", "theta"]
    axes = np.linalg.eigh(A)[1]
    along = np.diag(axes.T @ exact @ axes)[::-1]
    some = sg.law("sgd", found.problem(10, params, top=5))
    assert np.sort(np.diag(some.covariance["theta", "theta"])) == pytest.approx(
        np.sort(along[:5]), rel=1e-6
    )


def test_axes_that_are_alike_keep_no_larger_one_out():
    """Of a first tensor whose eigenvalues are all 1, and a second with one of 5."""
    alike, large = (Factors(np.eye(1), x * np.eye(n), 0.0) for n, x in ((3, 1), (1, 5)))
    both = Block((1, 3), alike, alike), Block((1, 1), large, large)
    found = Blocks(np.zeros(4), N, N, both, 0.0, 0.0)
    hessian = found.problem(top=2).to_json()["hessian"]
    assert sorted(hessian[k][k] for k in range(2)) == [1, 5]


def test_what_is_left_out_is_told():
    told = " ".join(blocks(MODEL, SHAPES, seen=50).left_out)
    for words in ("lie between tensors", "3 x 4 parameters of tensor 1", "50 of 200 examples"):
        assert words in told


@pytest.mark.parametrize("how", [{"shapes": [(3, 4)]}, {"shapes": []}, {"probes": 1}, {"seen": 1}])
def test_what_has_no_blocks_is_said(how):
    with pytest.raises(sg.UnusableInput):
        blocks(MODEL, **{"shapes": SHAPES} | how)


def test_a_problem_needs_curvatures_above_zero():
    bent = UserModel(lambda theta, which: network(theta, which) - 0.2 * theta, N, START)
    found = blocks(bent, SHAPES)
    assert found.eigenvalues[-1] < 0
    with pytest.raises(sg.UnusableInput, match="curvatures above 0"):
        found.problem()
    assert sg.law("sgd", found.problem(10, {"eps": 0.01}, top=3)).covariance
