"""Expansions in 1/N and eta against the transition operator of nonlinear chains; and twins."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp

from sgtheory.declare import Card, N, Sampler, gradient, mode, normal, positive, state
from sgtheory.operator import stationary
from sgtheory.perturbation import at_mode, form_of, invariant_moments
from sgtheory.problem import Problem

X, Y = [[1], [2], [-1]], [1, -1, 1]


def larger(k, **params):
    """The same law of examples, k of each, and a ridge as strong to each."""
    content = {"model": "logistic_regression", "X": X * k, "y": Y * k, "ridge": k, "S": 1}
    return Problem.of({**content, "params": params})


def at_fixed_eta(k):
    return larger(k, gamma=f"1/{6 * k}")


def curved(k):
    """Examples whose curvatures differ much."""
    content = {"model": "logistic_regression", "X": [[0], [2]] * k, "y": [1, -1] * k, "ridge": k}
    return Problem.of({**content, "S": 1, "params": {"gamma": f"1/{4 * k}"}})


def without_replacement(k):
    return replace(at_fixed_eta(k), replacement=False, sizes={**at_fixed_eta(k).sizes, "S": Fraction(2)})


def smaller_eta(k):
    return larger(1, eps=f"1/{4 * k}")


def smaller_eta_more_examples(k):
    return larger(k, gamma=f"1/{24 * k * k}")


def potential(k):
    content = {
        "model": "potential",
        "U": "x**4/4 + x**2 + x + exp(-x)/4",
        "noise": [[2]],
        "N": k,
        "S": 1,
    }
    return Problem.of({**content, "params": {"gamma": f"1/{32 * k * k}"}})


@cache
def measured(name, family, k):
    """Two moments about the minimiser by the operator, and their errors."""
    problem = family(k)
    at = float(invariant_moments(name).at(problem).minimiser[0])
    found = stationary(name, problem, accuracy=1e-9)
    values = [found.expect(lambda x, p=p: (x - at) ** p) for p in (1, 2)]
    return np.array([v for v, _ in values]), max(error for _, error in values)


def left_out(name, family, k, order, twin=lambda found: found):
    """What is exact, less an expansion with a twin's derivatives; and the next term of the right one."""
    problem = family(k)
    asked = invariant_moments(name, order)
    numbers = problem.values(name)
    gamma = float(
        asked.form.gamma.subs({s: numbers.scalars[s.name] for s in asked.form.gamma.free_symbols})
    )
    expansion = asked.expand(twin(at_mode(problem, numbers)), gamma)
    exact, error = measured(name, family, k)
    gap = exact - [expansion.mean[0], expansion.second[0, 0]]
    assert (abs(gap) > 30 * error).all()  # so that the operator's own error moves a slope by at most 0.1
    after = invariant_moments(name, order + 1).at(problem)
    return gap, np.array([after.means[-1][0], after.seconds[-1][0, 0]])


def slopes(name, family, order, twin=lambda found: found, sizes=(4, 8)):
    few, many = (abs(left_out(name, family, k, order, twin)[0]) for k in sizes)
    return np.log(few / many) / np.log(sizes[1] / sizes[0])


CASES = [
    ("lmc", at_fixed_eta),
    pytest.param("sgldfp", at_fixed_eta, marks=pytest.mark.long),  # its twins are cheaper, below
    ("sgld", smaller_eta_more_examples),
    ("sgd", smaller_eta),
    pytest.param(
        "lmc",
        lambda k: potential(4 * k).with_params(gamma=f"1/{32 * k}"),
        marks=pytest.mark.strong,
    ),
    pytest.param("sgld", potential, marks=pytest.mark.strong),
]
NAMES = ["lmc", "sgldfp", "sgld", "sgd", "lmc in a potential", "sgld in a potential"]


