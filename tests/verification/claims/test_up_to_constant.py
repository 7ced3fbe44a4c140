"""Bounds up to a constant: proved by Poisson's equation, refuted along schedules, by two routes."""

from dataclasses import replace

import pytest
import sympy as sp

from sgtheory.dynamics.steps import Step
from sgtheory.errors import UnusableInput
from verification.claims.up_to_constant import UpTo, UpToConstant
from verification.laws.averages import (
    MSE,
    S_T,
    SQUARES,
    Averages,
    T,
    dominated,
    exponents,
    usual_families,
)
from verification.refuter.script import run
from verification.verdicts.verdict import RoutesDisagree

x, xi = sp.symbols("x xi", real=True)
h = sp.Symbol("h", positive=True)
EULER = Step((x,), ((x, x - 2 * h * x + sp.sqrt(h) * xi),), (xi,))


def about(right, phi=x**2):
    families = usual_families(EULER, h, phi)
    return UpToConstant(
        "k", at="a", title="t", says="s", printed=(UpTo(MSE, right),), families=families, paper="p"
    )


def test_the_bound_for_euler_is_proved_and_its_twins_are_not():
    claim = about(1 / S_T + SQUARES**2 / S_T**2)
    finding = claim.find()
    assert finding.verdict == "proved"
    twins = claim.twins(finding)
    assert (twins.survivors, twins.tried, twins.rejected) == ((), 7, 7)


def test_a_bound_without_the_bias_is_refuted_and_mended():
    finding = about(1 / S_T).find()
    assert finding.verdict == "refuted"
    assert finding.corrected.text == "MSE <= C*(1/S_T + Sum(epsilon_t**2, (t, 1, T))**2/S_T**2)"
    assert run(finding.counterexample.script) is False


def test_a_script_sees_no_growth_where_the_bound_holds():
    claim = about(1 / S_T + SQUARES**2 / S_T**2)
    with pytest.raises(RoutesDisagree):
        claim.shown_along(claim.families[0])


def test_proof_and_families_must_agree(monkeypatch):
    monkeypatch.setattr(UpToConstant, "grows", lambda self, family: True)
    with pytest.raises(RoutesDisagree):
        about(1 / S_T, phi=x).find()


def test_which_sums_are_below_which():
    one, squares = (exponents(e)[0] for e in (1 / S_T, SQUARES**2 / S_T**2))
    assert dominated(exponents(1 / S_T**2)[0], (one,), 2)
    assert not dominated(one, (squares,), 2)
    assert not dominated(squares, (one,), 2)
    assert dominated(exponents(1 / T)[0], (one,), 2)  # S_T <= T
    assert dominated(exponents(SQUARES / S_T**2)[0], (one,), 2)
    # Cauchy and Schwarz: S_T^2 <= T times the sum of squares
    assert dominated(exponents(1 / T)[0], (exponents(SQUARES / S_T**2)[0],), 2)


def test_exact_moments_of_an_average():
    family = Averages("one step", EULER, h, x, sp.Rational(1, 4), 2, (1,))
    # x_1 = 1, x_2 = 1/2 + xi/2: the average is 3/4 + xi/4
    assert float(family.values(0)[MSE]) == pytest.approx(9 / 16 + 1 / 16, rel=1e-30)


def test_only_powers_of_linear_forms_become_scripts():
    with pytest.raises(UnusableInput):
        replace(about(1 / S_T).families[0], phi=x**2 + x).linear()
