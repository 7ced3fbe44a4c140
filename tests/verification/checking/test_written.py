"""A declared sampler, written as a step in a library, is that sampler."""

import importlib.util
import itertools

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.errors import UnusableInput
from verification.checking import check
from verification.checking.declared import step_of
from verification.checking.gradients import Additive
from verification.checking.written import FORMS, written

NOT_BY_GRADIENTS = {"saga_ld", "reshuffled_sgd"}  # a foreign step cannot be handed what they see
A = np.array([[2.0, 0.5], [0.5, 1.0]])
MODE = np.array([0.3, -0.2])
PARAMS = {
    "H": np.array([[1.2, 0.3], [0.3, 0.8]]),
    "E": np.array([[0.5, 0.1], [0.0, 0.4]]),
    "mode": MODE,
    "alpha": 0.3,
    "beta": 0.1,
    "N": 10,
    "S": 2,
    "D": 2,
    "T": 3,
    "L": 2,
    "m": 2,
    "burnin": 3,
}


class Slopes:
    """A gradient that has no noise, whatever minibatch it sees."""

    source = Additive(A, np.zeros((2, 2)), MODE)

    def __call__(self, theta, batch=None):
        return self.source.full(theta)

    def draw(self, theta):
        return np.zeros(theta.shape)

    def full(self, theta):
        return self(theta)

    def slope(self, batch):
        return self.source.slope(batch)


class Fixed:
    """A generator whose random numbers are all alike."""

    def standard_normal(self, shape):
        return np.full(shape, 0.7)


def stepped(name, steps=5):
    """The states of two chains by the declaration itself."""
    declared = step_of(name)
    params = {p: PARAMS.get(p, 0.05 * (k + 1)) for k, p in enumerate(sorted(declared.parameters))}
    params |= PARAMS
    state = declared.init(np.array([[1.0, 0.4], [-0.6, 0.9]]), Fixed(), **params)
    states = [state]
    with np.errstate(all="ignore"):
        for _ in range(steps):
            states.append(declared(states[-1], Slopes(), Fixed(), **params))
    return params, states


def of_text(name, kind, space):
    text = written(name, kind).text
    exec(compile(text, f"{name}.py", "exec"), space)
    return space["step"], text


@pytest.mark.parametrize("name", sorted(set(registry.samplers()) - NOT_BY_GRADIENTS))
def test_a_written_step_does_what_its_declaration_does(name):
    params, states = stepped(name)
    step, _ = of_text(name, "numpy", {})
    names = [s.name for s in registry.sampler(name).state]
    asked = step.__code__.co_varnames[3 : step.__code__.co_argcount]
    for t, (before, after) in enumerate(itertools.pairwise(states)):
        known = {**params, "t": t, "lambda_": params.get("lambda")}
        given = before["theta"] if len(names) == 1 else {n: before[n] for n in names}
        with np.errstate(all="ignore"):
            found = step(given, Slopes(), Fixed(), **{n: known[n] for n in asked})
        found = {"theta": found} if len(names) == 1 else found
        for n in names:
            np.testing.assert_allclose(np.broadcast_to(found[n], after[n].shape), after[n], rtol=1e-12)


def test_another_power_of_the_step_is_seen():
    params, states = stepped("sgld")
    _, text = of_text("sgld", "numpy", {})
    space = {}
    exec(text.replace("eps**0.5", "eps"), space)
    asked = space["step"].__code__.co_varnames[3 : space["step"].__code__.co_argcount]
    found = space["step"](states[0]["theta"], Slopes(), Fixed(), **{n: params[n] for n in asked})
    assert np.abs(found - states[1]["theta"]).max() > 1e-3


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("name", ["sgld", "sghmc_decreasing", "adam"])
def test_a_written_step_conforms(name, kind, tmp_path):
    if kind != "numpy" and importlib.util.find_spec(kind) is None:
        pytest.skip(f"{kind} is not installed")
    made = written(name, kind)
    path = tmp_path / "mine.py"
    path.write_text(made.text)
    names = dict(made.names)
    found = check(f"{path}:step", like=name, dimensions=(2,), parameters=names, limit=600.0)
    assert found.verdict == "conforms", str(found)


def test_names_that_python_has_another_use_for_are_changed_and_told():
    """Of parameters alone: a state is handed over under its declared name."""
    assert written("adagrad").names == (("lambda_", "lambda"),)
    made = written("vem_sgd")
    assert made.names == ()
    assert 'state["lambda"]' in made.text


def test_what_no_library_has_a_form_for_is_one_line():
    for name in sorted(NOT_BY_GRADIENTS):
        with pytest.raises(UnusableInput, match=f"{name}, (whose epochs|which remembers)"):
            written(name)
    with pytest.raises(UnusableInput, match="ask for NumPy"):
        written("psgld", "jax")
