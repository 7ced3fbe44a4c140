"""What a step is told that wants another form of state, starts elsewhere, or has two faults at once."""

import math
import random
import re

import numpy as np
import pytest

from verification.checking import check
from verification.checking.adapters import adapter
from verification.checking.targets import cleaned, target_at

TWO = {"dimensions": (2,)}


def noise(rng, x):
    return rng.standard_normal(x.shape)


def moved(x, v, gradient, eps, mu):
    v = (1 - mu) * v - eps * gradient(x)
    return x + v, v


def array_for_a_dict(theta, gradient, rng, eps, mu):
    return theta - eps * gradient(theta)


def dict_for_an_array(state, gradient, rng, eps):
    return {"theta": state["theta"] - eps * gradient(state["theta"])}


def takes_a_tuple(state, gradient, rng, eps, mu):
    theta, v = state
    return moved(theta, v, gradient, eps, mu)


def returns_a_tuple(state, gradient, rng, eps, mu):
    return moved(state["theta"], state["v"], gradient, eps, mu)


def another_key(state, gradient, rng, eps, mu):
    x, v = moved(state["x"], state["v"], gradient, eps, mu)
    return {"x": x, "v": v}


def two_other_keys(state, gradient, rng, eps, mu):
    q, p = moved(state["q"], state["p"], gradient, eps, mu)
    return {"q": q, "p": p}


def one_chain(theta, gradient, rng, eps, N, H):
    root = np.linalg.cholesky(H)
    return (
        theta - eps / 2 * N * H @ gradient(theta) + np.sqrt(eps) * root @ rng.standard_normal(len(theta))
    )


