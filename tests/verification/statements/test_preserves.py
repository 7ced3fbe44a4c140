"""Densities and diffusions that the code does not know: true, false, conditional, to leading order."""

import pytest
import sympy as sp

from sgtheory.dynamics.diffusion import Diffusion, coordinates, gaussian
from verification.judging.judge import judge
from verification.measuring.ensembles import Plan
from verification.refuter.script import run
from verification.statements import Preserves, claim, vanishing
from verification.theories.operators import calculus
from verification.verdicts.verdict import RoutesDisagree

COMMON = {"key": "fresh", "at": "here", "title": "T"}
x, y, v, z = sp.symbols("x y v zeta", real=True)
T, gamma, sigma, h, mu, A, V, a, b, s = sp.symbols("T gamma sigma h mu A V a b s", positive=True)
U, G = sp.Function("U")(x), sp.Function("G", positive=True)(x)
slope, root = U.diff(x), sp.sqrt


def invariant(state, drift, noise, log_density, reading="Ito", **more):
    process = Diffusion(state, drift, noise, reading)
    return claim(**COMMON, printed=Preserves(((process, log_density),), **more))


def langevin(size):
    position = coordinates("x", size)
    potential = sp.Function("U")(*position)
    noise = [[root(2 * T) if i == j else 0 for j in range(size)] for i in range(size)]
    drift = [-potential.diff(p) for p in position]
    return Diffusion(position, tuple(drift), tuple(map(tuple, noise))), -potential / T


def kinetic(noise, more=0):
    energy = U + v**2 / 2
    return invariant((x, v), (v, -slope - gamma * v + more), ((0,), (noise,)), -energy / T)


def thermostat(density):
    drift = (v, -slope - z * v, v**2 - 1)
    return invariant((x, v, z), drift, ((0,), (root(2 * A),), (0,)), density)


TRUE = {
    "overdamped": claim(**COMMON, printed=Preserves((langevin(1), langevin(2), langevin(3)))),
    "underdamped": kinetic(root(2 * gamma * T)),
    "state-dependent": invariant((x,), (-G * slope + G.diff(x),), ((root(2 * G),),), -U),
    "Stratonovich": invariant(
        (x,), (-G * slope + G.diff(x) / 2,), ((root(2 * G),),), -U, "Stratonovich"
    ),
    "Nose-Hoover": invariant(
        (x, v, z),
        (v, -slope - z * v, (v**2 - T) / mu),
        ((0,), (0,), (0,)),
        -(U + v**2 / 2 + mu * z**2 / 2) / T,
    ),
    "SGNHT": thermostat(-(U + v**2 / 2 + (z - A) ** 2 / 2)),
    "turning OU": invariant(
        (x, y),
        (-a * x + b * y, -b * x - a * y),
        ((s, 0), (0, s)),
        gaussian((x, y), [[s**2 / (2 * a), 0], [0, s**2 / (2 * a)]]),
    ),
    "Student": invariant(
        (x,), (-a * x,), ((root(2 * b * (1 + x**2)),),), -(a / (2 * b) + 1) * sp.log(1 + x**2)
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_ones_are_proved_and_their_wrong_twins_rejected(name):
    claim = TRUE[name]
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried >= 6
    assert twins.rejected == twins.tried, twins.survivors


def refuted(claim):
    finding = claim.find()
    assert finding.verdict == "refuted"
    shown = finding.counterexample
    assert shown.left != shown.right
    assert "import numpy" not in shown.script
    assert run(shown.script) is False
    assert finding.corrected.verdict == "proved"
    twins = claim.twins(finding)
    assert twins.tried == twins.rejected >= 6
    return finding


def test_a_missing_divergence_term_is_found_and_what_the_process_has_instead():
    finding = refuted(invariant((x,), (-G * slope,), ((root(2 * G),),), -U))
    assert finding.corrected.words.startswith("with G'(x) added to the drift of x")
    assert "exp(-U(x) - log(G(x)))" in finding.corrected.words
    assert "G'(x) - G(x)*U'(x)" in finding.corrected.text


def test_stratonovich_read_as_ito():
    finding = refuted(invariant((x,), (-G * slope + G.diff(x),), ((root(2 * G),),), -U, "Stratonovich"))
    assert finding.corrected.words.startswith("with -G'(x)/2 added to the drift of x")


def test_a_factor_in_the_noise():
    finding = refuted(invariant((x,), (-slope,), ((root(T),),), -U / T))
    assert finding.counterexample.problem["U(x)"] == "x**2"
    assert "exp(-2*U(x)/T)" in finding.corrected.words


def test_a_thermostat_about_the_wrong_friction():
    finding = refuted(thermostat(-(U + v**2 / 2 + z**2 / 2)))
    assert finding.corrected.words == "with -A*v added to the drift of v"


def test_einsteins_relation_is_found():
    finding = kinetic(sigma).find()
    assert finding.verdict == "proved-if"
    assert finding.condition == "sigma**2 = 2*T*gamma"
    assert run(finding.counterexample.script) is False
    assert kinetic(sigma).under(finding.needs).find().verdict == "proved"


def test_two_relations_at_once():
    claim = invariant((x, v), (a * v, -slope - gamma * v), ((0,), (root(2 * b),)), -(U + v**2 / 2))
    finding = claim.find()
    assert finding.verdict == "proved-if"
    assert "a = 1" in finding.condition
    assert "b = gamma" in finding.condition


def test_right_to_leading_order():
    finding = invariant((x,), (-slope,), ((root(2 + h * V),),), -U, approached=vanishing(h)).find()
    assert finding.verdict == "limit-only"
    assert (finding.gap.parameter, finding.gap.order) == ("h", "1")
    assert finding.corrected.verdict == "proved"


def test_a_sabotaged_residual_is_caught_by_the_other_route(monkeypatch):
    monkeypatch.setattr(calculus, "coefficients", lambda *_: ())
    with pytest.raises(RoutesDisagree):
        kinetic(root(gamma * T)).find()


def test_the_judge_takes_it_as_it_is():
    verdict = judge(kinetic(sigma), Plan("quick", "cpu", 1, 1e-6))
    document = verdict.to_json()
    assert document["verdict"] == "proved-if"
    assert document["twins"]["tried"] == document["twins"]["rejected"]
    assert len(document["printed"]) == 3
    assert verdict.measured is None


def test_a_place_of_functions_says_that_it_is_near_a_point():
    """Polynomials are Taylor's: what functions are elsewhere does not matter, nor how they grow."""
    stated = invariant((x,), (-G * slope,), ((root(2 * G),),), -U)
    shown = stated.find().counterexample
    assert shown.problem["rho"] == "3/7"
    assert "near this point functions are so" in shown.words
