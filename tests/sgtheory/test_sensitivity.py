"""Gradients of distances: against differences of the law itself, and against wrong twins."""

import dataclasses

import numpy as np
import pytest
from hypothesis import assume, given, settings

from sgtheory import law, registry
from sgtheory.declare import Derived, MatrixName
from sgtheory.errors import UnusableInput
from sgtheory.problem import Problem
from sgtheory.sensitivity import gradient
from tests.sgtheory.brute_force import Evaluator, stationary
from tests.sgtheory.strategies import problems, scaled_for
from tests.sgtheory.test_symbolic import CASES, CLOCKS

NAMES = ("kl_to_posterior", "kl_from_posterior", "wasserstein2")


def fixed(name, problem):
    """A problem that gives every parameter, nothing derived."""
    sampler = registry.sampler(name)
    problem = scaled_for(problem, sampler)
    values = problem.values(sampler)
    given_ = {}
    for p in sampler.parameters:
        if isinstance(sampler.default(p), Derived) and p.name not in problem.params:
            given_[p.name] = [[str(x) for x in row] for row in values.matrices[p.name]]
    content = problem.with_params(**given_).to_json()
    for letter, _ in sampler.aliases:  # one letter for one thing, which is then moved
        if content["params"].pop(letter, None) is not None:
            (own,) = (p.name for p in sampler.parameters if p.name in ("eps", "gamma"))
            content["params"][own] = str(values.scalars[own])
    return Problem.of(content)


def moved(problem, name, where, shift):
    """The problem with one number of a parameter moved; symmetric matrices stay symmetric."""
    value = problem.values(registry.sampler(name[0])).scalars.get(name[1])
    if where is None:
        return problem.with_params(**{name[1]: float(value) * (1 + shift)})
    k, j, symmetric = where
    matrix = problem.values(registry.sampler(name[0])).arrays[name[1]].copy()
    matrix[k, j] += shift
    if symmetric and k != j:
        matrix[j, k] += shift
    return problem.with_params(**{name[1]: matrix.tolist()})


def differences(name, problem, parameter, time, where, step):
    """Derivatives of all distances by Richardson's extrapolation, and how far it can be trusted."""

    def at(shift):
        found = law(name, moved(problem, (name, parameter), where, shift), time=time)
        return np.array([getattr(found, n) for n in NAMES], float)

    coarse = (at(step) - at(-step)) / (2 * step)
    fine = (at(step / 2) - at(-step / 2)) / step
    best = (4 * fine - coarse) / 3
    # the next term of the expansion is smaller than the one removed; rounding is that of a distance
    size = np.abs(at(0)).max() + 1
    return best, np.abs(fine - coarse) * step + 1e3 * size * np.finfo(float).eps / step


PLAIN = [(n, t) for n, t in CASES if n not in CLOCKS]


@pytest.mark.parametrize(("name", "time"), PLAIN)
@settings(max_examples=4)
@given(problem=problems(sizes=(1, 3), gains=True))
def test_gradients_are_the_slopes_of_the_law(name, time, problem):
    problem = fixed(name, problem)
    sampler = registry.sampler(name)
    found = law(name, problem, time=time)
    assume(found.stable and found.spectral_radius < 0.995 and found.kl_to_posterior is not None)
    assume(np.linalg.cond(found.covariance["theta", "theta"]) < 1e4)
    for parameter in sampler.parameters:
        mine = gradient(name, problem, parameter.name, time=time)
        if mine.wasserstein2 is None:
            assert found.wasserstein2 < 1e-5 * np.sqrt(np.trace(found.covariance["theta", "theta"]))
            mine = dataclasses.replace(mine, wasserstein2=np.nan * np.asarray(mine.kl_to_posterior))
        values = problem.values(sampler)
        if not isinstance(parameter, MatrixName):
            value = float(values.scalars[parameter.name])
            if value == 0 or parameter.name in at_their_bounds(sampler, values):
                continue
            slopes, slack = differences(name, problem, parameter.name, time, None, 1e-4)
            got = np.array([getattr(mine, n) for n in NAMES]) * value
            agree(got, slopes, slack)
            continue
        symmetric = parameter.is_positive
        diagonal = hasattr(parameter, "diagonal_only")
        k, j = 0, 0 if diagonal else problem.D - 1
        slopes, slack = differences(name, problem, parameter.name, time, (k, j, symmetric), 1e-4)
        got = []
        for n in NAMES:
            slope = np.asarray(getattr(mine, n))
            got.append(slope[k] if diagonal else slope[k, j] * (2 if symmetric and k != j else 1))
        agree(np.array(got), slopes, slack)


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
    product = float(problem.sizes["N"]) * brutal.matrices["A"] @ path
    inverse = np.linalg.inv(product)
    logdet = np.log(np.linalg.det(product))
    return [(np.trace(product) - logdet).imag / 2 / TINY, (np.trace(inverse) + logdet).imag / 2 / TINY]


