"""What is advised is as good as a grid finds, and its error is what the exact law says."""

import time
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.advice import advise
from sgtheory.advice.beyond import _by_skewness
from sgtheory.datamodels.newton import Loss
from sgtheory.numbers.runs import Chain, Schedule
from sgtheory.setting import Setting

QUADRATIC = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 400,
}  # fmt: skip


@cache
def reference():
    """Linear regression with 2,000 examples in 8 dimensions."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8)) @ np.diag(np.linspace(0.3, 2, 8))
    y = X @ rng.normal(size=8) + rng.normal(size=2000)
    return sg.Problem.of({"model": "linear_regression", "X": X, "y": y, "ridge": 1})


@cache
def advised(passes, care, *samplers):
    return advise(reference(), passes=passes, care=care, samplers=samplers or None)


@cache
def on_quadratic(sampler="sgld", **how):
    return advise(QUADRATIC, passes=50, samplers=[sampler], **how)


def settled_error(S, eps, passes=200):
    """The twenty lines of a user who knows ``law``: the error of means of a settled chain."""
    content = reference().to_json() | {"S": S, "params": {"eps": eps}}
    steps = int(passes * 2000 / S)
    law = sg.law("sgld", content, average=steps)
    if not law.stable:
        return np.inf
    share = np.diag(law.average.covariance) / np.diag(law.posterior.covariance)
    return float(np.sqrt(share.mean()))


@pytest.mark.strong
def test_the_reference_case_is_as_good_as_a_grid_of_laws():
    found = advised(200, "mean", "sgld")
    grid = {
        (S, eps): settled_error(S, eps)
        for S in (1, 2, 4, 16, 64)
        for eps in 1e-6 * 10 ** np.arange(0, 2.3, 0.25)
    }
    # a run begins at its start, and a grid has its gaps: plain sgld, without a gain
    plain = next(o for o in found.options if not o.gain)
    assert plain.error.value <= 1.01 * min(grid.values())
    assert plain.error.value < settled_error(16, 3.2e-6)


@pytest.mark.strong
@pytest.mark.parametrize("name", ["sgld", "sgldfp"])
def test_it_is_within_a_twentieth_of_the_best_of_a_grid(name):
    found = advised(20, "both", name)
    best = next(o for o in found.options if not o.gain)
    care, truth, step = found.care, found.truth, best.setting.sampler.step.name
    errors = []
    for S in (1, 2, 4, 6, 9, 16, 40):
        for factor in 2.0 ** np.arange(-2, 2.1, 0.5):
            changed = best.problem.with_params(**{step: best.params[step] * factor})
            content = sg.Problem.of(changed.to_json() | {"S": S})
            try:
                values = content.values(best.setting.sampler)
                chain = Chain.of(best.setting, values, follow=True)
            except sg.Unstable:
                continue
            steps = int(20 * 2000 / (2 * S if name == "sgldfp" else S))
            for share in (0, 0.02, 0.1):
                burnt = int(share * steps)
                errors.append(care.error(chain, Schedule(burnt, steps - burnt), truth).value)
    assert best.error.value <= 1.05 * min(errors)


@pytest.mark.strong
def test_it_answers_in_ten_seconds():
    assert reference().examples.N == 2000  # found before
    begun = time.process_time()
    found = advise(reference(), passes=200)
    assert time.process_time() - begun < 10
    assert found.best.error.value < 0.08
    assert [o.error.value for o in found.options] == sorted(o.error.value for o in found.options)
    assert {r.name for r in found.references} == {"lmc", "hmc"}


def skewed(dimension, examples):
    rng = np.random.default_rng(dimension)
    turned = np.eye(dimension) + 0.5 * rng.normal(size=(dimension,) * 2) / dimension**0.5
    X = rng.standard_t(5, size=(examples, dimension)) @ np.diag(np.geomspace(0.2, 2, dimension)) @ turned
    y = X @ rng.normal(size=dimension) + rng.standard_t(5, size=examples)
    return sg.Problem.of({"model": "linear_regression", "X": X, "y": y, "ridge": 1})


@pytest.mark.strong
@pytest.mark.parametrize(("care", "passes"), [("both", 30), ("mean", 100), ("worst", 40)])
def test_a_search_by_the_table_is_within_a_twentieth_of_one_by_exact_laws(care, passes, monkeypatch):
    problem = skewed(20, 600)
    nearly = advise(problem, passes=passes, care=care)
    assert any("from a table" in note for note in nearly.notes)
    monkeypatch.setattr("sgtheory.advice.arms._FEW", 100)
    exactly = advise(problem, passes=passes, care=care)
    assert not any("from a table" in note for note in exactly.notes)
    assert nearly.best.error.value <= 1.05 * exactly.best.error.value


@pytest.mark.strong
@pytest.mark.parametrize("care", ["both", "mean"])
def test_a_search_along_some_modes_is_within_a_twentieth_of_one_along_all(care, monkeypatch):
    problem = skewed(80, 1500)
    whole = advise(problem, passes=30, care=care, samplers=["sgld", "sghmc"])
    monkeypatch.setattr("sgtheory.advice.thinned.ALL", 60)
    some = advise(problem, passes=30, care=care, samplers=["sgld", "sghmc"])
    assert any("60 of 80" in note for note in some.notes)
    assert some.best.error.value <= 1.05 * whole.best.error.value
    # what is told is the exact law of all modes, however the search went
    best = some.best
    chain = Chain.of(best.setting, best.problem.values(best.setting.sampler))
    again = some.care.error(chain, best.schedule, some.truth)
    assert best.error.value == pytest.approx(again.value, rel=1e-6)


def test_a_table_is_told_of_only_where_there_is_one(monkeypatch):
    monkeypatch.setattr("sgtheory.advice.thinned.ALL", 10)
    quadratic = {"hessian": np.diag(np.arange(1.0, 21)), "noise": np.eye(20), "N": 1000}
    (seen,) = (n for n in advise(quadratic, passes=50, samplers=["sgld"]).notes if "The search" in n)
    assert "looked at 60 of 20 modes" in seen
    assert "table" not in seen


@pytest.mark.strong
def test_fifty_dimensions_of_data_take_less_than_ten_seconds_of_computing():
    problem = skewed(50, 5000)
    assert problem.examples.N == 5000  # found before
    begun = time.process_time()
    advise(problem, passes=50)
    assert time.process_time() - begun < 10


def test_an_error_is_its_bias_and_its_scatter():
    found = on_quadratic()
    for error in (o.error for o in (*found.options, *found.pareto)):
        assert error.value**2 == pytest.approx(error.bias**2 + error.scatter**2, rel=1e-12)
    cost = [o.passes for o in found.pareto]
    errors = [o.error.value for o in found.pareto]
    assert cost == sorted(cost)
    assert errors == sorted(errors, reverse=True)


def test_the_error_is_that_of_the_law():
    """By another route: each kept step's law alone, and the window of a settled chain."""
    found = advise(QUADRATIC, passes=50, samplers=["sgd"], care="kl")
    best = found.best
    law = sg.law("sgd", best.problem, at=best.schedule.steps)
    assert found.best.error.value == pytest.approx(law.kl_to_posterior, rel=1e-9)
    mean = advise(QUADRATIC, passes=50, samplers=["sgld"], care="mean")
    late = Schedule(10**6, mean.best.schedule.kept)
    window = sg.law("sgld", mean.best.problem, average=late.kept)
    share = np.diag(window.average.covariance) / np.diag(window.posterior.covariance)
    error = mean.care.error(mean.best.chain, late, mean.truth)
    assert error.value == pytest.approx(np.sqrt(share.mean()), rel=1e-6)


