"""Residuals, relations and changes of variables, each with what they have to refuse."""

import pytest
import sympy as sp

from sgtheory.dynamics.change import affine_change, differences
from sgtheory.dynamics.coefficients import relations, vanishes
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput

x, y, v, w = sp.symbols("x y v w", real=True)
a, b, c, d = sp.symbols("a b c d", positive=True)
g = sp.Function("g")


@pytest.mark.strong
def test_the_residual_is_the_adjoint_of_the_generator():
    # integral of pi L f = integral of f L* pi, for a normal density and polynomial f
    process = Diffusion((x,), (-x + x**2 / 3,), ((1 + x**2,),))
    density = -(x**2) / 2
    weight = sp.exp(density)
    residual = process.residual(density)
    for f in (x, x**2, x**3 - x):
        left = sp.integrate(sp.expand(process.generator(f)) * weight, (x, -sp.oo, sp.oo))
        right = sp.integrate(sp.expand(f * residual) * weight, (x, -sp.oo, sp.oo))
        assert sp.simplify(left - right) == 0
        assert sp.simplify(left - 2 * right) != 0


def test_stratonovich_in_two_dimensions():
    turning = Diffusion((x, y), (0, 0), ((-y,), (x,)), "Stratonovich")  # stays on its circle
    assert turning.ito_drift == (-x / 2, -y / 2)
    assert sp.expand(turning.generator(x**2 + y**2)) == 0
    assert sp.expand(Diffusion((x, y), (0, 0), ((-y,), (x,))).generator(x**2 + y**2)) != 0


def test_relations_solve_systems_and_refuse_what_positive_numbers_cannot_do():
    assert relations([a + b]) == ()
    assert relations([a - b, a + b]) == ()
    assert [[r.text for r in way] for way in relations([(a - 1) * (b - 2)])] == [["a = 1"], ["b = 2"]]
    (way,) = relations([a - b, c - 2 * b])
    assert len(way) == 2


def test_unspecified_functions_are_independent_of_their_derivatives():
    U = sp.Function("U")(x)
    assert vanishes(U.diff(x) * a - a * U.diff(x), (x,))
    assert not vanishes(U.diff(x) - U, (x,))
    assert not vanishes(U.diff(x, 2) + U.diff(x), (x,))


def test_a_change_is_found_only_where_there_is_one():
    first = Step((x, v), ((x, x + v), (v, v - a * g(x))))
    second = Step((y, w), ((w, w - a * g(y)), (y, y + w)))
    found = affine_change(first, second)
    assert not any(differences(first, second, found.change))
    assert any(differences(first, second, ((y, x), (w, v))))
    assert affine_change(first, Step((y, w), ((w, w - b * g(y)), (y, y + w)))) is None
    assert affine_change(first, Step((y,), ((y, y - a * g(y)),))) is None


def test_an_unknown_parameter_is_found_with_the_change():
    first = Step((x, v), ((v, v - a * g(x)), (x, x + v)))
    second = Step((y, w), ((w, w - b * g(y)), (y, y + w)))
    assert affine_change(first, second, (b,)).parameters == {b: a}


def test_what_does_not_fit_is_refused():
    with pytest.raises(UnusableInput):
        Diffusion((x, v), (v,), ((0,), (1,)))
    with pytest.raises(UnusableInput):
        Diffusion((x,), (x,), ((1,),), "Klimontovich")
    with pytest.raises(UnusableInput):
        Step((x,), ((v, x),))
