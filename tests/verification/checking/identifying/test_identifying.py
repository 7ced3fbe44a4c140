"""What a step is, found without being told: the sampler with its parameters, or the measured law."""

import json
import random

import numpy as np
import pytest
import sympy as sp

from sgtheory import registry
from verification.checking.faults.variant import Numbers, Variant
from verification.checking.identifying import drifts, identify
from verification.checking.identifying.drifts import by_drift, declared, held_open, named, still
from verification.checking.identifying.letters import Letters, drawn, tries
from verification.checking.identifying.responses import Response, fit, guesses, path_of
from verification.checking.signatures import Asks


def noise(rng, x):
    return rng.standard_normal(x.shape)


def langevin(theta, gradient, rng, lr, num_data):
    return theta - lr * num_data * gradient(theta) + np.sqrt(2 * lr) * noise(rng, theta)


def cooler(theta, gradient, rng, lr, num_data):
    return theta - lr * num_data * gradient(theta) + np.sqrt(lr) * noise(rng, theta)


def twin(theta, gradient, rng, lr, num_data):
    """SGLD but for the square of the step."""
    return theta - (lr + lr**2) * num_data * gradient(theta) + np.sqrt(2 * lr) * noise(rng, theta)


def hamiltonian(state, gradient, rng, lr, momentum, num_data, temperature=1.0):
    theta, v = state["theta"], state["v"]
    kick = np.sqrt(2 * (1 - momentum) * lr * temperature) * noise(rng, v)
    v = momentum * v - lr * num_data * gradient(theta) + kick
    return {"theta": theta + v, "v": v}


def half_as_hot(state, gradient, rng, lr, momentum, num_data):
    return hamiltonian(state, gradient, rng, lr, momentum, num_data, 0.5)


def decayed(theta, gradient, rng, lr, num_data, weight_decay=0.1):
    g = num_data * gradient(theta) + weight_decay * theta
    return theta - lr / 2 * g + np.sqrt(lr) * noise(rng, theta)


def heavy_and_decayed(state, gradient, rng, lr, momentum, wd):
    theta, v = state["theta"], state["v"]
    v = momentum * v - lr * (gradient(theta) + wd * theta)
    return {"theta": theta + v, "v": v}


def clipped(theta, gradient, rng, lr):
    return theta - lr * np.clip(gradient(theta), -0.1, 0.1)


def shadowed(state, gradient, rng, lr, decay):
    """SGD with an exponential average of its iterates."""
    theta = state["theta"] - lr * gradient(state["theta"])
    return {"theta": theta, "m": decay * state["m"] + (1 - decay) * theta}


def shadowed_late(state, gradient, rng, lr, decay):
    """The same, with the iterate before the step in the average."""
    theta = state["theta"] - lr * gradient(state["theta"])
    return {"theta": theta, "m": decay * state["m"] + (1 - decay) * state["theta"]}


def shadowed_with_noise(state, gradient, rng, lr, decay):
    """What it keeps is no function of its positions."""
    theta = state["theta"] - lr * gradient(state["theta"])
    return {"theta": theta, "m": decay * state["m"] + (1 - decay) * theta + 1e-3 * noise(rng, theta)}


def answers(found):
    return [
        (e.like, {n: str(x) for n, x in e.given if str(x) != "identity"}, str(e.heat)) for e in found
    ]


