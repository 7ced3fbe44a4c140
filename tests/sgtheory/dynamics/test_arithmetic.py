"""Exact numbers with roots, and polynomials in small increments, against SymPy."""

import math
import random
from fractions import Fraction

import pytest
import sympy as sp

from sgtheory.dynamics.surds import Surd, root
from sgtheory.dynamics.taylor import Exactly, Taylor, approximate_exp, approximate_root
from sgtheory.dynamics.walking import NoRule, walk

x, y = sp.symbols("x y", real=True)
U = sp.Function("U")


def a_surd(source):
    return sum(
        (Fraction(source.randrange(-5, 6), 3) * root(Fraction(n)) for n in (2, 3, 6, 10)), Fraction(1)
    )


@pytest.mark.parametrize("seed", range(8))
def test_surds_are_a_field(seed):
    source = random.Random(seed)
    a, b = a_surd(source), a_surd(source)
    assert a * a**-1 == 1
    assert (a + b) * (a - b) == a * a - b * b
    assert math.isclose(float(a * b), float(a) * float(b), rel_tol=1e-9, abs_tol=1e-9)
    assert a * b != a * b + root(Fraction(2))


def test_roots():
    assert root(Fraction(0)) == 0
    assert root(Fraction(9, 4)) == Fraction(3, 2)
    assert root(Fraction(8, 9)) == root(Fraction(2)) * Fraction(2, 3)
    assert isinstance(root(Fraction(5)), Surd)
    with pytest.raises(TypeError):
        root(Fraction(-1))


@pytest.mark.parametrize(
    "expr",
    [
        x**3 * y - 2 * x / (1 + y**2),
        sp.sqrt(4 + x * y) / (2 + x),
        sp.exp(x * y - 6) * x,
        sp.log(x - y) + U(x).diff(x) * U(x * y),
        sp.Subs(U(x).diff(x, 2), x, x + y**2),
    ],
)
def test_derivatives_are_those_of_sympy(expr):
    quartic = {(2,): Fraction(1, 3), (4,): Fraction(-2)}
    shown = sp.Lambda(x, x**2 / 3 - 2 * x**4)
    at = {x: Fraction(3), y: Fraction(2)}
    local = {s: Taylor.variable(k, at[s], 2, 3) for k, s in enumerate((x, y))}
    if expr.has(sp.sqrt(4 + x * y)):
        at = {x: Fraction(6), y: Fraction(2)}  # where the root is rational
        local = {s: Taylor.variable(k, at[s], 2, 3) for k, s in enumerate((x, y))}
    series = walk(expr, Exactly(local, {"U": quartic}))
    plain = expr.replace(U, shown).doit()
    for i, j in ((0, 1), (1, 0), (1, 1), (2, 1), (0, 3)):
        derivative = plain.diff(*([x] * i), *([y] * j)) if i + j else plain
        wanted = sp.nsimplify(derivative.subs({x: at[x].numerator, y: at[y].numerator}))
        found = series.terms.get((i, j), Fraction(0)) * math.factorial(i) * math.factorial(j)
        assert sp.Rational(found.numerator, found.denominator) == wanted


def test_approximate_numbers_are_as_good_as_they_say():
    assert abs(approximate_root(Fraction(2), 50) ** 2 - 2) < Fraction(1, 10**49)
    e, back = approximate_exp(Fraction(3), 40), approximate_exp(Fraction(-3), 40)
    assert abs(e * back - 1) < Fraction(1, 10**38)
    assert abs(float(e) - math.exp(3)) < 1e-12


def test_what_has_no_rule_is_refused():
    with pytest.raises(NoRule):
        walk(sp.sin(x), Exactly({x: Fraction(1)}))
    with pytest.raises(TypeError):
        walk(sp.exp(x), Exactly({x: Fraction(1)}))
