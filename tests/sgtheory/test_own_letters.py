"""Samplers of many shapes in letters of their own: what a user would write first."""

import numpy as np
import pytest
from sympy import cos, exp, log, sin, sqrt

import sgtheory as sg
from sgtheory.declare import Card, N, S, Sampler, gradient, local, normal, positive, state

theta, v, z = state("theta v z")
xi = normal("xi")
h, gamma, alpha, a, beta, lr = positive("h gamma alpha a beta lr")
odd, one, euler, T = positive("in I E T")
grad = gradient(theta)
look, new = local("look new")


def declared(*updates, given=()):
    states = tuple(s for s in (theta, v, z) if any(t == s for t, _ in updates))
    noisy = any(e.has(xi) for _, e in updates)
    card = Card(loss="mean", drift="own")
    return Sampler(states, updates, card, noises=(xi,) if noisy else (), given=given)


def flow(rate):
    return exp(-rate) * v + sqrt(1 - exp(-2 * rate)) * xi


BANK = {
    "ou": declared((theta, theta - h * N * grad), (theta, exp(-h) * theta + sqrt(1 - exp(-2 * h)) * xi)),
    "half": declared((theta, exp(-h) * theta - h * grad + sqrt(1 - exp(-h)) * xi)),
    "friction": declared((v, flow(gamma * h)), (v, v - h * N * grad), (theta, theta + h * v)),
    "three": declared(
        (theta, theta + h * v),
        (v, v - h * N * grad + h * gamma * z),
        (z, z - h * gamma * v - h * a * z + sqrt(2 * a * h) * xi),
    ),
    "chained": declared(
        (z, (1 - a) * z + a * v),
        (v, beta * v - h * grad + lr * xi),
        (theta, theta + v + z),
        given=(beta < 1,),
    ),
    "refreshed": declared(
        (v, alpha * v + sqrt(1 - alpha**2) * xi),
        (v, v - h / 2 * N * grad),
        (theta, theta + h * v),
        (v, v - h / 2 * N * gradient(theta, 1)),
        given=(alpha < 1,),
    ),
    "averaged": declared(
        (v, beta * v + sqrt(1 - beta) * grad), (theta, theta - lr * v), given=(beta < 1,)
    ),
    "words": declared((theta, theta - odd * one * euler * grad + sqrt(2 * odd * T) * xi)),
    "sizes": declared((theta, theta - h * positive("N") / 2 * grad + sqrt(h / positive("S")) * xi)),
    "ahead": declared((look, theta - h * grad), (theta, theta - h * gradient(look, 1))),
    "roots": declared((theta, theta - sqrt(h) * grad + log(1 + h) * xi)),
    "turned": declared(
        (new, cos(h) * theta + sin(h) * v),
        (v, cos(h) * v - sin(h) * theta),
        (theta, new),
        (v, v - a * grad),
        (v, v / 2 + sqrt(3) / 2 * xi),
    ),
    "decay": declared((theta, (1 - h * positive("lambda")) * theta - h * grad)),
}
VALUES = {
    "h": 1 / 40, "gamma": 1 / 2, "alpha": 3 / 5, "a": 1 / 2, "beta": 3 / 5, "lr": 1 / 10, "in": 1 / 10,
    "I": 1 / 2, "E": 1 / 3, "T": 1 / 2, "lambda": 1 / 5,
}  # fmt: skip


def problem(sampler, **more):
    params = {p.name: VALUES[p.name] for p in sampler.parameters}
    return sg.Problem.of({"hessian": [[2]], "noise": [[3]], "N": 12, "S": 4, "params": params, **more})


def by_hand(sampler):
    """The stationary covariance in one dimension: the updates as written, on unit vectors, in floats."""
    numbers = {p: VALUES.get(p.name) for p in sampler.parameters}
    numbers |= {N: 12, S: 4}
    for letter, meaning in sampler.where:
        numbers[letter] = float(meaning.subs(numbers))
    width = len(sampler.state) + 1 + 2  # states, injected noise, two minibatches
    start = dict(zip(sampler.state, np.eye(width), strict=False))
    known = {**start, xi: np.eye(width)[len(sampler.state)]}

    def value(expr):
        total = np.zeros(width)
        for term in expr.expand().as_ordered_terms():
            vectors = [x for x in term.args or (term,) if x in known or x.func == grad.func]
            (vector,) = [term] if term in known or term.func == grad.func else vectors
            front = float((term / vector).subs(numbers))
            if vector in known:
                total += front * known[vector]
            else:
                point, draw = vector.args
                noise = np.eye(width)[len(sampler.state) + 1 + int(draw)]
                total += front * (2 * known[point] + np.sqrt(3 / 4) * noise)
        return total

    for target, expr in sampler.updates:
        known[target] = value(expr)
    rows = np.array([known[s] for s in sampler.state])
    m = len(sampler.state)
    M, Q = rows[:, :m], rows[:, m:] @ rows[:, m:].T
    P = np.linalg.solve(np.eye(m * m) - np.kron(M, M), Q.reshape(-1))
    return P.reshape(m, m)


@pytest.mark.parametrize("name", BANK)
def test_the_law_is_that_of_the_updates_as_they_are_written(name):
    sampler = BANK[name]
    found = sg.law(sampler, problem(sampler)).require_stable()
    assert found.covariance["theta", "theta"][0, 0] == pytest.approx(by_hand(sampler)[0, 0], rel=1e-9)


THREE = ("three", "chained")
SLOW = [pytest.param(n, marks=pytest.mark.strong) if n in THREE else n for n in BANK]


@pytest.mark.parametrize("name", SLOW)
def test_a_formula_is_derived_and_rechecked(name):
    sampler = BANK[name]
    law = sg.derive(sampler)
    assert "random points modulo" in law.derivation("covariance").to_text()
    symbols = {s.name for s in law.covariance.pair.free_symbols}
    letters = {c.name for c, _ in sampler.where}
    assert symbols <= {*VALUES, "N", "S", "lambda_i", "lambda_j", "C_ij", "delta_ij", *letters}


@pytest.mark.parametrize("name", [n for n in SLOW if n != "roots"])
def test_there_is_a_limit_in_continuous_time(name):
    sg.derive(BANK[name], time="continuous").derivation("covariance")


STEPS = {"averaged": "lr", "words": "in", "turned": "a"}


@pytest.mark.parametrize("name", BANK)
def test_the_step_is_found_whatever_it_is_called(name):
    assert BANK[name].step.name == STEPS.get(name, "h")


@pytest.mark.parametrize("name", BANK)
def test_chains_have_that_law(name):
    from simulators import simulate

    sampler = BANK[name]
    asked = problem(sampler, start={"theta": [1]})
    run = simulate(sg.Setting(sampler, asked.model), asked.values(sampler), chains=4096, steps=5)
    exact = sg.law(sampler, asked, at=5).covariance["theta", "theta"][0, 0]
    measured = run.covariance["theta,theta"][0][0]
    # seven standard errors of a variance of 4096 normal chains: a false alarm in 10^11
    assert measured == pytest.approx(exact, rel=7 * np.sqrt(2 / 4096))


def test_every_word_of_python_is_a_name():
    odd_ones = "lambda in class I E T S N Q O def zoo pi beta"
    for name in odd_ones.split():
        p = positive(name)
        sampler = Sampler((theta,), ((theta, theta - p * grad / 100),), Card(loss="mean", drift="p"))
        sg.derive(sampler).derivation("covariance").to_latex()
