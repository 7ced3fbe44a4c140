"""Strategies keep what they promise, on every example, and shrink to known smallest ones."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtheory import Problem, registry
from sgtheory.errors import UnusableInput
from sgtheory.hypothesis_types import register
from sgtheory.numbers.numeric import law
from sgtheory.setting import Setting
from tests.sgtheory.scanning import affine
from verification import strategies
from verification.laws.rational import law_numbers
from verification.strategies import minimal
from verification.strategies.steps import limit, radius

ROUNDING = 1e-9
DIMENSIONS = st.integers(1, 4)
ONE = [[1]]
SIMPLE = Problem.of({"hessian": ONE, "noise": ONE, "N": 1, "S": 1, "params": {"mu": "1/2"}})


def floats(m):
    return np.array([[float(x) for x in row] for row in m])


def whole(m):
    return floats(m).astype(int).tolist()


def condition(m):
    eigenvalues = np.linalg.eigvalsh(floats(m))
    return eigenvalues[-1] / eigenvalues[0]


def commute(a, b):
    n = range(len(a))
    left, right = (
        [[sum(x[i][k] * y[k][j] for k in n) for j in n] for i in n] for x, y in ((a, b), (b, a))
    )
    return left == right


@given(st.data(), DIMENSIONS, st.sampled_from([1, Fraction(3, 2), 10, 10**4]))
def test_condition_numbers_are_bounded(data, d, most):
    for m in (
        data.draw(strategies.spd(d, most)),
        data.draw(strategies.gains(d, most, diagonal=True)),
        data.draw(strategies.spd_floats(d, float(most))),
        *data.draw(strategies.commuting_pairs(d, most)),
        *(data.draw(strategies.noncommuting_pairs(d, most)) if d > 1 and most > 1 else ()),
    ):
        assert np.linalg.eigvalsh(floats(m))[0] > 0
        assert condition(m) <= float(most) * (1 + ROUNDING)


def test_the_bound_on_a_condition_number_is_reached_and_not_only_kept():
    found = minimal(strategies.spd(2, 100), lambda m: condition(m) > 99.99)
    assert condition(found) == pytest.approx(100)
    assert minimal(strategies.spd_floats(2, 100.0), lambda m: condition(m) > 99) is not None


@given(st.data(), DIMENSIONS)
def test_pairs_commute_or_do_not(data, d):
    assert commute(*data.draw(strategies.commuting_pairs(d)))
    if d > 1:
        assert not commute(*data.draw(strategies.noncommuting_pairs(d)))


@given(st.data(), DIMENSIONS)
def test_noise_has_the_rank_that_is_asked(data, d):
    rank = data.draw(st.integers(0, d))
    C = floats(data.draw(strategies.noises(d, rank)))
    assert np.linalg.matrix_rank(C) == rank
    assert np.linalg.eigvalsh(C)[0] > -ROUNDING


@given(st.data(), st.integers(1, 12))
def test_rationals_are_bounded(data, height):
    bounds = {"least": Fraction(1, 3), "most": 2} if height > 2 else {}
    x = data.draw(strategies.rationals(height, **bounds))
    assert max(abs(x.numerator), x.denominator) <= height
    assert not bounds or Fraction(1, 3) <= x <= 2


@pytest.mark.parametrize(
    ("strategy", "wanted", "smallest"),
    [
        (strategies.spd(3), lambda m: True, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        (strategies.spd(2), lambda m: m[0][1] < 0, [[2, -1], [-1, 2]]),
        (strategies.spd(2), lambda m: condition(m) > 1, [[1, 0], [0, 2]]),
        (strategies.noises(2, 1), lambda m: True, [[1, 0], [0, 0]]),
        (strategies.noises(2), lambda m: m[0][1] > 0, [[1, 1], [1, 2]]),
        (strategies.gains(2, diagonal=True), lambda m: m[1][1] > 2, [[1, 0], [0, 3]]),
        (strategies.spd_floats(2), lambda m: True, [[1, 0], [0, 1]]),
    ],
)
def test_matrices_shrink_to_the_smallest(strategy, wanted, smallest):
    assert whole(minimal(strategy, wanted)) == smallest


def test_the_smallest_pair_that_does_not_commute():
    assert [whole(m) for m in minimal(strategies.noncommuting_pairs(2), lambda p: True)] == [
        [[1, 0], [0, 2]],
        [[2, 1], [1, 2]],
    ]


def test_numbers_shrink_to_the_smallest():
    assert minimal(strategies.rationals(9), lambda x: x > Fraction(5, 2)) == 3
    assert minimal(strategies.rationals(9), lambda x: 0 < x < 1) == Fraction(1, 2)
    assert minimal(strategies.batch_sizes(40), lambda S: S > 6) == 7


@pytest.mark.strong
def test_whole_problems_shrink_to_the_smallest():
    one = minimal(strategies.problems("momentum"), lambda p: True).to_json()
    assert (one["hessian"], one["noise"], one["N"], one["S"]) == (ONE, ONE, 1, 1)
    assert one["params"] == {"mu": 1, "eps": "1/2"}
    three = minimal(strategies.problems("sgd", dims=(3, 5)), lambda p: p.sizes["N"] > 9).to_json()
    assert (three["hessian"], three["noise"], three["N"]) == (np.eye(3).tolist(), np.eye(3).tolist(), 10)
    pair = minimal(strategies.problems("sgd", pair="noncommuting"), lambda p: True).to_json()
    assert (pair["hessian"], pair["noise"]) == ([[1, 0], [0, 2]], [[2, 1], [1, 2]])


@pytest.mark.parametrize("name", [*affine(), "underdamped:BAO"])
def test_problems_suit_their_sampler(name):
    for problem in strategies.drawn(strategies.problems(name, dims=(1, 3)), 3, seed=1):
        assert radius(name, problem) < 1
        found = law(name, problem, at=3)
        assert all(np.isfinite(block).all() for block in found.covariance.values())
        assert Problem.of(problem.to_json()) == problem


def test_a_step_beyond_the_limit_is_unstable():
    for name in ("sgd", "momentum", "nesterov"):
        beyond = SIMPLE.with_params(eps=Fraction(limit(name, SIMPLE) * 1.0001))
        assert radius(name, beyond) > 1


@settings(max_examples=12)
@given(st.data(), st.sampled_from(["sgd", "momentum", "nesterov", "sgld"]))
def test_exact_elimination_agrees_that_steps_are_stable(data, name):
    problem = data.draw(strategies.rational_problems(name))
    setting = Setting(registry.sampler(name), registry.model("quadratic"))
    assert law_numbers(setting, problem, "discrete") is not None


@settings(max_examples=12)
@given(st.data(), st.sampled_from([0, 0.5, 0.9, 0.999]))
def test_nearly_unstable_steps_are_nearly_unstable(data, least):
    for name in ("sgd", "nesterov", "underdamped:BAO"):
        problem = data.draw(strategies.problems(name, dims=(1, 3), radius=least))
        assert least - ROUNDING <= radius(name, problem) < 1


@settings(max_examples=10)
@given(strategies.regressions("momentum"))
def test_regressions_settle_in_second_moments(problem):
    assert law("momentum", problem).stable


def test_what_cannot_be_is_refused():
    for wrong in (
        lambda: strategies.noncommuting_pairs(1),
        lambda: strategies.noncommuting_pairs(2, 1),
        lambda: strategies.spd(2, Fraction(1, 2)),
        lambda: strategies.noises(2, 3),
        lambda: strategies.rationals(3, least=Fraction(4, 5), most=Fraction(9, 10)),
        lambda: strategies.problems("sgd", pair="both"),
        lambda: strategies.problems("sgd", pair="commuting", rank=1),
        lambda: strategies.problems("averaged_sgd", radius=0.9),
    ):
        with pytest.raises(UnusableInput):
            strategies.drawn(wrong(), 1, seed=0)


def test_hypothesis_draws_problems_by_their_type():
    register()
    assert isinstance(minimal(st.from_type(Problem), lambda p: True), Problem)


def test_a_batch_is_the_same_for_the_same_seed():
    one, two, other = (strategies.drawn(strategies.problems("sgd"), 12, seed) for seed in (5, 5, 6))
    assert one == two != other
    first_wanted = next(p for p in one if p.D > 2)
    seen = []
    minimal(strategies.problems("sgd"), lambda p: seen.append(p) or p.D > 2, 12, 5)
    assert first_wanted in seen
    assert seen[: one.index(first_wanted) + 1] == one[: one.index(first_wanted) + 1]
