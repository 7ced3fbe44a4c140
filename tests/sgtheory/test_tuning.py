"""Choices of parameters: exact optima against brute force, printed rules against formulas by hand."""

import json
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory import law, registry
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.problem import Problem
from sgtheory.symbolic import derive
from sgtheory.tuning import exact_gain, exact_noise, knobs, tune
from sgtheory.tuning.minimum import along, newton
from tests.sgtheory.brute_force import Evaluator, stationary
from tests.sgtheory.strategies import definite, problems

CONTENT = {
    "hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4,
    "params": {"eps": "1/20", "mu": "3/10", "E": [["1/10", 0], [0, "1/5"]], "h": "1/4"},
}  # fmt: skip
PROBLEM = Problem.of(CONTENT)
A, C = (np.array(PROBLEM.values("sgd").arrays[k]) for k in "AC")
N, S, EPS = 40, 4, 1 / 20

TUNED = [
    ("sgd", "eps"), ("sgd", "H"), ("sgd_diagonal", "H"), ("sgd_square_root", "eps"),
    ("momentum", "eps"), ("momentum", "H"), ("nesterov", "H"), ("nesterov", "eps"), ("sgfs", "H"),
    ("sgfs", "E"), ("sgfs_diagonal", "H"), ("sgfs_scalar", "h"), ("iasg", "T"),
]  # fmt: skip


def distance(P):
    """KL(N(0, P) || posterior), by its definition."""
    product = N * A @ P
    return (np.trace(product) - np.log(np.linalg.det(product)) - len(P)) / 2


def brute(name, problem, state=0):
    sampler = registry.sampler(name)
    M, Q = Evaluator(sampler, problem.values(sampler)).linear()
    d = problem.D
    return stationary(M, Q, "discrete")[state * d : (state + 1) * d, state * d : (state + 1) * d]


@cache
def tuned_once(name, parameter):
    return tune(name, PROBLEM, only=(parameter,))[parameter]


@pytest.mark.parametrize(("name", "parameter"), TUNED)
def test_the_exact_choice_is_certified_and_no_rule_beats_it(name, parameter):
    tuned = tuned_once(name, parameter)
    assert tuned.certificate.holds, tuned.certificate.words
    best = tuned.exact
    for choice in tuned.choices:
        assert not choice.stable or choice.kl_to_posterior >= best.kl_to_posterior - 1e-13
        # what is said of a choice is true of the algorithm, run by brute force
        moved = PROBLEM.with_params(**choice.values)
        said = distance(brute(name, moved, state=1 if name == "iasg" else 0))
        assert said == pytest.approx(choice.kl_to_posterior, rel=1e-9, abs=1e-12)
    # and around it the distance rises
    for factor in (0.99, 1.01):
        if isinstance(best.values[parameter], float) and parameter != "T":
            moved = PROBLEM.with_params(**{parameter: best.values[parameter] * factor})
            assert distance(brute(name, moved)) > best.kl_to_posterior


BY_HAND = {
    ("sgd", "eps"): 2 * 2 * S / (N * np.trace(C)),
    ("sgd", "H"): 2 * S / (EPS * N) * np.linalg.inv(C),
    ("sgd_diagonal", "H"): 2 * S / (EPS * N * np.diag(C)),
    ("sgd_square_root", "eps"): 2 * 2 * S / (N * np.trace(C @ np.diag(np.diag(C) ** -0.5))),
    ("momentum", "eps"): 2 * 0.3 * 2 * S / (N * np.trace(C)),
    ("sgfs", "H"): 2 / N * np.linalg.inv(EPS * C / S + np.diag([0.01, 0.04])),
    ("sgfs_diagonal", "H"): 2 / N / (EPS * np.diag(C) / S + np.array([0.01, 0.04])),
    ("sgfs_scalar", "h"): 2 * 2 / N / np.trace(EPS * C / S + np.diag([0.01, 0.04])),
    ("iasg", "T"): N / S,
}


@pytest.mark.parametrize("case", BY_HAND, ids=":".join)
def test_printed_rules_are_what_papers_print(case):
    name, parameter = case
    tuned = tuned_once(name, parameter)
    (printed,) = (c for c in tuned.choices if c.how == "printed")
    np.testing.assert_allclose(printed.values[parameter], BY_HAND[case], rtol=1e-12)


