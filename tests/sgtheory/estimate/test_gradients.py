"""A and C from gradients, against models whose A and C are known."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from sgtheory.estimate import (
    Estimate,
    from_gradients,
    of_problem,
    read,
)
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from tests.sgtheory.estimate.tables import (
    gradients,
    mean_of,
    minibatched,
    minibatches,
    moment,
    same,
    small,
    spread,
    tables,
)

# ---- A and C from gradients


@given(g=gradients())
def test_covariance_mean_and_fisher_at_one_point(g):
    found = from_gradients(g)
    assert same(found.C, spread(g))
    assert same(found.mean_gradient, mean_of(g))
    assert same(found.fisher, moment(g, [0] * len(g[0])))
    assert (found.N, found.A, found.mode, found.residual, found.fisher_gap) == (len(g), *[None] * 4)
    assert (found.drift > 0) == any(mean_of(g))
    if any(mean_of(g)):  # wrong twins: the Fisher matrix for C, the divisor N - 1
        assert not same(found.C, found.fisher)
    if spread(g).any():
        assert not same(found.C, spread(g) * Fraction(len(g), len(g) - 1))
    centred = from_gradients([[x - m for x, m in zip(row, mean_of(g), strict=True)] for row in g])
    assert centred.drift == 0
    assert same(centred.fisher, centred.C)
    # an entry may cancel: NumPy's mean, and its sum of products, round at the size of g and its squares
    slack = 8 * len(g) * np.finfo(float).eps * np.square(np.array(g, float)).max()
    np.testing.assert_allclose(
        np.array(found.C, float), np.cov(np.array(g).T, bias=True).reshape(len(g[0]), -1), atol=slack
    )


def gradients_of(X, y, points, ridge=0):
    """Gradients of half squared residuals, as one would code them."""
    return [
        [
            [
                (sum(a * b for a, b in zip(row, x, strict=True)) - out) * a + ridge * b
                for a, b in zip(row, x, strict=True)
            ]
            for row, out in zip(X, y, strict=True)
        ]
        for x in points
    ]


def corners(d, *more):
    return [[0] * d, *([int(i == j) for i in range(d)] for j in range(d)), *more]


@st.composite
def regressions(draw):
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    X, y = draw(tables(n, d)), draw(st.lists(small, min_size=n, max_size=n))
    return X, y, corners(d, *draw(tables(draw(st.integers(0, 3)), d)))


@given(case=regressions())
def test_points_around_the_mode_give_what_the_data_give(case):
    X, y, points = case
    n, d = len(X), len(X[0])
    content = {"model": "linear_regression", "X": X, "y": y, "ridge": n, "S": 1}
    exactly = of_problem(Problem.of(content))
    table = gradients_of(X, y, points, ridge=1)
    found = from_gradients(table, points)
    nothing_left = len(points) * d == d + d * (d + 1) // 2
    assert found.residual == (None if nothing_left else 0)
    assert replace(found, residual=0.0) == exactly
    rounded = from_gradients(np.array(table, float), np.array(points, float))
    assert close(rounded, exactly)
    assert (rounded.residual is None) == nothing_left
    assert nothing_left or rounded.residual < 1e-12
    # wrong twins, each of which the same comparison must notice
    assert not close(replace(rounded, A=scaled(rounded.A, 1 + Fraction(1, 10**6))), exactly)
    far = [[x + 1 for x in point] for point in points]
    assert not close(from_gradients(np.array(table, float), np.array(far, float)), exactly)
    plain = from_gradients(table[0])  # the gradients at the origin: right only if that is the mode
    assert same(plain.mean_gradient, exactly.mean_gradient) == (not any(exactly.mode))


def scaled(m, factor):
    return tuple(tuple(x * factor for x in row) for row in m)


def close(a, b, within=1e-9):
    def apart(x, y):
        x, y = np.array(x, float), np.array(y, float)
        return abs(x - y).max() / max(1, abs(y).max())

    names = ("A", "C", "mode", "mean_gradient")
    return a.N == b.N and all(apart(getattr(a, k), getattr(b, k)) < within for k in names)


def test_the_residual_measures_what_is_not_quadratic():
    points = np.array([[-1.0], [-0.5], [0.0], [0.5], [1.0]])
    for cubic in (0.0, 1e-3, 0.1):
        at = points[:, None, :] * 2 + cubic * points[:, None, :] ** 3 + np.array([[1.0], [-1.0]])
        residual = from_gradients(at, points).residual
        assert residual == pytest.approx(0.15 * cubic, rel=0.2, abs=1e-12)
    # a cubic that cancels in the mean is seen in the examples
    at = points[:, None, :] * 2 + points[:, None, :] ** 3 * np.array([[1.0], [-1.0]])
    assert from_gradients(at, points).residual > 0.1


def test_a_field_that_is_no_gradient_shows_at_the_fewest_points():
    points = corners(2)
    turn = [[[2 * x + y, 2 * y - x]] for x, y in points]
    assert from_gradients(turn, points).residual > 0.1
    straight = [[[2 * x + y, 2 * y + x]] for x, y in points]
    assert from_gradients(straight, points).residual == 0


def test_the_symmetric_fit_is_the_best_symmetric_one():
    rng = np.random.default_rng(1)
    points, at = rng.normal(size=(9, 3)), rng.normal(size=(9, 2, 3))
    at += (points @ np.diag([9.0, 8.0, 7.0]))[:, None, :]
    A = np.array(from_gradients(at, points).A, float)
    change, away = at.mean(axis=1) - at.mean(axis=(0, 1)), points - points.mean(axis=0)

    def loss(m):
        return ((change - away @ m) ** 2).sum()

    for i, j in ((0, 0), (0, 1), (1, 2), (2, 2)):
        nudge = np.zeros((3, 3))
        nudge[i, j] = nudge[j, i] = 1e-3
        assert loss(A) < min(loss(A + nudge), loss(A - nudge))
    symmetrised = np.linalg.lstsq(away, change, rcond=None)[0]  # wrong twin: symmetrise afterwards
    assert loss(A) < loss((symmetrised + symmetrised.T) / 2)


def test_fisher_gap():
    at = [[[u - 1], [u + 1]] for u in (0, 1, 2)]
    assert from_gradients(at, [[0], [1], [2]]).fisher_gap == 0  # A = 1 = C
    twice = [[[u - 2], [u + 2]] for u in (0, 1, 2)]
    assert from_gradients(twice, [[0], [1], [2]]).fisher_gap == 3


# ---- problems


def test_the_problem_runs_and_has_the_law_of_the_data():
    content = {"model": "gaussian_mean", "X": [[0, 1], [2, 0], [4, 5]], "S": 2, "params": {"eps": "1/5"}}
    for replacement in (True, False):
        data = Problem.of({**content, "replacement": replacement})
        estimate = of_problem(data)
        assert estimate.replacement is replacement
        plain = estimate.problem(2, data.params)
        assert plain.model.name == "quadratic"
        known, found = law("sgd", data), law("sgd", plain)
        (key,) = found.covariance
        np.testing.assert_allclose(found.covariance[key], known.covariance[key], rtol=1e-12)
        other = replace(estimate, replacement=not replacement).problem(2, data.params)
        assert not np.allclose(law("sgd", other).covariance[key], known.covariance[key])


@given(case=minibatched(most=4, dimensions=2))
def test_noise_of_the_problem_is_that_of_all_minibatches(case):
    g, S, replacement = case
    d = len(g[0])
    identity = tuple(tuple(Fraction(int(i == j)) for j in range(d)) for i in range(d))
    estimate = replace(from_gradients(g), A=identity, replacement=replacement)
    problem = estimate.problem(S, {"eps": "1/5"})
    found = np.array(problem.matrices["C"], object) / problem.sizes["S"]
    means = [mean_of(batch) for batch in minibatches(g, S, replacement)]
    assert same(found, moment(means, mean_of(g)))
    if spread(g).any() and S > 1:
        wrong = replace(estimate, replacement=not replacement).problem(S, {})
        assert not same(np.array(wrong.matrices["C"], object) / S, moment(means, mean_of(g)))


def test_a_large_table_without_full_rank_is_still_a_problem():
    rng = np.random.default_rng(3)
    naive_refused = 0
    for _ in range(10):
        g = rng.normal(size=(5000, 1)) @ rng.normal(size=(1, 3))  # collinear: C has rank one
        found = replace(from_gradients(g), A=((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        problem = found.problem(5, {"eps": "1/5"})
        np.testing.assert_allclose(
            np.array(problem.matrices["C"], float), np.cov(g.T, bias=True), atol=1e-12
        )
        naive = np.cov(g.T, bias=True)
        try:
            Problem.of({"hessian": np.eye(3).tolist(), "noise": ((naive + naive.T) / 2).tolist()})
        except UnusableInput:
            naive_refused += 1
    assert naive_refused  # the wrong twin: the plain product, rounded


def test_large_tables_agree_with_numpy():
    rng = np.random.default_rng(4)
    for n, d in ((3000, 3), (40, 30), (200, 60)):  # exact square, few examples, floats throughout
        g = rng.normal(size=(n, d)) + 5
        found = from_gradients(g)
        np.testing.assert_allclose(np.array(found.C, float), np.cov(g.T, bias=True), atol=1e-12)
        np.testing.assert_allclose(np.array(found.mean_gradient, float), g.mean(axis=0))
        identity = tuple(tuple(int(i == j) for j in range(d)) for i in range(d))
        matrices = replace(found, A=identity).problem(5, {}).matrices
        assert len(matrices["C"]) == d


def test_a_problem_wants_its_curvature_symmetric_and_definite():
    found = from_gradients([[1, 0], [-1, 0]])
    with pytest.raises(UnusableInput, match="a known curvature A"):
        found.problem(1, {})
    lopsided = replace(found, A=((Fraction(2), Fraction(1)), (Fraction(0), Fraction(2))))
    assert lopsided.problem(1, {}).matrices["A"][0] == (2, Fraction(1, 2))
    with pytest.raises(UnusableInput, match="hessian to be positive definite"):
        replace(found, A=((-1, 0), (0, 1))).problem(1, {})
    with pytest.raises(UnusableInput, match="S of at most N = 2"):
        replace(lopsided, replacement=False).problem(3, {})
    with pytest.raises(UnusableInput, match="a data model"):
        of_problem(lopsided.problem(1, {}))


# ---- what is refused


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (([1, 2],), "gradients as an array N x D; got shape (2,)"),
        (([[[1]]],), "gradients as an array N x D; got shape (1, 1, 1)"),
        (([[1], [2, 3]],), "rows of different lengths"),
        (([[]],), "gradients with entries"),
        ((np.zeros((0, 3)),), "gradients with entries"),
        (([[float("nan")]],), "finite numbers in gradients"),
        (([[True]],), "real numbers in gradients; got type bool"),
        (([[1j]],), "real numbers in gradients; got type complex"),
        (([["a"]],), "real numbers in gradients"),
        (([[None]],), "a number for gradients; got None"),
        (([[1], [2]], [[0]]), "gradients as an array P x N x D"),
        (([[[1]], [[2]]], [0, 1]), "points as an array P x D"),
        (([[[1]], [[2]]], [[0], [1], [2]]), "points 2 x 1, as the gradients say; got 3 x 1"),
        (([[[1]], [[2]]], [[0], [0]]), "points that span 1 directions; got 2 points that span 0"),
        (([[[1, 1]], [[2, 1]]], [[0, 0], [1, 0]]), "2 points that span 1"),
        (([[[1]], [[1]]], [[0], [1]]), "a flat direction"),
        (([[[0.1 + 0.2]], [[0.3]]], [[0.0], [1.0]]), "a flat direction"),
        (([[[1.0]], [[2.0]]], [[1e9], [1e9 + 1e-7]]), "span"),
    ],
)
def test_unusable_gradients(arguments, word):
    with pytest.raises(UnusableInput) as caught:
        from_gradients(*arguments)
    assert word in str(caught.value)


def test_reading_and_writing(tmp_path):
    g = np.array([[1.0, 2.0], [0.1, -1.0], [3.0, 3.0]])
    np.savez(tmp_path / "one.npz", gradients=g)
    assert read(tmp_path / "one.npz") == from_gradients(g)
    points = np.array([[0.0], [1.0], [2.0]])
    np.savez(tmp_path / "three.npz", gradients=points[:, None] * 2 + g[:, :1], points=points)
    found = read(str(tmp_path / "three.npz"))
    assert isinstance(found, Estimate)
    assert found == from_gradients(points[:, None] * 2 + g[:, :1], points)
    assert found != read(tmp_path / "one.npz")


def broken(folder):
    np.save(folder / "array.npy", np.zeros((2, 2)))
    np.savez(folder / "good.npz", gradients=np.ones((40, 40)))
    whole = (folder / "good.npz").read_bytes()
    (folder / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (folder / "flipped.npz").write_bytes(whole[:900] + bytes([whole[900] ^ 255]) + whole[901:])
    (folder / "empty.npz").write_bytes(b"")
    (folder / "text.npz").write_text("gradients = 3")
    (folder / "zip.npz").write_bytes(b"PK\x03\x04 and then nothing")
    np.savez(folder / "objects.npz", gradients=np.array([[{}]], object))
    return (
        "array.npy",
        "cut.npz",
        "flipped.npz",
        "empty.npz",
        "text.npz",
        "zip.npz",
        "objects.npz",
        "no.npz",
        ".",
    )


def test_unreadable_files(tmp_path):
    for name in broken(tmp_path):
        with pytest.raises(UnusableInput, match=r"a readable \.npz file") as caught:
            read(tmp_path / name)
        assert "\n" not in str(caught.value)
    assert read(tmp_path / "good.npz").N == 40


def test_files_with_other_arrays(tmp_path):
    for arrays, word in (
        ({"grads": [[1]]}, "drop or rename grads"),
        ({"gradients": [[1]], "point": [[1]]}, "drop or rename point"),
        ({"points": [[1]]}, "save the gradients there"),
        ({}, "got nothing"),
        ({"gradients": [1]}, "N x D"),
    ):
        np.savez(tmp_path / "a.npz", **arrays)
        with pytest.raises(UnusableInput, match=word):
            read(tmp_path / "a.npz")
