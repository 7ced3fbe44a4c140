"""Lowering: the programs of the named samplers, what is refused, what folding does."""

import numpy as np
import pytest
import sympy as sp
from sympy import Piecewise

import sgtheory.declare as sg
from sgtheory import registry
from sgtheory.setting import Setting
from simulators import interpret
from simulators.bind import bind
from simulators.lower import NotLowered, lower

theta, v = sg.state("theta v")
eps = sg.positive("eps")


def sampler(expr, **more):
    return sg.Sampler(
        state=(theta,), updates=((theta, expr),), convention=sg.Card("mean", "eps"), name="x", **more
    )


def test_momentum_is_two_products_a_multiply_add_and_a_sum(tools):
    program = lower(tools.setting("momentum"))
    assert [i.op for i in program.step.instructions] == ["matvec", "matvec", "fma", "add"]
    assert [(c.shape, str(c.expression)) for c in program.constants] == [
        ("matrix", "Product(-eps, H, A)"),
        ("matrix", "Product(-eps/sqrt(S), H, B)"),
        ("scalar", "1 - mu"),
    ]
    assert [(d.name, d.purpose, d.slot) for d in program.step.draws] == [("w0", 1, 0)]


def test_draws_have_their_own_purpose_and_slot(tools):
    a, b = sg.normal("a b")
    expr = theta - eps * (sg.gradient(theta) + sg.gradient(theta, 1)) + a + 2 * b
    program = lower(tools.setting(sampler(expr, noises=(a, b))))
    assert [(d.name, d.purpose, d.slot) for d in program.step.draws] == [
        ("w0", 1, 0), ("w1", 1, 1), ("a", 2, 0), ("b", 2, 1),
    ]  # fmt: skip


def test_equal_expressions_are_computed_once(tools):
    g = theta * theta
    program = lower(tools.setting(sampler(theta + g + sp.sqrt(g + eps * sg.ones))))
    assert sum(i.op == "mul" for i in program.step.instructions) == 1


def test_an_update_sees_what_the_ones_before_it_wrote(tools):
    momentum = tools.setting("momentum")
    program = lower(momentum)
    v_new = dict(program.step.outputs)["v"]
    assert v_new in program.step.instructions[-1].args


def test_states_swap_in_one_step(tools):
    temporary = sg.local("temporary")
    swap = sg.Sampler(
        state=(theta, v), updates=((temporary, theta), (theta, v), (v, temporary)),
        convention=sg.Card("mean", "0"), name="swap",
    )  # fmt: skip
    assert lower(tools.setting(swap)).step.outputs == (("theta", "v"), ("v", "theta"))


@pytest.mark.parametrize(
    "expr",
    [
        sp.sin(theta),
        sp.erf(theta),
        Piecewise((theta, theta > 0), (v, True)).subs(v, theta * 2),
        Piecewise((theta, sg.t < eps)),
        Piecewise((theta, sp.Ne(sg.t, 3)), (theta / 2, True)),
    ],
    ids=str,
)
def test_what_has_no_instruction_is_refused(tools, expr):
    setting = tools.setting(sampler(expr))
    with pytest.raises(NotLowered):
        lower(setting)


def test_a_number_over_one_and_an_exponential_is_one_instruction(tools):
    def ops(expr):
        return [i.op for i in lower(tools.setting(sampler(expr))).step.instructions]

    square = sg.dot(theta, theta)
    weights = lower(Setting(registry.sampler("sgld"), registry.model("logistic_regression"))).weights
    assert [i.op for w in weights for i in w.instructions] == ["logistic"]
    assert ops(3 * sg.ones / (sg.ones + sp.exp(theta))) == ["logistic"]
    assert "logistic" not in ops(sg.ones / (1 + sp.exp(square)))  # it would be a number
    for other in (2 + sp.exp(square), 1 - sp.exp(square), (1 + sp.exp(square)) ** 2):
        assert "logistic" not in ops(theta / other)


@pytest.mark.parametrize("name", ["sgd", "momentum", "sgld"])
def test_folding_changes_nothing_but_rounding(tools, name):
    """Both programs in float64, ten steps: the difference is a few roundings of the state's size."""
    numbers, chains = tools.values(3), np.arange(20)
    ends = []
    for rewrites in ({}, {"rewrites": ()}):
        b = bind(lower(tools.setting(name), **rewrites), numbers)
        end = interpret.interpret(b, chains, 0, 10, 1, interpret.start(b, chains, 1))
        ends.append(end["theta"])
    assert np.abs(ends[0] - ends[1]).max() < 1e-13
    assert lower(tools.setting(name)).rewrites[0].after <= lower(tools.setting(name)).rewrites[0].before


def test_folding_a_wrong_matrix_would_be_noticed(tools):
    numbers = tools.values(3)
    no_gain = numbers.matrices | {"H": tuple(tuple(int(i == j) for j in range(3)) for i in range(3))}
    ends = []
    for matrices in (numbers.matrices, no_gain):
        changed = type(numbers)(3, numbers.scalars, matrices, numbers.start)
        b = bind(lower(tools.setting("sgd")), changed)
        chains = np.arange(20)
        end = interpret.interpret(b, chains, 0, 10, 1, interpret.start(b, chains, 1))
        ends.append(end["theta"])
    assert np.abs(ends[0] - ends[1]).max() > 1e-3


def test_folding_never_adds_products(tools):
    H = sg.positive_definite("H")
    one = sampler(theta - eps * H @ (theta * theta + sg.ones + sp.exp(theta)))
    (report,) = lower(tools.setting(one)).rewrites
    assert (report.before, report.after) == (1, 1)
