"""The same law by pairs of modes, by rational eigenvalues, by expansions, and by the engine."""

import random
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.numeric import law
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from verification.kinds import Transpose
from verification.notation import A, C, S, Sigma, eps, identity
from verification.pairform import NotInPairForm
from verification.refuter.places import Place
from verification.spectral.brute import Brute, agree
from verification.spectral.calculus import vanishes
from verification.spectral.modes import Reading
from verification.spectral.numbers import Closed
from verification.spectral.plain import linear_at, stepped, summed
from verification.spectral.signs import nowhere_negative
from verification.spectral.words import Averaged, Lagged, Lambda, MatrixExp, T, U

SGD = Setting(registry.sampler("sgd"), registry.model("quadratic"))
LESS = MatrixExp(-eps * T * A) - identity
EQ50 = (A**-1 * Sigma + Sigma * A**-1) / (eps * T) + (A**-2 * LESS * Sigma + Sigma * A**-2 * LESS) / (
    eps * T
) ** 2
t, s = sp.symbols("t s", positive=True)


def rows(text):
    return tuple(tuple(map(Fraction, row.split())) for row in text.split(";"))


def place(A="2 1; 1 2", window=3):
    scalars = {"eps": Fraction(1, 8), "S": Fraction(4), "T": Fraction(window)}
    return Place({"A": rows(A), "C": rows("2 1; 1 3")}, scalars)


@pytest.mark.parametrize(("factor", "holds"), [(1, True), (2, False), (sp.Rational(1001, 1000), False)])
def test_all_three_routes_know_eq50(factor, holds):
    rest = Averaged(T) - factor * EQ50
    parts = Reading(SGD).of(rest)
    assert all(vanishes(c) for c in parts.values()) is holds
    assert (not any(x for row in Closed(place(), SGD).matrix(rest) for x in row)) is holds
    assert agree(Brute(place("5 1; 1 2"), SGD).matrix(rest)) is holds  # no rational eigenvalues


def test_without_rational_eigenvalues_nothing_is_said():
    with pytest.raises(TypeError):
        Closed(place("5 1; 1 2"), SGD).matrix(MatrixExp(A))


def test_the_double_integral_is_split_where_the_times_meet():
    whole = sp.Integral(Lagged(t, s), (s, 0, T), (t, 0, T)) / T**2
    earlier = sp.Integral(Lagged(t, s), (s, 0, t), (t, 0, T)) / T**2
    reading = Reading(SGD)
    assert all(vanishes(c) for c in reading.of(whole - Averaged(T)).values())
    assert not all(vanishes(c) for c in reading.of(2 * earlier - Averaged(T)).values())
    assert agree(Brute(place(), SGD).matrix(whole - Averaged(T)))


def test_the_eigenvectors_have_to_stand_where_they_belong():
    turned = U * MatrixExp(Lambda) * Transpose(U)
    assert all(vanishes(c) for c in Reading().of(turned - MatrixExp(A)).values())
    with pytest.raises(NotInPairForm):
        Reading().of(MatrixExp(Lambda) * Transpose(U) - MatrixExp(A))
    skew = Place({"A": rows("41/25 12/25; 12/25 34/25")}, {})
    assert Closed(skew).matrix(turned) == Closed(skew).matrix(MatrixExp(A))
    assert Closed(skew).matrix(Transpose(U) * MatrixExp(Lambda) * U) != Closed(skew).matrix(MatrixExp(A))


def test_long_sums_by_doubling_are_those_step_by_step():
    law = linear_at(SGD, place(), "discrete")
    assert all(stepped(law, n) == summed(law, n) for n in (0, 1, 2, 7, 64))


@pytest.mark.parametrize("time", ["discrete", "continuous"])
def test_the_engine_has_the_same_window_average(time):
    problem = Problem.of(
        {
            "hessian": [["2", "1"], ["1", "2"]],
            "noise": [["2", "1"], ["1", "3"]],
            "N": "8",
            "S": "4",
            "params": {"eps": "1/8"},
        }
    )
    ours = Closed(place(), SGD, time).matrix(Averaged(T))
    numbers = np.array([[float(x.decimal()) for x in row] for row in ours])
    theirs = law("sgd", problem, time=time, average=3).average.covariance
    assert np.allclose(theirs, numbers, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_an_improper_integral_without_eigenvalues(seed):
    source = random.Random(seed)
    u = sp.Symbol("u", real=True)
    kick = MatrixExp(-A * (t - u))
    left = eps / S * sp.Integral(kick * C * kick, (u, -sp.oo, t))
    at = place(f"{source.randrange(3, 6)} 1; 1 {source.randrange(2, 5)}").but(t=Fraction(1))
    walk = Brute(at, SGD)
    assert agree(walk.matrix(left - Sigma))
    assert not agree(walk.matrix(left - 2 * Sigma))


def test_signs_of_sums_of_exponentials():
    x, y = sp.symbols("x y", positive=True)
    assert nowhere_negative(y * (sp.exp(-x) - 1 + x))
    assert nowhere_negative(sp.exp(x) - 1 - x - x**2 / 2 - x**3 / 6)
    assert nowhere_negative(1 - (1 - sp.exp(-x * y)) / (x * y))
    assert nowhere_negative(sp.exp(-x) - 1 + x - x**2 / 2) is None
    assert nowhere_negative(x * sp.exp(-x) - 1) is None
