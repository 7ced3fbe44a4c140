"""Extrapolation over two steps, and functionals: each held against another route."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import sgtheory as sg
from sgtheory import registry
from sgtheory.advice import advise
from sgtheory.advice.caring import Care
from sgtheory.advice.posed import Posed
from sgtheory.numbers.coefficient import variance_of_excess
from sgtheory.numbers.extrapolated import Extrapolated
from sgtheory.numbers.runs import Chain, Schedule
from sgtheory.setting import Setting

QUADRATIC = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 400, "S": 4,
    "start": {"theta": [0, 0]},
}  # fmt: skip


def chain_of(name, quiet=True, **params):
    problem = sg.Problem.of(QUADRATIC | {"params": params})
    sampler = registry.sampler(name)
    chain = Chain.of(Setting(sampler, problem.model), problem.values(sampler))
    if not quiet:
        return chain
    return replace(chain, mean=chain.mean * 0, second=chain.settled)


def linear(D=3, N=60):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, D)) @ np.diag(np.linspace(0.5, 2, D))
    y = X @ np.arange(1, D + 1) + rng.normal(size=N)
    return {"model": "linear_regression", "X": X, "y": y, "ridge": 1}


@pytest.mark.parametrize("name", ["sgld", "sghmc_velocity_first", "lmc", "momentum"])
def test_the_formula_leaves_the_third_power_of_the_step(name):
    law = sg.derive(name)
    said = law.derivation("extrapolation").results[-1].equation.right
    rng = np.random.default_rng(1)
    step = law.setting.sampler.step.name
    letters = sorted(said.free_symbols | law.covariance.pair.free_symbols, key=str)
    numbers = {s: sp.Rational(int(rng.integers(1, 9)), 10) for s in letters}
    numbers |= {s: sp.Rational(0) for s in letters if s.name == "beta"}

    def rest(h):
        at = {s: (h if s.name == step else x) for s, x in numbers.items()}
        half = {**at, **{s: h / 2 for s in letters if s.name == step}}
        pair = law.covariance.pair
        return abs(2 * pair.subs(half) - pair.subs(at) - said.subs(at))

    small = sp.Rational(1, 10**4)
    assert float(rest(2 * small) / rest(small)) == pytest.approx(8, rel=0.02)


def test_bias_and_scatter_of_two_runs_are_those_of_independent_runs():
    chains = [chain_of("sgld", eps=Fraction(1, 4000) / k) for k in (1, 2)]
    two, late = Extrapolated(*chains), Schedule(0, 4000)
    posterior = sg.law("sgld", QUADRATIC | {"params": {"eps": "1/4000"}}).posterior.covariance
    # by the laws alone: 2 Sigma(h/2) - Sigma(h)
    laws = [
        sg.law("sgld", QUADRATIC | {"params": {"eps": e}}).covariance["theta", "theta"]
        for e in ("1/4000", "1/8000")
    ]
    settled = two.products(late)
    assert settled == pytest.approx(2 * laws[1] - laws[0], rel=1e-9)
    assert np.abs(settled - posterior).max() < 0.2 * np.abs(laws[1] - posterior).max()
    one, other = chains[0].average(late), chains[1].average(late.finer)
    assert two.average(late).covariance == pytest.approx(one.covariance + 4 * other.covariance)


def test_no_step_is_left_to_a_bias_that_is_proportional_to_it():
    """SGD's covariance is proportional to the step, to first order: extrapolated it goes."""
    chains = [chain_of("sgd", eps=Fraction(1, 100) / k) for k in (1, 2)]
    late = Schedule(0, 10)
    assert (
        np.abs(Extrapolated(*chains).products(late)).max()
        < 0.02 * np.abs(chains[0].products(late)).max()
    )


@pytest.mark.parametrize(("name", "params"), [
    ("sgld", {"eps": "1/300"}), ("sghmc", {"eta": "1/9000", "alpha": "1/4"}),
])  # fmt: skip
def test_a_quadratic_functional_scatters_as_the_loss_does(name, params):
    chain, schedule = chain_of(name, **params), Schedule(7, 50, 3)
    A = np.array([[2, 1], [1, 1.5]]) * chain.sharpness / 2
    found = chain.scatter_of_quadratic(schedule, A, np.zeros(2))
    assert found == pytest.approx(variance_of_excess(chain, schedule), rel=1e-9)


def test_a_quadratic_functional_of_a_line_is_twice_its_mean():
    """Far from zero theta^T B theta is linear: its error is that of a linear functional."""
    chain, schedule, far = chain_of("sgld", eps="1/300"), Schedule(0, 40), np.array([1e6, 2e6])
    B = np.array([[1.0, 0.5], [0.5, 0.0]])
    slope = 2 * B @ far
    linear_part = slope @ chain.average(schedule).covariance @ slope
    assert chain.scatter_of_quadratic(schedule, B, far) == pytest.approx(linear_part, rel=1e-6)


def test_predictive_means_are_counted_over_all_examples():
    problem = sg.Problem.of(linear())
    posed = Posed.of(problem, "zero")
    care = Care.about("predictive", None, posed)
    sampler = registry.sampler("sgld")
    values = sg.Problem.of(
        linear() | {"S": 5, "params": {"eps": "1/5000"}, "start": {"theta": [0, 0, 0]}}
    ).values(sampler)
    chain = Chain.of(Setting(sampler, problem.model), values, follow=True)
    schedule = Schedule(3, 30)
    run, X = chain.average(schedule), np.asarray(problem.data["X"], float)
    unit = np.einsum("ni,ij,nj->n", X, posed.truth.covariance, X)
    each = ((X @ run.bias) ** 2 + np.einsum("ni,ij,nj->n", X, run.covariance, X)) / unit
    assert care.error(chain, schedule, posed.truth).value == pytest.approx(np.sqrt(each.mean()))


@pytest.mark.strong
def test_a_large_budget_is_spent_on_two_steps():
    """The bias falls as the step, extrapolated as its square: in the end that wins."""
    problem = QUADRATIC | {"N": 40}
    small, large = (
        advise(problem, passes=passes, samplers=["sgld"], fixed={"S": 4}) for passes in (50, 10**7)
    )
    assert not small.best.extrapolated
    assert large.best.extrapolated
    plain = next(o for o in large.options if not o.extrapolated)
    assert large.best.error.value < 0.8 * plain.error.value
    assert large.best.passes <= 10**7
    assert large.best.to_json()["extrapolated"]["steps"] == large.best.schedule.finer.steps


REFUSED = [
    ({"care": "predictive"}, "linear model of rows"),
    ({"care": "quadratic"}, "symmetric matrix"),
    ({"care": "quadratic", "of": [1, 2]}, "symmetric matrix"),
    ({"care": "quadratic", "of": [[1, 2], [3, 4]]}, "symmetric matrix"),
    ({"care": "quadratic", "of": [[0, 0], [0, 0]]}, "symmetric matrix"),
    ({"care": "quadratic", "of": "x"}, "number for a functional"),
]


@pytest.mark.parametrize(("how", "words"), REFUSED)
def test_what_has_no_functional_is_one_line(how, words):
    with pytest.raises(sg.UnusableInput, match=words):
        advise(QUADRATIC, passes=9, **how)


def test_epochs_and_continuous_time_have_no_extrapolation():
    with pytest.raises(sg.UnusableInput, match="not all alike"):
        sg.derive("svrg_ld").derivation("extrapolation")
    with pytest.raises(sg.UnusableInput, match="discrete time"):
        sg.derive("sgld", time="continuous").derivation("extrapolation")