@pytest.mark.parametrize(("name", "family"), CASES, ids=NAMES)
@pytest.mark.parametrize("order", [pytest.param(1, marks=pytest.mark.long), 2])
def test_the_remainder_has_the_next_order(name, family, order):
    """A term that is wrong in this order would leave a slope of ``order``: half-way is the tolerance."""
    sizes = (2, 4) if family is smaller_eta_more_examples else (4, 8)
    assert slopes(name, family, order, sizes=sizes) == pytest.approx([order + 1] * 2, abs=0.5)


@pytest.mark.long
def test_the_remainder_without_replacement():
    for order in (1, 2):
        found = slopes("sgldfp", without_replacement, order, sizes=(2, 4))
        assert found == pytest.approx([order + 1] * 2, abs=0.5)


def scaled(wanted, factor):
    """A twin whose joint moments of some kinds of derivatives are wrong by a factor."""

    def twin(found):
        def joint(keys):
            right = found.joint(keys)
            return factor * right if tuple(len(k) for k in keys) == wanted else right

        return replace(found, joint=joint)

    return twin


def without_third(found):
    return replace(found, total=lambda key: 0.0 if len(key) == 3 else found.total(key))


@pytest.mark.parametrize(
    ("name", "family", "order", "twin", "which"),
    [
        ("sgldfp", curved, 1, scaled((2, 2), 2), [0, 1]),  # factor 2 in K
        ("sgldfp", curved, 1, scaled((2, 2), 0), [0, 1]),  # H where G belongs
        ("lmc", at_fixed_eta, 1, without_third, [0]),  # no shift of the mean
        ("sgd", smaller_eta, 1, without_third, [0]),
        ("sgd", smaller_eta, 1, scaled((1, 1), 2), [0, 1]),  # factor 2 in M
        ("sgd", smaller_eta, 2, scaled((1, 2), 0), [0, 1]),  # no cross term
        ("sgd", smaller_eta, 2, scaled((2, 2), 2), [0, 1]),  # factor 2 in K
        ("sgd", smaller_eta, 2, scaled((1, 3), 0), [0, 1]),
        ("sgd", smaller_eta, 2, scaled((1, 1, 1), 0), [0, 1]),  # no skewness of minibatches
        ("sgldfp", curved, 2, scaled((2, 3), 0), [0, 1]),
    ],
)
def test_twins_are_rejected(name, family, order, twin, which):
    """What is left out is the next term, to a quarter; with a twin it is not."""
    gap, following = left_out(name, family, 8, order)
    wrong, _ = left_out(name, family, 8, order, twin)
    assert (abs(gap - following) < abs(following) / 4).all()
    assert (abs(wrong - following) > abs(following) / 4)[which].all()


def test_the_printed_operator_adds_nothing_where_eta_vanishes():
    """Theorem 7 prints G^-1: its error is O(eta^2), as without K and without the product of Hessians."""
    gaps = []
    for k in (4, 8):
        expansion = invariant_moments("sgd").resummed(smaller_eta(k))
        gaps.append(
            np.abs(measured("sgd", smaller_eta, k)[0] - [expansion.mean[0], expansion.second[0, 0]])
        )
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx([2, 2], abs=0.5)


@pytest.mark.long
def test_a_share_of_the_noise_at_the_mode():
    """Half a control variate leaves a quarter of M and half of every cross term."""
    theta, xi, gamma = state("theta"), normal("xi"), positive("gamma")
    drift = gradient(theta) - gradient(mode) / 2
    half = Sampler(
        state=(theta,),
        noises=(xi,),
        updates=((theta, theta - gamma * N * drift + sp.sqrt(2 * gamma) * xi),),
        convention=Card(loss="mean", drift="gamma N"),
    )
    assert form_of(half).additive == sp.Rational(1, 2)
    for order in (1, 2):
        gaps = []
        for k in (4, 8):
            problem = smaller_eta_more_examples(k)
            expansion = invariant_moments(half, order).at(problem)
            found = stationary(half, problem, accuracy=1e-9)
            value, _ = found.expect(lambda x, at=expansion.minimiser[0]: (x - at) ** 2)
            gaps.append(abs(value - expansion.second[0, 0]))
        assert np.log2(gaps[0] / gaps[1]) == pytest.approx(order + 1, abs=0.5)
