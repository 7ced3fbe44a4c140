"""Faults are named: by hand, from the generated family, and those in no family as unknown."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Gradient
from tests.verification.checking.mutants import declared, foreign
from verification.checking import check
from verification.checking.cases import cases, difference, law_of
from verification.checking.faults.candidate import Candidate
from verification.checking.faults.distinct import distinct
from verification.checking.faults.edits import edits
from verification.checking.faults.naming import formulas
from verification.checking.faults.variant import Numbers, Variant, law
from verification.checking.faults.words import stability_of

FEW = {"dimensions": (1, 2, 3, 2)}
SAMPLERS = (
    "sgd",
    "sgld",
    "momentum",
    "nesterov",
    "sghmc",
    "sghmc_velocity_first_refreshed",
    "underdamped:BAOAB",
    "iasg",
)
_EQUAL = 1e-4  # of a standard deviation: laws on other problems that differ by less are the same


def normal(rng, theta):
    return rng.standard_normal(theta.shape)


def lower(H):
    return np.linalg.cholesky(H)


@pytest.mark.parametrize("name", ["sgld", "sghmc", "momentum", "underdamped:OBABO", "iasg"])
def test_two_routes_to_one_law(name):
    for case in cases(name, dimensions=(1, 3)):
        true = law_of(name, case)
        found = law(Variant.of(registry.sampler(name)), Numbers.of(name, case))
        assert difference(true, found) < 1e-6


def noise_too_small(theta, gradient, rng, eps, N, H):
    noise = np.sqrt(eps) / np.sqrt(np.sqrt(N)) * normal(rng, theta) @ lower(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + noise


def decayed(theta, gradient, rng, eps, N, H):
    step = (N * gradient(theta) + 3 * theta) @ H
    return theta - eps / 2 * step + np.sqrt(eps) * normal(rng, theta) @ lower(H).T


def turned(theta, gradient, rng, eps, N, H):
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * normal(rng, theta) @ lower(H)


def before_scaling(theta, gradient, rng, eps, N, H):
    return theta - (eps / 2 * N * gradient(theta) + np.sqrt(eps) * normal(rng, theta)) @ H


def one_number(theta, gradient, rng, eps, N, H):
    noise = rng.standard_normal((len(theta), 1)) * np.ones_like(theta)
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise @ np.real(root(H))


def root(H):
    values, vectors = np.linalg.eigh(H)
    return (vectors * np.sqrt(values)) @ vectors.T


def shared_by_chains(theta, gradient, rng, eps, N, H):
    noise = rng.standard_normal((1, theta.shape[1])) @ lower(H).T
    return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise


def position_first(state, gradient, rng, eps, mu, H):
    theta, v = state["theta"], state["v"]
    return {"theta": theta + v, "v": (1 - mu) * v - eps * gradient(theta) @ H}


def other_convention(state, gradient, rng, eps, mu, H):
    """A learning rate and a momentum: mu is what is kept."""
    theta, v = state["theta"], state["v"]
    v = mu * v - eps * gradient(theta) @ H
    return {"theta": theta + v, "v": v}


NAMED = [
    (decayed, "sgld", "weight decay of 3/N"),
    (noise_too_small, "sgld", r"N**(1/4)"),
    (turned, "sgld", "Cholesky factor transposed"),
    (before_scaling, "sgld", "added before scaling by the preconditioner"),
    (one_number, "sgld", "the same for all coordinates"),
    (shared_by_chains, "sgld", "All chains draw the same"),
    (position_first, "momentum", "unstable where eps*lambda >= mu"),
    (other_convention, "momentum", "In place of mu stands 1 - mu"),
]


@pytest.mark.parametrize(
    ("step", "like", "words"),
    [
        pytest.param(
            *row,
            marks=[]
            if row[0] is turned
            else [pytest.mark.strong if row[0] is position_first else pytest.mark.long],
        )
        for row in NAMED
        if row[0] is not noise_too_small
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_faults_by_hand_are_named(step, like, words):
    found = check(step, like, **FEW)
    assert found.verdict == "deviates"
    assert words in " ".join(d.words for d in found.diagnosis)
    assert found.diagnosis[0].score == 1


def through_a_sigmoid(theta, gradient, rng, eps, N, H):
    return (
        theta
        - eps / 2 * N * np.tanh(gradient(theta)) @ H
        + np.sqrt(eps) * normal(rng, theta) @ lower(H).T
    )


def noise_that_grows(theta, gradient, rng, eps, N, H):
    noise = np.sqrt(eps) * normal(rng, theta) * (1 + np.abs(theta))
    return theta - eps / 2 * N * gradient(theta) @ H + noise @ lower(H).T


def slower_with_each_coordinate(theta, gradient, rng, eps, N, H):
    steps = eps / 2 * N * (1 + np.arange(theta.shape[1])) ** -1.3
    return theta - 0.77 * steps * np.sign(gradient(theta)) + np.sqrt(eps) * normal(rng, theta)


@pytest.mark.long
@pytest.mark.parametrize(
    "step", [through_a_sigmoid, noise_that_grows, slower_with_each_coordinate], ids=lambda f: f.__name__
)
def test_what_is_in_no_family_gets_no_name(step):
    found = check(step, "sgld", **FEW)
    assert found.verdict == "deviates"
    assert [d.name for d in found.diagnosis] == ["unknown"]
    assert found.diagnosis[0].score == 0
    assert "A step that is not linear makes such positions too." in found.diagnosis[0].words
    assert "Variances over what they should be" in found.diagnosis[0].words


def with_a_square_of_the_step(theta, gradient, rng, eps, N):
    noise = np.sqrt(eps) * (1 + eps * N / 10) * normal(rng, theta)
    return theta - eps / 2 * N * (1 + eps * N / 3) * gradient(theta) + noise


@pytest.mark.strong
def test_what_has_no_name_is_told_with_the_law_that_was_measured():
    (told,) = check(with_a_square_of_the_step, "sgld", **FEW).diagnosis
    assert told.name == "unknown"
    assert "The first deviation is seen after step 1, in the mean of coordinate 1" in told.words
    assert "Near it comes: " in told.words or "comes nearer to it" in told.words
    assert "Measured in problem 1, D = 1: after step 1 mean " in told.words


def test_a_formula_needs_more_than_chance():
    eps, N = sp.symbols("eps N", positive=True)
    letters = {eps: np.array([0.1, 0.03, 0.2, 0.05]), N: np.array([10.0, 30, 20, 30])}
    right = np.sqrt(letters[eps] / letters[N])
    assert formulas(right, 0.002 * right, letters)[0].expr == sp.sqrt(eps / N)
    assert formulas(right * [1, 1.3, 0.8, 1.1], 0.002 * right, letters) == ()
    # wide errors leave so many formulas that none is told but a number
    assert all(len(n.expr.free_symbols) <= 1 for n in formulas(right, 0.9 * right, letters))


def test_the_step_at_which_it_is_unstable_is_computed():
    assert stability_of(registry.sampler("momentum_position_first")).startswith(
        "unstable where eps*lambda >= mu"
    )
    assert "eps*lambda" in stability_of(registry.sampler("sgd"))


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLERS)
def test_the_interpreter_runs_what_is_declared(name):
    assert check(declared(name), name, **FEW).verdict == "conforms"


def laws_differ(candidate, other, like, seed):
    """The largest difference of two candidates' laws, on problems of another seed."""
    worst = 0.0
    for case in cases(like, seed=seed, dimensions=(1, 2, 3)):
        own = Numbers.of(like, case)
        worst = max(worst, difference(candidate.law(own), other.law(own)))
    return worst


