"""SVRG-LD and SAGA-LD by hand, from their paper: every minibatch of every step, in fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from sgtheory import Problem, law, registry
from sgtheory.errors import NotAffine, UnusableInput
from sgtheory.numbers import epochs
from sgtheory.setting import Setting
from simulators import interpret, simulate
from simulators.bind import bind
from simulators.cpu.engine import CpuEngine
from simulators.lower import lower
from tests.sgtheory.minibatches import Chain, Hand, LinearRegression, exactly, pairs

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


@pytest.mark.parametrize("replacement", [pytest.param(True, marks=pytest.mark.long), False])
def test_the_law_is_that_of_all_minibatches(replacement):
    _, right = chain(svrg, replacement=replacement).stationary()
    found = stacked(law("svrg_ld", problem(replacement)))
    assert abs(found - right).max() < 1e-12
    for twin in (chain(late, replacement=replacement), chain(redrawn, 2, replacement)):
        assert abs(found - twin.stationary()[1])[0, 0] > 1e-5
    # variance is less than that of SGLD: the theorem's point, in exact numbers
    plain = law("sgld", problem(replacement)).covariance["theta", "theta"]
    assert found[0, 0] < plain[0, 0]


@pytest.mark.parametrize("steps", [2, 4])
def test_moments_after_some_steps(steps):
    found = law("svrg_ld", problem(), at=steps)
    mean, covariance = chain(svrg).after(steps, exactly([2, 0, 0]))
    assert abs(np.concatenate([found.mean[s] for s in found.states]) - mean).max() < 1e-12
    assert abs(stacked(found) - covariance).max() < 1e-12


@pytest.mark.long
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


@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_formula_for_any_epoch_is_the_law(m):
    """Its v is the variance of a minibatch's curvature, here of X^2/sigma2 over two examples."""
    p = problem().with_params(m=m)
    curved = [Fraction(x * x) / Fraction(4, 3) for (x,) in X]
    mean = sum(curved) / 3
    v = sum((c - mean) ** 2 for c in curved) / 3 / 2
    letters = {epochs.EPS: EPS, epochs.N: 3, epochs.LAMBDA: mean + Fraction(1, 6), epochs.V: v}
    formula = epochs.snapshot_variance().subs(epochs.M, m)
    exactly_said = {k: sp.Rational(str(x)) for k, x in letters.items()}
    found = law("svrg_ld", p).covariance["s", "s"][0, 0]
    assert float(formula.subs(exactly_said)) == pytest.approx(found, rel=1e-12)
    if m > 1:  # the wrong twin: curvatures that are all the same
        assert float(formula.subs({**exactly_said, epochs.V: 0})) != pytest.approx(found, rel=1e-5)


# -- SAGA-LD ----------------------------------------------------------------------------------------


def saga(w, theta, *table, new=False):
    """The paper's points alpha_n; the twin remembers the new position instead of the old one."""
    points = [theta] * w.N if w.t == 0 else list(table)
    slopes = [w.data.gradient(n, points[n]) for n in range(w.N)]
    seen = [w.data.gradient(n, theta) - slopes[n] for n in w.batches[0]]
    drift = w.N * sum(seen) / Fraction(len(seen)) + sum(slopes)
    after = theta - w.eps / 2 * drift + w.noise(w.eps)
    return after, *((after if new else theta) if n in w.batches[0] else points[n] for n in range(w.N))


def table_chain(replacement, new=False):
    def step(w, *states):
        return saga(w, *states, new=new)

    hand = Hand(("theta", "a", "b", "c"), step, 1, lambda N, S, numbers: None)
    return Chain(hand, DATA, {"eps": EPS}, 2, replacement)


@pytest.mark.parametrize("replacement", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_table_has_the_law_of_all_minibatches(replacement):
    """Mean and covariance within seven standard errors, of a normal law; both twins are far outside."""
    p, steps, chains = problem(replacement), 8, 40_000
    saga_ld = registry.sampler("saga_ld")
    run = simulate(Setting(saga_ld, p.model), p.values("saga_ld"), chains=chains, steps=steps, seed=2)
    names = ("theta", "alpha_0", "alpha_1", "alpha_2")
    mean = np.concatenate([run.mean[s] for s in names])
    P = np.zeros((4, 4))
    for i, j in pairs(4):
        P[i, j] = P[j, i] = run.covariance[f"{names[i]},{names[j]}"][0, 0]

    def away(chain):
        m, C = chain.after(steps, exactly([2, 2, 2, 2]))
        spread = np.sqrt(np.outer(np.diag(C), np.diag(C)) + C**2)
        return max(
            float((abs(mean - m) / np.sqrt(np.diag(C) / chains)).max()),
            float((abs(P - C) / (spread / chains**0.5)).max()),
        )

    assert away(table_chain(replacement)) < 7
    assert away(table_chain(replacement, new=True)) > 14
    assert away(table_chain(not replacement)) > 14


def test_a_table_is_the_printed_algorithm():
    """Algorithm 1 in NumPy, which keeps gradients and their sum, on the kernels' own minibatches."""
    p, sampler = Problem.of(LOGISTIC), registry.sampler("saga_ld")
    values = p.values(sampler)
    b = bind(lower(Setting(sampler, p.model), examples=values.count), values)
    X, y = (np.array(p.data[k], float) for k in "Xy")
    N, eps, source = len(X), 1 / 40, np.random.default_rng(1)

    def slope(n, theta):
        return -y[n] * X[n] / (1 + np.exp(y[n] * X[n] @ theta)) + theta / N

    theta = np.array([1.0, 0.0])
    kept = [slope(n, theta) for n in range(N)]
    total = sum(kept)
    state = interpret.start(b, np.arange(1), 0)
    for step in range(6):
        batch, xi = source.integers(0, N, 2), source.normal(size=2)
        noise = {"i0": batch[None], "xi": xi[None]}
        state = interpret.interpret(b, np.arange(1), step, 1, 0, state, noise=lambda _, z=noise: z)
        fresh = {n: slope(n, theta) for n in batch}
        drift = N * np.mean([fresh[n] - kept[n] for n in batch], axis=0) + total
        theta = theta - eps / 2 * drift + eps**0.5 * xi
        for n, g in fresh.items():
            total, kept[n] = total + g - kept[n], g
        assert abs(state["theta"][0] - theta).max() < 1e-13
    assert abs(state["theta"][0] - theta - eps * (kept[0] - kept[1])).max() > 1e-4


def test_where_there_is_no_room_for_a_table():
    sampler = registry.sampler("saga_ld")
    quadratic = Problem.of({"hessian": [[1]], "noise": [[1]], "N": 3, "S": 1, "params": {"eps": 1}})
    many = problem(X=[[k] for k in range(40)], y=[1] * 40)
    for p, words in ((quadratic, "a row for each example"), (many, "at most 32 examples")):
        with pytest.raises(UnusableInput, match=words):
            simulate(Setting(sampler, p.model), p.values(sampler), chains=64, steps=1)
    with pytest.raises(NotAffine, match="not linear"):
        law("saga_ld", problem())