def test_the_worst_direction_is_worse_than_any_functional():
    worst = advise(QUADRATIC, passes=50, samplers=["sgldfp", "sgld"], care="worst", fixed={"S": 4})
    schedule, chain = worst.best.schedule, worst.best.chain
    for weights in np.random.default_rng(2).normal(size=(30, 2)):
        care = replace(worst.care, what="mean", of=weights[None])
        assert care.error(chain, schedule, worst.truth).value <= worst.best.error.value * (1 + 1e-9)


def test_a_factor_of_two_is_that_of_the_other_problem():
    found = advise(QUADRATIC, passes=50, samplers=["sgd"], care="variance")
    best = found.best
    for one in found.misjudged:
        key, letter = {"curvature": ("hessian", "A"), "noise": ("noise", "C")}[one.what]
        matrix = np.array(best.problem.matrices[letter], float) * one.factor
        problem, sgd = sg.Problem.of(best.problem.to_json() | {key: matrix}), registry.sampler("sgd")
        if one.error is None:
            assert not sg.law("sgd", problem).stable
            continue
        chain = Chain.of(Setting(sgd, problem.model), problem.values(sgd))
        average = chain.average(best.schedule)
        posterior = np.diag(sg.law("sgd", problem).posterior.covariance)
        bias = np.diag(average.squares) / posterior - 1
        scatter = chain.scatter(best.schedule, np.eye(2)) / posterior**2
        assert one.error.value == pytest.approx(np.sqrt((bias**2 + scatter).mean()), rel=1e-6)


