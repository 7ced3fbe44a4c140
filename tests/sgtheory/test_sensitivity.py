"""Gradients of distances: against differences of the law itself, closed forms, and wrong twins."""

import dataclasses
import json
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgtheory import law, registry, sensitivity
from sgtheory.declare import Derived, MatrixName, Noise
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.problem import Problem
from sgtheory.sensitivity import gradient
from tests.sgtheory.brute_force import Evaluator, stationary
from tests.sgtheory.strategies import problems, scaled_for
from tests.sgtheory.test_symbolic import CASES, CLOCKS

DISTANCES = ("kl_to_posterior", "kl_from_posterior", "wasserstein2")
ORDERS = ("underdamped:OBABO", "underdamped:OOBA")
ALL = [*CASES, *((name, "discrete") for name in ORDERS)]
SLOW = ("reshuffled_sgd", "underdamped", "underdamped:OBABO")


def fixed(name, problem):
    """A problem that gives every parameter, each by one letter, nothing derived."""
    sampler = registry.sampler(name)
    problem = scaled_for(problem, sampler)
    values = problem.values(sampler)
    content = problem.to_json()
    for p in sampler.parameters:
        if isinstance(sampler.default(p), Derived) and p.name not in problem.params:
            whole = values.matrices.get(p.name)
            content["params"][p.name] = (
                str(values.scalars[p.name]) if whole is None else [[str(x) for x in r] for r in whole]
            )
    for letter, _ in sampler.aliases:
        if content["params"].pop(letter, None) is not None:
            (own,) = (p.name for p in sampler.parameters if p.name in ("eps", "gamma"))
            content["params"][own] = str(values.scalars[own])
    return Problem.of(content)


def moved(problem, sampler, name, direction, shift):
    """The problem with a parameter moved; S may be any number here."""
    values = problem.values(sampler)
    if name == "S":
        S = problem.sizes["S"] + direction * shift
        return dataclasses.replace(problem, sizes=MappingProxyType({**problem.sizes, "S": S}))
    if name in values.scalars:
        return problem.with_params(**{name: values.scalars[name] + direction * shift})
    return problem.with_params(**{name: (values.arrays[name] + float(shift) * direction).tolist()})


STEP = Fraction(1, 1000)


def slopes(sampler, problem, name, direction, time, step=STEP):
    """Derivatives of all distances along a direction, extrapolated twice; and how far to trust them.

    The error that is left is below the last correction; the distances themselves are off by rounding,
    which the law, its inverse and then the smallest difference magnify.
    """

    def at(shift):
        found = law(sampler, moved(problem, sampler, name, direction, shift), time=time)
        return np.array([getattr(found, n) for n in DISTANCES], float)

    plain = [(at(h) - at(-h)) / float(2 * h) for h in (step, step / 2, step / 4)]
    once = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(plain)]
    twice = (16 * once[1] - once[0]) / 15
    here = law(sampler, problem, time=time)
    key = registry.sampler(sampler).sample.name
    worse = np.linalg.cond(here.covariance[key, key]) / (1 - here.spectral_radius)
    rounding = (1e3 + 16 * worse) * np.finfo(float).eps * (1 + np.abs(at(0)).max()) / float(step)
    return twice, np.abs(twice - once[1]) + rounding


def along(found, direction):
    """A gradient's three numbers along a direction; not a number where there is none."""
    slopes_ = [getattr(found, n) for n in DISTANCES]
    move = np.asarray(direction, float)
    return np.array([np.nan if g is None else np.sum(g * move) for g in slopes_])


def agree(got, expected, slack):
    there = ~np.isnan(got)
    assert there.sum() >= 2
    return bool((np.abs(got - expected)[there] <= slack[there]).all())


def free(sampler, values):
    """The parameters that can be moved both ways: none counts something, none is at its bound."""
    held = {p.name for p in sampler.parameters if p.is_integer}
    for condition in sampler.given:
        numbers = {s: values.scalars[s.name] for s in condition.free_symbols}
        left, right = (float(side.subs(numbers)) for side in (condition.lhs, condition.rhs))
        held |= {s.name for s in condition.free_symbols} if right - left < 1e-2 else set()
    return [p for p in sampler.parameters if p.name not in held and not moves_target(sampler, p)]


def moves_target(sampler, parameter):
    """Whether what a sampler is after depends on a parameter: then there is no slope."""
    return any(parameter in sp.sympify(x).free_symbols for x in sampler.target)


