"""A model of the user's own: mode, A and C against those of the data models; what is not quadratic."""

import numpy as np
import pytest

import sgtheory as sg
from sgtheory.estimate import UserModel, jax_model, measure, torch_model


def logistic(N=400, scale=1.0):
    rng = np.random.default_rng(3)
    X = scale * rng.normal(size=(N, 2))
    y = np.where(rng.random(N) < 1 / (1 + np.exp(-X @ [1, -0.5])), 1, -1)

    def gradients(w, which):
        return (-y[which] / (1 + np.exp(y[which] * (X[which] @ w))))[:, None] * X[which] + w / N

    return X, y, UserModel(gradients, N, np.zeros(2))


def test_mode_and_matrices_are_those_of_the_data_model():
    X, y, model = logistic()
    found = measure(model)
    known = sg.Problem.of({"model": "logistic_regression", "X": X, "y": y, "ridge": 1}).examples
    assert found.mode == pytest.approx(np.array(known.mode, float), abs=1e-7)
    assert pytest.approx(np.array(known.A, float), rel=1e-6) == found.A
    assert pytest.approx(known.noise, rel=1e-6) == found.C
    assert (found.A_error, found.C_error) == (0, 0)


def test_the_posterior_is_where_third_derivatives_say():
    """Against quadrature on a grid: the mean's shift, to first order in 1/N."""
    X, y, model = logistic(60)
    found = measure(model)
    deviations, axes = found.axes
    grid = np.linspace(-6, 6, 121)
    u, v = np.meshgrid(grid, grid, indexing="ij")
    points = np.stack([u.ravel(), v.ravel()], 1)
    theta = found.mode + (points * deviations) @ axes.T
    loss = np.logaddexp(0, -y * (theta @ X.T)).sum(axis=1) + (theta**2).sum(axis=1) / 2
    weights = np.exp(loss.min() - loss)
    mean = weights @ points / weights.sum()
    assert found.shift == pytest.approx(mean, abs=0.2 * np.abs(mean).max())
    assert np.abs(found.shift).max() > 0.05


def test_fewer_examples_leave_an_error_that_covers_the_truth():
    _, _, model = logistic()
    whole = measure(model)
    for seed in range(3):
        part = measure(model, seen=100, seed=seed)
        off = np.linalg.norm(part.C - whole.C) / np.linalg.norm(whole.C)
        assert part.C_error > 0
        assert off < 4 * part.C_error
        assert part.A_error > 0


def test_a_quadratic_has_nothing_beyond():
    _, _, model = logistic()
    A = np.diag([2.0, 3.0])
    straight = UserModel(lambda w, which: np.tile(A @ (w - 1), (len(which), 1)), model.N, np.zeros(2))
    found = measure(straight)
    assert np.abs(found.shift).max() < 1e-6
    assert np.abs(found.change).max() < 1e-6
    assert sg.law("sgd", found.problem(4, {"eps": "1/10"})).stable


def test_what_has_no_mode_or_is_too_large_is_one_line():
    away = UserModel(lambda w, which: -np.tile(w + 1, (len(which), 1)), 9, np.zeros(2))
    with pytest.raises(sg.UnusableInput, match="positive in every direction"):
        measure(away)
    with pytest.raises(sg.UnusableInput, match="at most 600"):
        measure(UserModel(lambda w, which: w, 9, np.zeros(601)))
    with pytest.raises(sg.UnusableInput, match="two examples"):
        measure(logistic()[2], seen=1)


@pytest.mark.strong
def test_a_pytorch_module_is_the_same_model():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    X, y, model = logistic(100)
    module = torch.nn.Linear(2, 1, bias=False)
    soft = torch.nn.functional.softplus
    made = torch_model(module, lambda out, label: soft(-label * out[0]), X, y.astype(float), ridge=1.0)
    where = np.array([0.3, -0.2])
    assert made.gradients(where, np.arange(7)) == pytest.approx(model.gradients(where, np.arange(7)))
    assert pytest.approx(measure(model).A, rel=1e-5) == measure(made).A


@pytest.mark.strong
def test_a_log_density_in_jax_is_the_same_model():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    X, y, model = logistic(100)
    made = jax_model(
        lambda w, x, label: -jax.nn.softplus(-label * (x @ w)),
        np.zeros(2),
        X,
        y.astype(float),
        log_prior=lambda w: -(w**2).sum() / 2,
    )
    where = np.array([0.3, -0.2])
    assert made.gradients(where, np.arange(7)) == pytest.approx(model.gradients(where, np.arange(7)))