def test_steps_beyond_the_headroom_are_unstable():
    found = on_quadratic()
    best = found.best
    for factor, stable in ((0.99, True), (1.02, False)):
        eps = best.params["eps"] * found.headroom * factor
        assert sg.law(best.sampler, best.problem.with_params(eps=eps)).stable is stable


def test_a_start_far_away_is_burnt_in():
    far = advise(QUADRATIC | {"start": {"theta": [5, 5]}}, passes=50, samplers=["sgld"])
    assert far.best.schedule.burn_in > 0
    assert "problem says" in far.start
    near = on_quadratic()
    assert far.best.error.value > near.best.error.value


def test_a_divergence_is_never_negative_however_large_the_budget():
    found = advise({"model": "gaussian2d"}, gradients=10**14, care="kl", start="typical")
    assert all(option.error.value >= 0 for option in (*found.options, *found.pareto))


def test_few_states_are_kept_if_asked():
    found = on_quadratic(keep=20)
    assert found.best.schedule.kept <= 20
    assert found.best.schedule.every > 1
    assert found.best.error.value > on_quadratic().best.error.value


def test_what_is_fixed_is_not_chosen():
    found = advise(QUADRATIC, passes=50, samplers=["sghmc"], fixed={"S": 32, "alpha": "1/8"})
    assert found.best.params["S"] == 32
    assert found.best.params["alpha"] == 0.125
    assert all(o.params["alpha"] == 0.125 for o in found.options)


def test_a_budget_in_seconds_counts_steps_and_examples():
    found = advise(QUADRATIC, seconds=0.05, samplers=["sgld"])
    assert "seconds" in found.budget
    assert 1 < found.best.schedule.steps < 1e6


def test_a_model_that_is_not_quadratic_is_answered_by_its_quadratic():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = np.where(rng.random(300) < 1 / (1 + np.exp(-X @ [1, -0.5])), 1, -1)
    content = {"model": "logistic_regression", "X": X, "y": y, "ridge": 1}
    found = advise(content, passes=30, care="mean")
    # what minibatches add to control variates is no part of a quadratic
    assert {o.sampler for o in found.options} == {"sgld", "sghmc"}
    named = advise(content, passes=30, samplers=["sgldfp"])
    assert any("spread of the examples' curvatures" in note for note in named.notes)
    assert any("not quadratic" in note for note in found.notes)
    assert found.best.setting.model.name == "logistic_regression"
    assert found.to_json()["schema"] == "sgtheory.advice/1"


def test_third_derivatives_are_those_of_the_curvature():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), rng.choice([-1.0, 1.0], 30)
    loss = Loss.of(registry.model("logistic_regression"), {"X": X, "y": y}, {"ridge": Fraction(1)})
    x, d = rng.normal(size=3), 1e-5
    for k, axis in enumerate(np.eye(3)):
        slope = (loss.curvature(x + d * axis) - loss.curvature(x - d * axis)) / (2 * d)
        np.testing.assert_allclose(loss.third(x)[k], slope, atol=1e-8)
        bent = (loss.rows(x + d * axis) - loss.rows(x - d * axis)).mean(axis=0) / (2 * d)
        np.testing.assert_allclose(loss.curvature(x)[k], bent, atol=1e-8)


@pytest.mark.strong
def test_what_is_not_quadratic_is_right_to_second_order():
    """The variance of a long run with short steps, beside that of the posterior by quadrature."""
    rng, gaps = np.random.default_rng(1), []
    rows, labels = rng.standard_t(4, size=20), np.where(rng.random(20) < 0.7, 1, -1)
    for times in (2, 8):
        X, y = np.tile(rows, times)[:, None], np.tile(labels, times)
        problem = sg.Problem.of({"model": "logistic_regression", "X": X, "y": y, "ridge": times})
        found = advise(problem, passes=10**9, care="variance", samplers=["lmc"], fixed={"gamma": 1e-5})
        z = np.linspace(-6, 6, 4001)
        deviation = found.truth.covariance[0, 0] ** 0.5
        at = float(problem.examples.mode[0]) + z * deviation
        log = -np.log1p(np.exp(-np.outer(at, X[:, 0] * y))).sum(axis=1) - times * at**2 / 2
        weight = np.exp(log - log.max())
        weight /= weight.sum()
        true = (weight @ z**2 - (weight @ z) ** 2) - 1
        plain, met = found.best.error.value, found.beyond.error
        assert abs(plain) < abs(true) / 10
        low, high = found.beyond.within
        assert low <= abs(true) <= high
        gaps.append(abs(met - abs(true)))
    assert gaps[1] < gaps[0] / 8  # of the order 1/N^2


