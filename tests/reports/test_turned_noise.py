"""Noise that is turned against a curvature keeps its rank, exactly."""

from fractions import Fraction

import numpy as np
import pytest

from reports.pages.difference import _turned
from sgtheory.problem import Problem


@pytest.mark.parametrize(
    "noise", [[[1, 1], [1, 1]], [[0, 0], [0, 0]], [[3, 1], [1, 2]], [["1/3", 0], [0, 0]]]
)
def test_noise_of_any_rank_may_be_turned(noise):
    content = {"hessian": [[2, 1], [1, 3]], "noise": noise, "N": 10, "S": 1, "params": {"eps": "1/9"}}
    before = np.linalg.eigvalsh([[float(Fraction(x)) for x in row] for row in noise])
    for angle in (0, 7.3, 45, 89.99, 90):
        problem = Problem.of(_turned(content, angle))  # which refuses what is indefinite
        turned = np.array(problem.matrices["C"], float)
        assert np.linalg.eigvalsh(turned) == pytest.approx(before, abs=1e-12)
        if angle == 45:
            assert turned[0, 0] == pytest.approx(turned[1, 1], rel=1e-9)
