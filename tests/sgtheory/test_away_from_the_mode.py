"""Samplers whose chain does not settle at the mode of its data; brute force is the other route."""

from fractions import Fraction

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.declare import Card, N, Sampler, full_gradient, gradient, local, normal, positive, state
from sgtheory.errors import UnusableInput
from sgtheory.numbers.fourth import fourth_moments
from sgtheory.numbers.multiplicative import law as on_minibatches
from sgtheory.numbers.numeric import law
from sgtheory.problem import Problem
from sgtheory.sensitivity import gradient as gradient_of
from sgtheory.setting import Setting
from sgtheory.tuning import tune
from simulators.ensemble import simulate

theta, old = state("theta old")
new, xi = local("new"), normal("xi")
eps, decay = positive("eps decay")

SHRUNK = Sampler(
    (theta,),
    ((theta, theta - eps * (gradient(theta) + decay * theta)),),
    Card(loss="mean", drift="eps"),
)
SHRUNK_LANGEVIN = Sampler(
    (theta,),
    ((theta, theta - eps * N * (full_gradient(theta) + decay * theta) + (2 * eps) ** 0.5 * xi),),
    Card(loss="mean", drift="eps N"),
    noises=(xi,),
)
LOOKING_ELSEWHERE = Sampler(
    (theta,),
    ((theta, theta - eps * gradient((1 + decay) * theta)),),
    Card(loss="mean", drift="eps"),
)
LATE = Sampler(
    (theta, old),
    ((new, theta - eps * gradient(old)), (old, theta), (theta, new)),
    Card(loss="mean", drift="eps"),
)
SAMPLERS = {"shrunk": SHRUNK, "elsewhere": LOOKING_ELSEWHERE, "late": LATE}


def problem(**params):
    rows = [(1, Fraction(k - 4, 2), Fraction((-1) ** k * (k + 1), 3)) for k in range(6)]
    X = [[str(a), str(u)] for a, u, _ in rows]
    y = [str(1 + u + r) for _, u, r in rows]
    return Problem.of(
        {"model": "linear_regression", "X": X, "y": y, "ridge": 1, "S": 1, "params": params}
    )


def by_hand(name, case, steps):
    """Mean and covariance by all choices of an example, a step at a time, of every chain there is."""
    X = np.array(_X(case))
    y = np.array(_y(case))
    N_, h, w = len(y), float(case.params["eps"]), float(case.params.get("decay", 0))
    paths = [(np.zeros(2), np.zeros(2))]
    for _ in range(steps):
        paths = [_moved(name, p, X[n], y[n], N_, h, w) for p in paths for n in range(N_)]
    points = np.array([p[0] for p in paths])
    about = points - points.mean(axis=0)
    return points.mean(axis=0), about.T @ about / len(points)


def _X(case):
    return [[float(Fraction(str(x))) for x in row] for row in case.to_json()["X"]]


def _y(case):
    return [float(Fraction(str(x))) for x in case.to_json()["y"]]


def _moved(name, path, x, y, count, h, w):
    now, before = path

    def slope(at):
        return (x @ at - y) * x + at / count

    if name == "shrunk":
        return now - h * (slope(now) + w * now), now
    if name == "elsewhere":
        return now - h * slope((1 + w) * now), now
    return now - h * slope(before), now


