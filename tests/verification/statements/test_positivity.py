"""Certificates that a rational function is not negative, and refusals where it is."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from verification.theories.positivity import nowhere_negative, sum_of_squares

x, y, z = sp.symbols("x y z", positive=True)


@pytest.mark.parametrize(
    ("expr", "kind"),
    [
        (1 / (x + y) - 1 / (x + 2 * y), "coefficients"),
        (x**2 - x + 1, "coefficients"),
        (x**4 - x + sp.Rational(1, 2), "roots"),
        ((x - 1) ** 2 * (x - 2) ** 2, "roots"),
        ((x + y) / 2 - 2 * x * y / (x + y), "squares"),
        (x**2 + y**2 + z**2 - x * y - y * z - z * x, "squares"),
        (x**3 + y**3 + z**3 - 3 * x * y * z, "squares"),
    ],
)
def test_certificates(expr, kind):
    certificate = nowhere_negative(expr)
    assert certificate is not None
    assert certificate.kind == kind
    assert certificate.rechecked(seed=2)


@pytest.mark.parametrize(
    "expr",
    [
        x - 1,
        (x - 1) * (x - 2),
        x**2 - 2 * x + sp.Rational(99, 100),
        x**2 + y**2 - sp.Rational(21, 10) * x * y,
        1 / (x - 1),  # a pole: no sign can be read off
    ],
)
def test_nothing_is_certified_that_is_negative_somewhere(expr):
    assert nowhere_negative(expr) is None


def test_a_wrong_identity_does_not_pass_the_second_look():
    certificate = nowhere_negative((x - y) ** 2)
    left, right = certificate.identity
    assert not replace(certificate, identity=(left, right + x)).rechecked()
    assert not replace(certificate, expr=x - 1, identity=(x, x)).rechecked()


@given(st.lists(st.integers(-3, 3), min_size=6, max_size=6))
def test_sums_of_squares_are_found_and_are_exact(numbers):
    a, b, c, d, e, f = numbers
    u, v = sp.symbols("u v", real=True)
    polynomial = sp.Poly((a * u + b * v + c) ** 2 + (d * u + e * v + f) ** 2 + u**2 + v**2 + 1, u, v)
    found = sum_of_squares(polynomial)
    assert found is not None
    assert all(Fraction(str(w)) > 0 for w, _ in found)
    assert sp.expand(sum(w * q**2 for w, q in found) - polynomial.as_expr()) == 0


@pytest.mark.parametrize(
    ("polynomial", "is_sum"),
    [
        ((x - y) ** 2 * (x - z) ** 2 + (y - 2 * z) ** 4, True),  # of one singular matrix only
        (x**2 - x + sp.Rational(1, 4), True),
        (x**4 * y**2 + x**2 * y**4 - 3 * x**2 * y**2 + 1, False),  # Motzkin's, nowhere negative
        (x**2 - x + sp.Rational(1, 5), False),
    ],
)
def test_what_is_on_the_border_is_told_from_what_is_beyond(polynomial, is_sum):
    assert (sum_of_squares(sp.Poly(polynomial)) is not None) == is_sum
