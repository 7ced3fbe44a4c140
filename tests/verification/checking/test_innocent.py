"""A right step in its plainest notation conforms without a flag; what was taken for granted is said."""

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from verification.checking import check
from verification.checking.parameters import handed
from verification.checking.readings import readings
from verification.checking.signatures import Asks, asks_of

SMALL = {"dimensions": (2, 1)}


def noise(rng, x):
    return rng.standard_normal(x.shape)


def sgld(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise(rng, theta)


def sgld_twice(theta, gradient, rng, eps, N):
    return theta - eps * N * gradient(theta) + np.sqrt(2 * eps) * noise(rng, theta)


def sgld_faulty(theta, gradient, rng, eps, N):
    return theta - eps / 2 * N * gradient(theta) + eps * noise(rng, theta)


def sgld_of_anything(theta, gradient, rng, eps, N, **_):
    return sgld(theta, gradient, rng, eps, N)


def sgld_by_keys(theta, gradient, rng, **p):
    root = np.linalg.cholesky(p["H"])
    drift = p["eps"] / 2 * p["N"] * gradient(theta) @ p["H"]
    return theta - drift + np.sqrt(p["eps"]) * noise(rng, theta) @ root.T


def sgd(theta, gradient, rng, lr):
    return theta - lr * gradient(theta)


def heavy_ball(state, gradient, rng, learning_rate, momentum):
    v = momentum * state["v"] - learning_rate * gradient(state["theta"])
    return {"theta": state["theta"] + v, "v": v}


def heavy_ball_that_keeps_mu(state, gradient, rng, eps, mu):
    v = mu * state["v"] + gradient(state["theta"])
    return {"theta": state["theta"] - eps * v, "v": v}


def sghmc(state, gradient, rng, eta, alpha, N):
    theta, v = state["theta"], state["v"]
    kick = -eta * N * gradient(theta) + np.sqrt(2 * alpha * eta) * noise(rng, v)
    return {"theta": theta + v, "v": (1 - alpha) * v + kick}


def baoab(state, gradient, rng, h, friction, temperature, N):
    theta, v = state["theta"], state["v"]
    v = v - h / 2 * N * gradient(theta)
    theta = theta + h / 2 * v
    c = np.exp(-friction * h)
    v = c * v + np.sqrt(temperature * (1 - c**2)) * noise(rng, v)
    theta = theta + h / 2 * v
    return {"theta": theta, "v": v - h / 2 * N * gradient(theta)}


@pytest.mark.parametrize(
    ("step", "like", "taken"),
    [
        (sgld, "sgld", ["H is not a parameter"]),
        (sgld_of_anything, "sgld", ["H is not a parameter"]),
        (sgld_by_keys, "sgld", []),
        (sgd, "sgd", ["H is not a parameter", "lr of your step was taken as eps"]),
        (heavy_ball, "momentum", ["H is not", "as eps", "momentum of your step was taken as 1 - mu"]),
        (sghmc, "sghmc", ["beta is not a parameter of your step: its default 0", "tau is not"]),
        (baoab, "underdamped:BAOAB", ["h of", "friction of", "temperature of"]),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_a_plain_step_conforms_without_a_flag(step, like, taken):
    found = check(step, like, **SMALL)
    assert found.verdict == "conforms"
    assert len(found.taken) == len(taken)
    assert all(words in line for words, line in zip(taken, found.taken, strict=True))
    assert found.to_json()["taken"] == list(found.taken)


def test_a_fault_is_found_where_the_gain_is_taken_for_granted():
    found = check(sgld_faulty, "sgld", **SMALL)
    assert found.verdict == "deviates"
    assert "standard deviation eps, should be sqrt(eps)" in found.diagnosis[0].words
    assert "H^" not in found.diagnosis[0].words


@pytest.mark.parametrize(
    ("step", "like", "typed"),
    [
        pytest.param(sgld_twice, "sgld", "type --with eps=eps/2", marks=pytest.mark.strong),
        (heavy_ball_that_keeps_mu, "momentum", 'type --with mu="1 - mu"'),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_another_convention_is_told_with_what_to_type(step, like, typed):
    told = check(step, like, **SMALL)
    assert typed in told.diagnosis[0].words
    name, _, text = typed.removeprefix("type --with ").partition("=")
    assert check(step, like, parameters={name: text.strip('"')}, **SMALL).verdict == "conforms"


def test_a_step_without_n_is_told_of_the_summed_loss():
    def step(theta, gradient, rng, eps):
        return theta - eps / 2 * gradient(theta) + np.sqrt(eps) * noise(rng, theta)

    found = check(step, "sgld", **SMALL)
    assert found.verdict == "deviates"
    assert "--loss sum" in found.taken[-1]
    assert "type --loss sum" in found.diagnosis[0].words
    assert check(step, "sgld", loss="sum", **SMALL).verdict == "conforms"


def test_formulas_are_added_to_what_matches_by_name():
    def step(theta, gradient, rng, step_size, N, H):
        drift = step_size * N * gradient(theta) @ H
        return theta - drift + np.sqrt(2 * step_size) * noise(rng, theta) @ np.linalg.cholesky(H).T

    assert check(step, "sgld", parameters={"step_size": "eps/2"}, **SMALL).verdict == "conforms"


def test_an_option_of_the_step_is_not_the_letter_that_a_formula_speaks_of():
    def step(theta, gradient, rng, lr, eps=1e-8):  # eps as in Adam: a small number below a fraction
        return theta - lr * gradient(theta) / (1 + eps)

    assert check(step, "sgd", parameters={"lr": "eps"}, **SMALL).verdict == "conforms"


def refused(like, *required, optional=(), **settings):
    with pytest.raises(UnusableInput) as told:
        handed(registry.sampler(like), Asks(required, optional, shown="step"), **settings)
    assert len(str(told.value)) < 400
    assert "\n" not in str(told.value)
    return str(told.value)


def test_what_has_no_default_is_told_with_the_remedy():
    assert "takes eps of sgld; got step with N; add a parameter eps" in refused("sgld", "N")
    assert "--fix eps=0.01" in refused("sgd")
    assert "takes mu" in refused("momentum", "eps", "H")


def test_what_no_one_knows_is_told_with_the_nearest_name():
    assert "rename epz to eps" in refused("sgld", "epz", "N")
    told = refused("sgld", "lr", "N")
    assert "--with lr=eps/2 or --with lr=eps" in told
    assert "--with friction=alpha" in refused("sghmc", "eta", "friction", "N")
    assert "got nu;" in refused("sgld", "eps", "N", own={"nu": "eps"})


def test_every_subset_of_parameters_is_handed_or_refused_in_one_line():
    for name in registry.names("samplers"):
        sampler = registry.sampler(name)
        for p in sampler.parameters:
            others = tuple(q.name for q in sampler.parameters if q != p)
            value = sampler.default(p)
            if value is None or hasattr(value, "rule"):
                assert p.name in refused(name, *others, "N")
            else:
                found = handed(sampler, Asks((*others, "N")))
                assert p.name not in [q.name for q in found.sampler.parameters]
                assert found.taken == (
                    f"{p.name} is not a parameter of your step:"
                    f" {'the identity' if value == 'identity' else f'its default {value}'} was taken.",
                )


def test_names_of_libraries_are_read_only_where_there_is_one_reading():
    samplers = {n: registry.sampler(n) for n in ("sgld", "sgd", "momentum", "sghmc", "lmc", "msgnht")}
    sure = {
        ("sgd", "learning_rate"): "eps", ("momentum", "lr"): "eps", ("sghmc", "lr"): "eta",
        ("lmc", "step_size"): "gamma", ("sghmc", "momentum"): "1 - alpha",
        ("msgnht", "temperature"): "1/beta", ("sgld", "num_data"): "N", ("sgld", "temperature"): "1",
        ("sgld", "gamma"): "eps/2",
    }  # fmt: skip
    assert {k: readings(samplers[k[0]], k[1]).sure for k in sure} == sure
    assert all(not readings(samplers["sgld"], n).sure for n in ("lr", "step_size", "foo"))


def test_a_catch_all_has_the_names_that_its_code_asks_for():
    assert asks_of(sgld_of_anything, 3).names == {"eps", "N"}
    assert {"H", "eps", "N"} <= asks_of(sgld_by_keys, 3).names


def test_a_gain_alone_is_drawn_small_enough():
    def step(theta, gradient, rng, H):
        return theta - gradient(theta) @ H

    found = check(step, "sgd", **SMALL)
    assert found.verdict == "conforms"
    assert found.taken == ("eps is not a parameter of your step: its default 1 was taken.",)


def test_what_is_no_function_is_told_with_its_address(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("number = 3\n")
    with pytest.raises(UnusableInput, match=r"int at .*mine.py:number"):
        check(f"{file}:number", "sgd")