GAINED = ["sgd", "momentum", "momentum_position_first", "nesterov", "sgfs"]


@pytest.mark.parametrize("name", GAINED)
@settings(max_examples=20)
@given(problem=problems(sizes=(1, 4), gains=False), data=st.data())
def test_an_exact_gain_makes_the_law_the_posterior(name, problem, data):
    content = problem.to_json()
    content["noise"] = data.draw(definite(problem.D))
    content["params"]["mu"] = "1/3"
    content["params"]["E"] = np.eye(problem.D).tolist()
    problem = Problem.of(content)
    sampler = registry.sampler(name)
    values = problem.values(sampler)
    matrices = {**values.arrays, "EE^T": np.eye(problem.D)}
    found = exact_gain(derive(name).pairs)
    try:
        H = found.solve(values.scalars, matrices)
    except UnusableInput:
        assume(False)
    assume(np.linalg.cond(H) < 1e6)
    gained = problem.with_params(H=H.tolist())
    assume(law(name, gained).spectral_radius < 0.999)
    posterior = np.linalg.inv(values.arrays["A"]) / float(problem.sizes["N"])
    P = brute(name, gained)
    assert abs(P - posterior).max() <= 1e-8 * abs(posterior).max()
    if found.inverse is not None:
        from sgtheory.notation import matrixwords

        by_formula = np.linalg.inv(matrixwords.value(found.inverse, values.scalars, matrices))
        np.testing.assert_allclose(by_formula, H, rtol=1e-9, atol=1e-9 * abs(H).max())
    # the wrong twin: a gain that is a percent larger
    worse = problem.with_params(H=(1.01 * H).tolist())
    if law(name, worse).stable:
        assert abs(brute(name, worse) - posterior).max() > 1e-3 * abs(posterior).max()


def test_the_limit_of_a_gain_is_not_the_exact_one():
    """The wrong twin: the rule of the continuous-time limit leaves a bias at a finite step."""
    found = exact_gain(derive("sgd", time="continuous").pairs)
    values = PROBLEM.values("sgd")
    H = found.solve(values.scalars, dict(values.arrays))
    P = brute("sgd", PROBLEM.with_params(H=H.tolist()))
    assert distance(P) > 1e-3


def test_exact_noise_tops_minibatches_up_to_the_posterior():
    for name in ("sgfs", "sgfs_scalar", "sgfs_diagonal"):
        problem = PROBLEM.with_params(H=["1/2", "1/3"]) if name == "sgfs_diagonal" else PROBLEM
        assert exact_noise(derive(name).pairs) is not None
        best = tune(name, problem, only=("E",))["E"].exact
        P = brute(name, problem.with_params(**best.values))
        np.testing.assert_allclose(P, np.linalg.inv(A) / N, rtol=1e-10)


def test_noise_that_is_already_too_large_is_said():
    loud = PROBLEM.with_params(eps="9/10")
    tuned = tune("sgfs", loud, only=("E",))["E"]
    assert tuned.exact is None
    assert "eigenvalue -" in tuned.note


def test_in_one_dimension_the_exact_step_has_a_closed_form():
    """eps C/(S A (2 - eps A)) = 1/(N A) has the solution 2 S/(N C + S A)."""
    problem = Problem.of({"hessian": [[3]], "noise": [[5]], "N": 40, "S": 4})
    best = tune("sgd", problem, only=("eps",))["eps"].exact
    assert best.values["eps"] == pytest.approx(2 * 4 / (40 * 5 + 4 * 3), rel=1e-7)


@pytest.mark.strong
def test_the_window_is_the_best_of_all():
    content = CONTENT | {"params": {"eps": "1/2"}, "noise": CONTENT["hessian"], "N": 400}
    problem = Problem.of(content)
    tuned = tune("iasg", problem, only=("T",))["T"]
    inverse = 400 * problem.values("sgd").arrays["A"]

    def of(T):
        P = inverse @ law("sgd", problem, average=T).average.covariance
        return (np.trace(P) - np.log(np.linalg.det(P)) - 2) / 2

    best = min(range(1, 400), key=of)
    assert tuned.exact.values["T"] == best
    assert tuned.exact.kl_to_posterior == pytest.approx(of(best), rel=1e-9)


