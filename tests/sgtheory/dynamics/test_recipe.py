"""Recipes of processes that are known, each with a twin that has none; densities by quadrature."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from sgtheory.dynamics.density import (
    Turning,
    examine,
    marginal,
    reversible_density,
    stationary_density,
)
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.linear import Contradiction, Solved, solve
from sgtheory.dynamics.recipe import NoRecipe, Recipe, recipe
from sgtheory.errors import UnusableInput

x, y, p, q, z, w = sp.symbols("x y p q z w", real=True)
T, gamma, A, mu, beta, V = sp.symbols("T gamma A mu beta V", positive=True)
U = sp.Function("U")(x)
G, K = (sp.Function(n, positive=True)(x) for n in ("G", "K"))
slope, root = U.diff(x), sp.sqrt


def underdamped(friction):
    return Diffusion((x, p), (p, -slope - friction * p), ((0,), (root(2 * gamma * T),)))


def sghmc(friction, injected):
    """Chen, Fox and Guestrin: gradient noise of variance V, friction, and noise that is injected."""
    return Diffusion((x, p), (p, -slope - friction * p), ((0, 0), (root(2 * V), root(2 * injected))))


def nose_hoover(kick):
    return Diffusion((x, p, z), (p, -slope - z * p, kick), ((0,), (0,), (0,)))


def sgrld(*more):
    return Diffusion((x,), (-G * slope + sp.Add(*more),), ((root(2 * G),),))


def santa(metric, more=0):
    """SDE (1) of Chen et al. in one dimension; G_1 = metric, G_2 = K."""
    drift = -metric * slope - z * p + metric.diff(x) / beta + metric * (z - K) * K.diff(x) + more
    return Diffusion(
        (x, p, z), (metric * p, drift, p**2 - 1 / beta), ((0,), (root(2 * K / beta),), (0,))
    )


KINETIC = -(U + p**2 / 2)
LEMMA_1 = -beta * (U + p**2 / 2 + (z - K) ** 2 / 2)
KNOWN = {
    "overdamped": (Diffusion((x,), (-slope,), ((root(2 * T),),)), -U / T, [[0]]),
    "underdamped": (underdamped(gamma), KINETIC / T, [[0, -T], [T, 0]]),
    "SGHMC": (sghmc(V + A, A), KINETIC, [[0, -1], [1, 0]]),
    "Nose-Hoover": (
        nose_hoover((p**2 - T) / mu),
        -(U + p**2 / 2 + mu * z**2 / 2) / T,
        [[0, -T, 0], [T, 0, T * p / mu], [0, -T * p / mu, 0]],
    ),
    "SGRLD": (sgrld(G.diff(x)), -U, [[0]]),
    "Santa": (
        santa(G),
        LEMMA_1,
        [[0, -G / beta, 0], [G / beta, 0, p / beta], [0, -p / beta, 0]],
    ),
}
TWINS = {
    "overdamped": (Diffusion((x,), (-slope,), ((root(T),),)), -U / T),
    "underdamped": (underdamped(2 * gamma), KINETIC / T),
    "SGHMC": (sghmc(A, A), KINETIC),
    "Nose-Hoover": (nose_hoover((p**2 - 2 * T) / mu), KNOWN["Nose-Hoover"][1]),
    "SGRLD": (sgrld(), -U),
    "Santa": (santa(G, -G.diff(x) / beta), LEMMA_1),
}
LEFT = {"SGHMC": V * p**2 - V, "Santa": None, "SGRLD": G.diff(x, 2) - G.diff(x) * slope}


@pytest.mark.parametrize("name", KNOWN)
def test_known_recipes_come_out(name):
    process, log_density, Q = KNOWN[name]
    found = recipe(process, log_density)
    assert isinstance(found, Recipe)
    assert sp.Matrix(Q) == found.Q
    assert (found.Q + found.Q.T).is_zero_matrix
    # at numbers, with functions written out: the drift is that of the process
    at = {x: 0.3, p: -0.7, z: 1.1, T: 1.3, gamma: 0.6, A: 0.8, mu: 1.7, beta: 0.9, V: 0.4}
    written = {
        sp.Function("U"): lambda s: s**4 / 4 + s,
        G.func: lambda s: 2 + s**2,
        K.func: lambda s: 1 + s**4,
    }
    for got, wanted in zip(found.drift(log_density, process.state), process.drift, strict=True):
        both = [float(_put(e, written).subs(at)) for e in (got, wanted)]
        assert both[0] == pytest.approx(both[1], rel=1e-12)


def _put(expr, written):
    for function, value in written.items():
        expr = sp.sympify(expr).replace(function, value)
    return expr.doit()


@pytest.mark.parametrize("name", TWINS)
def test_wrong_twins_have_none_of_any_form(name):
    found = recipe(*TWINS[name])
    assert isinstance(found, NoRecipe)
    assert found.examined.remainder != 0
    if LEFT.get(name) is not None:
        assert sp.expand(found.examined.remainder - LEFT[name]) == 0
    assert "not invariant" in found.words


def test_one_thermostat_for_two_momenta_has_half_of_each_in_its_recipe():
    potential = sp.Function("U")(x, y)
    noise = ((0, 0), (0, 0), (root(2 * A), 0), (0, root(2 * A)), (0, 0))

    def thermostat(kick):
        drift = (p, q, -potential.diff(x) - z * p, -potential.diff(y) - z * q, kick)
        return Diffusion((x, y, p, q, z), drift, noise)

    log_density = -(potential + p**2 / 2 + q**2 / 2 + (z - A) ** 2)
    found = recipe(thermostat((p**2 + q**2) / 2 - 1), log_density)
    assert sp.Matrix([[p / 2, q / 2, 0]]) == found.Q[2:, 4].T
    wrong = recipe(thermostat(p**2 + q**2 - 1), log_density)
    assert wrong.examined.remainder != 0


def test_the_divergence_term_of_a_whole_matrix_sums_over_its_columns():
    """Gamma_i = sum_j d G_ij / d theta_j; with the derivative by theta_i instead the density is lost."""
    potential = sp.Function("U")(x, y)
    a, b, c = (sp.Function(n, positive=True)(x, y) for n in "abc")
    factor = sp.Matrix([[a, 0], [b, c]])
    metric, slopes = factor * factor.T, sp.Matrix([potential.diff(x), potential.diff(y)])

    def langevin(term):
        drift = (-metric * slopes + term) / 2
        return Diffusion((x, y), tuple(drift), tuple(tuple(factor.row(k)) for k in range(2)))

    columns = sp.Matrix([metric[i, 0].diff(x) + metric[i, 1].diff(y) for i in range(2)])
    own = sp.Matrix([metric[i, 0].diff(s) + metric[i, 1].diff(s) for i, s in enumerate((x, y))])
    assert langevin(columns).divergence == tuple(sp.expand(e / 2) for e in columns)
    found = recipe(langevin(columns), -potential)
    assert isinstance(found, Recipe)
    assert found.Q.is_zero_matrix
    assert isinstance(recipe(langevin(own), -potential), NoRecipe)


def test_relations_that_would_help_are_named():
    sigma = sp.Symbol("sigma", positive=True)
    process = Diffusion((x, p), (p, -slope - gamma * p), ((0,), (sigma,)))
    assert [[r.text for r in way] for way in examine(process, KINETIC / T).ways] == [
        ["sigma**2 = 2*T*gamma"]
    ]


def turning(flow):
    """A Gaussian with a current along its circles, Q_12 = flow."""
    drift = (-x - flow * y + flow.diff(y), -y + flow * x - flow.diff(x))
    return Diffusion((x, y), drift, ((root(2), 0), (0, root(2)))), -(x**2 + y**2) / 2


def test_a_form_that_is_too_small_is_proved_to_be():
    process, log_density = turning(x**3)
    refused = recipe(process, log_density)
    assert isinstance(refused, NoRecipe)
    assert refused.examined.invariant
    assert refused.words == "no Q has entries of degree at most 2 in x, y"
    found = recipe(process, log_density, degree=3)
    assert found.Q[0, 1] == x**3
    # in another letter the same Q is of degree one
    assert recipe(process, log_density, degree=1, letters=(x**3,)).Q == found.Q


@pytest.mark.strong
def test_several_dimensions_of_santa_need_metrics_of_their_own_coordinates():
    """(Xi - G_2) grad G_2 is what the density needs only where entry i depends on theta_i alone."""
    potential = sp.Function("U")(x, y)

    def plane(metric, spread):
        places, momenta, thermostats = (x, y), (p, q), (z, w)
        drift = [g * m for g, m in zip(metric, momenta, strict=True)]
        for i, s in enumerate(places):
            g, k = metric[i], spread[i]
            push = -g * potential.diff(s) - thermostats[i] * momenta[i] + g.diff(s) / beta
            drift.append(push + g * (thermostats[i] - k) * k.diff(s))
        drift += [m**2 - 1 / beta for m in momenta]
        none = [(0, 0)] * 2
        noise = [*none, (root(2 * spread[0] / beta), 0), (0, root(2 * spread[1] / beta)), *none]
        energy = potential + sum(m**2 for m in momenta) / 2
        energy += sum((t - k) ** 2 for t, k in zip(thermostats, spread, strict=True)) / 2
        return Diffusion((*places, *momenta, *thermostats), tuple(drift), tuple(noise)), -beta * energy

    def positive(name, *at):
        return sp.Function(name, positive=True)(*at)

    own = plane((positive("a", x), positive("b", y)), (positive("c", x), positive("d", y)))
    assert isinstance(recipe(*own, degree=1), Recipe)
    across = plane((positive("a", x), positive("b", y)), (positive("c", x, y), positive("d", y)))
    c = positive("c", x, y)
    left = examine(*across).remainder
    assert sp.expand(left - beta * q * positive("b", y) * (c - z) * c.diff(y)) == 0


def test_linear_systems_and_their_contradictions():
    a = sp.Symbol("a", positive=True)
    columns = [{"u": a, "v": 1}, {"u": root(a), "v": 1 / root(a)}]
    assert isinstance(solve(columns, {"u": a**2, "v": a}), Solved)
    proof = solve(columns, {"u": 1})
    assert isinstance(proof, Contradiction)
    assert proof.check(columns, {"u": 1})
    assert not proof.check(columns, {"u": 2})
    assert not proof.check([{"u": 1}], {"u": 1})
    assert solve([{"u": 1}, {"u": 2}], {"u": 1}).free == (1,)


def test_roots_of_states_are_no_ground_for_a_proof():
    tangled = Diffusion(
        (x, y),
        (-x - root(1 + x**2) * y, -y + root(1 + x**2) * x - x / root(1 + x**2)),
        ((root(2), 0), (0, root(2))),
    )
    log_density = -(x**2 + y**2) / 2
    with pytest.raises(UnusableInput, match="name such a factor"):
        recipe(tangled, log_density, degree=1)
    assert isinstance(recipe(tangled, log_density, 1, (root(1 + x**2),)), Recipe)


def test_the_density_without_the_divergence_term_is_p_over_G():
    """By quadrature against the generator: E L f = 0 under p/G, and not under p."""
    assert sp.expand(stationary_density(sgrld()) - (-U - sp.log(G))) == 0
    assert stationary_density(sgrld(G.diff(x))) == -U
    written = {sp.Function("U"): lambda s: s**4 / 4 - s, G.func: lambda s: 1 + s**2}
    process = Diffusion((x,), (_put(sgrld().drift[0], written),), ((root(2 * (1 + x**2)),),))
    for f in (x, x**2, sp.sin(x)):
        inside = sp.lambdify(x, process.generator(f))
        right, wrong = (
            quad(
                lambda s, of, k: of(s) * np.exp(s - s**4 / 4) / (1 + s * s) ** k,
                -8,
                8,
                args=(inside, k),
                epsabs=1e-12,
            )[0]
            for k in (1, 0)
        )
        assert abs(right) < 1e-9
        assert abs(wrong) > 1e-2


def test_reversible_densities_in_two_dimensions():
    density = sp.Function("p", positive=True)(x, y)
    g, h = (sp.Function(n, positive=True)(x, y) for n in "gh")

    def without(g, h):
        drift = (g * sp.log(density).diff(x), h * sp.log(density).diff(y))
        return Diffusion((x, y), drift, ((root(2 * g), 0), (0, root(2 * h))))

    found = reversible_density(without(g, g))
    assert examine(without(g, g), found).invariant
    assert isinstance(reversible_density(without(g, h)), Turning)
    with pytest.raises(UnusableInput):
        reversible_density(underdamped(gamma))


def test_marginals_against_quadrature():
    energy = x**2 * p**2 / 2 + p * x + x**4 + p**2
    found = marginal(-energy, (x, p), (x,))
    at = [float(sp.exp(found).subs(x, s)) for s in (0.3, 1.2)]
    inside = sp.lambdify((p, x), sp.exp(-energy))
    direct = [quad(inside, -30, 30, args=(s,))[0] for s in (0.3, 1.2)]
    assert at[1] / at[0] == pytest.approx(direct[1] / direct[0], rel=1e-9)
    assert marginal(LEMMA_1, (x, p, z), (x,)) == -beta * U
    # a mass that depends on the place leaves its determinant: the target is no marginal
    assert marginal(-U - p**2 * G / 2, (x, p), (x,)) == -U - sp.log(G) / 2
    with pytest.raises(UnusableInput, match="quadratic"):
        marginal(-U - p**4, (x, p), (x,))
    with pytest.raises(UnusableInput, match="positive definite"):
        marginal(-U - p**2 * x, (x, p), (x,))
