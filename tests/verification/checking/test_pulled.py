"""Right steps that something pulls from the mode, or with old positions, conform; wrong ones do not."""

import pytest
from sympy import sqrt

from sgtheory.declare import Card, Sampler, gradient, local, normal, positive, state
from verification.checking import check
from verification.checking.nonlinear import moves_with_the_mode

SMALL = {"budget": "quick", "dimensions": (1, 2), "seed": 5}

theta, v, old, anchor = state("theta v old anchor")
lr, wd, mu = positive("lr wd mu")
ahead, new = local("ahead new")
xi = normal("xi")


def declared(*updates):
    states = tuple(t for t, _ in updates if t not in (ahead, new))
    noises = (xi,) if any(e.has(xi) for _, e in updates) else ()
    return Sampler(states, updates, Card(loss="mean", drift="lr"), noises=noises)


SHRUNK = declared((theta, theta - lr * (gradient(theta) + wd * theta)))
LATE = declared((new, theta - lr * gradient(old)), (old, theta), (theta, new))
AHEAD = declared(
    (ahead, theta + mu * (theta - old)), (old, theta), (theta, ahead - lr * gradient(ahead))
)
FOLLOWED = declared(
    (theta, theta - lr * gradient(theta) - lr * wd * (theta - anchor) + sqrt(2 * lr) * xi),
    (anchor, (1 - mu) * anchor + mu * theta),
)


def shrunk(theta, gradient, rng, *, lr, wd):
    return theta - lr * (gradient(theta) + wd * theta)


def shrunk_by_all(theta, gradient, rng, *, lr, wd):
    return (1 - wd) * theta - lr * gradient(theta)


def late(state, gradient, rng, *, lr):
    return {"theta": state["theta"] - lr * gradient(state["old"]), "old": state["theta"]}


def not_late(state, gradient, rng, *, lr):
    return {"theta": state["theta"] - lr * gradient(state["theta"]), "old": state["theta"]}


def ahead_of(state, gradient, rng, *, lr, mu):
    y = state["theta"] + mu * (state["theta"] - state["old"])
    return {"theta": y - lr * gradient(y), "old": state["theta"]}


def beside(state, gradient, rng, *, lr, mu):
    y = state["theta"] + mu * (state["theta"] - state["old"])
    return {"theta": y - lr * gradient(state["theta"]), "old": state["theta"]}


def followed(state, gradient, rng, *, lr, wd, mu):
    at, to = state["theta"], state["anchor"]
    moved = (
        at - lr * gradient(at) - lr * wd * (at - to) + (2 * lr) ** 0.5 * rng.standard_normal(at.shape)
    )
    return {"theta": moved, "anchor": (1 - mu) * to + mu * moved}


def followed_by_the_old(state, gradient, rng, *, lr, wd, mu):
    found = followed(state, gradient, rng, lr=lr, wd=wd, mu=mu)
    return {**found, "anchor": (1 - mu) * state["anchor"] + mu * state["theta"]}


PAIRS = {
    "decay": (SHRUNK, shrunk, shrunk_by_all),
    "late": (LATE, late, not_late),
    "ahead": (AHEAD, ahead_of, beside),
    "followed": (FOLLOWED, followed, followed_by_the_old),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.strong] if n == "ahead" else []) for n in PAIRS]
)
def test_the_right_step_conforms_and_its_wrong_twin_does_not(name):
    of, right, wrong = PAIRS[name]
    assert check(right, like=of, **SMALL).verdict == "conforms"
    assert check(wrong, like=of, **SMALL).verdict == "deviates"


def test_the_mode_lies_anywhere_but_where_something_else_pulls():
    assert [moves_with_the_mode(of) for of, *_ in PAIRS.values()] == [False, True, True, True]
