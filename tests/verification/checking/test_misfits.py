"""What is no step, or makes no next state, is told what to write, once, and is not said to deviate."""

import numpy as np
import pytest

from reports.terminal.checked import lines
from sgtheory.errors import UnusableInput
from verification.checking import check

TWO = {"dimensions": (2,)}


def noise(rng, x):
    return rng.standard_normal(x.shape)


def in_place(theta, gradient, rng, eps):
    theta -= eps * gradient(theta)


def optimizer(eps):
    return eps


class Sgd:
    def step(self, theta, gradient, rng, eps):
        return theta - eps * gradient(theta)

    def __call__(self, *a, **k):
        return self.step(*a, **k)


class TwiceSgd(Sgd):
    def step(self, theta, gradient, rng, eps):
        return super().step(theta, gradient, rng, 2 * eps)


def two_states(theta, v, gradient, rng, eps, mu):
    return theta, v


def own_data(theta, rng, eps, batch_size=10):
    return theta


def a_batch(theta, batch, rng, eps):
    return theta


def other_order(theta, rng, gradient, eps):
    return theta


def counted(theta, gradient, rng, eps, k):
    return theta - eps / (1 + k) * gradient(theta)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (optimizer, r"got optimizer.eps.; take these.* check what it makes: step = make"),
        (Sgd, r"got the class Sgd; make an object in your file, bound = Sgd\(...\).step"),
        (Sgd.step, r"it is a method of a class: make an object in your file"),
        (two_states, r'take one state, a dict: theta, v = state\["theta"\], state\["v"\]'),
        (own_data, r"the gradient is handed in, of data that are drawn here"),
        (a_batch, r"in the place of batch something else is handed"),
        (other_order, r"take gradient in place 2, where gradient stands in place 3"),
        (counted, r'if k counts steps, keep it in the state: .*"k": np.zeros_like'),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_what_is_no_step_is_told_what_to_write(target, words):
    with pytest.raises(UnusableInput, match=words) as told:
        check(target, "sgd", **TWO)
    assert len(str(told.value)) < 400


def test_an_object_with_a_step_is_judged_by_it():
    assert check(Sgd(), "sgd", **TWO).verdict == "conforms"
    assert check(TwiceSgd(), "sgd", **TWO).verdict == "deviates"


def chain(theta, gradient, rng, eps):
    yield theta


def whole_chain(theta, gradient, rng, eps):
    return [theta - k * eps * gradient(theta) for k in range(9)]


def with_info(theta, gradient, rng, eps):
    return theta - eps * gradient(theta), {"norm": 1.0}


def an_object(theta, gradient, rng, eps):
    return Sgd()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (chain, "the step is a generator (it yields): return the next state"),
        (whole_chain, "returned a whole chain, of shape (9, 7, 2): return the next state alone"),
        (with_info, "returned a tuple of 2 (ndarray, dict): return an array of the same form"),
        (an_object, "the step returned a Sgd: a state is an array (chains, D), or a dict"),
        (in_place, "return a new one (theta = theta - ..., not theta -= ...)"),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_what_is_no_next_state_is_said_once_and_not_judged(step, words):
    found = check(step, "sgd", dimensions=(2, 1, 3))
    assert found.verdict == "crashed"
    assert "\n".join(lines(found)).count(words) == 1


def of_a_density(theta, grad_logp, rng, eps):
    return theta + eps / 2 * grad_logp(theta) + np.sqrt(eps) * noise(rng, theta)


def of_a_loss(theta, gradient, rng, eps, N):
    def grad_logp(x):
        return -N * gradient(x)

    return of_a_density(theta, grad_logp, rng, eps)


def test_a_step_that_expects_the_gradient_of_the_log_density_is_told():
    (first, *_) = check(of_a_density, "sgld", dimensions=(2, 1)).diagnosis
    assert "expects the gradient of the log density, hand it -N * gradient(theta)" in first.words
    assert check(of_a_loss, "sgld", dimensions=(2, 1)).verdict == "conforms"


@pytest.mark.parametrize("keys", [False, True])
def test_an_init_that_makes_another_form_is_told(keys):
    def step(state, gradient, rng, eps):
        return {"theta": state["theta"] - eps * gradient(state["theta"]) + 0 * state["v"]}

    step.init = lambda theta, rng: {"theta": theta, "buf": theta} if keys else Sgd()
    found = check(step, "sgd", **TWO)
    words = (
        "KeyError: 'v'; it was handed what its init made: theta, buf" if keys else "made a Sgd: a state"
    )
    assert found.verdict == "crashed"
    assert words in found.diagnosis[0].words
