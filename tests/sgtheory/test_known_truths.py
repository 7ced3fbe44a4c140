"""What is known of integrators comes out by itself: weak orders, and slopes without Monte Carlo noise.

Invariances of Langevin equations, SGHMC, thermostats, and the density without the divergence term are in
``dynamics/test_recipe.py``, each with a wrong twin.
"""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from sgtheory.dynamics.declared import Declared
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.limit import compare, expansion
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.telling import dynamics
from sgtheory.errors import UnusableInput
from sgtheory.operator.settling import settling
from sgtheory.operator.slopes import order_of, slope
from sgtheory.problem import Problem
from tests.sgtheory.dynamics.test_modified import splitting

x, v, xi = sp.symbols("x v xi", real=True)
h, T, gamma = sp.symbols("h T gamma", positive=True)
U, b, sigma = (sp.Function(n)(x) for n in ("U", "b", "sigma"))
root = sp.sqrt
NOISE = sigma * root(h) * xi
MORE = h / 2 * sigma * sigma.diff(x) * (xi**2 - 1)
SECOND = h**2 / 2 * (b * b.diff(x) + sigma**2 * b.diff(x, 2) / 2)


def step(*terms):
    return Step((x,), ((x, x + sp.Add(*terms)),), (xi,))


EQUATION = Diffusion((x,), (b,), ((sigma,),))
LANGEVIN = Diffusion((x,), (-U.diff(x),), ((root(2 * T),),))
UNDERDAMPED = Diffusion((x, v), (v, -U.diff(x) - gamma * v), ((0,), (root(2 * gamma * T),)))
THERE = x + root(T * h / 2) * xi
MATTHEWS = step(-h * sp.Subs(U.diff(x), x, THERE), root(2 * T * h) * xi)
ORDERS = {
    "Euler-Maruyama": (step(h * b, NOISE), EQUATION, 1),
    "Milstein": (step(h * b, NOISE, MORE), EQUATION, 1),
    "Leimkuhler-Matthews": (MATTHEWS, LANGEVIN, 1),
    "BAOAB": (splitting("BAOAB", U), UNDERDAMPED, 2),
    "ABOBA": (splitting("ABOBA", U), UNDERDAMPED, 2),
    "BAO": (splitting("BAO", U), UNDERDAMPED, 1),
}
TWINS = {
    "Euler-Maruyama": step(h * b, NOISE * root(2)),
    "Milstein": step(h * b, NOISE, MORE + h / 2 * sigma * sigma.diff(x)),  # Stratonovich's
    "Leimkuhler-Matthews": step(-h * U.diff(x), root(T * h) * xi),
    "BAOAB": splitting("BAOAB", 2 * U),
    "ABOBA": splitting("ABOBA", U / 2),
}


@pytest.mark.parametrize("name", ORDERS)
def test_weak_orders(name):
    scheme, equation, order = ORDERS[name]
    assert compare(scheme, equation, h) == ()
    assert expansion(scheme, h, 3, equation).order == order
    if name in TWINS:
        assert compare(TWINS[name], equation, h) != ()
        assert expansion(TWINS[name], h, 1, equation).order == 0


def test_milsteins_term_is_not_seen_in_the_mean_but_the_drifts_second_term_is():
    """With both, what is left of the error acts on second derivatives and higher only."""
    f = sp.Function("f")(x)
    plain, more = (
        expansion(s, h, 2, EQUATION).first for s in (step(h * b, NOISE), ORDERS["Milstein"][0])
    )
    assert sp.expand(plain.coeff(f.diff(x)) - more.coeff(f.diff(x))) == 0
    better = expansion(step(h * b, NOISE, MORE, SECOND), h, 2, EQUATION).first
    assert sp.expand(better.subs(f, x).doit()) == 0
    assert sp.expand(plain.subs(f, x).doit()) != 0


QUARTIC = {"model": "potential", "U": "x**4/4 + x**2/2", "noise": [[0]], "N": 1, "S": 1}
SOFT = QUARTIC | {"U": "x**2/4 + sqrt(1 + x**2)"}
HALVES = ("1/2", "1/4", "1/8")


def quartic(s):
    return s**4 / 4 + s**2 / 2


def soft(s):
    return s**2 / 4 + (1 + s**2) ** 0.5


def exact(energy):
    """E x^2 under exp(-energy), by quadrature."""
    parts = [
        quad(lambda s, k=k: s**k * np.exp(-energy(s)), -40, 40, epsabs=1e-14, points=[0])[0]
        for k in (2, 0)
    ]
    return parts[0] / parts[1]


def square(theta, *_):
    return theta**2


def kinetic(_, velocity):
    return velocity**2


