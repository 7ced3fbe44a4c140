"""Sums over lags, temperatures and windows as formulas: against numbers, and against wrong twins."""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from mpmath import mpf, workdps

from sgtheory import law, registry
from sgtheory.independent.recheck import check_gain, check_long_run, check_reading
from sgtheory.modepairs.longrun import (
    at_one_mode,
    correlation_time,
    long_run,
    read_entry,
    steps_per_pass,
    temperatures,
    window_sums,
)
from sgtheory.modepairs.unbiased import exact_gain
from sgtheory.problem import Problem
from sgtheory.symbolic import derive
from tests.sgtheory.strategies import problems, scaled_for
from tests.sgtheory.test_symbolic import CASES, CLOCKS

PLAIN = [(n, t) for n, t in CASES if n not in CLOCKS]
KINETIC = [(n, t) for n, t in PLAIN if registry.sampler(n).kinetic]


@cache
def compiled(expr):
    symbols = sorted(expr.free_symbols, key=str)
    return [s.name for s in symbols], sp.lambdify(symbols, expr, "mpmath")


def number(expr, **values):
    """A formula in 40 digits."""
    names, function = compiled(expr)
    with workdps(40):
        return float(function(*(mpf(values[n]) for n in names)))


@cache
def times(name, time):
    """The correlation time, and the steps that a pass over the data takes."""
    derived = derive(name, time=time)
    return correlation_time(derived.pairs), steps_per_pass(derived.setting)


@cache
def readings(name, time):
    return temperatures(derive(name, time=time).pairs)


def one_dimension(problem, name):
    """The problem along its first axis only: one mode."""
    content = problem.to_json()
    content |= {"hessian": [[content["hessian"][0][0]]], "noise": [[content["noise"][0][0]]]}
    content["params"] = {
        k: v[0][:1] and [v[0][:1]] if isinstance(v, list) else v for k, v in content["params"].items()
    }
    content["start"] = {"theta": [0]}
    small = Problem.of(content)
    return scaled_for(small, registry.sampler(name))


def numbers(problem, name):
    values = problem.values(registry.sampler(name))
    found = {k: mpf(v.numerator) / v.denominator for k, v in values.scalars.items()}
    found |= {"lambda_i": values.arrays["A"][0, 0], "C_ii": values.arrays["C"][0, 0]}
    if "E" in values.arrays:
        found["EE_ii"] = values.arrays["E"][0, 0] ** 2
    H = values.arrays.get("H")
    if H is not None:  # formulas are about H^(1/2) A H^(1/2)
        found["lambda_i"] *= H[0, 0]
        found["C_ii"] *= H[0, 0]
        found["EE_ii"] = found.get("EE_ii", 0) * H[0, 0]
    return found


@pytest.mark.parametrize(("name", "time"), PLAIN)
@settings(max_examples=10)
@given(problem=problems(sizes=(1, 2), gains=False))
def test_correlation_times_and_samples_are_those_of_the_law(name, time, problem):
    problem = one_dimension(problem, name)
    found = law(name, problem, time=time)
    if not found.stable:
        return
    here = numbers(problem, name)
    if found.covariance["theta", "theta"][0, 0] == 0:
        return
    tau, passes = (number(formula, **here) for formula in times(name, time))
    assert tau == pytest.approx(found.autocorrelation_time[0], rel=1e-9)
    assert passes / tau == pytest.approx(found.ess_per_pass[0], rel=1e-9)


@pytest.mark.parametrize(("name", "time"), KINETIC)
@settings(max_examples=10)
@given(problem=problems(sizes=(1, 2), gains=False))
def test_temperatures_are_those_of_the_law(name, time, problem):
    problem = one_dimension(problem, name)
    found = law(name, problem, time=time)
    if not found.stable:
        return
    here = numbers(problem, name)
    for reading in readings(name, time):
        keys = [k for k in found.temperature if k.startswith("configurational")]
        if reading.of != "theta":
            after = f" after update {reading.after} " if reading.after is not None else None
            keys = [
                k
                for k in found.temperature
                if k.startswith("kinetic") and (after in k if after else "after" not in k)
            ]
        assert len(keys) == 1
        assert number(reading.value, **here) == pytest.approx(found.temperature[keys[0]], rel=1e-9)


@pytest.mark.parametrize(("name", "time"), PLAIN)
def test_a_wrong_sum_over_lags_is_rejected(name, time):
    pairs = derive(name, time=time).pairs
    right = long_run(pairs)
    assert check_long_run(pairs, right).passed
    assert not check_long_run(pairs, right * sp.Rational(1001, 1000)).passed
    own = pairs.entry("theta", "theta")
    assert not check_long_run(pairs, right + own).passed  # the lag zero counted twice


@pytest.mark.parametrize("name", sorted({n for n, t in KINETIC if t == "discrete"}))
def test_a_wrong_reading_is_rejected(name):
    pairs = derive(name).pairs
    places = [r.after for r in temperatures(pairs) if r.after is not None]
    for place in places:
        right = sp.Add(*read_entry(pairs, "v", place))
        assert check_reading(pairs, "v", place, right).passed
        # what the velocity is at the end of the step is another thing
        assert not check_reading(pairs, "v", place, pairs.entry("v", "v")).passed


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgfs"])
def test_a_wrong_gain_is_rejected(name):
    pairs = derive(name).pairs
    right = exact_gain(pairs).inverse
    assert check_gain(pairs, right).passed
    in_the_limit = exact_gain(derive(name, time="continuous").pairs).inverse
    assert not check_gain(pairs, in_the_limit).passed
    assert check_gain(derive(name, time="continuous").pairs, in_the_limit).passed


def test_one_mode_keeps_what_is_diagonal():
    pair = derive("lmc").covariance.pair
    assert "delta_ij" not in {s.name for s in at_one_mode(pair).free_symbols}
    assert "lambda_j" not in {s.name for s in at_one_mode(pair).free_symbols}


@pytest.mark.parametrize("T", [1, 2, 7])
@pytest.mark.parametrize("rate", [0.3, -0.8, 0.999])
def test_window_sums_are_sums(T, rate):
    weighted, plain = window_sums(sp.Float(rate, 40), "discrete", T)
    assert float(weighted) == pytest.approx(sum((T - k) * rate**k for k in range(1, T)), abs=1e-12)
    assert float(plain) == pytest.approx(sum(rate**k for k in range(T)), rel=1e-12)


@pytest.mark.parametrize("rate", [-0.3, -2.0])
def test_window_integrals_are_integrals(rate):
    from scipy.integrate import quad

    weighted, plain = window_sums(sp.Float(rate, 40), "continuous", 3)
    assert float(weighted) == pytest.approx(quad(lambda s: (3 - s) * np.exp(rate * s), 0, 3)[0])
    assert float(plain) == pytest.approx(quad(lambda s: np.exp(rate * s), 0, 3)[0])