def test_what_moves_the_target_has_no_slope():
    problem = PROBLEM.with_params(eps="1/900", beta="1/2", gamma=1)
    assert gradient("local_sgld", problem, "eps").kl_to_posterior != 0
    for name in ("beta", "gamma", "delta"):
        with pytest.raises(UnusableInput, match="leaves alone what the sampler is after"):
            gradient("local_sgld", problem, name)


def a_direction(parameter, problem, values, entries):
    """A way to move: in proportion for a number, any that keeps the kind for a matrix."""
    if not isinstance(parameter, MatrixName):
        return values.scalars[parameter.name]
    whole = np.array(entries[: problem.D**2], float).reshape(problem.D, problem.D)
    if hasattr(parameter, "diagonal_only"):
        whole = np.diag(np.diag(whole))
    size = float(np.abs(np.linalg.eigvals(values.arrays[parameter.name])).min())
    return (whole + whole.T if parameter.is_positive else whole) * min(size or 1, 1) / 10


entries = st.lists(st.integers(-3, 3), min_size=9, max_size=9).filter(any)


@pytest.mark.parametrize(
    ("name", "time"),
    [pytest.param(n, t, marks=[pytest.mark.strong] if n in SLOW else []) for n, t in ALL],
)
@settings(max_examples=2)
@given(problem=problems(sizes=(1, 3)), entries=entries)
def test_gradients_are_the_slopes_of_the_law(name, time, problem, entries):
    problem = fixed(name, problem)
    sampler = registry.sampler(name)
    values = problem.values(sampler)
    found = law(name, problem, time=time)
    assume(found.stable and found.spectral_radius < 0.99 and found.kl_to_posterior is not None)
    assume(np.linalg.cond(found.covariance["theta", "theta"]) < 1e3)
    numbers = [(p.name, a_direction(p, problem, values, entries)) for p in free(sampler, values)]
    if sampler.gradients and name != "reshuffled_sgd":
        numbers.append(("S", problem.sizes["S"]))
    for parameter, direction in numbers:
        mine = gradient(name, problem, parameter, time=time)
        got = along(mine, direction)
        if found.wasserstein2 < 10 * float(STEP) * abs(got[2]):
            got[2] = np.nan  # a step away it is zero, where it has a kink: differences are no slope
        expected, slack = slopes(sampler, problem, parameter, direction, time)
        assert agree(got, expected, slack), (parameter, got - expected, slack)
        if np.abs(expected[0]) * 1e-3 > 3 * slack[0]:  # the twin that is off a little
            assert not agree(got * (1 + 1e-3), expected, slack)


TINY = 1e-30


def exactly(name, problem, parameter, time):
    """KL slopes by another exact route: imaginary parts of brute force, entry by entry."""
    sampler = registry.sampler(name)
    brutal = Evaluator(sampler, problem.values(sampler))
    M, Q = brutal.linear(time == "continuous")
    P = stationary(M, Q, time)
    brutal.scalars[parameter] = brutal.scalars[parameter] + TINY * 1j
    moved, noise = brutal.linear(time == "continuous")
    dM, dQ = moved.imag / TINY, noise.imag / TINY
    source = dM @ P @ M.T + M @ P @ dM.T if time == "discrete" else dM @ P + P @ dM.T
    dP = stationary(M, source + dQ, time)
    d = problem.D
    path = P[:d, :d] + TINY * 1j * dP[:d, :d]
    product = brutal.precision @ path
    inverse = np.linalg.inv(product)
    logdet = np.log(np.linalg.det(product))
    return [(np.trace(product) - logdet).imag / 2 / TINY, (np.trace(inverse) + logdet).imag / 2 / TINY]


PLAIN = [(n, t) for n, t in CASES if n not in CLOCKS]
EXACT = [(n, t) for n, t in PLAIN if registry.sampler(n).limit != "step" or t == "discrete"]


@pytest.mark.parametrize(("name", "time"), EXACT)
@settings(max_examples=2)
@given(problem=problems(sizes=(1, 4), gains=False))
def test_slopes_of_divergences_by_two_exact_routes(name, time, problem):
    problem = fixed(name, problem)
    sampler = registry.sampler(name)
    found = law(name, problem, time=time)
    assume(found.stable and found.spectral_radius < 0.999 and found.kl_to_posterior is not None)
    # both routes invert P: what rounding does to its inverse, they may differ by
    slack = 1e-13 * np.linalg.cond(found.covariance["theta", "theta"]) / (1 - found.spectral_radius)
    assume(slack < 1e-6)
    for parameter in sampler.parameters:
        if (
            isinstance(parameter, MatrixName)
            or parameter.name == "beta"
            or moves_target(sampler, parameter)
        ):
            continue
        mine = gradient(name, problem, parameter.name, time=time)
        got = np.array([mine.kl_to_posterior, mine.kl_from_posterior])
        other = np.array(exactly(name, problem, parameter.name, time))
        scale = np.abs(other).max() + 1 / float(problem.values(sampler).scalars[parameter.name])
        assert (np.abs(got - other) <= (1e-10 + slack) * scale * (1 + found.kl_from_posterior)).all()


