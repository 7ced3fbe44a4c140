"""A sketch of a large model beside its whole curvature and noise."""

import numpy as np
import pytest

import sgtheory as sg
from sgtheory.estimate import UserModel, sketch

D, N = 240, 500
RNG = np.random.default_rng(2)
TURN = np.linalg.qr(RNG.normal(size=(D, D)))[0]
X = (RNG.standard_t(6, size=(N, D)) * np.geomspace(3, 0.05, D)) @ TURN
Y = RNG.normal(size=N)


def gradients(w, which):
    return (X[which] @ w - Y[which])[:, None] * X[which] + w


MODEL = UserModel(gradients, N, np.linalg.solve(X.T @ X / N + np.eye(D), X.T @ Y / N))
A = X.T @ X / N + np.eye(D)
G = gradients(MODEL.start, np.arange(N))
C = G.T @ G / N


def test_the_top_of_the_spectrum_is_within_its_bounds():
    found = sketch(MODEL, top=12)
    exact = np.linalg.eigvalsh(A)[::-1]
    for value, bound in zip(found.eigenvalues, found.bounds, strict=True):
        assert np.abs(exact - value).min() <= bound + 1e-7 * exact[0]
    assert found.eigenvalues[:6] == pytest.approx(exact[:6], rel=1e-4)
    assert found.axes.T @ found.axes == pytest.approx(np.eye(12), abs=1e-9)
    assert found.noise == pytest.approx(found.axes.T @ C @ found.axes, rel=1e-9, abs=1e-12)
    assert found.smallest >= 1 - 1e-6


def test_what_is_left_is_told_within_its_errors():
    off = []
    for seed in range(12):
        found = sketch(MODEL, top=12, probes=10, seed=seed)
        left = D - 12
        rest = (np.trace(A) - np.trace(found.axes.T @ A @ found.axes)) / left
        off.append((found.rest[0] - rest) / found.rest[1])
        noise = (np.trace(C) - np.trace(found.noise)) / left
        assert found.rest_noise == (pytest.approx(noise, rel=1e-9), 0.0)
    assert np.mean(np.square(off)) < 3  # 12 of Student's law with 9 degrees of freedom: 1.3 +- 0.6
    P = np.eye(D) - found.axes @ found.axes.T
    spread = np.sqrt(left * np.sum((P @ A @ P) ** 2)) / np.trace(P @ A @ P)
    assert found.uneven == pytest.approx(np.sqrt(spread**2 - 1), rel=0.3)
    share = found.eigenvalues.sum() / np.trace(A)
    assert found.shares[0] == pytest.approx(share, rel=0.02)


def test_a_problem_of_it_has_the_laws_of_the_axes():
    found = sketch(MODEL, top=6)
    law = sg.law("sgd", found.problem(S=10, params={"eps": 0.02}))
    whole = {"hessian": A, "noise": C, "N": N, "S": 10, "params": {"eps": 0.02}}
    exact = sg.law("sgd", whole).covariance["theta", "theta"]
    along = np.diag(found.axes.T @ exact @ found.axes)
    assert np.diag(law.covariance["theta", "theta"])[:3] == pytest.approx(along[:3], rel=1e-3)


def test_what_a_problem_leaves_out_is_told():
    told = " ".join(sketch(MODEL, MODEL.start + 0.5, top=4, seen=100).left_out)
    for words in ("4 of 240 directions", "other 236", "100 of 500 examples", "not the mode"):
        assert words in told
    bent = UserModel(lambda w, which: gradients(w, which) - 3 * w, N, np.zeros(D))
    found = sketch(bent, top=4)
    assert "no minimum" in " ".join(found.left_out)
    with pytest.raises(sg.UnusableInput, match="curvatures above 0"):
        found.problem()


@pytest.mark.parametrize(
    "how", [{"top": 0}, {"top": D}, {"probes": 1}, {"seen": 1}, {"point": np.zeros(3)}, {"top": 30}]
)
def test_what_cannot_be_sketched_is_said(how):
    alike = UserModel(lambda w, which: np.outer(np.ones(len(which)), w), N, np.zeros(D))
    with pytest.raises(sg.UnusableInput):
        sketch(alike if how == {"top": 30} else MODEL, **how)