LONG = pytest.mark.long
SLOPES = [
    ("lmc", QUARTIC, "gamma", ("1/16", "1/32", "1/64"), square, exact(quartic), 1),
    ("sgld", QUARTIC, "eps", ("1/8", "1/16", "1/32"), square, exact(quartic), 1),
    pytest.param("underdamped:BAOAB", SOFT, "eps", HALVES, kinetic, 1.0, 2, marks=LONG),
    pytest.param("underdamped:ABOBA", SOFT, "eps", HALVES, square, exact(soft), 2, marks=LONG),
]


@pytest.mark.parametrize(("name", "content", "letter", "sizes", "f", "known", "order"), SLOPES)
def test_orders_are_slopes_with_errors(name, content, letter, sizes, f, known, order):
    more = {"gamma": 1} if ":" in name else {}
    problem = Problem.of({**content, "params": {letter: sizes[0], **more}})
    found = order_of(name, problem, [{letter: s} for s in sizes], f, known, 1e-8 if not more else 1e-5)
    assert found.agrees(order), found
    assert not any(found.agrees(order + wrong) for wrong in (-1, -0.5, 0.5, 1))


def test_a_slope_of_what_is_not_known_is_refused():
    with pytest.raises(UnusableInput, match="known"):
        slope([1e-3, 1e-4, 1e-5], [1e-6, 1e-6, 1e-5])
    with pytest.raises(UnusableInput, match="three"):
        slope([1e-3, 1e-4], [0, 0])
    # a remainder that shrinks like h^(3/2) is told from h and h^2
    half = slope([k**1.5 * (1 + k) for k in (0.1, 0.05, 0.025)], [0, 0, 0])
    assert half.agrees(1.5)
    assert not half.agrees(1)
    assert not half.agrees(2)


def test_a_chain_settles_at_its_own_rate():
    """SGD on x^2/2 forgets by (1 - eps)^2 a step in its variance; from a start that is known exactly."""
    content = {"hessian": [[1]], "noise": [[1]], "N": 1, "S": 1, "params": {"eps": "1/32"}}
    steps, gap = settling("sgd", Problem.of(content | {"start": {"theta": [3]}}), 1e-4)
    spread = (1 / 32 / (2 - 1 / 32)) ** 0.5
    exact = (1 - 1 / 32) ** steps * 3 / spread
    assert gap < 1e-4
    assert exact == pytest.approx(gap, rel=0.5, abs=2e-5)
    assert (1 - 1 / 32) ** (steps * 3 // 4) * 3 / spread > 1e-4  # fewer would not have done


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("psgld:algorithm1", "eps", "alpha"),
        ("santa_sss:algorithm4", "eta", "sigma"),
        ("adam:no_correction", "eta", "sigma"),
        ("sgd_m", "eta", "alpha"),
    ],
)
def test_scalings_are_found(name, first, second):
    found = Declared.of(name).with_limit()
    sizes = {p.name: e for p, e in found.scaling.sizes}
    assert {first, second} <= set(sizes)
    assert sp.limit(sizes[first], found.h, 0) == 0


@pytest.mark.long  # beside the scalings that are found for it, and the limits of its printings
def test_santas_equation_is_that_of_its_paper():
    """dtheta = g p, dp = -g U' - Xi p with noise sqrt(2 g/beta), dXi = p^2 - 1/beta: and its density."""
    told = dynamics("santa_sss:algorithm4")
    lines = [r.equation.text for r in told.results]
    assert lines[0] == "dtheta = (p_u*r_v(v)**2) dt"
    assert "(sqrt(2)*r_v(v)/sqrt(beta)) dW" in lines[1]
    assert lines[2] == "dp_alpha = (p_u**2 - 1/beta) dt"
    held = next(s for s in told.steps if s.title == "Density of the fast states")
    assert held.equations[0].right.has(sp.Function("r_v"))


@pytest.mark.long  # the default twin is in dynamics/test_limit.py
def test_the_noise_of_santas_algorithm_2_is_too_large_for_its_equation():
    refused = dynamics("santa_sss:algorithm2")
    assert "the change of p_u does not vanish with the step" in refused.steps[-1].words
    assert refused.results == ()


@pytest.mark.strong
def test_printings_of_a_metric_have_densities_of_their_own():
    """Gamma outside of G keeps exp(-N L); inside it keeps another, which the first does not."""

    def density(name):
        return next(r.equation.right for r in dynamics(name).results if r.name == "density")

    right, printed = density("sgrld"), density("sgrld_printed")
    theta = sp.Symbol("theta", real=True)
    assert not right.has(sp.Function("r_theta"))
    r = sp.Function("r_theta")(theta)
    assert sp.expand(printed - right - r**2 + 2 * sp.log(r)) == 0
    assert [s.title for s in dynamics("sgrld", printed).steps][-1] == "Not its density"
