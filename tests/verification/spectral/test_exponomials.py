"""Sums of exponentials of rational numbers: equality, integrals, signs."""

from fractions import Fraction

import mpmath
import pytest

from verification.spectral.exponomials import Exponomial

ONE, X = Exponomial.of(1), Exponomial.letter("x")


def number(text):
    return Exponomial.of(Fraction(text))


def test_equal_only_where_every_exponential_has_the_same_factor():
    assert number("1/2").exp() * number("1/3").exp() == number("5/6").exp()
    assert number(1).exp() - number("1000001/1000000").exp()
    assert not number(1).exp() - number(1).exp()


def test_an_integral_against_quadrature():
    integrand = X * X * (number("-3/2") * X).exp() + X
    exact = integrand.integral("x", number(0), number(2)).decimal(40)
    with mpmath.workdps(40):
        near = mpmath.quad(lambda x: x * x * mpmath.exp(-1.5 * x) + x, [0, 1, 2])
        assert abs(exact - near) < mpmath.mpf("1e-30")


def test_an_improper_integral_needs_decay():
    assert (number(-2) * X).exp().integral("x", number(0), None) == number("1/2")
    with pytest.raises(ZeroDivisionError):
        (number(2) * X).exp().integral("x", number(0), None)


def test_a_derivative_undoes_an_integral():
    f = X.power(3) * (number("1/4") * X).exp()
    upper = f.integral("x", number(0), Exponomial.letter("y"))
    assert upper.derivative("y") == f.at("x", Exponomial.letter("y"))


def test_signs_are_seen_beyond_double_precision():
    small = number("1/1000000000000").exp() - ONE - number("1/1000000000000")
    assert small.sign() == 1
    assert (-small).sign() == -1
    assert (small - small).sign() == 0


def test_letters_have_no_sign():
    with pytest.raises(TypeError):
        X.sign()
