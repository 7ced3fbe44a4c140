"""What is advised is run: the foretold error is measured, and a wrong formula for it is found out."""

from dataclasses import replace

import numpy as np
import pytest

import sgtheory as sg
from sgtheory.advice import advise
from sgtheory.numbers.runs import Chain
from simulators.advised import THRESHOLD, check

QUADRATIC = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 400,
}  # fmt: skip


def linear():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3)) @ np.diag([0.5, 1, 2])
    y = X @ [1, 2, -1] + rng.standard_t(5, size=60)
    return {"model": "linear_regression", "X": X, "y": y, "ridge": 1}


@pytest.mark.parametrize("care", ["both", "worst", "kl"])
def test_the_foretold_error_is_measured_on_a_quadratic(care):
    found = check(advise(QUADRATIC, passes=8, samplers=["sghmc"], care=care), chains=2000)
    assert found.agrees
    assert found.visible < 0.2


@pytest.mark.parametrize("how", [{"start": "zero"}, {"keep": 50}, {"fixed": {"S": 7}}])
def test_the_foretold_error_is_measured_on_real_minibatches(how):
    problem = linear() | {"replacement": "fixed" not in how}
    found = check(advise(problem, passes=30, samplers=["sgld"], care="mean", **how), chains=2000)
    assert found.agrees
    assert found.within >= 2 / 3


def wrong(advice, **params):
    """The same choice, its error foretold as of other numbers."""
    best = advice.best
    problem = best.problem.with_params(**params) if "S" not in params else None
    problem = problem or sg.Problem.of(best.problem.to_json() | params)
    chain = Chain.of(best.setting, problem.values(best.setting.sampler), follow=True)
    return replace(advice, options=(replace(best, chain=chain), *advice.options[1:]))


def test_wrong_twins_of_the_error_are_rejected():
    advice = advise(linear(), passes=30, samplers=["sgld"])
    best = advice.best
    independent = replace(best.chain, modes=replace(best.chain.modes, table=best.chain.modes.table * 0))
    settled = replace(best.chain, mean=best.chain.mean * 0, second=best.chain.settled, moments=None)
    twins = {
        "twice the batch": wrong(advice, S=2 * best.params["S"]),
        "eps for eps/2": wrong(advice, eps=best.params["eps"] / 2),
        "independent steps": replace(advice, options=(replace(best, chain=independent),)),
        "half the noise": replace(
            advice, options=(replace(best, chain=replace(settled, settled=settled.settled / 2)),)
        ),
    }
    assert check(advice, chains=4000).agrees
    for name, twin in twins.items():
        assert abs(check(twin, chains=4000).deviation) > THRESHOLD, name


@pytest.mark.strong
def test_logistic_regression_itself_is_near_its_quadratic():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1000, 3))
    y = np.where(rng.random(1000) < 1 / (1 + np.exp(-X @ [1, -0.5, 0.2])), 1, -1)
    content = {"model": "logistic_regression", "X": X, "y": y, "ridge": 1}
    advice = advise(content, passes=30, samplers=["sgld"])
    found = check(advice, chains=1000)
    assert found.agrees
    assert found.foretold == advice.beyond.within
    # what lies between these cannot be seen, so that an error has to be above both
    assert (
        found.foretold[0] < found.foretold[1] == pytest.approx(5 * found.standard_error / found.visible)
    )
    assert found.expected == advice.beyond.error != advice.best.error.value
    of_quadratic = check(replace(advice, beyond=None), chains=1000)
    assert of_quadratic.foretold == (advice.best.error.value,) * 2


def test_few_chains_are_refused():
    functional = advise(QUADRATIC, passes=8, samplers=["sgld"], of=[1, 1])
    with pytest.raises(sg.UnusableInput, match="100 chains"):
        check(functional, chains=50)
    with pytest.raises(sg.UnusableInput, match="error of its mean"):
        check(functional, chains=100)


def extrapolated(advice):
    """The same advice with its extrapolated option for the best."""
    best = next(o for o in advice.options if o.extrapolated)
    return replace(advice, options=(best,))


def test_two_runs_extrapolated_have_the_error_that_was_foretold():
    advice = extrapolated(advise(QUADRATIC | {"N": 40}, passes=3000, samplers=["sgld"], fixed={"S": 8}))
    assert check(advice, chains=2000).agrees
    best = advice.best
    shared = replace(best.chain, fine=replace(best.chain.fine, settled=best.chain.fine.settled * 1.5))
    twin = replace(advice, options=(replace(best, chain=shared),))
    assert abs(check(twin, chains=2000).deviation) > THRESHOLD


def test_predictive_means_and_squares_have_the_error_that_was_foretold():
    found = check(advise(linear(), passes=30, samplers=["sgld"], care="predictive"), chains=2000)
    assert found.agrees
    square = {"care": "quadratic", "of": np.diag([1, 0, 2])}
    advice = advise(linear(), passes=300, samplers=["sgld"], fixed={"S": 6}, **square)
    assert check(advice, chains=2000).agrees
    with pytest.raises(sg.UnusableInput, match="products of coordinates"):
        check(replace(advice, care=replace(advice.care, of=np.ones((3, 3)))), chains=100)