EXACT = [(n, t) for n, t in PLAIN if registry.sampler(n).limit != "step" or t == "discrete"]


@pytest.mark.parametrize(("name", "time"), EXACT)
@settings(max_examples=6)
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
        if isinstance(parameter, MatrixName) or parameter.name == "beta":
            continue
        mine = gradient(name, problem, parameter.name, time=time)
        got = np.array([mine.kl_to_posterior, mine.kl_from_posterior])
        other = np.array(exactly(name, problem, parameter.name, time))
        scale = np.abs(other).max() + 1 / float(problem.values(sampler).scalars[parameter.name])
        assert (np.abs(got - other) <= (1e-10 + slack) * scale * (1 + found.kl_from_posterior)).all()


def agree(got, slopes, slack):
    there = ~np.isnan(got)
    assert there.sum() >= 2
    assert (np.abs(got - slopes)[there] <= (slack + 1e-6 * np.abs(slopes))[there]).all()


def at_their_bounds(sampler, values):
    """Parameters that equal what they may not exceed: they cannot be moved both ways."""
    found = set()
    for condition in sampler.given:
        numbers = {s: values.scalars[s.name] for s in condition.free_symbols}
        left, right = (float(side.subs(numbers)) for side in (condition.lhs, condition.rhs))
        if right - left < 1e-3:
            found |= {s.name for s in condition.free_symbols}
    return found


PROBLEM = Problem.of(
    {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]], "N": 40, "S": 4,
     "params": {"eps": "1/20", "mu": "3/10", "E": [["1/10", 0], [0, "1/5"]]}}
)  # fmt: skip


def test_the_minibatch_size_has_a_slope():
    mine = gradient("sgd", PROBLEM, "S")
    sizes = [law("sgd", Problem.of({**PROBLEM.to_json(), "S": s})).kl_to_posterior for s in (3, 4, 5)]
    assert min(sizes[1] - sizes[0], sizes[2] - sizes[1]) <= mine.kl_to_posterior
    assert mine.kl_to_posterior <= max(sizes[1] - sizes[0], sizes[2] - sizes[1])


def test_a_slope_without_the_noise_would_be_seen():
    """The wrong twin: noise that does not change with the step gives another slope."""
    right = gradient("sgd", PROBLEM, "eps").kl_to_posterior
    A, C = (PROBLEM.values("sgd").arrays[k] for k in "AC")
    one, eps, N, S = np.eye(2), 1 / 20, 40, 4
    P = law("sgd", PROBLEM).covariance["theta", "theta"]
    M = one - eps * A
    operator = np.eye(4) - np.kron(M, M)
    G = (N * A - np.linalg.inv(P)) / 2
    of_drift = -A @ P @ M.T - M @ P @ A.T
    of_noise = 2 * eps * C / S
    both = np.linalg.solve(operator, (of_drift + of_noise).ravel()).reshape(2, 2)
    twin = np.linalg.solve(operator, of_drift.ravel()).reshape(2, 2)
    assert right == pytest.approx(np.sum(G * both), rel=1e-12)
    assert right != pytest.approx(np.sum(G * twin), rel=0.1)


@pytest.mark.parametrize("parameter", ["N", "alpha", "nonsense"])
def test_what_is_no_parameter_is_refused(parameter):
    with pytest.raises(UnusableInput):
        gradient("sgd", PROBLEM, parameter)


def test_what_has_no_gradient_is_refused():
    with pytest.raises(UnusableInput, match="alike"):
        gradient("iasg", PROBLEM.with_params(T=3), "eps")
    with pytest.raises(UnusableInput, match="derived"):
        gradient("sgd_square_root", PROBLEM, "eps")