PROBLEM = Problem.of(
    {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 42, "S": 4,
     "params": {"eps": "1/20", "mu": "3/10", "E": [["1/10", 0], ["1/8", "1/5"]],
                "H": [[1, "1/5"], ["1/5", 2]]}}
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "time"), [c for c in ALL if c not in (("lmc", "continuous"), ("sgldfp", "continuous"))]
)  # of those two the law is the posterior, where no divergence has a slope
def test_what_forgets_the_drift_or_the_noise_is_seen(monkeypatch, name, time):
    problem = fixed(name, PROBLEM)
    sampler = registry.sampler(name)
    known = {p.name for p in sampler.parameters}
    step = next(n for n in ("eps", "eta", "gamma") if n in known)
    direction = problem.values(sampler).scalars[step]
    expected, slack = slopes(name, problem, step, direction, time)
    assert agree(along(gradient(name, problem, step, time=time), direction), expected, slack)

    whole = sensitivity._terms
    for noisy in (True, False):  # what is kept

        def half(setting, time, noisy=noisy):
            return tuple(x for x in whole(setting, time) if isinstance(x.source, Noise) == noisy)

        monkeypatch.setattr(sensitivity, "_terms", half)
        twin = along(gradient(name, problem, step, time=time), direction)
        assert not agree(twin, expected, slack)


def test_one_dimension_in_closed_form():
    """P = eps H C/(S (2 A - eps H A^2)), which by hand has these divergences and slopes."""
    symbols = sp.symbols("eps S H A C N", positive=True)
    eps, S, H, A, C, N = symbols
    P = eps * H * C / (S * (2 * A - eps * H * A**2))
    formulas = (
        (N * A * P - sp.log(N * A * P) - 1) / 2,
        (1 / (N * A * P) + sp.log(N * A * P) - 1) / 2,
        sp.Abs(sp.sqrt(P) - 1 / sp.sqrt(N * A)),
    )
    numbers = {eps: sp.Rational(1, 7), S: 3, H: sp.Rational(5, 4), A: 2, C: sp.Rational(9, 5), N: 11}
    problem = Problem.of(
        {"hessian": [[2]], "noise": [["9/5"]], "N": 11, "S": 3, "params": {"eps": "1/7", "H": [["5/4"]]}}
    )
    for symbol in (eps, S, H):
        mine = gradient("sgd", problem, symbol.name)
        assert np.asarray(mine.value).item() == float(numbers[symbol])
        for name, formula in zip(DISTANCES, formulas, strict=True):
            expected = float(sp.diff(formula, symbol).subs(numbers))
            assert np.asarray(getattr(mine, name)).item() == pytest.approx(expected, rel=1e-13)


def test_shapes_and_kinds():
    symmetric = gradient("sgd", PROBLEM, "H")
    assert (symmetric.kl_to_posterior == symmetric.kl_to_posterior.T).all()
    whole = gradient("sgfs", PROBLEM, "E")
    assert whole.kl_to_posterior.shape == (2, 2)
    assert abs(whole.kl_to_posterior - whole.kl_to_posterior.T).max() > 1e-3
    diagonal = gradient("sgd_diagonal", PROBLEM.with_params(H=["1", "2"]), "H")
    assert diagonal.wasserstein2.shape == diagonal.value.shape == (2,)
    document = json.loads(json.dumps(diagonal.to_json()))
    assert document["parameter"] == "H"
    assert document["value"] == [1.0, 2.0]
    assert set(document) == {"parameter", "value", *DISTANCES}


def test_what_is_derived_counts_as_fixed_unless_it_is_named():
    name = "sgd_square_root"
    params = {"eps": "1/20", "mu": "3/10"}
    problem = Problem.of({**PROBLEM.to_json(), "params": params})
    derived = problem.values(registry.sampler(name)).matrices["H"]
    given_ = problem.with_params(H=[[str(x) for x in row] for row in derived])
    for parameter in ("eps", "H"):
        mine, same = gradient(name, problem, parameter), gradient(name, given_, parameter)
        assert np.array_equal(mine.kl_to_posterior, same.kl_to_posterior)


