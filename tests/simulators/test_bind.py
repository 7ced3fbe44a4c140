"""Numbers: rounded once, factors exact, missing ones named."""

from fractions import Fraction

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from simulators.bind import bind, factor_of, product, root
from simulators.lower import lower


def test_a_scalar_is_rounded_once(tools):
    b = bind(lower(tools.setting("lmc")), tools.values(1, gamma=Fraction(1, 3)), "float32")
    scalar = next(c for c in b.program.constants if c.shape == "scalar")
    assert str(scalar.expression) == "sqrt(2)*sqrt(gamma)"
    assert b.constant(scalar.name) == np.float32(np.sqrt(2 / 3))
    assert b.recorded()[f"{scalar.name} = sqrt(2)*sqrt(gamma)"] == float(np.float32(np.sqrt(2 / 3)))


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_a_factor_gives_its_covariance_and_no_noise_beyond_it(rank):
    half = np.arange(1.0, 4 * rank + 1).reshape(4, rank) ** 0.5
    covariance = half @ half.T
    factor = factor_of(covariance)
    # elimination loses at most a few roundings of the largest entry per column
    assert np.abs(factor @ factor.T - covariance).max() < 8 * np.finfo(float).eps * covariance.max()
    assert (np.abs(factor).max(axis=0) > 0).sum() == np.linalg.matrix_rank(covariance)


def test_a_wrong_factor_would_be_noticed():
    covariance = np.array([[2.0, 1.0], [1.0, 2.0]])
    wrong = factor_of(covariance).T
    assert np.abs(wrong @ wrong.T - covariance).max() > 0.1


def test_product_and_root():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 5, 5))
    assert np.allclose(product(a, b), a @ b, rtol=0, atol=1e-14 * 5)
    square = a @ a.T
    assert np.allclose(root(square) @ root(square), square, rtol=0, atol=1e-12)


def test_a_missing_number_is_named(tools):
    numbers = tools.values(1)
    without = type(numbers)(1, {"S": Fraction(1)}, numbers.matrices, {})
    with pytest.raises(UnusableInput, match="eps"):
        bind(lower(tools.setting("sgd")), without)


def test_a_missing_matrix_is_named(tools):
    numbers = tools.values(1)
    without = type(numbers)(1, numbers.scalars, {"A": ((1,),), "H": ((1,),)}, {})
    with pytest.raises(UnusableInput, match="B"):
        bind(lower(tools.setting("sgd")), without)


def test_the_schedule_is_the_formula(tools):
    b = tools.bound(tools.annealed, 1, "float64")
    table = b.schedule(5, 4)
    names = {n: table[:, k] for k, n in enumerate(b.program.scheduled)}
    power = next(i.result for i in b.program.schedule if i.op == "pow")
    truth = next(i.result for i in b.program.schedule if i.op == "less")
    assert np.allclose(names[power], (np.arange(5, 9) + 1.0) ** (-1 / 3), rtol=1e-15)
    assert names[truth].tolist() == [1.0, 1.0, 0.0, 0.0]
