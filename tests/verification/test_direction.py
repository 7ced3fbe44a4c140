"""Exact moments of two chains against the toolkit's own, and a square root between two fractions."""

from fractions import Fraction

import pytest

from sgtheory.problem import Problem
from sgtheory.wasserstein import DIFFUSION, bracket
from verification.laws.direction import AT_CENTRE, EQ5, Chain, Examples, after, root_between

F = Fraction
EXAMPLES = Examples((F(1), F(0)), ((F(1), F(1), 1), (F(4), F(0), 1), (F(1), F(-2), 1)), 1)
LINE = {"model": "linear_regression", "X": [[1], [2], [-1]], "y": [1, 0, 2], "ridge": 1, "S": 1}


@pytest.mark.parametrize("pair", [("lmc", "sgld"), ("sgldfp", "sgld"), ("lmc", DIFFUSION)], ids="-".join)
@pytest.mark.parametrize("at", [0, 5, None])
def test_moments_are_those_of_the_laws(pair, at):
    start = {"start": {"theta": [str(2 + EXAMPLES.mode)]}, "params": {"gamma": "1/40"}}
    wanted = bracket(*pair, Problem.of({**LINE, **start}), at=at)
    found = after((Chain(pair[0]), Chain(pair[1])), EXAMPLES, F(1, 40), (F(2), F(2)), at)
    assert float(found.least[0]) ** 0.5 == pytest.approx(wanted.lower, abs=1e-12)
    assert float(found.coupled) ** 0.5 == pytest.approx(wanted.upper, abs=1e-12)


@pytest.mark.parametrize("centre", [AT_CENTRE, EQ5])
def test_a_control_variate_off_the_mode_by_listing_examples(centre):
    h, gamma, x = F(1, 3), F(1, 40), F(2)
    chain = Chain("sgldfp", centre, h)
    found = after((chain, chain), EXAMPLES, gamma, (x, x), 1)
    moved = []
    for slope, _, _ in EXAMPLES.groups:
        drift = (1 + 3 * slope) * (x - h) + (EXAMPLES.curvature * h if centre == AT_CENTRE else 0)
        moved.append(x - gamma * drift)
    assert found.mx == sum(moved) / 3
    assert found.xx == sum(m * m for m in moved) / 3 + 2 * gamma
    settled = after((chain, chain), EXAMPLES, gamma, (x, x), None)
    assert settled.mx == (0 if centre == AT_CENTRE else h)


def test_an_unstable_step_has_no_law():
    assert after((Chain("sgld"), Chain("sgd")), EXAMPLES, F(1), (F(0), F(0)), None) is None


def test_roots_lie_between():
    for x in (F(2), F(1, 3), F(10**40 + 1), F(1, 10**40 + 1)):
        low, high = root_between(x)
        assert low**2 <= x <= high**2
        assert high - low < 10**-30 * low