def verdict_on(like, mutant):
    """conforms, right, other (a law that fits and is another) or unknown."""
    found = check(foreign(like, mutant.variant), like, **FEW)
    if found.verdict == "conforms":
        return "conforms", ""
    first = found.diagnosis[0]
    if first.candidate is None:
        return ("unknown" if first.name == "unknown" else "broken"), first.name
    same = laws_differ(first.candidate, mutant, like, seed=7) < _EQUAL
    return ("right" if same else "other"), first.name


@pytest.mark.long
@pytest.mark.parametrize("like", SAMPLERS)
def test_mutants_are_named(like):
    every = [m for m in edits(registry.sampler(like)) if m.kurtosis == 3]
    told = [(m.name, *verdict_on(like, m)) for m in every[:: max(len(every) // 12, 1)]]
    wrong = [row for row in told if row[1] not in ("right", "conforms", "broken")]
    deviating = [row for row in told if row[1] not in ("conforms", "broken")]
    assert len(wrong) <= len(deviating) / 10, wrong


def test_of_one_law_the_shortest_is_told_and_one_as_short_that_changes_something_else():
    sampler = registry.sampler("momentum")
    declared = Variant.of(sampler)
    (v, pushed), (_, moved) = declared.updates
    (mu,) = (p for p in sampler.parameters if p.name == "mu")
    at = [Numbers.of(sampler, case) for case in cases("momentum", dimensions=(1, 2))]
    evidence = SimpleNamespace(sampler=sampler, numbers=at)
    gradients = {g: (1 - mu) * g for g in pushed.atoms(Gradient)}
    of_v = Candidate("v", "Of v.", declared.with_update(0, pushed.xreplace(gradients)))
    of_v_too = replace(of_v, words="Of v too.", cost=1.05)
    of_x = Candidate("x", "Of x.", declared.with_update(1, moved.xreplace({v: (1 - mu) * v})), 1.1)
    longer, named = replace(of_x, cost=1.2), replace(of_x, other="another")

    def told(*candidates):
        return [c.words for c in distinct(candidates, evidence)]

    assert told(of_x, of_v) == ["Of v. The same law, so that it may be this: Of x."]
    assert told(of_v, of_v_too) == told(of_v, longer) == told(of_v, named) == ["Of v."]
    assert told(of_v, Candidate("d", "As declared.", declared)) == ["Of v.", "As declared."]