def test_where_there_is_no_best_step_it_is_said():
    tuned = tune("lmc", Problem.of({**CONTENT, "params": {}}), only=("gamma",))["gamma"]
    assert tuned.exact is None
    assert "towards zero" in tuned.note


def test_no_gain_helps_langevin_dynamics():
    tuned = tune("sgld", PROBLEM.with_params(eps="1/500"), only=("H",))["H"]
    assert tuned.exact is None
    assert "negative" in tuned.note


def test_momentum_has_no_best_combination():
    """Only in the limit that papers take does the divergence depend on eps/mu alone."""
    tuned = tune("momentum", PROBLEM, only=("eps and mu",))["eps and mu"]
    assert tuned.exact is None
    assert "towards zero" in tuned.note


@pytest.mark.strong
def test_real_minibatches_are_tuned_as_they_are():
    X = [[1, 0], [1, 1], [0, 2], [2, 1], [1, 3], [-1, 1]]
    problem = Problem.of({"model": "linear_regression", "X": X, "y": [1, 2, 0, 1, 3, -1], "S": 2,
                          "params": {"eps": "1/50"}})  # fmt: skip
    tuned = tune("sgd", problem, only=("eps",))["eps"]
    assert tuned.certificate.holds
    for factor in (0.98, 1.02):
        moved = problem.with_params(eps=tuned.exact.values["eps"] * factor)
        assert law("sgd", moved).kl_to_posterior > tuned.exact.kl_to_posterior
    A, C = ([[str(x) for x in row] for row in m] for m in (problem.examples.A, problem.examples.C))
    additive = Problem.of({"hessian": A, "noise": C, "N": 6, "S": 2})
    other = tune("sgd", additive, only=("eps",))["eps"].exact.values["eps"]
    assert abs(other / tuned.exact.values["eps"] - 1) > 0.01  # noise that sees the point matters


def test_every_sampler_has_its_knobs():
    assert knobs(registry.sampler("sgd_square_root")) == ("eps",)  # its gain is derived
    assert knobs(registry.sampler("iasg")) == ("T", "eps")
    assert "L" not in knobs(registry.sampler("sghmc_refreshed"))


@pytest.mark.parametrize(
    ("name", "problem", "only", "words"),
    [
        ("sgd", PROBLEM, ("nonsense",), "nonsense"),
        ("averaged_sgd", PROBLEM, (), "iasg"),
        ("sgd", Problem.of({"hessian": [[1]], "noise": [[1]], "S": 1}), (), "N"),
    ],
)
def test_what_cannot_be_tuned_is_refused(name, problem, only, words):
    with pytest.raises(UnusableInput, match=words):
        tune(name, problem, only)


def test_a_model_without_a_law_is_refused_whatever_is_tuned_first():
    own = {"double_well": {"noise": [[1]], "N": 10}, "softmax_regression": {"ridge": 1, "classes": 2}}
    own["softmax_regression"] |= {"X": [[1], [0], [2]], "y": [0, 1, 1]}
    for model, content in own.items():
        for name in ("sgd", "momentum"):
            with pytest.raises(NotAffine):
                tune(name, {"model": model, "S": 1, "params": {"eps": "1/100"}, **content})


def test_a_letter_of_another_paper_is_translated_before_it_is_tuned():
    problem = Problem.of({**CONTENT, "params": {"gamma": "1/1000"}})  # eps = N gamma
    best = tune("sgd", problem, only=("eps",))["eps"].exact
    assert best.values["eps"] == pytest.approx(
        tune("sgd", PROBLEM, only=("eps",))["eps"].exact.values["eps"], rel=1e-6
    )


def test_the_scan_tells_ends_from_minima():
    assert along(lambda x: float(x[0] ** 2), 3.0).edge == ""
    assert along(lambda x: float(np.exp(x[0])), 0.0).edge == "small"
    assert along(lambda x: float(np.exp(-x[0])) if x[0] < 1 else np.inf, 0.0).edge == "large"
    assert along(lambda x: np.inf, 0.0).edge == "nowhere"


