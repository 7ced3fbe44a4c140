"""Local learning coefficients of singular losses: known answers, other integrals, plain chains."""

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

from sgtheory import learning_coefficient
from sgtheory.errors import UnusableInput
from sgtheory.operator import local_coefficient

EXAMPLE = Path(__file__).parents[2] / "examples" / "learning_coefficient" / "singular.py"


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_power_has_its_coefficient_at_every_temperature(k):
    for nbeta in (3, 1000):
        found = local_coefficient(f"w1**{2 * k}", nbeta=nbeta, eps=2e-2 / nbeta)
        assert found.localised == pytest.approx(1 / (2 * k), rel=2e-5)
        assert found.settled == pytest.approx(1 / (2 * k), rel=5e-2)


def crossing(nbeta, gamma):
    """Of (w1 w2)^2: along w1 the other letter is normal, so one integral is left."""

    def density(w):
        return np.exp(-gamma * w * w / 2) / np.sqrt(gamma + 2 * nbeta * w * w)

    far = np.sqrt(80 / gamma)
    near = [0.0, *(far * 10.0 ** np.arange(-6, 1))]

    def integral(f):
        return sum(quad(f, a, b)[0] for a, b in pairwise(near))

    over = integral(lambda w: density(w) * nbeta * w * w / (gamma + 2 * nbeta * w * w))
    return over / integral(density)


def test_valleys_that_cross_are_integrated_right():
    found = local_coefficient("(w1*w2)**2", nbeta=50, eps=1e-2, gamma=5).localised
    assert found == pytest.approx(crossing(50, 5.0), rel=1e-6)
    assert found < crossing(1e4, 1.0) < 0.5


def test_a_quadratic_is_as_in_closed_form():
    found = local_coefficient("w1**2 + 3*w2**2/2", nbeta=50, eps=2e-3, gamma=1, noise=0.05)
    problem = {
        "hessian": [[2, 0], [0, 3]], "noise": [[1, 0], [0, 1]], "N": 50, "S": 20,
        "params": {"eps": "1/500", "beta": 1, "gamma": 1},
    }  # fmt: skip
    told = learning_coefficient("local_sgld", problem, draws=1)
    assert found.localised == pytest.approx(told.localised, rel=1e-6)
    assert found.settled == pytest.approx(told.settled, rel=1e-5)


def test_the_bias_of_a_step_is_of_first_order():
    biases = [local_coefficient("w1**4", nbeta=100, eps=e).settled - 0.25 for e in (2e-3, 1e-3, 5e-4)]
    ratios = np.divide(biases[:-1], biases[1:])
    assert ratios == pytest.approx([2, 2], abs=0.1)


@pytest.mark.strong
def test_five_losses_are_measured_as_foretold():
    spec = importlib.util.spec_from_file_location("singular", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = list(example.rows(steps=(2e-3,)))
    assert len(found) == 5
    for text, _truth, _eps, _localised, settled, error, mean, spread, away in found:
        assert abs(mean - settled) < 4 * np.hypot(spread, error), text
        assert away == 0


def test_an_ensemble_where_there_are_many_letters():
    found = local_coefficient("w1**2 + w2**2 + w3**2", nbeta=10, eps=1e-3)
    assert found.route == "ensemble"
    assert abs(found.settled - 1.5 * (1 / (1 - 1e-3 * 10 / 2))) < 4 * found.error


@pytest.mark.parametrize(
    ("loss", "how"),
    [("w1**2 - 1", {}), ("w1", {}), ("x", {}), ("3", {}), ("(w1*w2)**2", {}), ("w1**4", {"eps": 0}),
     ("w1**4", {"eps": 10}), ("w1**4", {"nbeta": float("nan")}), ("import os", {})],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(loss, how):
    with pytest.raises(UnusableInput) as caught:
        local_coefficient(loss, **{"nbeta": 100, "eps": 1e-3} | how)
    assert "\n" not in str(caught.value)