def noise_of_one_chain(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * rng.standard_normal(len(theta))


def in_place(theta, gradient, rng, eps):
    theta -= eps * gradient(theta)


def in_place_and_back(theta, gradient, rng, eps):
    theta -= eps * gradient(theta)
    return theta


def nothing(theta, gradient, rng, eps):
    theta = theta - eps * gradient(theta)


@pytest.mark.parametrize(
    ("step", "like", "words"),
    [
        (
            array_for_a_dict,
            "momentum",
            "handed a dict of theta, v, each an array (chains, D), and works on an array",
        ),
        (dict_for_an_array, "sgd", "handed an array of all chains, (chains, D), and works on a dict"),
        (takes_a_tuple, "momentum", 'write theta, v = state["theta"], state["v"] and return a dict'),
        (returns_a_tuple, "momentum", "given a dict and returned a tuple of 2"),
        (another_key, "momentum", "a dict with x: call the position theta"),
        (two_other_keys, "momentum", "works on q and p: call them"),
        (
            one_chain,
            "sgld",
            "works on one chain alone, an array (D,): draw rng.standard_normal(theta.shape)",
        ),
        (noise_of_one_chain, "sgld", "works on one chain alone"),
        (in_place, "sgd", "wrote into the state that it was given and returned None; return a new one"),
        (in_place_and_back, "sgd", "not theta -= ...), or say step.in_place = True"),
        (nothing, "sgd", "returned None, expected the next state; return it"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_another_form_of_the_state_is_told(step, like, words):
    found = check(step, like, **TWO)
    assert found.verdict in ("deviates", "crashed")
    assert words in found.diagnosis[0].words


def sgd_of_optax(rate):
    raise AssertionError("it is asked what it is, and not called")


sgd_of_optax.__module__ = "optax._src.alias"


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (lambda eps: optax.sgd(eps), "optax"),  # noqa: F821
        (lambda eps: sgd_of_optax(eps), "optax"),
        (lambda theta, gradient, rng, eps: theta + sgd_of_optax(eps), "numpy"),
        (lambda theta, gradient, rng, eps: theta, "numpy"),
    ],
    ids=["by its name", "by what it calls", "a step that calls it", "a step"],
)
def test_a_factory_of_optax_is_told_from_a_step(target, kind):
    found = adapter(target)
    assert kind == found.KIND


def started(name):
    def step(state, gradient, rng, eps, mu):
        theta, v = moved(state["theta"], state["v"], gradient, eps * (2 if name == "wrong" else 1), mu)
        return {"theta": theta, "v": v}

    def init(theta, rng):
        away = noise(rng, theta) if name == "elsewhere" else 0
        return {"theta": theta + away, "v": noise(rng, theta)}

    step.init = init
    return step


@pytest.mark.parametrize("name", ["at random", "elsewhere"])
def test_another_start_is_a_note_beside_a_verdict_on_the_step(name):
    found = check(started(name), "momentum", **TWO)
    assert found.verdict == "conforms"
    assert "v begins with mean" in found.notes[0]
    assert ("theta begins" in found.notes[0]) == (name == "elsewhere")


@pytest.mark.strong
def test_a_fault_of_the_step_is_found_from_another_start():
    found = check(started("wrong"), "momentum", **TWO)
    assert found.verdict == "deviates"
    assert "eps" in found.diagnosis[0].words
    assert "2" in found.diagnosis[0].words
    assert "v begins with mean" in found.notes[0]


def late_and_hot(state, gradient, rng, eta, alpha, tau, N):
    theta, v = state["theta"], state["v"]
    kick = np.sqrt(2 * alpha * eta) * tau * noise(rng, v)
    v = (1 - alpha) * v - eta * N * gradient(state["old"]) + kick
    return {"theta": theta + v, "v": v, "old": theta}


late_and_hot.init = lambda theta, rng: {"theta": theta, "v": 0 * theta, "old": theta}


def no_count_and_a_deviation(theta, gradient, rng, eps, N):
    return theta - eps / 2 * gradient(theta) + eps * noise(rng, theta)


def whole_kick_and_no_root(state, gradient, rng, eps, gamma, tau, N):
    theta, v, c = state["theta"], state["v"], np.exp(-gamma * eps)
    v = v - eps * N * gradient(theta)
    theta = theta + eps / 2 * v
    v = c * v + np.sqrt(tau) * (1 - c**2) * noise(rng, v)
    theta = theta + eps / 2 * v
    return {"theta": theta, "v": v - eps / 2 * N * gradient(theta)}


@pytest.mark.strong
@pytest.mark.parametrize(
    ("step", "like", "words"),
    [
        (late_and_hot, "sghmc_velocity_first", ["one step late", "tau stands where sqrt(tau) should"]),
        (no_count_and_a_deviation, "sgld", ["N stands 1", "eps stands where sqrt(eps) should"]),
        (
            whole_kick_and_no_root,
            "underdamped:BAOAB",
            ["factor -eps*N, should be -eps*N/2", "sqrt(1 - c**2)"],
        ),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_two_faults_are_found_together(step, like, words):
    (first, *_) = check(step, like, dimensions=(1, 2, 1, 2, 3)).diagnosis
    assert all(one in first.words for one in words)
    assert "This is" not in first.words


def test_colours_and_zeros_of_a_message_do_not_reach_the_report():
    def step(theta, gradient, rng, eps):
        raise ValueError("\x1b[31mno\x1b[0m \x00 such\n thing" + "x" * 10_000)

    words = check(step, "sgd", **TWO).diagnosis[0].words
    assert "ValueError: no such thingxxx" in words
    assert len(words) < 1_000
    assert cleaned("\ud800\x85ok") == "ok"


def test_an_init_beside_a_step_is_its_own(tmp_path):
    file = tmp_path / "with_an_init.py"  # the module stays known in this process
    file.write_text("def step(a, b, c): ...\ndef other(a, b, c): ...\ndef init(theta, rng): ...\n")
    assert target_at(f"{file}:step").init.__name__ == "init"
    assert not hasattr(target_at(f"{file}:other"), "init")


@pytest.mark.parametrize("returned", [True, False])
def test_a_step_may_say_that_it_works_in_place(returned):
    def step(state, gradient, rng, eps, mu):
        state["v"] *= 1 - mu
        state["v"] -= eps * gradient(state["theta"])
        state["theta"] += state["v"]
        return state if returned else None

    step.in_place = True
    assert check(step, "momentum", **TWO).verdict == "conforms"


def test_a_fault_of_a_step_in_place_is_found():
    def step(theta, gradient, rng, eps):
        theta -= 2 * eps * gradient(theta)

    step.in_place = True
    assert check(step, "sgd", **TWO).verdict == "deviates"


def drawing(draw, factor=np.sqrt):
    def step(theta, gradient, rng, eps, N):
        return theta - eps / 2 * N * gradient(theta) + factor(eps) * draw(theta.shape)

    return step


def normal_of_python(shape):
    return np.array([random.gauss(0, 1) for _ in range(math.prod(shape))]).reshape(shape)


@pytest.mark.parametrize(
    ("draw", "name"),
    [(np.random.standard_normal, r"NumPy's .*\(np.random\)"), (normal_of_python, "Python's .*random")],
    ids=["numpy", "python"],
)
def test_a_step_with_a_global_generator_is_judged_with_a_note(draw, name):
    before = np.random.get_state(legacy=False)["state"], random.getstate()
    found = check(drawing(draw), "sgld", dimensions=(1,), effect=0.2)
    assert found.verdict == "conforms"
    assert re.search(f"draws from {name}.*draw from the generator that is handed in", found.notes[-1])
    after = np.random.get_state(legacy=False)["state"], random.getstate()
    assert np.array_equal(before[0]["key"], after[0]["key"])
    assert before[1] == after[1]


def test_a_fault_of_a_step_with_a_global_generator_is_found():
    found = check(drawing(np.random.standard_normal, lambda x: x), "sgld", dimensions=(2, 1))
    assert found.verdict == "deviates"
    assert "eps, should be sqrt(eps)" in found.diagnosis[0].words


def test_a_step_that_seeds_a_global_generator_anew_is_found():
    def same(shape):
        np.random.seed(0)
        return np.random.standard_normal(shape)

    assert check(drawing(same), "sgld", **TWO).verdict == "deviates"


@pytest.mark.strong
def test_a_step_in_a_file_with_a_generator_of_its_own_is_told(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "mine = np.random.default_rng()\n"
        "def step(theta, gradient, rng, eps, N):\n"
        "    noise = mine.standard_normal(theta.shape)\n"
        "    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise\n"
    )
    found = check(f"{file}:step", "sgld", **TWO)
    assert found.diagnosis[0].name == "ignores its seed"
    assert "mine is a generator of its own" in found.diagnosis[0].words
    assert "draw from the one that is handed in" in found.diagnosis[0].words
