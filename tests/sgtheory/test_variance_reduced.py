"""SVRG-LD against Algorithm 2 by hand: every minibatch of every step of an epoch, in fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sgtheory import Problem, law, registry
from sgtheory.setting import Setting
from simulators import simulate
from simulators.bind import bind
from simulators.cpu.engine import CpuEngine
from simulators.lower import lower
from tests.sgtheory.minibatches import Chain, Hand, LinearRegression, exactly

M = 3  # steps to an epoch
EPS = Fraction(1, 60)


def svrg(w, theta, s, g):
    if w.t % w.m == 0:
        s, g = theta, w.full(theta)
    return theta - w.eps / 2 * w.N * (w.g(theta) - w.g(s) + g) + w.noise(w.eps), s, g


def late(w, theta, s, g):
    """A wrong twin: the snapshot is taken one step later."""
    if w.t % w.m == 1:
        s, g = theta, w.full(theta)
    return theta - w.eps / 2 * w.N * (w.g(theta) - w.g(s) + g) + w.noise(w.eps), s, g


def redrawn(w, theta, s, g):
    """A wrong twin: the snapshot is seen on a minibatch of its own."""
    if w.t % w.m == 0:
        s, g = theta, w.full(theta)
    return theta - w.eps / 2 * w.N * (w.g(theta, 0) - w.g(s, 1) + g) + w.noise(w.eps), s, g


X, Y = [[1], [-2], [3]], [1, 0, 2]
DATA = LinearRegression(exactly(X), exactly(Y), Fraction(1, 2), Fraction(4, 3))


def problem(replacement=True, **more):
    return Problem.of(
        {"model": "linear_regression", "X": X, "y": Y, "ridge": "1/2", "sigma2": "4/3", "S": 2,
         "replacement": replacement, "params": {"eps": str(EPS), "m": M}, "start": {"theta": [2]}} | more
    )  # fmt: skip


def chain(step, draws=1, replacement=True):
    hand = Hand(("theta", "s", "g"), step, draws, lambda N, S, numbers: M)
    return Chain(hand, DATA, {"eps": EPS, "m": M}, 2, replacement)


def stacked(found):
    keyed = dict(found.covariance)
    keyed |= {(b, a): m.T for (a, b), m in found.covariance.items()}
    return np.block([[keyed[a, b] for b in found.states] for a in found.states])


@pytest.mark.parametrize("replacement", [True, False])
def test_the_law_is_that_of_all_minibatches(replacement):
    _, right = chain(svrg, replacement=replacement).stationary()
    found = stacked(law("svrg_ld", problem(replacement)))
    assert abs(found - right).max() < 1e-12
    for twin in (chain(late, replacement=replacement), chain(redrawn, 2, replacement)):
        assert abs(found - twin.stationary()[1])[0, 0] > 1e-5
    # variance is less than that of SGLD: the theorem's point, in exact numbers
    plain = law("sgld", problem(replacement)).covariance["theta", "theta"]
    assert found[0, 0] < plain[0, 0]


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_moments_after_some_steps(steps):
    found = law("svrg_ld", problem(), at=steps)
    mean, covariance = chain(svrg).after(steps, exactly([2, 0, 0]))
    assert abs(np.concatenate([found.mean[s] for s in found.states]) - mean).max() < 1e-12
    assert abs(stacked(found) - covariance).max() < 1e-12


def test_an_ensemble_has_that_law():
    """Deviations of 100 000 chains: six standard errors of a variance, and far less than the twin's."""
    p = problem()
    sampler = registry.sampler("svrg_ld")
    run = simulate(Setting(sampler, p.model), p.values(sampler), chains=100_000, steps=60, seed=3)
    right = law("svrg_ld", p, at=60).covariance["theta", "theta"][0, 0]
    wrong = law("sgld", p, at=60).covariance["theta", "theta"][0, 0]
    error = 6 * right * (2 / 100_000) ** 0.5
    got = run.covariance["theta,theta"][0, 0]
    assert abs(got - right) < error < abs(wrong - right)


LOGISTIC = {
    "model": "logistic_regression", "X": [[1, 0], [1, 1], [1, -1], [2, 1], [0, 1]],
    "y": [1, 1, -1, 1, -1], "ridge": 1, "S": 2, "params": {"eps": "1/40", "m": M},
    "start": {"theta": [1, 0]},
}  # fmt: skip


def ended(bound):
    engine = CpuEngine(bound, 1)
    x = engine.start(0, 1, 9)
    engine.advance(x, 0, 0, 2 * M + 1, 9)
    return engine.host(x)


def test_the_full_gradient_is_taken_once_an_epoch():
    """Without its gate a kernel gives the same bits and meets all examples in every step."""
    p, sampler = Problem.of(LOGISTIC), registry.sampler("svrg_ld")
    program = lower(Setting(sampler, p.model))
    (whole,) = (i for i in program.step.instructions if i.op == "batch" and i.args[1] == "all")
    assert whole.when in {i.result for i in program.schedule}

    def gated(gate):
        step = [replace(i, when=gate) if i == whole else i for i in program.step.instructions]
        block = replace(program.step, instructions=tuple(step))
        return ended(bind(replace(program, step=block), p.values(sampler)))

    shut = next(c.name for c in program.constants if c.expression == 0)
    always = ended(bind(program, p.values(sampler)))
    assert always.tobytes() == gated("").tobytes()
    assert always.tobytes() != gated(shut).tobytes()  # the wrong twin: a gate that stays shut
