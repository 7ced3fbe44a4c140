"""What the code of a step has bound, and its own defaults, are what is judged: its caller gets them."""

from functools import partial

import numpy as np
import pytest

from sgtheory.errors import UnusableInput
from verification.checking import check

SMALL = {"dimensions": (2, 1)}


def sgld(theta, gradient, rng, eps, N, temperature=1.0):
    noise = np.sqrt(temperature * eps) * rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + noise


def sgld_hot(theta, gradient, rng, eps, N, temperature=2.0):
    return sgld(theta, gradient, rng, eps, N, temperature)


def sgld_of_a_size(theta, gradient, rng, step_size, N):
    return sgld(theta, gradient, rng, step_size, N)


def sgld_by_get(theta, gradient, rng, **options):
    heat = options.get("temperature", 1.0)
    return sgld(theta, gradient, rng, options["eps"], options["N"], heat)


def sgld_hot_by_get(theta, gradient, rng, **options):
    heat = options.get("temperature", 2.0)
    return sgld(theta, gradient, rng, options["eps"], options["N"], heat)


def heavy_ball(state, gradient, rng, lr, momentum=0.9, nesterov=False):
    v = momentum * state["v"] - lr * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}


def heavy_ball_that_keeps_half(state, gradient, rng, lr, momentum):
    return heavy_ball(state, gradient, rng, lr, 0.5 * momentum)


def placed(eps, theta, gradient, rng, N):
    return sgld(theta, gradient, rng, eps, N)


def placed_twice(eps, theta, gradient, rng, N):
    return sgld(theta, gradient, rng, 2 * eps, N)


BOUND = "temperature is bound to {} in your code: it was kept."
OWN = "temperature: your own default {} was kept (otherwise: --with temperature=...)."
HALF = "momentum is bound to 0.5 in your code: the law is that of mu = 1/2."


@pytest.mark.parametrize(
    ("right", "wrong", "like", "told"),
    [
        (sgld, sgld_hot, "sgld", OWN.format("1.0")),
        pytest.param(
            sgld_by_get, sgld_hot_by_get, "sgld", OWN.format("as in your code"), marks=pytest.mark.strong
        ),
        (
            partial(sgld_hot, temperature=1.0),
            partial(sgld, temperature=3.0),
            "sgld",
            BOUND.format("1.0"),
        ),
        pytest.param(
            partial(heavy_ball, momentum=0.5),
            partial(heavy_ball_that_keeps_half, momentum=0.5),
            "momentum",
            HALF,
            marks=pytest.mark.strong,
        ),
        pytest.param(
            partial(placed, 0.01),
            partial(placed_twice, 0.01),
            "sgld",
            "eps is bound to 0.01 in your code: the law is that of eps = 1/100.",
            marks=pytest.mark.strong,
        ),
    ],
    ids=["default", "get", "bound", "momentum", "by place"],
)
def test_what_is_kept_is_judged_and_said_first(right, wrong, like, told):
    good = check(right, like=like, **SMALL)
    assert good.verdict == "conforms", good.diagnosis
    assert good.taken[0] == told
    assert check(wrong, like=like, **SMALL).verdict == "deviates"


@pytest.mark.strong
def test_a_bound_size_is_read_by_a_formula():
    step = partial(sgld_of_a_size, step_size=0.01)
    assert check(step, like="sgld", parameters={"step_size": "eps"}, **SMALL).verdict == "conforms"
    assert check(step, like="sgld", parameters={"step_size": "eps/2"}, **SMALL).verdict == "deviates"
    with pytest.raises(UnusableInput, match="--with step_size=eps/2 or --with step_size=eps; else"):
        check(step, like="sgld", **SMALL)


@pytest.mark.parametrize(
    ("bound", "expected"),
    [({"N": 40}, "a step that is handed N"), ({"H": 2.0}, "a step that is handed H")],
)
def test_what_every_problem_has_of_its_own_may_not_be_bound(bound, expected):
    def gained(theta, gradient, rng, eps, N, H=None):
        return sgld(theta, gradient, rng, eps, N)

    with pytest.raises(UnusableInput, match=expected):
        check(partial(gained, **bound), like="sgld", **SMALL)
