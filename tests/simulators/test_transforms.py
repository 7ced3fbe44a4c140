"""Logarithm, exponential, logistic as compiled: accurate everywhere, the same bits on every target."""

import numpy as np
import pytest
import sympy as sp

import sgtheory.declare as sg
from simulators.moments import LANES

theta = sg.state("theta")


def one_step_of(expr, name):
    return sg.Sampler(
        state=(theta,), updates=((theta, expr),), convention=sg.Card("mean", "0"), name=name
    )


EXP, LOG = one_step_of(sp.exp(theta), "exp"), one_step_of(sp.log(theta), "log")
LOGISTIC = one_step_of(sg.ones / (sg.ones + sp.exp(theta)), "logistic")
NUMPY = {"exp": np.exp, "log": np.log, "logistic": lambda x: 1 / (1 + np.exp(x))}
# beyond, the logistic function stays where it is
LOGISTIC_END = {"float32": 87.0, "float64": 708.0}


def samples(name, dtype):
    """A fine sweep of the arguments that have finite values, and everything special."""
    rng = np.random.default_rng(0)
    info = np.finfo(dtype)
    if name == "exp":
        limits = np.log(info.smallest_subnormal.astype(float)) - 2, np.log(float(info.max)) + 2
        plain = np.concatenate([rng.uniform(*limits, 9000), rng.normal(size=900)])
    elif name == "logistic":
        end = LOGISTIC_END[np.dtype(dtype).name]
        plain = np.concatenate([rng.uniform(-1.1 * end, 1.1 * end, 9000), 9 * rng.normal(size=9000)])
    else:
        low, high = np.log2(float(info.smallest_subnormal)), np.log2(float(info.max))
        plain = np.concatenate([2.0 ** rng.uniform(low, high, 9000), rng.uniform(0.5, 2, 900)])
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, info.max, info.tiny, 1e-30]
    with np.errstate(all="ignore"):
        x = np.concatenate([plain, special]).astype(dtype)
    return np.resize(x, -(-len(x) // LANES) * LANES)


def applied(engine, x):
    states = x.reshape(-1, LANES).copy()
    engine.advance(states, 0, 0, 1, 0)
    return states.ravel()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sampler", [EXP, LOG], ids=["exp", "log"])
def test_accuracy_and_special_values(tools, host_engine, sampler, dtype):
    x = samples(sampler.name, dtype)
    got = applied(host_engine(tools.bound(sampler, 1, dtype)), x)
    with np.errstate(all="ignore"):
        exact = NUMPY[sampler.name](x.astype(np.longdouble))
        expected = exact.astype(dtype)
        assert np.array_equal(np.isnan(got), np.isnan(expected))
        assert np.array_equal(np.isinf(got), np.isinf(expected))
        inside = np.isfinite(expected)
        error = np.abs(got[inside].astype(np.longdouble) - exact[inside])
        unit = np.spacing(np.abs(expected[inside]))
    # polynomial 1 ulp, the multiply-adds around it 1, and 2 in log where the terms nearly cancel
    assert (error / unit).max() <= 4


def logistic_error(y, x):
    """Largest error where the function still falls, in units of what is allowed there."""
    inside = np.abs(x) <= LOGISTIC_END[y.dtype.name]
    x, y = x[inside], y[inside]
    exact = NUMPY["logistic"](x.astype(np.longdouble))
    unit = np.spacing(exact.astype(y.dtype)).astype(np.longdouble)
    # three roundings and a little; in single precision log 2 is off by 1.9e-9 at every doubling
    allowed = 3 + (np.maximum(x, 0) / 20 if y.dtype == np.float32 else 0)
    return (np.abs(y - exact) / unit / allowed).max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_logistic_function_is_accurate_until_nothing_is_left(tools, cpu_engine, dtype):
    x = samples("logistic", dtype)
    got = applied(cpu_engine(tools.bound(LOGISTIC, 1, dtype)), x)
    assert logistic_error(got, x) < 1
    # a constant that is wrong in its eighth digit, or its sixteenth, is noticed
    with np.errstate(all="ignore"):
        wrong = NUMPY["logistic"](x.astype(np.longdouble) * (1 + 32 * np.finfo(dtype).eps))
    assert logistic_error(wrong.astype(dtype), x) > 1
    end = LOGISTIC_END[dtype]
    assert np.isnan(got[np.isnan(x)]).all()
    assert (got[x < -end] == 1).all()
    assert (np.abs(got[x > end] - np.exp(-end)) < 1e-6 * np.exp(-end)).all()


@pytest.mark.parametrize("sampler", [EXP, LOG, LOGISTIC], ids=["exp", "log", "logistic"])
def test_the_processor_gives_the_same_bits(tools, cpu_engine, host_engine, sampler):
    b = tools.bound(sampler, 1, "float32")
    x = samples(sampler.name, "float32")
    ours, theirs = applied(cpu_engine(b), x), applied(host_engine(b), x)
    ours[np.isnan(ours)] = theirs[np.isnan(theirs)] = np.nan  # the sign of nan means nothing
    assert tools.same_bits(ours, theirs)