def test_a_saddle_between_two_best_gains_is_left():
    """Exchanging the coordinates changes nothing here, yet the best gain is not alike in them."""
    content = {"hessian": [[1, 0], [0, 1]], "noise": [[1, "9/10"], ["9/10", 1]], "N": 100, "S": 10}
    problem = Problem.of({**content, "params": {"H": [1, 1]}})
    found = tune("sgd_diagonal", problem, only=("H",))["H"]
    first, second = found.exact.values["H"]
    alike = tune("sgd", problem.with_params(H=[[1, 0], [0, 1]]), only=("eps",))["eps"].exact
    assert found.certificate.holds
    assert abs(first - second) > 0.1 * first
    assert found.exact.kl_to_posterior < 0.99 * alike.kl_to_posterior


def test_a_saddle_is_no_minimum():
    """The wrong twin of a certificate: slopes that vanish where the function curves down."""
    found = newton(
        lambda x: float(x[0] ** 2 - x[1] ** 2), lambda x: np.array([2 * x[0], -2 * x[1]]), np.zeros(2)
    )
    assert found.slope == 0
    assert not found.certified


ONE = {"hessian": [[2, 1], [1, "3/2"]], "N": 40, "S": 4}
NO_NOISE = {**ONE, "noise": [[0, 0], [0, 0]]}
LOW_RANK = {**ONE, "noise": [[1, 0], [0, 0]]}


@pytest.mark.parametrize("sampler", ["sgd", pytest.param("iasg", marks=pytest.mark.strong)])
@pytest.mark.parametrize("content", [NO_NOISE, LOW_RANK], ids=["none", "low rank"])
def test_what_divides_by_zero_is_told_and_the_rest_is_tuned(sampler, content):
    params = {"eps": "1/50", "T": 5}
    found = tune(sampler, Problem.of({**content, "params": params}))
    json.dumps(found.to_json(), allow_nan=False)  # a document has no infinity
    assert {t.parameter for t in found.tuned} >= {"eps"}
    for tuned in found.tuned:
        assert tuned.exact is not None or tuned.note


def test_a_printed_rule_without_a_value_is_named():
    found = tune("sgd", Problem.of({**NO_NOISE, "params": {"eps": "1/50"}}))
    assert "Eqs. 15, 47" in found["eps"].note
    assert "divides by zero" in found["eps"].note
    assert "Eq. 17" in found["H"].note


STEEP = {"hessian": [[10**6]], "noise": [["1/1000000"]], "N": 10**6, "S": 1}
ALONE = {"hessian": [[2]], "noise": [[1]], "N": 1, "S": 1}


@pytest.mark.parametrize(
    ("name", "parameter", "content"),
    [
        pytest.param("momentum", "eps and mu", STEEP, marks=pytest.mark.strong),
        ("momentum", "eps and mu", ALONE),
        pytest.param("nesterov", "eps", STEEP, marks=pytest.mark.strong),
    ],
)
def test_what_is_best_beside_an_edge_is_told_and_raises_nothing(name, parameter, content):
    (tuned,) = tune(name, {**content, "params": {"eps": "1/50"}}, only=(parameter,)).tuned
    assert tuned.note or tuned.certificate.holds


_TWO = {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4}


def test_a_default_of_zero_is_scanned_as_if_it_were_given():
    params = {"alpha": "1/2", "eta": "1/500"}
    absent = tune("sghmc", {**_TWO, "params": params}, ("beta",))["beta"]
    given = tune("sghmc", {**_TWO, "params": {**params, "beta": "1/10"}}, ("beta",))["beta"]
    edge = law("sghmc", {**_TWO, "params": {**params, "beta": "1/2"}}).kl_to_posterior  # beta <= alpha
    assert f"falls, to {edge:.6g}, up to the largest" in absent.note
    assert absent.note == given.note
    far = tune("sghmc", {**_TWO, "params": {**params, "eta": 50}}, ("beta",))["beta"]
    assert re.fullmatch("none of 65 values of beta from .* gives a stable law with .*", far.note)


def test_what_never_settles_is_not_tuned():
    with pytest.raises(UnusableInput, match="the parameter eps of sgld_decreasing"):
        tune("sgld_decreasing", {**_TWO, "params": {}})
    with pytest.raises(UnusableInput, match=r"never settles.*--at"):
        tune("sgld_decreasing", {**_TWO, "params": {"eps": "1/100"}})
