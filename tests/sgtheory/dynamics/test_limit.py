"""Limits read off steps, orders for unspecified functions, and which printed scaling solves what."""

import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Gradient
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Inconsistent
from sgtheory.dynamics.limit import compare, expansion, limit, rescaled
from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput

x, y, v, w, u, p, al, Xi, xi, ze = sp.symbols("x y v w u p alpha Xi xi zeta", real=True)
h, T, gamma, beta, eta, g = sp.symbols("h T gamma beta eta g", positive=True)
U, drift, sigma = (sp.Function(n)(x) for n in ("U", "b", "sigma"))
f = sp.Function("f")
slope, root, half = U.diff(x), sp.sqrt, sp.Rational(1, 2)


def word(letters):
    """A declared splitting, and the step size's symbol."""
    sampler = registry.sampler(f"underdamped:{letters}")
    step = Step.of(sampler)
    return step, next(s for s in step.parameters if s.name == "eps")


@pytest.mark.parametrize("letters", ["BAOAB", "ABOBA", "OBABO", "BAO"])
def test_a_splitting_solves_the_underdamped_equation_and_not_another(letters):
    step, size = word(letters)
    named = {s.name: s for s in step.parameters}
    theta, velocity = step.state
    force = -named["N"] * Gradient(theta, sp.Integer(0)) - named["gamma"] * velocity
    amplitude = root(2 * named["gamma"] * named["tau"])
    equation = Diffusion(step.state, (velocity, force), ((0,), (amplitude,)))
    assert compare(step, equation, size) == ()
    other = Diffusion(step.state, (velocity, 2 * force), ((0,), (2 * amplitude,)))
    assert [d.what for d in compare(step, other, size)] == ["drift of v", "variance of v"]
    found = expansion(step, size, 4)
    assert found.order == (1 if letters == "BAO" else 2)
    assert len(found.errors) == 5
    assert found.errors[4] != 0


def word_in(space, velocity, potential, letters):
    """A splitting in several coordinates, for a potential of all of them."""
    share = {k: sp.Rational(1, letters.count(k)) for k in "ABO"}
    c, noises, updates = sp.exp(-gamma * h * share["O"]), [], []
    for letter in letters:
        for k, (a, b) in enumerate(zip(space, velocity, strict=True)):
            if letter == "A":
                updates.append((a, a + share["A"] * h * b))
            elif letter == "B":
                updates.append((b, b - share["B"] * h * potential.diff(a)))
            else:
                noises.append(sp.Symbol(f"xi{len(noises)}_{k}", real=True))
                updates.append((b, c * b + root(T) * root(1 - c**2) * noises[-1]))
    return Step((*space, *velocity), tuple(updates), tuple(noises))


@pytest.mark.parametrize("letters", ["BAOAB", "ABOBA"])
def test_in_two_positions_the_first_error_is_that_in_one_along_an_axis(letters):
    potential = sp.Function("U")(x, y)
    both = expansion(word_in((x, y), (v, w), potential, letters), h, 3)
    assert both.order == 2
    alone = expansion(word_in((x,), (v,), U, letters), h, 3)
    # for a potential and a test function of x alone; another potential would not do
    one, test = sp.Function("U")(x), x**2 * v**3
    reduced = both.first.subs(f(x, y, v, w), test).subs(potential, one).doit()
    single = alone.first.subs(f(x, v), test).doit()
    assert sp.expand(reduced - single) == 0
    assert sp.expand(reduced - single.subs(one, 2 * one).doit()) != 0


def test_the_first_error_of_milsteins_method_is_that_of_its_moments():
    """E x after a step is x + h b, whereas the mean moves by h b + h^2 (b b' + sigma^2 b''/2)/2."""
    more = h / 2 * sigma * sigma.diff(x) * (xi**2 - 1)
    plain = Step((x,), ((x, x + h * drift + sigma * root(h) * xi),), (xi,))
    milstein = Step((x,), ((x, x + h * drift + sigma * root(h) * xi + more),), (xi,))
    found, simpler = (expansion(s, h, 4) for s in (milstein, plain))
    assert (found.order, simpler.order) == (1, 1)
    moved = found.first.subs(f(x), x).doit()
    assert sp.expand(moved + (drift * drift.diff(x) + sigma**2 * drift.diff(x, 2) / 2) / 2) == 0
    # Milstein's term has variance h^2 sigma^2 sigma'^2/2, and that is all it changes in E x^2
    gained = found.first.subs(f(x), x**2).doit() - simpler.first.subs(f(x), x**2).doit()
    assert sp.expand(gained - (sigma * sigma.diff(x)) ** 2 / 2) == 0


