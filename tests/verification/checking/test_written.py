"""A declared sampler, written as a step in a library, is that sampler."""

import importlib.util
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import dot, matrix, ones, positive, state
from sgtheory.declare import t as clock
from sgtheory.errors import UnusableInput
from sgtheory.setting import Setting
from simulators.bind import bind
from simulators.interpret import trajectory
from simulators.lower import lower
from verification.checking import check
from verification.checking.cases import cases
from verification.checking.gradients import Additive
from verification.checking.written import FORMS, DeclaredStep, step_of, written

NOT_BY_GRADIENTS = {"saga_ld", "reshuffled_sgd"}  # a foreign step cannot be handed what they see
CHAINS = np.array([[1.0, 0.4], [-0.6, 0.9]])
DRAWN = 0.7


class Slopes(Additive):
    """A gradient that has no noise, whatever minibatch it sees."""

    def __call__(self, theta, batch=None):
        return self.full(theta)

    def draw(self, theta):
        return np.zeros(theta.shape)

    def prior(self, theta):
        return 0.0


class Fixed:
    """A generator whose random numbers are all alike."""

    def standard_normal(self, shape):
        return np.full(shape, DRAWN)


def interpreted(name, steps=5):
    """Parameters, gradients and the states of two chains: by the plain reader of the simulators."""
    case = cases(name, dimensions=(2,))[0]
    sampler = registry.sampler(name, case.problem.params)
    bound = bind(lower(Setting(sampler, case.problem.model)), case.problem.values(sampler))
    params = case.parameters(sampler) | {"mode": np.zeros(2)}
    first = {
        n: x
        for n, x in step_of(name).init(CHAINS, Fixed(), **params).items()
        if n in bound.program.states
    }

    def noise(step):  # those of minibatches begin so
        return {
            x.name: np.full((2, 2), 0 if x.name.startswith("w") else DRAWN)
            for x in bound.program.body.draws
        }

    states = [first, *trajectory(bound, np.arange(2), 0, steps, 0, first, noise)]
    return params, Slopes(case.A, np.zeros((2, 2)), np.zeros(2)), states


def of_text(name, kind, space):
    text = written(name, kind).text
    exec(compile(text, f"{name}.py", "exec"), space)
    return space["step"], text


def called(step, name, params, slopes, state, t):
    """The state after a written step, by names."""
    known = {**params, "t": t, "lambda_": params.get("lambda")}
    names = [s.name for s in registry.sampler(name).state]
    given = state["theta"] if len(names) == 1 else {n: state[n] for n in names}
    asked = step.__code__.co_varnames[3 : step.__code__.co_argcount]
    with np.errstate(all="ignore"):
        found = step(given, slopes, Fixed(), **{n: known[n] for n in asked})
    return {"theta": found} if len(names) == 1 else found


@pytest.mark.parametrize("name", sorted(set(registry.samplers()) - NOT_BY_GRADIENTS))
def test_a_written_step_does_what_the_simulators_plain_reader_does(name):
    params, slopes, states = interpreted(name)
    step, _ = of_text(name, "numpy", {})
    declared = step_of(name)
    clocked = declared.init(CHAINS, Fixed(), **params)
    for t, (before, after) in enumerate(itertools.pairwise(states)):
        clocked = declared(clocked, slopes, Fixed(), **params)
        for found in (called(step, name, params, slopes, before, t), clocked):
            for n, x in after.items():
                np.testing.assert_allclose(np.broadcast_to(found[n], x.shape), x, rtol=1e-10)


def test_another_power_of_the_step_is_seen():
    params, slopes, states = interpreted("sgld")
    _, text = of_text("sgld", "numpy", {})
    space = {}
    exec(text.replace("eps**0.5", "eps"), space)
    found = called(space["step"], "sgld", params, slopes, states[0], 0)
    assert np.abs(found["theta"] - states[1]["theta"]).max() > 1e-3


def edited(expr, start=()):
    """A step with that update of theta."""
    theta = state("theta")
    return DeclaredStep(SimpleNamespace(state=(theta,), updates=((theta, expr),), start=start, where=()))


def one_step(step, **params):
    slopes = Slopes(np.eye(2), np.zeros((2, 2)), np.zeros(2))
    return step(step.init(CHAINS, Fixed(), **params), slopes, Fixed(), **params)["theta"]


def test_what_no_number_can_hold_is_infinite_or_none_and_no_error():
    """Edits divide by the clock, take roots below 0 and leave what floats can hold."""
    theta, eps = state("theta"), positive("eps")
    assert np.isinf(one_step(edited(theta / clock))).all()
    assert np.isnan(one_step(edited(theta * sp.sqrt(eps - 1)), eps=0.5)).all()
    assert np.isinf(one_step(edited(theta * sp.exp(1 / eps)), eps=1e-3)).all()
    assert one_step(edited(sp.sqrt(2 / sp.pi) * theta)) == pytest.approx(CHAINS * (2 / np.pi) ** 0.5)


def test_vectors_that_have_the_same_number_everywhere_are_vectors():
    theta, H = state("theta"), matrix("H")
    gain = np.array([[2.0, 1.0], [0.0, 3.0]])
    assert one_step(edited(H @ (2 * ones)), H=gain).tolist() == [[6.0, 6.0]] * 2
    assert one_step(edited(theta + dot(ones, ones))) == pytest.approx(CHAINS + 2)


def test_single_precision_stays_single():
    theta, eps = state("theta"), positive("eps")
    step = edited(theta - sp.sqrt(eps) * sp.exp(eps) * theta)
    began = step.init(CHAINS.astype(np.float32), Fixed(), eps=0.1)
    assert step(began, None, Fixed(), eps=0.1)["theta"].dtype == np.float32


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
