"""Weak expansions against what is known in closed form."""

import pytest
import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.weak import error_operators, shown_operator
from sgtheory.errors import UnusableInput

x, v, h, xi, eta = sp.symbols("x v h xi eta", real=True)
a, T = sp.symbols("a T", positive=True)
OU = Diffusion((x,), (-a * x,), ((sp.sqrt(2 * T),),))
ONE = sp.Integer(1)


def errors(process, step, order):
    letters, found = error_operators(process, ((ONE, step),), h, order)
    return [shown_operator(letters, e) for e in found]


def test_the_exact_step_of_an_ornstein_uhlenbeck_process_has_no_error():
    shrunk = sp.exp(-a * h)
    exact = Step((x,), ((x, shrunk * x + sp.sqrt(T / a) * sp.sqrt(1 - shrunk**2) * xi),), (xi,))
    assert errors(OU, exact, 4) == [0] * 5
    wrong = Step((x,), ((x, shrunk * x + sp.sqrt(T / a) * sp.sqrt(1 - shrunk**3) * xi),), (xi,))
    assert errors(OU, wrong, 1)[1] == T * sp.diff(sp.Function("f")(x), x, 2) / 2
    beyond = Step((x,), ((x, x + sp.sqrt(11 * h) * xi),), (xi,))
    with pytest.raises(UnusableInput):
        errors(OU, beyond, 1)


def test_euler_against_moments_worked_out_by_hand():
    euler = Step((x,), ((x, x - a * h * x + sp.sqrt(2 * T) * sp.sqrt(h) * xi),), (xi,))
    error = errors(OU, euler, 3)
    f = sp.Function("f")(x)
    for power, test in ((2, x), (2, x**2), (3, x), (3, x**2)):
        exact = {
            x: x * sp.exp(-a * h),
            x**2: x**2 * sp.exp(-2 * a * h) + T / a * (1 - sp.exp(-2 * a * h)),
        }
        after = {x: x - a * h * x, x**2: (x - a * h * x) ** 2 + 2 * T * h}
        series = sp.series(exact[test], h, 0, 4).removeO()
        wanted = sp.expand(after[test] - series).coeff(h, power)
        assert sp.expand(error[power].subs(f, test).doit() - wanted) == 0


def test_a_declared_law_of_noise_has_its_own_moments():
    from sgtheory.declare import rademacher

    sign = rademacher("sign")
    steps = [
        Step((x,), ((x, x - a * h * x + sp.sqrt(2 * T) * sp.sqrt(h) * w),), (w,)) for w in (xi, sign)
    ]
    normal, two_points = (errors(OU, step, 2)[2] for step in steps)
    # fourth moments 3 and 1: they differ in f'''' by h^2 (2 T)^2 (1 - 3)/4!
    f = sp.Function("f")(x)
    assert sp.expand(two_points - normal + T**2 * f.diff(x, 4) / 3) == 0


def test_two_functions_and_two_positions():
    y = sp.Symbol("y", real=True)
    U = sp.Function("U")(x, y)
    flat = Diffusion((x, y), (-U.diff(x), -U.diff(y)), ((1, 0), (0, 1)))
    step = Step.map(
        (x, y), (x - h * U.diff(x) + sp.sqrt(h) * xi, y - h * U.diff(y) + sp.sqrt(h) * eta), (xi, eta)
    )
    found = errors(flat, step, 2)
    assert found[:2] == [0, 0]
    assert found[2].has(U.diff(x, y))
