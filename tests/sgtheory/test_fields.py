"""Exact arithmetic against fractions, and roots of polynomials against NumPy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sgtheory.independent.fields import Dual, Itself, inverse, multiply, residue
from sgtheory.independent.roots import characteristic, hurwitz_stable, schur_stable

fractions = st.fractions(min_value=-5, max_value=5, max_denominator=12)


def test_a_pole_is_an_error():
    with pytest.raises(ZeroDivisionError):
        residue(0) ** -1
    with pytest.raises(TypeError):
        Itself(residue(2)) ** 3


@given(x=fractions, dx=fractions)
def test_dual_numbers_differentiate(x, dx):
    assume(x != 0)
    z = Dual(x, dx)
    assert (z * z + z).slope == (2 * x + 1) * dx
    assert (z**-1).slope == -dx / x**2
    assert (z**3).slope == 3 * x**2 * dx


@given(m=st.lists(st.lists(fractions, min_size=3, max_size=3), min_size=3, max_size=3))
def test_inverses(m):
    assume(abs(np.linalg.det(np.array(m, float))) > 1e-6)
    one = [[Fraction(int(i == j)) for j in range(3)] for i in range(3)]
    assert multiply(m, inverse(m)) == one


@given(m=st.lists(st.lists(fractions, min_size=3, max_size=3), min_size=3, max_size=3))
def test_where_eigenvalues_lie(m):
    values = np.linalg.eigvals(np.array(m, float))
    polynomial = characteristic(m)
    np.testing.assert_allclose(np.poly(np.array(m, float)), [float(c) for c in polynomial], atol=1e-8)
    if abs(max(abs(values)) - 1) > 1e-6:
        assert schur_stable(polynomial) == (max(abs(values)) < 1)
    if abs(max(values.real)) > 1e-6:
        assert hurwitz_stable(polynomial) == (max(values.real) < 0)