DATA = {"model": "gaussian_mean", "X": [[0, 1], [1, 2], [3, -1], [2, 2], [5, 1]], "S": 2,
        "params": {"eps": "1/20", "mu": "3/10", "H": [[1, "1/5"], ["1/5", 2]]}}  # fmt: skip


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld"])
def test_minibatches_of_data_whose_noise_is_additive(name, replacement):
    content = {**DATA, "replacement": replacement}
    problem = Problem.of(content)
    for parameter in ("eps", "S"):
        direction = problem.values(name).scalars[parameter]
        expected, slack = slopes(name, problem, parameter, direction, "discrete")
        got = along(gradient(name, problem, parameter), direction)
        assert agree(got, expected, slack)
        twin = Problem.of({**content, "replacement": not replacement})
        assert not agree(along(gradient(name, twin, parameter), direction), expected, slack)


def test_a_noise_that_vanishes_has_a_slope():
    """At beta = alpha the injected noise is sqrt(0): its variance still has a derivative."""
    content = {**PROBLEM.to_json(), "params": {"eta": "1/2000", "alpha": "1/5", "beta": "1/5"}}
    here = gradient("sghmc", Problem.of(content), "beta").kl_to_posterior
    content["params"]["beta"] = "199999999/1000000000"
    assert here == pytest.approx(
        gradient("sghmc", Problem.of(content), "beta").kl_to_posterior, rel=1e-5
    )
    whole = Problem.of({**DATA, "S": 5, "replacement": False, "params": {"eps": "1/20"}})
    assert gradient("sgld", whole, "S").kl_to_posterior != 0


def test_at_the_posterior_itself_only_divergences_have_slopes():
    problem = Problem.of(
        {"hessian": [[1]], "noise": [[1]], "N": 4, "S": 4, "params": {"eps": "2/3", "H": [[1]]}}
    )
    content = {**problem.to_json(), "params": {"eps": 1}}  # P = eps/(4 (2 - eps)) = 1/N at eps = 1
    mine = gradient("sgd", Problem.of(content), "eps")
    assert mine.wasserstein2 is None
    assert "wasserstein2" not in mine.to_json()
    assert abs(mine.kl_to_posterior) < 1e-14
    assert gradient("sgd", problem, "eps").wasserstein2 == pytest.approx(-(0.5**0.5) * 9 / 16)


def test_a_degenerate_law_has_no_slopes():
    flat = Problem.of({**PROBLEM.to_json(), "hessian": [[1, 0], [0, 1]], "noise": [[1, 1], [1, 1]],
                       "params": {"eps": "1/2"}})  # fmt: skip
    mine = gradient("sgd", flat, "eps")
    assert [getattr(mine, n) for n in DISTANCES] == [None] * 3
    assert set(mine.to_json()) == {"parameter", "value"}


@pytest.mark.parametrize("parameter", ["N", "alpha", "nonsense"])
def test_what_is_no_parameter_is_refused(parameter):
    with pytest.raises(UnusableInput, match=parameter):
        gradient("sgd", PROBLEM, parameter)


@pytest.mark.parametrize(
    ("name", "parameter", "changes", "words"),
    [
        ("iasg", "T", {"params": {"eps": "1/20", "T": 3}}, "varies continuously"),
        ("reshuffled_sgd", "S", {}, "varies continuously"),
        ("averaged_sgd", "eps", {}, "limit"),
        ("sgd", "eps", {"N": None}, '"N": 100'),
    ],
)
def test_what_has_no_gradient_is_refused(name, parameter, changes, words):
    content = {k: v for k, v in {**PROBLEM.to_json(), **changes}.items() if v is not None}
    with pytest.raises(UnusableInput, match=words):
        gradient(name, Problem.of(content), parameter)
    with pytest.raises(UnusableInput, match="time"):
        gradient("sgd", PROBLEM, "eps", time="never")


def test_real_minibatches_and_unstable_steps_are_refused():
    data = {**DATA, "model": "linear_regression", "y": [1, 2, 0, 1, 3], "params": {"eps": "1/20"}}
    with pytest.raises(UnusableInput, match="does not depend on the point"):
        gradient("sgd", Problem.of(data), "eps")
    quiet = Problem.of({**data, "params": {"gamma": "1/200"}})  # the whole gradient has no minibatch
    assert gradient("lmc", quiet, "gamma").kl_to_posterior > 0
    with pytest.raises(Unstable, match="eps <"):
        gradient("sgd", PROBLEM.with_params(eps=3), "eps")