@pytest.mark.strong
@pytest.mark.parametrize(
    ("step", "first"),
    [
        (langevin, ("sgld", {"eps": "2*lr"}, "1")),
        (cooler, ("sgld", {"eps": "2*lr"}, "1/2")),
        (
            hamiltonian,
            (
                "sghmc_velocity_first",
                {"alpha": "1 - momentum", "eta": "lr", "beta": "0", "tau": "temperature"},
                "1",
            ),
        ),
        (
            half_as_hot,
            (
                "sghmc_velocity_first",
                {"alpha": "1 - momentum", "eta": "lr", "beta": "0", "tau": "1/2"},
                "1",
            ),
        ),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_the_sampler_is_named_with_its_parameters(step, first):
    found = identify(step)
    assert found.verdict == "identified"
    assert answers(found.same)[0] == first


@pytest.mark.strong
def test_a_weight_decay_that_a_declaration_has_is_one_of_its_parameters():
    """Of SGLD with one there is a declaration, so that a command holds the step to it."""
    found = identify(decayed)
    assert answers(found.same)[0] == (
        "local_sgld",
        {"beta": "1", "gamma": "0", "delta": "weight_decay", "eps": "lr"},
        "1",
    )
    assert found.check.endswith("--with lr=eps --with weight_decay=delta --fix beta=1")


@pytest.mark.strong
def test_a_weight_decay_that_none_has_is_told_beside_the_sampler():
    found = identify(heavy_and_decayed)
    assert answers(found.same)[0] == ("momentum", {"eps": "lr", "mu": "1 - momentum"}, "1")
    assert str(found.same[0].decay) == "wd"


@pytest.mark.strong
@pytest.mark.parametrize(
    ("step", "kept"),
    [
        (shadowed, [("m", "decay", "1 - decay", False)]),
        (shadowed_late, [("m", "decay", "1 - decay", True)]),
        (shadowed_with_noise, []),
    ],
)
def test_what_follows_the_positions_is_told_beside_the_sampler(step, kept):
    found = identify(step)
    assert answers(found.same)[0] == ("sgd", {"eps": "lr"}, "1")
    assert [(b.state, str(b.kept), str(b.taken), b.is_late) for b in found.beside] == kept
    assert list(found.to_json()["beside"]) == [name for name, *_ in kept]


@pytest.mark.strong
def test_a_twin_that_differs_by_the_square_of_the_step_is_told_apart():
    found = identify(twin)
    assert (found.verdict, found.same) == ("inconclusive", ())
    assert found.law.steps == 1
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["law"]["steps"] == 1
    assert not any("sgld" in words for words in found.near)


@pytest.mark.strong
def test_what_no_one_has_declared_is_not_named():
    assert identify(clipped).verdict == "inconclusive"


def test_the_drift_of_a_declaration_is_met_to_rounding_with_its_parameters():
    words = ("BAOAB", "OBABO", "BAO")
    letters = Letters(("eps", "gamma"), sizes=(("N", "N"),))
    case = drawn(letters, 1, 0, random.Random(3), "one")
    numbers = Numbers.of(letters.sampler, case)
    variants = {w: still(Variant.of(registry.sampler(f"underdamped:{w}"))) for w in words}
    for word, variant in variants.items():
        path = path_of(variant, numbers)
        response = Response(case, path, 1e-10 * np.abs(path).max(), affine=True)
        free = [p for p in registry.sampler(f"underdamped:{word}").parameters if p.name != "tau"]
        found = fit(variant, numbers, free, response, guesses(numbers))
        true = [numbers.scalars["eps"], numbers.scalars["gamma"]]
        assert found.values == pytest.approx(true, rel=1e-6)
        gaps = {w: np.abs(response.residuals(path_of(v, numbers))).max() for w, v in variants.items()}
        assert [w for w in words if gaps[w] < 1] == [word]


def test_what_a_drift_leaves_open_is_held_at_what_the_step_may_call_it(monkeypatch):
    """A tempered, localised step: eps and beta have one factor in its drift, gamma and delta another."""
    sampler = registry.sampler("local_sgld")
    monkeypatch.setattr(drifts, "declared", lambda: [("local_sgld", sampler)])
    letters = Letters(("lr", "elasticity"), sizes=(("N", "N"),))
    quiet, responses = still(Variant.of(sampler)), []
    for k in (0, 1, 3):  # of one dimension, and twice of two
        found = []
        for case in tries(letters, k, 1, "", 24):
            own = Numbers.of(letters.sampler, case)
            known = {"eps": own.scalars["lr"], "gamma": own.scalars["elasticity"]}
            path = path_of(quiet, own.with_scalars(**known, beta=1.0, delta=0.0))
            found.append((abs(np.log(2 * np.median(np.abs(path).max(axis=1)))), case, path))
        _, case, path = min(found, key=lambda x: x[0])
        responses.append(Response(case, path, 1e-9, affine=True))
    (met,) = by_drift(letters, responses)
    assert met.hidden == 2
    assert named(met, letters, responses) is None
    alike = next(found for found in held_open(met, letters, responses) if found)
    told = [{n: str(x.expr) for n, x in one.items()} for one in alike]
    right = {"eps": "lr", "gamma": "elasticity", "beta": "1", "delta": "0"}
    assert right in told  # its spring to the mode may as well be weight decay, by the drift alone
    assert {**right, "gamma": "0", "delta": "elasticity"} in told


def test_letters_are_what_their_names_are_for_somebody():
    asks = Asks(
        ("lambda", "T", "H", "n"), ("eps", "momentum", "steps"),
        own=(("eps", "1e-08"), ("momentum", "0.0"), ("steps", "5")),
    )  # fmt: skip
    found = Letters.of(asks)
    assert found.numbers == ("lambda", "eps")
    assert (found.whole, found.matrices, found.sizes) == (("T",), ("H",), (("n", "N"),))
    assert found.kept == (("momentum", "0.0"), ("steps", "5"))
    assert [p.name for p in found.sampler.parameters] == ["H", "T", "eps", "lambda"]


def test_names_that_mean_something_else_here_are_letters_all_the_same():
    letters = Letters(("t", "f", "C"))
    case = drawn(letters, 2, 0, random.Random(1), "one")
    assert set(case.parameters(letters.sampler)) == {"t", "f", "C", "N", "S", "mode"}


def test_every_declaration_with_a_law_is_looked_at():
    known = dict(declared())
    assert {"sgd", "sgld", "sghmc", "underdamped:BAOAB", "nesterov", "sgld_decreasing"} <= set(known)
    assert not {"psgld:eq3", "sgnht", "adam:kingma_ba"} & set(known)
    assert all(sp.sympify(e) is not None for s in known.values() for _, e in s.updates)
