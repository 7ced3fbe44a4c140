"""Kernels of gradients that are written out, and of curvatures, beside the interpreter."""

from itertools import product

import numpy as np
import pytest

from sgtheory import registry
from sgtheory.setting import Setting
from simulators import interpret
from simulators.bind import bind
from simulators.lower import lower
from simulators.moments import LANES
from tests.sgtheory.test_written import WRITTEN, problem
from tests.simulators.steps import states_of

ALL = list(product([*WRITTEN, "logistic_regression"], ["psgld", "svrg_ld"], ["float32", "float64"]))
ALWAYS = [ALL[1], ALL[6], ALL[8]]  # each model, sampler and type once at least


@pytest.mark.parametrize(
    ("model", "name", "dtype"),
    [*ALWAYS, *(pytest.param(*c, marks=pytest.mark.long) for c in ALL if c not in ALWAYS)],
)
def test_kernels_make_the_interpreters_steps(tools, cpu_engine, host_engine, model, name, dtype):
    p, sampler = problem(model), registry.sampler(name)
    p = p.with_params(eps="1/40")
    b = bind(lower(Setting(sampler, p.model)), p.values(sampler), dtype)
    engine, chains = cpu_engine(b), np.arange(LANES)
    x, worst = engine.start(0, 1, 9), {0: 0.0, 1: 0.0}
    for step in range(3):
        state = states_of(b, engine.host(x).copy())
        engine.advance(x, 0, step, 1, 9)
        got = states_of(b, engine.host(x))
        for shift in worst:  # the wrong twin has another step's minibatch
            expected = interpret.interpret(b, chains, step + shift, 1, 9, state)
            gaps = (abs(got[s] - expected[s]) / (1 + abs(expected[s])) for s in b.program.states)
            worst[shift] = max(worst[shift], *(float(g.max()) for g in gaps))
    assert worst[0] < (2e-5 if dtype == "float32" else 1e-13) < 1e-3 < worst[1]
    ends = []
    for each in (engine, host_engine(b)):
        x = each.start(5, 2, 9)
        each.advance(x, 5, 0, 5, 9)
        ends.append(each.host(x))
    assert tools.same_bits(*ends)


@pytest.mark.long
def test_long_rows_have_curvatures_too(tools, cpu_engine, host_engine):
    """Rows beyond sixteen numbers take another way through the kernels."""
    rows = [[f"{(7 * i + 3 * j) % 11 - 5}/4" for j in range(18)] for i in range(9)]
    given = {"X": rows, "y": [1, -1, 1, 1, -1, 1, -1, 1, 1], "S": 4}
    given["start"] = {"theta": [f"{k}/20" for k in range(18)], "V": [1] * 18}
    p = problem("logistic_regression", **given).with_params(eps="1/40")
    b = bind(lower(Setting(registry.sampler("psgld"), p.model)), p.values("psgld"))
    engine, chains = cpu_engine(b), np.arange(LANES)
    x = engine.start(0, 1, 9)
    engine.advance(x, 0, 0, 2, 9)
    right = interpret.interpret(b, chains, 0, 2, 9, interpret.start(b, chains, 9))
    assert all(np.isfinite(v).all() for v in right.values())
    assert all(np.allclose(states_of(b, engine.host(x))[s], right[s], atol=1e-12) for s in right)
    y = host_engine(b).start(0, 1, 9)
    host_engine(b).advance(y, 0, 0, 2, 9)
    assert tools.same_bits(engine.host(x), host_engine(b).host(y))
