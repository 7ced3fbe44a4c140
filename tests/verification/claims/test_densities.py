"""Expansions in a step, integrals over normal letters, and descent."""

import numpy as np
import pytest
import sympy as sp

from sgtheory.errors import UnusableInput
from verification.refuter.script import run
from verification.terms.normal_integrals import integral_over, mean_under

COMMON = {"key": "fresh", "at": "here", "title": "T", "says": "S.", "paper": "test"}
x, y, u, alpha, zeta = sp.symbols("x y u alpha zeta", real=True)
a, b, c, h, s = sp.symbols("a b c h s", positive=True)
f = sp.Function("f")
M = sp.Function("M", positive=True)(x)


def decided(claim, verdict):
    """The verdict, with its twins or its script, which has to decide the same."""
    finding = claim.find()
    assert finding.verdict == verdict
    twins = claim.twins(finding)
    assert twins.survivors == ()
    if verdict == "proved":
        assert twins.rejected == twins.tried > 0
    else:
        assert run(finding.counterexample.script) is False
    return finding


def test_integrals_agree_with_a_sum_over_a_grid():
    grid = np.linspace(-12, 12, 801)
    one, two = np.meshgrid(grid, grid)
    form = -(x**2) - x * u / 2 - u**2 + x / 3
    weight = np.exp(-(one**2) - one * two / 2 - two**2 + one / 3)
    width = (grid[1] - grid[0]) ** 2
    assert float(integral_over(form, (x, u))) == pytest.approx(weight.sum() * width, rel=1e-10)
    mean = (weight * one * two).sum() / weight.sum()
    assert float(mean_under(form, (x, u), x * u)) == pytest.approx(mean, rel=1e-10)
    with pytest.raises(UnusableInput, match="quadratic in x"):
        integral_over(-(x**4), (x,))
