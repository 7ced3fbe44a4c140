"""Signs of what depends on one product of letters: against many numbers, and where they end."""

from __future__ import annotations

import random

import pytest
import sympy as sp

from verification.theories.one_product import ends, nowhere_negative

h, a, c = sp.symbols("h a c", positive=True)
_TWO = (h * a, sp.Integer(2), False)
_VAR = 2 / (a * (2 - a * h))
EXPRESSIONS = [
    1 - a * h,
    c * (1 - a * h) / (a * (2 - a * h)),
    (1 - a * h) ** 2,
    (3 - 2 * a * h) * (1 - a * h) ** 2,
    (1 - a * h) * (3 - 2 * a * h),
    h * sp.sqrt(a) / 2 + 1 / sp.sqrt(a) - sp.sqrt(_VAR),
    h * sp.sqrt(a) + 1 / sp.sqrt(a) - sp.sqrt(_VAR),
    sp.sqrt(_VAR) - 1 / sp.sqrt(a) - h * sp.sqrt(a) / 4,
    c / (1 - a * h),
    sp.sqrt(h / a) - h / 2,
    a**2 * h**2 - 3 * a * h + sp.Rational(7, 4),
]


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=str)
@pytest.mark.parametrize("top", [sp.Rational(1, 2), sp.Integer(1), sp.sqrt(5) - 1, sp.Rational(7, 5)])
@pytest.mark.parametrize("strictly", [False, True])
def test_as_many_places_say(expr, top, strictly):
    """What is proved holds everywhere; what is not fails somewhere, touches zero or has a pole."""
    said = nowhere_negative(expr, [(h * a, top, True), _TWO], strictly)
    source, low = random.Random(3), sp.oo
    for k in range(1, 201):
        share = sp.Rational(k, 200)
        there = {h: top * share / 3, a: sp.Integer(3), c: sp.Rational(source.randint(1, 40), 7)}
        value = sp.N(expr.subs(there), 30)
        low = min(low, value) if value.is_extended_real and value.is_finite else -sp.oo
    if said:
        assert low >= -1e-25
        assert not (strictly and low <= 1e-25)
    else:
        at_pole = expr.has(1 / (1 - a * h)) and top >= 1
        assert low < (1e-3 if strictly else -1e-12) or at_pole or (strictly and low < 1e-3)


def test_what_depends_on_two_products_is_left_open():
    assert not nowhere_negative(1 + c - a * h, [(h * a, sp.Integer(1), True)])
    assert not [*ends(1 + c - a * h, [])]


def test_the_end_is_exact():
    rest = EXPRESSIONS[5]
    assert [*ends(rest, [_TWO])] == [(a * h, True, sp.sqrt(5) - 1)]
    inside, outside = ({h: (sp.sqrt(5) - 1) * x, a: 1} for x in (0.999, 1.001))
    assert rest.subs(inside).evalf() > 0 > rest.subs(outside).evalf()
    assert not [*ends((1 - a * h) * (3 - 2 * a * h), [_TWO])]  # between two roots alone it fails
    assert not [*ends(1 / (1 - a * h), [])]  # a pole is no end
