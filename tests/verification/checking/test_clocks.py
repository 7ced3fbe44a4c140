"""A step that asks for the number of steps before it is handed that."""

import sys

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.declare import Card, Sampler, gradient, positive, state, t
from verification.checking import check
from verification.checking.identifying import identify
from verification.checking.parameters import handed
from verification.checking.signatures import asks_of

SMALL = {"dimensions": (2, 1)}
TOLD = "t of your step was taken as the number of steps before it: 0, 1, 2, ..."


def annealed(theta, gradient, rng, eps, b, c, N, t):
    step = eps * (b + t) ** -c
    return theta - step / 2 * N * gradient(theta) + np.sqrt(step) * rng.standard_normal(theta.shape)


def annealed_late(theta, gradient, rng, eps, b, c, N, t):
    """As if one step had been made before the first."""
    return annealed(theta, gradient, rng, eps, b, c, N, t + 1)


def averaged(state, gradient, rng, lr, iteration):
    theta = state["theta"] - lr * gradient(state["theta"])
    return {"theta": theta, "m": state["m"] + (theta - state["m"]) / (iteration + 1)}


def of_its_own(theta, gradient, rng, eps, b, c, N, t=0):
    return annealed(theta, gradient, rng, eps, b, c, N, t)


def test_a_schedule_has_the_number_of_the_step():
    found = check(annealed, "sgld_decreasing", **SMALL)
    assert found.verdict == "conforms"
    assert TOLD in found.taken


def test_a_schedule_that_is_one_step_late_is_told():
    found = check(annealed_late, "sgld_decreasing", **SMALL)
    assert found.verdict == "deviates"
    assert "one step" in found.diagnosis[0].words


def test_in_torch_it_is_the_same():
    pytest.importorskip("torch", reason="PyTorch is not installed")

    def step(state, gradient, generator, lr, t):
        theta = state["theta"] - lr * gradient(state["theta"])
        return {"theta": theta, "m": state["m"] + (theta - state["m"]) / (t + 1)}

    def late(state, gradient, generator, lr, t):
        return step(state, gradient, generator, lr, t + 1)

    assert check(step, "averaged_sgd", kind="torch", **SMALL).verdict == "conforms"
    assert check(late, "averaged_sgd", kind="torch", **SMALL).verdict == "deviates"


def test_in_jax_it_goes_on_within_one_compiled_program():
    jax = pytest.importorskip("jax", reason="jax is not installed")

    def step(theta, gradient, key, eps, b, c, N, t):
        now = eps * (b + t) ** -c
        return theta - now / 2 * N * gradient(theta) + now**0.5 * jax.random.normal(key, theta.shape)

    def late(theta, gradient, key, eps, b, c, N, t):
        return step(theta, gradient, key, eps, b, c, N, t + 1)

    assert check(step, "sgld_decreasing", kind="jax", **SMALL).verdict == "conforms"
    assert check(late, "sgld_decreasing", kind="jax", **SMALL).verdict == "deviates"


def test_a_default_of_the_step_stays():
    """It says itself what t is: a step that was never told the time."""
    sampler = registry.sampler("sgld_decreasing")
    found = handed(sampler, asks_of(of_its_own, 3))
    assert "t" not in dict(found.called)
    assert any("t = 0" in line or "default 0" in line for line in found.taken)


def test_what_makes_a_step_once_is_not_handed_a_count():
    assert asks_of(lambda lr, t: None, 0).clocks == ()
    assert asks_of(averaged, 3).clocks == ("iteration",)


@pytest.mark.strong
def test_what_it_is_is_found_out_with_a_count():
    found = identify(averaged)
    assert (found.verdict, found.same[0].like) == ("identified", "averaged_sgd")


PROGRAM = """
import json, sys

def say(**message):
    print(json.dumps(message), flush=True)

say(sgtheory=1, params=["lr", "t"])
for line in sys.stdin:
    message = json.loads(line)
    if message["do"] == "start":
        lr, theta = message["params"]["lr"], message["states"]["theta"]
    else:
        say(gradient=theta)
        g = json.loads(sys.stdin.readline())["gradient"]
        step = lr / (message["t"] + LATE)
        theta = [[x - step * y for x, y in zip(xs, ys)] for xs, ys in zip(theta, g)]
    say(theta=theta)
"""


@pytest.mark.parametrize(("late", "verdict"), [(1, "conforms"), (2, "deviates")])
def test_a_program_in_lines_of_json_hears_it_at_each_step(tmp_path, late, verdict):
    theta, lr = state("theta"), positive("lr")
    declared = Sampler(
        state=(theta,),
        updates=((theta, theta - lr / (t + 1) * gradient(theta)),),
        convention=Card(loss="mean", drift="lr", order="one update"),
    )
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("LATE", str(late)), encoding="utf-8")
    found = check(f"cmd:{sys.executable} {program}", declared, dimensions=(1,), effect=0.2)
    assert found.verdict == verdict, found
    assert TOLD in found.taken
