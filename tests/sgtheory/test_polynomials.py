"""Rational functions by FLINT are what SymPy makes of them, letter for letter."""

import random

import pytest
import sympy as sp

from sgtheory.polynomials import cancelled, factored, quotient

LETTERS = sp.symbols("a b x y lambda_i eps N S", positive=True)
a, b, x, y, *_ = LETTERS


def drawn(source, depth):
    """A formula made at random; divisions by zero are left out."""
    if depth == 0 or source.random() < 0.15:
        return source.choice(
            [*LETTERS, sp.Integer(source.randint(1, 4)), sp.Rational(source.randint(1, 5), 4)]
        )
    one, other = drawn(source, depth - 1), drawn(source, depth - 1)
    choices = [one + other, one - other, one * other, one if other == 0 else one / other]
    return source.choice([*choices, one if one == 0 else one ** source.choice([2, 3, -1])])


def formulas(count, depth=4):
    source = random.Random(7)
    found = (drawn(source, depth) for _ in range(count))
    return [e for e in found if not e.has(sp.zoo, sp.nan)]


@pytest.mark.parametrize("expr", formulas(60), ids=str)
def test_the_same_is_written_as_by_sympy(expr):
    assert (cancelled(expr), factored(expr)) == (sp.cancel(expr), sp.factor(expr))


@pytest.mark.strong
def test_the_same_is_written_as_by_sympy_many_times():
    for expr in formulas(600):
        assert (cancelled(expr), factored(expr)) == (sp.cancel(expr), sp.factor(expr)), expr


@pytest.mark.parametrize(
    "expr",
    [
        (sp.exp(-2 * x) - 1) / (sp.exp(-x) - 1),
        sp.exp(2 * a + b) - sp.exp(b),
        x ** (LETTERS[-1] + 1) - x ** LETTERS[-1],
        sp.Function("U")(x) * x + x,
        sp.sqrt(2) * a + a,
        sp.pi * a + a,
        0.5 * x + x,
        sp.I * x + x,
        sp.Symbol("A", commutative=False) * x + x,
    ],
    ids=str,
)
def test_other_letters_and_numbers(expr):
    assert (cancelled(expr), factored(expr)) == (sp.cancel(expr), sp.factor(expr))


def test_a_letter_is_the_power_of_its_root():
    assert cancelled((x - 1) / (sp.sqrt(x) - 1)) == sp.sqrt(x) + 1


def test_squares_do_not_count_for_a_sign():
    value = quotient((x - y) ** 2 * (x + y) / (a - b) ** 4)
    assert not value.is_plainly_positive
    assert value.without_squares().is_plainly_positive
    assert not quotient((x - y) ** 3).without_squares().is_plainly_positive


def test_a_letter_of_either_sign_is_not_plainly_positive():
    assert not quotient(sp.Symbol("z", real=True) + 1).is_plainly_positive


def test_division_by_zero_is_told():
    with pytest.raises(ZeroDivisionError):
        quotient(x / sp.Add(a, -a, evaluate=False))