def test_the_limit_of_a_correlated_step_has_its_covariance():
    step = Step((x, v), ((v, v - h * v + root(h) * (xi + 2 * ze)), (x, x + root(h) * xi)), (xi, ze))
    found = limit(step, h)
    assert sp.Matrix(found.covariance) == sp.Matrix([[1, 1], [1, 5]])
    assert compare(step, found, h) == ()
    apart = Diffusion((x, v), (0, -v), ((1, 0), (0, root(5))))
    assert [d.words for d in compare(step, apart, h)] == [
        "the covariance of x and v is 1 per time, not 0"
    ]


def test_a_step_that_jumps_has_no_diffusion_for_its_limit():
    # third moments of order h: the cube of h^(1/3) would be rare large steps
    rare = Step((x,), ((x, x + h ** sp.Rational(1, 4) * xi),), (xi,))
    with pytest.raises((UnusableInput, Inconsistent)):
        limit(rare, h)


SDE = Diffusion(
    (x, p, Xi), (g * p, -g * slope - Xi * p, p**2 - 1 / beta), ((0,), (root(2 * g / beta),), (0,))
)
PRINTED = {
    "Algorithm 1": g * root(2 * eta / beta),
    "Algorithm 2": root(2 * g * eta / beta),
    "supplement": root(2 * g * eta ** sp.Rational(3, 2) / beta),
}


def santa(noise):
    """The Euler scheme of Santa at a constant metric g, in the paper's u and alpha."""
    updates = (
        (al, al + u * u - eta / beta),
        (u, (1 - al) * u - eta * g * slope + noise * xi),
        (x, x + g * u),
    )
    step = Step((x, u, al), updates, (xi,))
    return rescaled(step, {u: (p, root(eta)), al: (Xi, root(eta))}, {eta: h**2})


def test_of_three_printed_noises_of_santa_one_solves_its_equation():
    """u = sqrt(eta) p and Xi = alpha/sqrt(eta), as the paper states the equation; time is sqrt(eta)."""
    found = {name: [d.words for d in compare(santa(noise), SDE, h)] for name, noise in PRINTED.items()}
    assert found["supplement"] == []
    assert (
        found["Algorithm 1"] == found["Algorithm 2"] == ["the change of p does not vanish with the step"]
    )
    half_the_noise = compare(santa(PRINTED["supplement"] / root(2)), SDE, h)
    assert [d.words for d in half_the_noise] == ["the variance of p is g/beta per time, not 2*g/beta"]


def symmetric_santa(metric, spread, power=half):
    """A-B-O-B-A of Eq. (6) with its noise times h^power, and SDE (1); G_2 = spread^2."""
    pull = metric * (Xi - spread**2) * (spread**2).diff(x)
    push = -metric * slope + metric.diff(x) / beta + pull
    A = ((Xi, Xi + (p**2 - 1 / beta) * h / 2), (x, x + metric * p * h / 2))
    B = ((p, p * sp.exp(-Xi * h / 2)),)
    O = ((p, p + h * push + root(2 / beta) * spread * h**power * xi),)  # noqa: E741
    noise = ((0,), (root(2 / beta) * spread,), (0,))
    equation = Diffusion((x, p, Xi), (metric * p, push - Xi * p, p**2 - 1 / beta), noise)
    return Step((x, p, Xi), (*A, *B, *O, *B, *A), (xi,)), equation


G, R = (sp.Function(n)(x) for n in ("G", "r"))


@pytest.mark.parametrize(
    ("metric", "spread", "order"),
    [
        pytest.param(root(g) ** 2, root(g), 2, marks=pytest.mark.long),
        (root(g) ** 2, R, 2),
        (G, root(g), 1),
    ],
    ids=("constant", "a noise that moves", "a metric that moves"),
)
def test_santas_splitting_is_of_second_order_only_where_its_metric_is_constant(metric, spread, order):
    """With a metric that moves, theta + G_1(theta) p h is not the flow of the first part."""
    step, equation = symmetric_santa(metric, spread)
    assert compare(step, equation, h) == ()
    found = expansion(step, h, 3, equation)
    assert found.order == order
    if order == 2:
        return
    along = -G * G.diff(x) * p**2 / 4 * f(x, p, Xi).diff(x)
    assert sp.expand(found.first - along) == 0


def test_the_noise_of_santas_second_part_is_printed_without_the_root_of_its_time():
    step, equation = symmetric_santa(root(g) ** 2, root(g), power=0)
    assert [d.words for d in compare(step, equation, h)] == [
        "the change of p does not vanish with the step"
    ]


def test_powers_between_are_told():
    langevin = Diffusion((x,), (-slope,), ((root(2 * T),),))

    def said(power):
        step = Step((x,), ((x, x - h * slope + root(2 * T) * h**power * xi),), (xi,))
        return [d.words for d in compare(step, langevin, h)]

    assert said(half) == []
    assert said(half / 2)[0] == "the variance of x of one step goes like h^(1/2), not like h"
    assert said(3 * half / 2) == ["the variance of x of one step goes like h^(3/2), not like h"]
    assert said(3 * half) == ["the variance of x of one step vanishes faster than h^2, not like h"]
