"""Data that a model draws: what least squares leaves over, moments of normal vectors; true and wrong."""

import numpy as np
import pytest
import sympy as sp

from sgtheory.notation.matrixwords import Trace
from verification.notation import D, N
from verification.refuter.script import run
from verification.statements import Equal, claim
from verification.terms.batchwords import (
    Average,
    FixedColumn,
    FixedSquare,
    Inner,
    OverNoise,
    columns,
    numbers,
    outer,
    total,
)

x, w, z = columns("x"), columns("w"), numbers("z")
sigma = sp.Symbol("sigma", positive=True)
truth, G = FixedColumn("theta_0", commutative=False), FixedSquare("G", commutative=False)
y = Inner(x, truth) + sigma * z
FITTED = Average(outer(x)) ** -1 * Average(y * x)  # by least squares
DRAWN = G * w  # normal about zero, with covariance G^2


def stated(left, right):
    return claim("fresh", at="here", title="T", read=Equal(left, right))


TRUE = {
    "residual sum of squares": (OverNoise(total((Inner(x, FITTED) - y) ** 2), z), (N - D) * sigma**2),
    "least squares is unbiased": (OverNoise(FITTED, z), truth),
    "its covariance": (
        OverNoise(outer(FITTED), z) - outer(truth), sigma**2 / N * Average(outer(x)) ** -1
    ),
    "covariance of normal vectors": (OverNoise(Average(outer(DRAWN)), w), G * G),
    "spread of their mean": (OverNoise(outer(Average(DRAWN)), w), G * G / N),
    "their fourth moment": (
        OverNoise(Average(Inner(DRAWN, DRAWN) ** 2), w), Trace(G * G) ** 2 + 2 * Trace(G * G * G * G)
    ),
}  # fmt: skip
WRONG = {
    "residual sum of squares, by examples": (TRUE["residual sum of squares"][0], N * sigma**2),
    "the mean of normal vectors is as spread": (TRUE["spread of their mean"][0], G * G),
    "a fourth moment as if by chance": (TRUE["their fourth moment"][0], Trace(G * G) ** 2),
}


@pytest.mark.parametrize("sentence", TRUE)
def test_what_is_true_is_proved_for_all_data(sentence):
    finding = stated(*TRUE[sentence]).find()
    assert finding.verdict == "proved"


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_refuted_and_a_script_agrees(sentence):
    finding = stated(*WRONG[sentence]).find()
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_corruptions_of_the_residuals_are_rejected():
    one = stated(*TRUE["residual sum of squares"])
    twins = one.twins(one.find())
    assert twins.tried >= 20
    assert twins.survivors == ()


def test_what_mends_it_is_a_factor_of_the_dimension():
    finding = stated(*WRONG["residual sum of squares, by examples"]).find()
    assert finding.corrected.verdict == "proved"
    assert finding.corrected.text.endswith("= -sigma**2*(D - N)")


def test_by_a_projection_in_floating_point():
    """The residuals are the noise, projected onto what the columns of X leave: N - D dimensions."""
    X = np.random.default_rng(1).normal(size=(7, 3))
    left = np.eye(7) - X @ np.linalg.solve(X.T @ X, X.T)
    assert np.isclose(np.trace(left @ left.T), 7 - 3)
