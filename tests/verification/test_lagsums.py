"""Sums over lags against powers of a step in floating point, and in symbols."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from sgtheory import derive, registry
from sgtheory.modepairs.longrun import at_one_mode, correlation_time, long_run_of_squares
from sgtheory.notation.matrixwords import A, C
from sgtheory.setting import Setting
from verification.laws.lagsums import SIGMA_LAGS, SQUARES_LAGS
from verification.laws.lagsums import correlation_time as time_of
from verification.laws.quantities import Entry, matrices_at
from verification.laws.rational import law_numbers
from verification.notation import S, eps, mu
from verification.refuter.places import Place
from verification.refuter.script import run
from verification.statements import FreeOf, Printed, claim
from verification.theories.matrices.reader import general

HALF = Fraction(1, 2)
PROBLEM = Place(
    {"A": ((HALF, HALF), (HALF, Fraction(2))), "B": ((HALF, Fraction(0)), (Fraction(1), HALF))},
    {"eps": HALF, "mu": Fraction(3, 4), "N": Fraction(9), "S": Fraction(4)},
)
COMMON = {"at": "here", "title": "T", "says": "S."}


def momentum():
    return Setting(registry.sampler("momentum"), registry.model("quadratic"))


def floats(rows):
    return np.array([[float(x) for x in row] for row in rows])


@pytest.mark.parametrize("time", ["discrete", "continuous"])
def test_sums_are_those_of_powers(time):
    matrices = matrices_at((SIGMA_LAGS, SQUARES_LAGS), momentum(), PROBLEM, time)
    law = law_numbers(momentum(), PROBLEM, time)
    M, P = floats(law.step), floats(law.moments)
    if time == "discrete":
        power, weight, many = M, 1.0, 400
    else:  # the trapezoidal rule on exponentials of a short time
        from scipy.linalg import expm

        weight, many = 0.01, 12_000
        power = expm(weight * M)
    here, total, squares = P.copy(), np.zeros((2, 2)), np.zeros((2, 2))
    for k in range(many):
        c = here[:2, :2]
        half = 0.5 if k == 0 else 1.0
        total += half * weight * (c + c.T)
        squares += half * weight * 2 * (c**2 + c.T**2)
        here = power @ here
    assert np.allclose(floats(matrices["Sigma_lags"]), total, rtol=1e-4)
    assert np.allclose(floats(matrices["Squares_lags"]), squares, rtol=1e-4)
    assert not np.allclose(floats(matrices["Squares_lags"]), squares / 2, rtol=1e-2)


def test_in_symbols_at_one_mode():
    pairs = derive("momentum", time="continuous").pairs
    r = sp.Symbol("r", positive=True)
    fixed = {eps: r * mu}
    assert sp.simplify(correlation_time(pairs).subs(fixed)) == 2 / (
        r * sp.Symbol("lambda_i", positive=True)
    )
    variance = at_one_mode(pairs.entry("theta", "theta"))
    square = sp.cancel(long_run_of_squares(pairs) / (2 * variance**2)).subs(fixed)
    assert sp.simplify(square - 1 / mu - 1 / (r * sp.Symbol("lambda_i", positive=True))) == 0


def test_the_long_run_covariance_at_a_pair_of_modes():
    found = general(A * SIGMA_LAGS * A, momentum(), "discrete")
    assert [str(p) for p in found.parts] == ["1/S"]
    assert found.scope == "for every dimension, commuting or not"


@pytest.mark.parametrize("parameter", [pytest.param(eps, marks=pytest.mark.strong), mu])
@pytest.mark.parametrize("time", ["discrete", "continuous"])
def test_momentum_leaves_the_long_run_covariance_alone(parameter, time):
    free = claim("k", of="momentum", printed=FreeOf(SIGMA_LAGS, parameter), **COMMON)
    assert free.find(time).verdict == "proved"
    time_of_one = time_of(lambda m: Entry(m, 0, 0))
    wrong = claim("k", of="momentum", printed=FreeOf(time_of_one, parameter), **COMMON)
    finding = wrong.find(time)
    assert finding.verdict == "refuted"
    assert run(finding.counterexample.script) is False


def test_the_letter_c_is_what_it_was():
    assert Printed(S * A * SIGMA_LAGS * A, C).text() == "S*A*Sigma_lags*A = C"