@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize("name", SAMPLERS)
def test_the_first_steps_are_those_of_every_choice_of_examples(name, steps):
    case = problem(eps="1/16", **({} if name == "late" else {"decay": "1/2"}))
    found = law(SAMPLERS[name], case, at=steps)
    mean, covariance = by_hand(name, case, steps)
    assert np.allclose(found.mean["theta"], mean, rtol=1e-12, atol=1e-14)
    assert np.allclose(found.covariance["theta", "theta"], covariance, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_limit_is_that_of_many_steps(name):
    case = problem(eps="1/16", **({} if name == "late" else {"decay": "1/2"}))
    there, late = law(SAMPLERS[name], case), law(SAMPLERS[name], case, at=4000)
    far = law(SAMPLERS[name], case, at=30_000)  # by powers of a matrix
    assert there.stable
    for one in (late, far):
        assert np.allclose(there.mean["theta"], one.mean["theta"], rtol=1e-9)
        assert np.allclose(
            there.covariance["theta", "theta"], one.covariance["theta", "theta"], rtol=1e-8
        )
    mode = np.array([float(x) for x in case.examples.mode])
    away = np.abs(there.mean["theta"] - mode).max() > 0.01
    assert away == (name != "late")


def test_a_whole_gradient_with_decay_settles_where_both_pulls_are_equal():
    case = problem(eps="1/64", decay="1/2")
    A = np.array([[float(x) for x in row] for row in case.examples.A])
    mode = np.array([float(x) for x in case.examples.mode])
    there = np.linalg.solve(A + np.eye(2) / 2, A @ mode)
    assert np.allclose(law(SHRUNK_LANGEVIN, case).mean["theta"], there, rtol=1e-12)
    assert np.allclose(law(SHRUNK_LANGEVIN, case, at=2000).mean["theta"], there, rtol=1e-9)
    assert np.allclose(law(SHRUNK_LANGEVIN, case, time="continuous").mean["theta"], there, rtol=1e-12)
    first, h = law(SHRUNK_LANGEVIN, case, at=1).mean["theta"], 6 / 64
    assert np.allclose(first, h * A @ mode, rtol=1e-12)
    slow = law(SHRUNK_LANGEVIN, problem(eps="1/64000000", decay="1/2"), time="continuous", at=1).mean[
        "theta"
    ]
    assert np.allclose(slow, 6 / 64e6 * A @ mode, rtol=1e-5)


def test_covariances_stay_symmetric_through_many_steps_of_several_updates():
    """Rounding in the odd part of a covariance once grew by itself, until it was all that one saw."""
    p, (h, g) = state("p"), positive("h g")
    kick = p - h / 2 * N * gradient(theta)
    moved = (
        (p, kick), (theta, theta + h * p), (p, p - h / 2 * N * gradient(theta, 1)), (p, g * p + xi)
    )  # fmt: skip
    own = Sampler((theta, p), moved, Card(loss="mean", drift="h N"), noises=(xi,), given=(g < 1,))
    case = problem(h="1/64", g="15/16")
    there, late = (law(own, case, at=n).covariance["theta", "theta"] for n in (None, 3000))
    assert np.array_equal(late, late.T)
    assert np.allclose(there, late, rtol=1e-8)


@pytest.mark.parametrize("name", SAMPLERS)
def test_an_ensemble_has_the_law(name):
    case = problem(eps="1/16", **({} if name == "late" else {"decay": "1/2"}))
    of = SAMPLERS[name]
    found = law(of, case, at=25)
    setting = Setting(of, case.model)
    seen = simulate(setting, case.values(of), chains=100_000, steps=25, seed=1)
    spread = np.sqrt(np.diag(found.covariance["theta", "theta"]))
    assert np.all(np.abs(seen.mean["theta"] - found.mean["theta"]) < 6 * spread / 100_000**0.5)


def test_a_chain_that_nothing_pulls_away_rests_at_the_mode():
    case = problem(eps="1/16")
    setting = Setting("sgd", case.model)
    found = on_minibatches(setting, case.values("sgd"), None, None)
    assert np.array_equal(found.mean["theta"], [float(x) for x in case.examples.mode])


def test_fourth_moments_say_that_they_are_for_chains_that_settle_at_the_mode():
    with pytest.raises(UnusableInput, match="settles at the mode"):
        fourth_moments(SHRUNK, problem(eps="1/16", decay="1/2"))


@pytest.mark.parametrize("name", [n for n in registry.samplers() if registry.sampler(n).positions])
def test_what_moves_along_is_found_in_the_step(name):
    """Of every sampler of ours, by hand: copies of the position and means of it, and nothing else."""
    sampler = registry.sampler(name)
    assert theta in sampler.positions
    expected = {"averaged_sgd": {"m"}, "iasg": {"m"}, "saga_ld": {"alpha"}, "svrg_ld": {"s"}}
    assert {s.name for s in sampler.positions} == {"theta", *expected.get(name, ())}


@pytest.mark.strong
def test_the_best_decay_counts_how_far_the_mean_is_pulled():
    """A fifth more or less is worse; gradients of covariances alone are refused."""
    case = problem(decay="1/2", eps="1/64")
    with pytest.raises(UnusableInput, match="settles at the mode"):
        gradient_of(SHRUNK_LANGEVIN, case, "decay")
    (found,) = (one for one in tune(SHRUNK_LANGEVIN, case).tuned if one.parameter == "decay")
    best = found.choices[0].values["decay"]
    at = [
        law(SHRUNK_LANGEVIN, problem(decay=Fraction(best * k), eps="1/64")).kl_to_posterior
        for k in (0.8, 1, 1.2)
    ]
    assert at[1] < min(at[0], at[2])