def test_a_model_that_is_no_quadratic_at_all_is_not_said_to_be_one():
    """Steps for the mean alone may be so long that only the quadratic still knows where it is."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    y = np.where(rng.random(300) < 1 / (1 + np.exp(-X @ [1, -0.5])), 1, -1)
    content = {"model": "logistic_regression", "X": X, "y": y, "ridge": 1}
    found = advise(content, passes=100, care="mean", samplers=["sgld"])
    low, high = found.beyond.within
    assert low * (1 - 1e-6) <= found.best.error.value < high / 2
    assert found.to_json()["beyond"]["within"] == [low, high]


def test_examples_on_one_line_are_answered():
    """What rounding takes from a direction without noise makes no covariance indefinite."""
    X = [[0.1, 0.3], [0.2, 0.6], [-0.1, -0.3]]
    content = {"model": "logistic_regression", "X": X, "y": [1, -1, 1], "ridge": "1/10"}
    found = advise(content, passes=100, samplers=["sgld"])
    assert found.beyond.within[0] <= found.best.error.value <= found.beyond.error < 1


def test_third_derivatives_of_hundreds_of_dimensions_are_never_made(monkeypatch):
    """Those of 500 dimensions and what is made of them take four gigabytes."""
    X, y = np.ones((2, 500)), np.ones(2)
    loss = Loss.of(registry.model("logistic_regression"), {"X": X, "y": y}, {"ridge": Fraction(1)})
    monkeypatch.setattr(Loss, "third", None)
    assert not _by_skewness(loss, np.zeros(500), np.eye(500)).any()


REFUSED = [
    ({}, "a budget"),
    ({"passes": -1}, "positive number of passes"),
    ({"passes": 3, "gradients": 4}, "a budget"),
    ({"passes": 1e-3}, "some sampler settles"),
    ({"passes": 9, "care": "median"}, "what matters"),
    ({"passes": 9, "of": [1, 2, 3]}, "2 weights"),
    ({"passes": 9, "of": [0, 0]}, "2 weights"),
    ({"passes": 9, "care": "kl", "of": [1, 0]}, "functional"),
    ({"passes": 9, "care": "mean", "start": "mode"}, "does not know the mean"),
    ({"passes": 9, "start": "given"}, "a start in the problem"),
    ({"passes": 9, "start": "moon"}, "a start among"),
    ({"passes": 9, "samplers": []}, "samplers to choose among"),
    ({"passes": 9, "samplers": ["psgld"]}, "linear and all alike"),
    ({"passes": 9, "samplers": ["sgfs"]}, "for sgfs"),
    ({"passes": 9, "keep": 1}, "states to keep"),
    ({"passes": 9, "fixed": {"zeta": 1}}, "numbers among"),
    ({"passes": 9, "fixed": {"S": 0}}, "whole number"),
]


@pytest.mark.parametrize(("how", "words"), REFUSED, ids=lambda x: x if isinstance(x, str) else "")
def test_what_cannot_be_answered_is_one_line(how, words):
    with pytest.raises(sg.UnusableInput, match=words):
        advise(QUADRATIC, **how)


def test_a_problem_needs_n():
    with pytest.raises(sg.UnusableInput, match="N, which"):
        advise({"hessian": 1, "noise": 1}, passes=3)


@pytest.mark.parametrize(("sigma2", "told"), [(None, True), ("1/4", False), (4, True)])
def test_a_variance_that_residuals_do_not_have_is_told(sigma2, told):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 2)) * [1, 30]
    y = X @ [1.0, -1.0] + 0.5 * rng.normal(size=4000)
    left = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
    leverage = np.square(np.linalg.qr(X)[0]).sum(axis=1)
    words = f"about {left**2 @ leverage / leverage.sum():.2g}"
    content = {"model": "linear_regression", "X": X, "y": y, "ridge": 1}
    content |= {} if sigma2 is None else {"sigma2": sigma2}
    notes = advise(content, passes=20, samplers=["sgldfp"], fixed={"S": 8}).notes
    assert [words in note for note in notes if "sigma2" in note] == [True] * told
