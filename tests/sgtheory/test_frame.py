"""The law on real minibatches from a table of modes, and the exact one from it: both by other routes."""

import numpy as np
import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.numbers.frame import RESIDUAL, Frame, nearly
from sgtheory.numbers.runs import Chain
from sgtheory.setting import Setting

RNG = np.random.default_rng(5)
X = RNG.standard_t(6, size=(300, 6)) @ np.diag([0.4, 0.7, 1, 1.2, 1.6, 2]) @ RNG.normal(size=(6, 6))
DATA = {
    "model": "linear_regression", "X": X, "y": X @ RNG.normal(size=6) + RNG.normal(size=300), "ridge": 1,
}  # fmt: skip
STEP = 1 / float(np.linalg.eigvalsh(X.T @ X / 300)[-1])
GAIN = np.linalg.inv(X.T @ X / 300)
CASES = [
    ("sgd", 20, {"eps": 0.3 * STEP}),
    ("sgd", 60, {"eps": 0.1, "H": (GAIN + GAIN.T) / 2}),
    ("sgld", 8, {"eps": 0.001 * STEP}),
    ("sgldfp", 10, {"gamma": 0.0003 * STEP}),
    ("momentum", 60, {"eps": 0.2 * STEP, "mu": 0.4}),
    ("sghmc", 30, {"eta": 0.0001 * STEP, "alpha": 0.3}),
    ("underdamped", 60, {"eps": 0.01 * STEP, "gamma": 2}),
    ("local_sgld", 30, {"eps": 0.001 * STEP, "beta": 0.5, "gamma": 3}),
]


def posed(name, S, params):
    problem, sampler = sg.Problem.of(DATA | {"S": S, "params": params}), registry.sampler(name)
    return problem, Setting(sampler, problem.model), problem.values(sampler)


def stacked(law):
    return np.block([[law.covariance[a, b] for b in law.states] for a in law.states])


@pytest.mark.parametrize(("name", "S", "params"), CASES)
def test_the_exact_law_is_that_of_the_dense_operator(name, S, params):
    problem, setting, values = posed(name, S, params)
    chain = Chain.of(setting, values)
    exact = stacked(sg.law(name, problem))
    size = np.sqrt(np.diag(exact))
    off = np.abs(chain.modes.to_coordinates(chain.settled) - exact) / np.outer(size, size)
    assert off.max() < 100 * RESIDUAL  # a residual of the preconditioned equation is nearly the error


@pytest.mark.parametrize(("name", "S", "params"), CASES)
def test_the_table_is_what_curvatures_do_to_moments_along_modes(name, S, params):
    """One application of a step, less what it does without spread, on moments that are diagonal."""
    from sgtheory.onestep.momentstep import Moments, cycle_of

    _, setting, values = posed(name, S, params)
    frame = Frame.of(setting, values)
    if frame.coarse.table is None:
        pytest.skip("a gradient in the middle of a step: exact rounds without a table")
    modes, cycle = frame.first, cycle_of(setting, values, 1)
    d, m = modes.size
    theta = [s.name for s in setting.state].index("theta")
    weights = np.arange(1.0, d + 1)
    for second, pairs in ((weights, False), (1 / modes.eigenvalues, True)):
        blocks = np.zeros((d, d, m, m))
        blocks[np.arange(d), np.arange(d), theta, theta] = second
        P = modes.to_coordinates(blocks)
        moved = modes.to_modes(cycle(Moments(np.zeros(d * m), P), homogeneous=True).second)
        M = modes.M()
        spread = moved - M[:, None] @ blocks @ M[None].transpose(0, 1, 3, 2)
        seen = np.stack([second * point[theta] ** 2 for _, point in frame.coarse.entering])
        nearly = frame.coarse.added(seen)
        some = np.ones((d, d), bool) if pairs else np.eye(d, dtype=bool)
        # what is left of a difference is the rounding of what it is between, turned into modes
        assert np.abs((nearly - spread)[some]).max() < 1e-12 * np.abs(moved).max()
        assert np.abs(spread).max() > 1e-7 * np.abs(moved).max()


@pytest.mark.parametrize(("name", "S", "params"), CASES)
def test_a_search_sees_variances_to_a_few_per_cent(name, S, params):
    _, setting, values = posed(name, S, params)
    exact, rough = Chain.of(setting, values), Chain.of(setting, values, roughly=True)
    one, other = (np.diag(c.modes.to_coordinates(c.settled)) for c in (exact, rough))
    np.testing.assert_allclose(other, one, rtol=0.1)
    frame = Frame.of(setting, values)
    if frame.coarse.table is not None:
        places = np.array([0, 3])
        some = nearly(frame)[np.ix_(places, places)]
        np.testing.assert_allclose(nearly(frame, places), some, rtol=1e-9, atol=1e-12 * some.max())


@pytest.mark.parametrize("silent", [slice(None), slice(60, None)])
@pytest.mark.parametrize(("step", "stable"), [("1/1000", True), ("1/100", False)])
def test_directions_without_noise_are_stable_where_they_are(silent, step, stable):
    """Data that a line fits exactly, all of it or what sees two of four coordinates."""
    rng = np.random.default_rng(7)
    X = np.zeros((120, 4), int)
    X[:60, :2] = np.round(2 * rng.standard_t(4, size=(60, 2)))
    X[60:, 2:] = np.round(6 * rng.standard_t(4, size=(60, 2)))
    y = X @ [1, 2, -1, 1] + np.round(3 * rng.normal(size=120)).astype(int)
    y[silent] = X[silent] @ [1, 2, -1, 1]
    data = {"model": "linear_regression", "X": X.tolist(), "y": y.tolist(), "ridge": 0, "S": 1}
    problem, sampler = sg.Problem.of(data | {"params": {"eps": step}}), registry.sampler("sgd")
    how, law = (Setting(sampler, problem.model), problem.values(sampler)), sg.law("sgd", problem)
    assert law.stable == stable
    for roughly, rtol in ((False, 1e-9), (True, 0.1)):
        if not stable:
            with pytest.raises(sg.Unstable, match="mean square"):
                Chain.of(*how, roughly=roughly)
            continue
        exact, chain = law.covariance["theta", "theta"], Chain.of(*how, roughly=roughly)
        off = np.abs(chain.modes.to_coordinates(chain.settled) - exact)
        assert off.max() <= rtol * np.abs(exact).max()


@pytest.mark.strong
@pytest.mark.parametrize(("name", "letter", "S"), [("sgd", "eps", 2), ("momentum", "eps", 3)])
def test_a_chain_is_refused_exactly_where_it_is_unstable_in_mean_square(name, letter, S):
    """The edge is found from the dense operator's largest eigenvalue."""
    low, high = 0.01 * STEP, 2 * STEP

    def law(step):
        return sg.law(name, sg.Problem.of(DATA | {"S": S, "params": {letter: step, "mu": 0.4}}))

    while high > 1.02 * low:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if law(middle).stable else (low, middle)
    _, setting, values = posed(name, S, {letter: 0.98 * low, "mu": 0.4})
    Chain.of(setting, values)
    for factor in (1.02, 1.3):
        _, setting, values = posed(name, S, {letter: factor * high, "mu": 0.4})
        with pytest.raises(sg.Unstable, match="mean square"):
            Chain.of(setting, values)
