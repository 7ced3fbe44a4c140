"""What an unstable law says: a condition that fails, and an end of stability that is one."""

import re
from functools import cache

import numpy as np
import pytest
from sympy import exp, sqrt

from sgtheory import derive, law
from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state
from sgtheory.problem import Problem

theta, v, m = state("theta v m")
xi = normal("xi")
lambda_, gamma, eta = positive("lambda_ gamma eta_")

FILTERED = Sampler(
    name="filtered",
    state=(theta, v, m),
    noises=(xi,),
    updates=(
        (m, (1 - lambda_) * m + lambda_ * gradient(theta)),
        (v, exp(-gamma) * v - eta * N * m + sqrt(eta * (1 - exp(-2 * gamma))) * xi),
        (theta, theta + v),
    ),
    given=(lambda_ <= 1,),
    convention=Card(loss="mean", drift="eta N", noise="on v", order="m, v, theta"),
)
CONTENT = {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4}
PARAMS = {"eta_": "1/2", "gamma": "1/2", "lambda_": "1/20"}


@cache
def at(sampler=FILTERED, **params):
    """Its law on the same problem."""
    return law(sampler, Problem.of({**CONTENT, "params": params}))


def test_the_condition_that_is_named_fails_and_those_that_hold_are_not_named():
    found = at(**PARAMS)
    c, a, N_, eta_, l_ = np.exp(-0.5), np.linalg.eigvalsh([[2, 1], [1, 1.5]])[1], 40, 0.5, 0.05
    holds = 4 * c + 4 - 2 * c * l_ - eta_ * l_ * N_ * a - 2 * l_
    fails = 4 * c * l_ + 4 - 4 * c - eta_ * l_ * N_ * a
    assert holds > 0 > fails
    assert "needs 4*c*lambda_ + 4 - 4*c - eta_*lambda_*N*lambda > 0" in found.unstable_because
    assert f"it is {fails:.6g}" in found.unstable_because
    assert "4*c + 4 - 2*c" not in found.unstable_because


def test_a_step_that_cannot_help_is_not_recommended_and_what_can_is_so():
    found = at(**PARAMS)
    assert "no value of lambda_ from" in found.unstable_because
    assert not any(at(**{**PARAMS, "lambda_": float(x)}).stable for x in np.logspace(-4, 0, 4))
    assert "smaller" not in found.remedy
    name, end = re.fullmatch(r"take (\w+) < ([\d.e-]+)", found.remedy).groups()
    assert at(**{**PARAMS, name: float(end) * 0.999}).stable
    assert not at(**{**PARAMS, name: float(end) * 1.001}).stable


def test_an_end_that_no_condition_gives_alone_is_found_in_numbers():
    found = at(eta_="1/300", gamma="1/2", lambda_="1/10")  # too slow a filter
    assert not found.stable
    low = float(re.search(r"lambda_ > ([\d.e-]+)", found.unstable_because).group(1))
    assert found.remedy == "take a larger lambda_"
    assert at(eta_="1/300", gamma="1/2", lambda_=low * 1.001).stable
    assert not at(eta_="1/300", gamma="1/2", lambda_=low * 0.999).stable


def test_a_limit_is_one_only_where_nothing_else_is_asked():
    assert derive(FILTERED).stability.limit is None  # a bound on lambda_ that is necessary only
    assert str(derive("momentum").stability.limit) == "2*(2 - mu)/lambda"


@pytest.mark.parametrize(("name", "step"), [("momentum", 5), ("nesterov", 5)])
def test_a_true_limit_is_still_shown_as_a_formula(name, step):
    found = at(name, eps=step, mu="1/2")
    assert re.match(rf"{name} needs eps < .* = ", found.unstable_because)
    assert found.remedy == "take a smaller step"


def test_a_condition_on_another_parameter_leaves_the_step_its_limit():
    """Without a word on gamma, gamma < 1 is a condition; another on the step takes the limit away."""
    grad, card = gradient(theta), Card(loss="mean", drift="eta")
    heavy = ((v, gamma * v - eta * grad), (theta, theta + v))
    found = derive(Sampler((theta, v), heavy, card)).stability
    assert any(not c.has(eta) for c in found.conditions)
    assert found.limit.has(gamma)
    assert derive(FILTERED).stability.limit is None
